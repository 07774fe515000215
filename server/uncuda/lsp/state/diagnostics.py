"""Diagnostics of open documents: requested by the client (pull), or sent to a client that cannot request them
(push)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ..wire.protocol import Prepared, field
from .render import Renderer

if TYPE_CHECKING:
    from uncuda.catalogue import Catalogue

    from ..wire.endpoint import Endpoint
    from .analyses import Analyses, Analysis
    from .documents import Documents, Program
    from .projects import Where

_NONE = Prepared('{"kind":"full","items":[]}')


class Diagnostics:
    """The diagnostics that the client was last sent for each document."""

    def __init__(
        self,
        endpoint: Endpoint,
        documents: Documents,
        analyses: Analyses,
        catalogue: Catalogue,
        shim: Callable[[Program, str], Where | None],
    ) -> None:
        self._endpoint, self._documents, self._analyses = endpoint, documents, analyses
        self.renderer = Renderer(endpoint.client, catalogue, shim)
        self.pull_closed: Callable[[str, Any], asyncio.Future[Prepared] | None] = lambda uri, params: None
        """A function that answers `textDocument/diagnostic` for a closed document; it returns None if nothing is known
        about the document."""
        self._rendered: dict[str, tuple[Analysis, dict[str, str]]] = {}
        self._results: dict[str, tuple[str, str]] = {}
        self.told: dict[str, str] = {}
        """Maps each URI to the id of the diagnostics that the client was last sent for it, by any request."""
        self._serial = 0
        self._pushes: dict[str, None] = {}
        self._held: dict[str, list[tuple[asyncio.Future[Prepared], str, Any]]] = {}
        self._refreshing = False
        endpoint.protocol.settle = self._push_all
        endpoint.opened.append(self._show)
        endpoint.changed.append(self._show)
        endpoint.closed.append(self._close)
        endpoint.analysed.append(self._release)
        endpoint.shims_moved.append(self._shims_moved)
        endpoint.stale.append(self.refresh)

    def pull(self, params: Any) -> Prepared | asyncio.Future[Prepared]:
        """Answer `textDocument/diagnostic`; the answer is a future if another process must first analyse the document
        or read the file."""
        uri = field(params, "textDocument", "uri")
        program = self._documents.program(uri)
        if program is None:
            return self.pull_closed(uri, params) or _NONE
        if not self._analyses.of(program).pending:
            return self._answer(uri, params)
        reply: asyncio.Future[Prepared] = self._endpoint.loop.create_future()
        self._held.setdefault(program.uri, []).append((reply, uri, params))
        return reply

    def _answer(self, uri: str, params: Any) -> Prepared:
        found = self.of(uri)
        if found is None:
            return _NONE
        result, items = found
        self.told[uri] = result
        if params.get("previousResultId") == result:
            return Prepared(f'{{"kind":"unchanged","resultId":"{result}"}}')
        return Prepared(f'{{"kind":"full","resultId":"{result}","items":{items}}}')

    def _release(self, program: Program) -> None:
        """Answer the requests that waited for an analysis; if no request waited, ask the client to request diagnostics
        again."""
        # the text or the settings have changed again, so another analysis is running
        if self._analyses.of(program).pending:
            return
        held = [entry for entry in self._held.pop(program.uri, ()) if not entry[0].done()]
        for reply, uri, params in held:
            reply.set_result(self._answer(uri, params))
        if not held:
            self._endpoint.stale([document.uri for document in program.documents])

    def forget(self, uri: str) -> None:
        """Forget which diagnostics the client was sent for a document."""
        self._results.pop(uri, None)
        self.told.pop(uri, None)

    def pends(self, uri: str) -> bool:
        """Whether another process is still analysing a document, so that its findings are unknown."""
        program = self._documents.program(uri)
        return program is not None and self._analyses.of(program).pending

    def of(self, uri: str) -> tuple[str, str] | None:
        """Return (id, JSON list) for a document's diagnostics, with a new id whenever they change; None if the document
        is closed."""
        program = self._documents.program(uri)
        if program is None:
            return None
        items = self._items(program).get(uri, "[]")
        known = self._results.get(uri)
        if known is None or known[1] != items:
            self._serial += 1
            known = self._results[uri] = str(self._serial), items
        return known

    def _items(self, program: Program) -> dict[str, str]:
        analysis = self._analyses.of(program)
        known = self._rendered.get(program.uri)
        # after an edit, the text of one cell may be in another cell
        uris = {document.uri for document in program.documents}
        if known is None or known[0] is not analysis or known[1].keys() != uris:
            known = self._rendered[program.uri] = analysis, self.renderer.items(analysis)
            if analysis.report.findings:
                self._endpoint.found(program)
        return known[1]

    def refresh(self, uris: Iterable[str] | None = None) -> None:
        """Tell the client that the diagnostics of documents (None: of all) may have changed."""
        if self._endpoint.client.pull:
            if self._endpoint.client.refresh and not self._refreshing and len(self._documents):
                self._refreshing = True
                self._endpoint.loop.call_soon(self._ask_to_refresh)
            return
        self._push(uris if uris is not None else [document.uri for document in self._documents])

    def _shims_moved(self) -> None:
        """Refresh diagnostics that mention where the shim is imported, because that import has moved."""
        stale = [uri for uri, (analysis, _) in self._rendered.items() if self.renderer.tells_of_shims(analysis)]
        for uri in stale:
            del self._rendered[uri]
        if stale:
            self.refresh(stale)

    def _ask_to_refresh(self) -> None:
        self._refreshing = False
        self._endpoint.ask(types.WORKSPACE_DIAGNOSTIC_REFRESH, None)

    def _show(self, program: Program) -> None:
        if not self._endpoint.client.pull:
            self._push(document.uri for document in program.documents)

    def _close(self, program: Program | None, uris: list[str]) -> None:
        if program is not None:
            self._rendered.pop(program.uri, None)
            for reply, _, _ in self._held.pop(program.uri, ()):
                if not reply.done():
                    reply.set_result(_NONE)
        for uri in uris:
            self.forget(uri)
        if not self._endpoint.client.pull:
            self._push(uris)

    def _push(self, uris: Iterable[str]) -> None:
        """Push diagnostics of these documents after all pending messages have been handled."""
        if not self._pushes:
            self._endpoint.loop.call_soon(self._push_all)
        self._pushes.update(dict.fromkeys(uris))

    def _push_all(self) -> None:
        pushes, self._pushes = self._pushes, {}
        for uri in pushes:
            if self.pends(uri):
                continue
            found = self.of(uri)
            document = self._documents.get(uri)
            version = ""
            if document and document.version is not None and self._endpoint.client.version_support:
                version = f',"version":{document.version}'
            items = found[1] if found else "[]"
            self._endpoint.protocol.send_text(
                f'{{"jsonrpc":"2.0","method":"{types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS}",'
                f'"params":{{"uri":{json.dumps(uri)}{version},"diagnostics":{items}}}}}'
            )
