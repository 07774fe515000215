"""Diagnostics of the whole workspace, where the setting asks for them: each is sent once, until it is another."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from .background import Background
from .logs import logger
from .protocol import Prepared, field
from .uris import uri_of

if TYPE_CHECKING:
    from .documents import Program
    from .server import UncudaServer

_PAUSE = 0.5
_CHUNK = 50


@dataclass
class Request:
    """A request that waits until there is something to say. `told`: ids of the results that the client has; `token`:
    for partial results, `begun`: some were sent."""

    reply: asyncio.Future[Prepared]
    told: dict[str, str]
    token: Any
    begun: bool = False


class Workspace:
    """What was found in closed files, and who waits to be told."""

    def __init__(self, server: UncudaServer) -> None:
        self._server = server
        self._results: dict[str, tuple[str, str]] = {}
        self._fresh: set[str] = set()
        self._left: dict[str, None] = {}
        """Documents that were closed since: a client that offers this request waits for it to clear what it shows."""
        self._serial = 0
        self._waiting: list[Request] = []
        self._child: Background | None = None
        self._busy = False
        self._start_timer: asyncio.TimerHandle | None = None
        self._wake_timer: asyncio.TimerHandle | None = None
        server.scanned.append(lambda folder: self.start_soon())
        server.reconfigured.append(self.start_soon)
        server.touched.append(self.check)
        server.closed.append(self._close)
        server.ended.append(self._stop)

    def pull(self, params: Any) -> asyncio.Future[Prepared]:
        """Answer `workspace/diagnostic`: at once if there is news, later otherwise."""
        params = params if isinstance(params, dict) else {}
        told = {}
        previous = params.get("previousResultIds") or []
        for item in field({"previousResultIds": previous}, "previousResultIds", kind=list):
            uri = field(item, "uri")
            told[uri] = str(item.get("value"))
        request = Request(self._server.loop.create_future(), told, params.get("partialResultToken"))
        self._waiting.append(request)
        self._tell(request)
        return request.reply

    def start_soon(self) -> None:
        """Check all files anew, as soon as nothing changes any more."""
        if self._start_timer is not None:
            self._start_timer.cancel()
        self._start_timer = self._server.loop.call_later(_PAUSE, self._start)

    def check(self, paths: Iterable[str]) -> None:
        """Check some files again that are closed now, or were changed on the disk."""
        wanted = [path for path in paths if path.endswith(".py")]
        if self._child is not None and wanted:
            self._busy = True
            self._child.send(wanted)

    def _close(self, program: Program | None, uris: Iterable[str]) -> None:
        if program and program.path:
            self.check([program.path])
        self._left.update(dict.fromkeys(uris))
        self._wake_soon()  # not before the client has been told of the document itself: it would pass over this

    def _wanted(self) -> bool:
        folders = self._server.folders.all
        return any(f.editor.workspace_diagnostics for f in folders) and all(f.scanned for f in folders)

    def _start(self) -> None:
        self._start_timer = None
        self._stop()
        if not self._wanted():
            self._results.clear()
            self._wake()
            return
        folders, projects = self._server.folders, self._server.projects
        shims = {
            folder.uri: {
                name: place for name in folders.catalogue.declarations if (place := projects.shim_in(folder, name))
            }
            for folder in folders.all
        }
        self._busy, self._fresh = True, set()
        self._child = Background(
            "uncuda.lsp.inspector",
            self._server.call,
            self._take,
            self._lost,
            first={**folders.record(), "shims": shims},
        )

    def _stop(self) -> None:
        if self._child is not None:
            self._child.stop()
        self._child, self._busy = None, False

    def _lost(self) -> None:
        logger.error("checking the workspace has ended")
        self._child, self._busy = None, False
        self._wake()

    def _take(self, record: dict[str, Any]) -> None:
        if record.get("done"):
            self._busy = False
            for uri in self._results.keys() - self._fresh:
                del self._results[uri]
            self._wake()
            return
        if "failed" in record:
            self._server.analyses.failed("", record["path"], RuntimeError(record["failed"]))
        uri, items = record["uri"], record["items"]
        self._fresh.discard(uri)
        if items == "[]":
            self._results.pop(uri, None)
        else:
            self._fresh.add(uri)
            if self._results.get(uri, ("", ""))[1] != items:
                self._serial += 1
                self._results[uri] = f"w{self._serial}", items
        self._wake_soon()

    def _wake_soon(self) -> None:
        if self._wake_timer is None:
            self._wake_timer = self._server.loop.call_later(_PAUSE, self._wake)

    def _wake(self) -> None:
        if self._wake_timer is not None:
            self._wake_timer.cancel()
            self._wake_timer = None
        for request in list(self._waiting):
            self._tell(request)

    def _tell(self, request: Request) -> None:
        """Send what is new; the reply ends the request once there was something and nothing is being checked."""
        if request.reply.done():
            self._waiting.remove(request)
            return
        if self._busy and request.token is None:
            return
        reports = list(self._news(request))
        if request.token is not None and reports:
            for start in range(0, len(reports), _CHUNK):
                items = ",".join(reports[start : start + _CHUNK])
                token = json.dumps(request.token)
                self._server.protocol.send_text(
                    f'{{"jsonrpc":"2.0","method":"$/progress","params":{{"token":{token},"value":{{"items":[{items}]}}}}}}'
                )
            request.begun, reports = True, []
        if (reports or request.begun) and not self._busy:
            self._waiting.remove(request)
            request.reply.set_result(Prepared(f'{{"items":[{",".join(reports)}]}}'))

    def _news(self, request: Request) -> Iterator[str]:
        """Reports on the documents whose results the client does not have; it has them afterwards."""
        server, told = self._server, request.told
        shown: dict[str, tuple[str, str, int | None]] = {
            uri: (result, items, None) for uri, (result, items) in self._results.items()
        }
        for document in server.documents:
            found = server.diagnostics.of(document.uri) if document.path and self._wanted() else None
            shown.pop(uri_of(document.path), None)
            if found is not None and document.notebook is None:
                shown[document.uri] = *found, document.version
            if server.diagnostics.told.get(document.uri):  # asked for by itself meanwhile
                told[document.uri] = server.diagnostics.told[document.uri]
        for uri, (result, items, version) in shown.items():
            if told.get(uri) != result and not (items == "[]" and uri not in told):
                told[uri] = result
                number = "null" if version is None else version
                yield (
                    f'{{"kind":"full","uri":{json.dumps(uri)},"version":{number},'
                    f'"resultId":"{result}","items":{items}}}'
                )
        left = {} if self._busy else self._left
        for uri in [uri for uri in {**told, **left} if uri not in shown and server.documents.get(uri) is None]:
            told.pop(uri, None)
            yield f'{{"kind":"full","uri":{json.dumps(uri)},"version":null,"items":[]}}'
        left.clear()


def register(server: UncudaServer) -> None:
    """Answer requests for the diagnostics of the workspace."""

    @server.feature(types.WORKSPACE_DIAGNOSTIC)  # so that it is offered
    @server.raw(types.WORKSPACE_DIAGNOSTIC)
    def pull(params: Any) -> asyncio.Future[Prepared]:
        return server.inspection.pull(params)
