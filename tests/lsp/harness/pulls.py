"""Simulates how vscode-languageclient 11 pulls diagnostics, and which answers it shows.

A document that is shown in a tab of the editor is tracked: its diagnostics are pulled when it is opened or changed and
when the server sends `workspace/diagnostic/refresh`; what workspace pulls report about it is ignored. When the document
is closed, its diagnostics are pulled once more, after the `didClose`. If another pull of the document was running when
the document was closed, VS Code goes on tracking it as long as its tab exists. The extension ends this tracking: if a
document is already closed when the answer to its pull arrives, the extension makes VS Code forget the document.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lsp.harness.client import Client
from lsp.harness.traffic import Json

ACTIVE, AGAIN, DROPPED = "active", "again", "dropped"


@dataclass
class _Tracked:
    version: int | None
    result: str | None = None


@dataclass
class _Asked:
    uri: str
    version: int | None
    tracked: _Tracked
    done: Callable[[], None]
    state: str = ACTIVE
    cancelled: bool = False


class Pulls:
    """Reads a session's messages: `look` processes new ones and sends the requests that VS Code would send. `shown`:
    the diagnostics that the user sees, by URI.

    `workspace`: whether to pull the diagnostics of the workspace, too; `partial`: whether to ask for partial results;
    `forgets`: whether to forget a closed document when the answer to a pull of it arrives, as the extension does.
    """

    def __init__(self, client: Client, workspace: bool = True, partial: bool = True, forgets: bool = True) -> None:
        self.client, self.workspace, self.partial, self.forgets = client, workspace, partial, forgets
        self.shown: dict[str, list[Json]] = {}
        self.tabs: set[str] = set()
        self._documents: dict[str, _Tracked] = {}
        self._workspace: dict[str, str | None] = {}
        self._asked: dict[str, _Asked] = {}
        self._requests: dict[Any, _Asked] = {}
        self._versions: dict[str, int] = {}
        self._open: set[str] = set()
        self._leaving: dict[str, object] = {}
        self._seen = 0
        self._poll: Any = None
        self._polls = 0
        if workspace:
            self._ask()

    def show(self, uri: str) -> None:
        """Open a document's tab."""
        self.tabs.add(uri)
        if uri in self._open and not self._knows(uri):
            self._pull(uri)

    def hide(self, uri: str) -> None:
        """Close a document's tab."""
        self.look()
        if uri in self.tabs:
            self.tabs.discard(uri)
            if self._knows(uri):
                self._leave(uri)

    def look(self) -> None:
        """Process every message that was sent and received since the last call."""
        with self.client.changed:
            while self._seen < len(self.client.traffic):
                record = self.client.traffic[self._seen]
                self._seen += 1
                if record.source == "client" and record.method in _SENT:
                    _SENT[record.method](self, record.params["textDocument"])
                elif record.source == "server" and record.method == "$/progress":
                    if record.params["token"] == f"poll {self._polls}":
                        self._take(record.params["value"]["items"])
                elif record.source == "server" and record.method == "workspace/diagnostic/refresh":
                    for uri in sorted(self._open & self.tabs):
                        self._pull(uri)
                elif record.source == "server" and record.method is None:
                    self._answered(record.message)

    @property
    def findings(self) -> dict[str, list[Json]]:
        """The diagnostics shown, by URI; documents without any are left out."""
        self.look()
        return {uri: items for uri, items in self.shown.items() if items}

    def is_idle(self) -> bool:
        """Return whether every pull of a document's diagnostics was answered."""
        self.look()
        return not self._asked

    def _opened(self, item: Json) -> None:
        uri = item["uri"]
        self._open.add(uri)
        self._versions[uri] = item["version"]
        if uri in self.tabs:
            self._leaving.pop(uri, None)
            if not self._knows_version(uri):
                self._pull(uri)

    def _changed(self, item: Json) -> None:
        uri = item["uri"]
        self._versions[uri] = item["version"]
        if self._knows(uri):
            self._pull(uri)

    def _closed(self, item: Json) -> None:
        self._open.discard(item["uri"])
        if self._knows(item["uri"]):
            self._leave(item["uri"])

    def _knows(self, uri: str) -> bool:
        return uri in self._documents or uri in self._asked

    def _knows_version(self, uri: str) -> bool:
        asked = self._asked.get(uri)
        if asked is None:
            return uri in self._documents and self._documents[uri].version == self._versions[uri]
        return asked.state == AGAIN or (asked.state == ACTIVE and asked.version == self._versions[uri])

    def _pull(self, uri: str, done: Callable[[], None] = lambda: None) -> None:
        version = self._versions.get(uri)
        tracked = self._documents.setdefault(uri, _Tracked(version))
        if asked := self._asked.get(uri):
            if asked.state == ACTIVE:
                asked.cancelled = True
                request = next(number for number, one in self._requests.items() if one is asked)
                self.client.notify("$/cancelRequest", {"id": request})
            asked.state = AGAIN
            done()
            return
        params: Json = {"textDocument": {"uri": uri}}
        if tracked.result is not None:
            params["previousResultId"] = tracked.result
        asked = self._asked[uri] = _Asked(uri, version, tracked, done)
        self._requests[self.client.begin("textDocument/diagnostic", params)] = asked

    def _answered(self, message: Json) -> None:
        if message["id"] == self._poll:
            self._take(message["result"]["items"])
            self._ask()
            return
        asked = self._requests.pop(message["id"], None)
        if asked is None:
            return
        uri = asked.uri
        del self._asked[uri]
        if uri not in self.tabs:
            self._documents.pop(uri, None)
        elif asked.state != DROPPED:
            if not asked.cancelled:
                assert "result" in message, message
                report = message["result"]
                if report["kind"] == "full":
                    self.shown[uri] = report["items"]
                asked.tracked.version, asked.tracked.result = asked.version, report.get("resultId")
            if asked.state == AGAIN or asked.cancelled:
                self._pull(uri)
        asked.done()
        if self.forgets and self.workspace and uri not in self._open and uri not in self._asked and self._knows(uri):
            self._leave(uri)

    def _leave(self, uri: str) -> None:
        asked = self._asked.get(uri)
        if not self.workspace:
            if asked:
                asked.state = DROPPED
            self.shown.pop(uri, None)
            self._documents.pop(uri, None)
            return
        if asked:
            asked.state = AGAIN
        else:
            mark = self._leaving[uri] = object()

            def left() -> None:
                if self._leaving.get(uri) is mark:
                    del self._leaving[uri]
                    self._documents.pop(uri, None)

            self._pull(uri, left)
        self._workspace.pop(uri, None)

    def _ask(self) -> None:
        known = {
            uri: self._documents[uri].result if uri in self._documents else result
            for uri, result in self._workspace.items()
        }
        previous = [{"uri": uri, "value": result} for uri, result in known.items() if result is not None]
        params: Json = {"previousResultIds": previous}
        self._polls += 1
        if self.partial:
            params["partialResultToken"] = f"poll {self._polls}"
        self._poll = self.client.begin("workspace/diagnostic", params)

    def _take(self, reports: list[Json]) -> None:
        for report in reports:
            uri = report["uri"]
            if report["kind"] == "full" and uri not in self._documents:
                self.shown[uri] = report["items"]
            self._workspace[uri] = report.get("resultId")


_SENT: dict[str | None, Callable[[Pulls, Json], None]] = {
    "textDocument/didOpen": Pulls._opened,
    "textDocument/didChange": Pulls._changed,
    "textDocument/didClose": Pulls._closed,
}
