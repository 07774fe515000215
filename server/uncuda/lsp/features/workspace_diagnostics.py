"""`workspace/diagnostic`: diagnostics of all files, if the setting enables them. The diagnostics of a document are sent
only when they have changed.

`Diagnostics.told` records which diagnostics the client has for open documents; the waiting `workspace/diagnostic`
request records them for closed files. After a document is closed, the server does not know whether the client still
shows its diagnostics, so the server sends them once more.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from ..fixing.arguments import read_object
from ..state.inspection import PAUSE, Result
from ..wire.names import SCAN_WORKSPACE
from ..wire.protocol import Prepared, field
from ..wire.texts import Texts
from ..wire.uris import path_of, uri_of

if TYPE_CHECKING:
    from ..session import Session
    from ..state.documents import Program

_CHUNK = 50


@dataclass
class Request:
    """A `workspace/diagnostic` request that waits for changes. `told` maps the key of each document to the result id of
    the diagnostics that the client has. `token` is the token for partial results. `begun`: whether some results were
    already sent."""

    reply: asyncio.Future[Prepared]
    told: dict[str, str]
    token: Any
    begun: bool = False


class Workspace:
    """The requests that wait for diagnostics of closed files. The keys of the dictionaries in this class are the URIs
    that this server itself makes for files."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._inspection = session.inspection
        self._inspection.changed.append(self._wake_soon)
        self._inspection.done.append(self._checked)
        self._doubtful: dict[str, tuple[str, float]] = {}
        """Maps the key of a document that was closed, or whose diagnostics were requested while it was closed, to
        its URI and to the time after which its diagnostics may be sent again; editors ignore diagnostics that come
        earlier."""
        self._opened: dict[str, str] = {}
        """Maps a key to the URI of an open document whose diagnostics are sent with this request. An open document
        without a tab is in this dictionary, because editors do not request its diagnostics."""
        self._waiting: list[Request] = []
        self._held: list[tuple[asyncio.Future[Any], str, Any]] = []
        """Requests about single closed files that wait for an answer: (reply, URI, parameters)."""
        self._timer: asyncio.TimerHandle | None = None
        session.opened.append(self._open)
        for event in (session.changed, session.analysed):
            event.append(lambda program: self._wake_soon() if self._waiting else None)
        session.analysed.append(lambda program: self._answer_held())
        session.closed.append(self._close)
        session.diagnostics.pull_closed = self.pull_closed

    def pull(self, params: Any) -> asyncio.Future[Prepared]:
        """Answer `workspace/diagnostic`: at once if diagnostics have changed, otherwise as soon as they change."""
        if not isinstance(params := {} if params is None else params, dict):
            raise JsonRpcInvalidParams("the parameters are an object")
        told = {}
        previous = params.get("previousResultIds") or []
        for item in field({"previousResultIds": previous}, "previousResultIds", kind=list):
            uri, value = field(item, "uri"), str(item.get("value"))
            told[_key(uri)] = value
            if self._session.documents.get(uri) is not None:
                self._session.diagnostics.told[uri] = value
        self._inspection.pull()
        request = Request(self._session.loop.create_future(), told, params.get("partialResultToken"))
        self._waiting.append(request)
        self._tell(request)
        return request.reply

    def scan(self) -> bool:
        """Check all closed files, even if the setting switches that off; return False if the client does not show
        findings of closed files."""
        return self._inspection.choose(wanted=True)

    def pull_closed(self, uri: str, params: Any) -> asyncio.Future[Any] | None:
        """Answer `textDocument/diagnostic` for a closed document when its file has been checked; return None if
        findings of closed files are not shown. VS Code sends `textDocument/diagnostic` once after it closes a
        document."""
        path = path_of(uri)
        if not path or not path.endswith(".py") or not self._inspection.is_on:
            return None
        reply: asyncio.Future[Any] = self._session.loop.create_future()
        self._held.append((reply, uri, params))
        self._answer_held()
        return reply

    def _open(self, _program: Program) -> None:
        self._answer_held()
        # no diagnostics were sent while the file was closed
        if self._waiting and self._session.overviews.limits_problems:
            self._wake_soon()

    def _close(self, program: Program | None, uris: Iterable[str]) -> None:
        if program and program.path:
            self._inspection.check([program.path])
        for uri in uris:
            self._doubt(uri)

    def _doubt(self, uri: str) -> None:
        self._opened.pop(_key(uri), None)
        self._doubtful[_key(uri)] = uri, self._session.loop.time() + PAUSE
        self._wake_soon()

    def _checked(self) -> None:
        if self._inspection.is_busy:
            self._answer_held()
        else:
            self._wake()

    def _answer_held(self) -> None:
        """Answer waiting requests about single files whose results are known."""
        held, self._held = self._held, []
        for reply, uri, params in held:
            if reply.done():  # the request was cancelled
                continue
            if self._session.documents.get(uri) is not None and not self._session.diagnostics.pends(uri):
                reply.set_result(self._session.diagnostics.pull(params))
            elif self._inspection.is_settled(_key(uri)):
                found = None if self._session.overviews.limits_problems else self._inspection.results.get(_key(uri))
                items, name = (found.items, f'"resultId":"{found.id}",') if found else ("[]", "")
                reply.set_result(Prepared(f'{{"kind":"full",{name}"items":{items}}}'))
                self._doubt(uri)
            else:
                self._held.append((reply, uri, params))

    def _wake_soon(self) -> None:
        if self._timer is None:
            self._timer = self._session.loop.call_later(PAUSE, self._wake)

    def _wake(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._answer_held()
        for request in list(self._waiting):
            self._tell(request)

    def _tell(self, request: Request) -> None:
        """Send the diagnostics that changed since the client last got them. Once diagnostics were sent and no check is
        running, the request gets its final answer."""
        if request.reply.done():
            self._waiting.remove(request)
            return
        busy = self._inspection.is_busy
        if busy and request.token is None:
            return
        reports = list(self._news(request))
        if request.token is not None and reports:
            for start in range(0, len(reports), _CHUNK):
                items = ",".join(reports[start : start + _CHUNK])
                token = json.dumps(request.token)
                self._session.protocol.send_text(
                    f'{{"jsonrpc":"2.0","method":"$/progress","params":{{"token":{token},"value":{{"items":[{items}]}}}}}}'
                )
            request.begun, reports = True, []
        if (reports or request.begun) and not busy:
            self._waiting.remove(request)
            request.reply.set_result(Prepared(f'{{"items":[{",".join(reports)}]}}'))

    def _news(self, request: Request) -> Iterator[str]:
        """Yield, as JSON, the diagnostics of documents for which the client does not have the current result; they
        count as sent afterwards."""
        told, diagnostics = request.told, self._session.diagnostics
        shown, opened = self._shown()
        again = set(self._due())
        for key, result in shown.items():
            have = diagnostics.told.get(result.uri) or told.get(key)
            nothing = result.items == "[]" and have is None
            if key in again or (key not in self._doubtful and have != result.id and not nothing):
                told[key] = result.id
                if key in opened:
                    diagnostics.told[result.uri] = result.id
                    self._opened[key] = result.uri
                yield _report(result)
        yield from self._switched_off(told)
        gone = [key for key in told if key not in self._doubtful]
        for key in dict.fromkeys([*gone, *again]):
            if key not in shown and key not in opened:
                told.pop(key, None)
                yield _nothing(self._doubtful[key][0] if key in again else key)
        for key in again:
            del self._doubtful[key]

    def _switched_off(self, told: dict[str, str]) -> Iterator[str]:
        """Yield empty diagnostics for open documents after the setting was switched off; the client then requests the
        diagnostics of these documents separately."""
        if self._inspection.is_on or not self._opened:
            return
        taken, self._opened = self._opened, {}
        for key, uri in taken.items():
            told.pop(key, None)
            self._session.diagnostics.forget(uri)
            yield _nothing(uri)
        self._session.diagnostics.refresh(taken.values())

    def _shown(self) -> tuple[dict[str, Result], set[str]]:
        """Return (the results to show, the keys of open documents); the results are stored by document key."""
        session, wanted = self._session, self._inspection.is_wanted
        shown = {} if session.overviews.limits_problems else dict(self._inspection.results)
        opened = set()
        for document in session.documents:
            key = _key(document.uri)
            opened.add(key)
            shown.pop(key, None)
            if session.diagnostics.pends(document.uri):
                continue
            found = session.diagnostics.of(document.uri) if document.path and wanted else None
            if found is not None and document.notebook is None:
                shown[key] = Result(document.uri, *found, document.version)
        return shown, opened

    def _due(self) -> Iterator[str]:
        """Yield the keys of recently closed documents whose diagnostics are known and may be sent now."""
        now = self._session.loop.time()
        for key, (uri, due) in self._doubtful.items():
            if due > now:
                self._wake_soon()
            elif self._session.documents.get(uri) is not None or self._inspection.is_settled(key):
                yield key


def _key(uri: str) -> str:
    path = path_of(uri)
    return uri_of(path) if path else uri


def _nothing(uri: str) -> str:
    return f'{{"kind":"full","uri":{json.dumps(uri)},"version":null,"items":[]}}'


def _report(result: Result) -> str:
    version = "null" if result.version is None else result.version
    return (
        f'{{"kind":"full","uri":{json.dumps(result.uri)},"version":{version},'
        f'"resultId":"{result.id}","items":{result.items}}}'
    )


def register(session: Session) -> None:
    """Register the handler of `workspace/diagnostic`."""
    workspace: Workspace

    def begin() -> None:
        nonlocal workspace
        workspace = Workspace(session)

    session.begun.append(begin)

    @session.feature(types.WORKSPACE_DIAGNOSTIC)  # this registration also announces the request in the capabilities
    @session.raw(types.WORKSPACE_DIAGNOSTIC)
    def pull(params: Any) -> asyncio.Future[Prepared]:
        return workspace.pull(params)

    @session.command(SCAN_WORKSPACE)
    def scan(*arguments: Any) -> dict[str, bool]:
        read_object(list(arguments), ())
        begun = workspace.scan()
        if not begun:
            text = Texts(session.folders.language())("not asked")
            session.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))
        return {"scanning": begun}
