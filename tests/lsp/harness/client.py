"""The editor of the tests: documents, diagnostics, code actions and commands, as one captured client handles them."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cli.command import environment
from lsp.harness.connection import Connection, Refused
from lsp.harness.editbuffer import Buffer, Buffers, NotApplied, path_of, read_file
from lsp.harness.profiles import Profile
from lsp.harness.text import Positions, difference
from lsp.harness.traffic import Json, documents_in

SERVER = [sys.executable, "-m", "uncuda", "server"]


class Client(Connection):
    """One session of an editor. Paths may be passed in place of URIs; ranges and positions are those of the protocol.

    `configuration`: the client's settings in the section `uncuda`; `choose`: a function that gets the parameters of a
    window/showMessageRequest and returns the title of the button that the user clicks, or None if the user dismisses
    the message.
    """

    def __init__(
        self,
        profile: Profile,
        folders: list[Path],
        *,
        options: Any = None,
        configuration: Json | None = None,
        command: Sequence[str] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.profile, self.folders, self.options = profile, folders, options
        self.configuration: Json = configuration or {}
        self.choose: Callable[[Json], str | None] = lambda params: None
        self.server: Json = {}
        self.registrations: dict[str, Json] = {}
        self.pushed: dict[str, Json] = {}
        self.tolerated: list[str] = []
        self._changed: dict[str, int] = {}
        self._pulled: dict[str, tuple[str | None, list[Json]]] = {}
        self.buffers = Buffers("utf-16", self._retype)
        super().__init__(
            SERVER if command is None else command, folders[0] if folders else Path.cwd(), environment(**(env or {}))
        )
        self.ids = str if profile.ids == "text" else int
        self.answers |= {
            "workspace/configuration": self._configuration,
            "workspace/workspaceFolders": lambda params: self._folders(),
            "workspace/applyEdit": self._apply_edit,
            "client/registerCapability": self._register,
            "client/unregisterCapability": self._unregister,
            "window/showMessageRequest": self._choose,
            "window/showDocument": lambda params: {"success": True},
            "window/workDoneProgress/create": lambda params: None,
            "workspace/diagnostic/refresh": lambda params: None,
            "workspace/codeLens/refresh": lambda params: None,
        }

    # Lifecycle

    def initialize(self) -> Json:
        """Initialize the session; returns the server's capabilities."""
        result = self.request("initialize", self.profile.initialize(self.folders, self.options))
        self.server = result["capabilities"]
        self.buffers.encoding = self.server.get("positionEncoding") or "utf-16"
        self.notify("initialized", {})
        return self.server

    def shutdown(self) -> int:
        """Shut the server down; returns its exit code."""
        self.request("shutdown")
        self.notify("exit")
        return self.end()

    def settle(self) -> None:
        """Wait until the server has processed all messages sent so far."""
        nobody = {"textDocument": {"uri": "untitled:settle"}}
        identifier = self.begin("textDocument/diagnostic", nobody, deliberate=True)
        self.wait(lambda: self.answered(identifier), "reply about a document that is not open")

    # Documents

    def uri(self, document: str | Path) -> str:
        """The URI of a path; a URI is returned as it is."""
        return document.absolute().as_uri() if isinstance(document, Path) else document

    def open(self, document: str | Path, text: str | None = None, language: str = "python", version: int = 1) -> str:
        """Open a document, with the text of its file if none is given; returns its URI."""
        uri = self.uri(document)
        with self.changed:
            buffer = Buffer(uri, language, version, read_file(path_of(uri))[1] if text is None else text)
            self.buffers.open[uri] = buffer
            item = {"uri": uri, "languageId": language, "version": version, "text": buffer.text}
            self.notify("textDocument/didOpen", {"textDocument": item})
            self._changed[uri] = len(self.traffic)
        return uri

    def change(self, document: str | Path, *changes: Json) -> None:
        """Send content changes unchanged, and apply them to the document."""
        uri = self.uri(document)
        with self.changed:
            buffer = self.buffers.open[uri]
            buffer.change(list(changes), self.buffers.encoding)
            buffer.version += 1
            identifier = {"uri": uri, "version": buffer.version}
            self.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": list(changes)})
            self._changed[uri] = len(self.traffic)

    def type(self, document: str | Path, text: str) -> None:
        """Change the text of an open document to `text`, by one incremental change of the part that differs."""
        uri = self.uri(document)
        with self.changed:
            self._retype(self.buffers.open[uri], text)

    def replace(self, document: str | Path, old: str, new: str) -> None:
        """Replace the first occurrence of `old` in an open document."""
        text = self.text(document)
        assert old in text
        self.type(document, text.replace(old, new, 1))

    def save(self, document: str | Path) -> None:
        """Write an open document to its file."""
        uri = self.uri(document)
        path_of(uri).write_bytes(self.buffers.open[uri].text.encode("utf-8"))
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def close(self, document: str | Path) -> None:
        """Close an open document; unsaved changes are lost."""
        uri = self.uri(document)
        with self.changed:
            del self.buffers.open[uri]
            self._pulled.pop(uri, None)
            self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def text(self, document: str | Path) -> str:
        """The text of a document, open or not."""
        return self.buffers.text(self.uri(document))

    def watched(self, path: Path, kind: int) -> None:
        """Notify the server of a file that was created (1), changed (2) or deleted (3) on disk."""
        self.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": path.as_uri(), "type": kind}]})

    def configure(self, configuration: Json) -> None:
        """Change the user's settings and notify the server."""
        self.configuration = configuration
        self.notify("workspace/didChangeConfiguration", {"settings": {"uncuda": configuration}})

    def range(self, document: str | Path, part: str, nth: int = 0) -> Json:
        """Return the range of the nth occurrence of a text in a document."""
        text, start = self.text(document), -1
        for _ in range(nth + 1):
            start = text.index(part, start + 1)
        return Positions(text, self.buffers.encoding).range(start, start + len(part))

    # Methods that return results of the server.

    @property
    def pulls(self) -> bool:
        """Whether this client pulls diagnostics; otherwise the server pushes them."""
        registered = any(item["method"] == "textDocument/diagnostic" for item in self.registrations.values())
        offered = bool(self.server.get("diagnosticProvider")) or registered
        return offered and bool(self.profile.can("textDocument.diagnostic"))

    def diagnostics(self, document: str | Path) -> list[Json]:
        """The diagnostics of an open document's current text, pulled or waited for."""
        uri = self.uri(document)
        if self.pulls:
            return self._pull(uri)
        with self.changed:
            version = self.buffers.open[uri].version
        pushed = self.wait(lambda: self._pushed_for(uri, version), f"diagnostics of {uri} {version}")
        if "version" not in pushed:  # these diagnostics may have been computed before the last change
            self.settle()
        items: list[Json] = self.pushed[uri]["diagnostics"]
        return items

    def _pushed_for(self, uri: str, version: int) -> Json | None:
        """Return the diagnostics that were pushed after the last change of a document, if they state this version or
        none."""
        pushed = self.pushed.get(uri)
        if pushed is None or pushed.get("version", version) != version or self._changed.get(uri, 0) > pushed["at"]:
            return None
        return pushed

    def actions(self, document: str | Path, at: Json | None = None, only: list[str] | None = None) -> list[Json]:
        """The code actions at a range (default: the whole document), with its diagnostics as context."""
        uri = self.uri(document)
        text = self.text(uri)
        at = at or Positions(text, self.buffers.encoding).range(0, len(text))
        shown = [item for item in self.diagnostics(uri) if _touch(item["range"], at)]
        context: Json = {"diagnostics": shown, "triggerKind": 1} | ({} if only is None else {"only": only})
        params = {"textDocument": {"uri": uri}, "range": at, "context": context}
        return self.request("textDocument/codeAction", params) or []

    def resolve(self, action: Json) -> Json:
        """A code action with its edit, which is requested from the server if the action has none."""
        if "edit" in action or "data" not in action:
            return action
        resolved: Json = self.request("codeAction/resolve", action)
        return resolved

    def do(self, action: Json) -> None:
        """Do what an editor does when the user chooses a code action."""
        assert "disabled" not in action, action
        action = self.resolve(action)
        if edit := action.get("edit"):
            self.apply(edit)
        if command := action.get("command"):
            self.execute(command["command"], *command.get("arguments", []))

    def apply(self, edit: Json) -> list[str]:
        """Apply a workspace edit; returns the URIs of the documents that changed. Raises NotApplied if versions or
        ranges do not match."""
        with self.changed:
            return self.buffers.apply(edit)

    def execute(self, command: str, *arguments: Any) -> Any:
        """Execute a command of the server; returns its result."""
        return self.request("workspace/executeCommand", {"command": command, "arguments": list(arguments)})

    # Handlers for requests of the server.

    def look(self, message: Json) -> Mapping[str, str]:
        texts = {}
        for uri in set(documents_in(message)) - set(self.buffers.open):
            if uri.startswith("file:") and path_of(uri).is_file():
                texts[uri] = path_of(uri).read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")
        return texts

    def hear(self, method: str, params: Any) -> None:
        if method == "textDocument/publishDiagnostics":
            self.pushed[params["uri"]] = {**params, "at": len(self.traffic)}

    def _pull(self, uri: str) -> list[Json]:
        previous, items = self._pulled.get(uri, (None, []))
        params: Json = {"textDocument": {"uri": uri}} | ({"previousResultId": previous} if previous else {})
        report = self.request("textDocument/diagnostic", params)
        if report["kind"] == "full":
            items = report["items"]
        self._pulled[uri] = (report.get("resultId"), items)
        return items

    def _retype(self, buffer: Buffer, text: str) -> None:
        start, end, new = difference(buffer.text, text)
        range_ = Positions(buffer.text, self.buffers.encoding).range(start, end)
        self.change(buffer.uri, {"range": range_, "text": new})
        assert buffer.text == text

    def _folders(self) -> list[Json]:
        return [{"uri": folder.as_uri(), "name": folder.name} for folder in self.folders]

    def _configuration(self, params: Json) -> list[Any]:
        return [self.configuration if item.get("section") == "uncuda" else None for item in params["items"]]

    def _apply_edit(self, params: Json) -> Json:
        try:
            self.buffers.apply(params["edit"])
        except NotApplied as error:
            return {"applied": False, "failureReason": str(error)}
        return {"applied": True}

    def _register(self, params: Json) -> None:
        for item in params["registrations"]:
            self.registrations[item["id"]] = item

    def _unregister(self, params: Json) -> None:
        for item in params["unregisterations"]:
            if self.registrations.pop(item["id"], None) is None:
                raise Refused(f"{item['id']} was never registered")

    def _choose(self, params: Json) -> Json | None:
        title = self.choose(params)
        return next((action for action in params.get("actions") or [] if action["title"] == title), None)


def _touch(one: Json, other: Json) -> bool:
    def key(position: Json) -> tuple[int, int]:
        return position["line"], position["character"]

    return key(one["start"]) <= key(other["end"]) and key(other["start"]) <= key(one["end"])
