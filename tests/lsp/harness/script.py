"""Writes the messages of invented sessions, for tests of the conformance checks."""

from typing import Any

from lsp.harness.profiles import PROFILES, Profile
from lsp.harness.traffic import Json, Record, Source, Traffic

URI, CLOSED = "file:///folder/open.py", "file:///folder/closed.py"
TEXT, CLOSED_TEXT = 'x = "😀", "nccl"\n', "y = 1\n"
COMMAND = "uncuda.fixAllInWorkspace"
SERVER: Json = {
    "positionEncoding": "utf-16",
    "textDocumentSync": {"openClose": True, "change": 2},
    "codeActionProvider": {"codeActionKinds": ["quickfix", "source.fixAll.uncuda"], "resolveProvider": True},
    "diagnosticProvider": {"interFileDependencies": True, "workspaceDiagnostics": True},
    "hoverProvider": True,
    "executeCommandProvider": {"commands": [COMMAND]},
}
NCCL = {"start": {"line": 0, "character": 10}, "end": {"line": 0, "character": 16}}
OUTSIDE = {"start": {"line": 0, "character": 10}, "end": {"line": 0, "character": 17}}
INSIDE_AN_EMOJI = {"start": {"line": 0, "character": 6}, "end": {"line": 0, "character": 8}}
VSCODE = PROFILES["vscode"]
CONTEXT = {"diagnostics": [], "triggerKind": 1}


class Script:
    """Writes the messages of a session one by one; ids and envelopes are filled in."""

    def __init__(self, profile: Profile = VSCODE, server: Json = SERVER, text: str = TEXT) -> None:
        self.traffic = Traffic()
        self._last = 0
        self.ask("initialize", {**profile.parameters, "processId": None, "rootUri": None})
        self.reply({"capabilities": server})
        self.tell("initialized", {})
        self.tell("textDocument/didOpen", {"textDocument": document(version=1, languageId="python", text=text)})

    def _add(self, source: Source, message: Any, deliberate: bool = False) -> "Script":
        envelope = {"jsonrpc": "2.0"} if isinstance(message, dict) else {}
        self.traffic.append(Record(source, {**envelope, **message}, deliberate, {CLOSED: CLOSED_TEXT}))
        return self

    def tell(self, method: str, params: Any) -> "Script":
        """Add a notification of the client."""
        return self._add("client", {"method": method, "params": params})

    def ask(self, method: str, params: Any = None, deliberate: bool = False) -> "Script":
        """Add a request of the client to the session."""
        self._last += 1
        message = {"id": self._last, "method": method} | ({} if params is None else {"params": params})
        return self._add("client", message, deliberate)

    def reply(self, result: Any, of: int | None = None) -> "Script":
        """Add the server's reply, by default to the last request."""
        return self._add("server", {"id": of or self._last, "result": result})

    def fail(self, code: int) -> "Script":
        """Add the server's error reply to the last request."""
        return self._add("server", {"id": self._last, "error": {"code": code, "message": "no"}})

    def push(self, method: str, params: Any) -> "Script":
        """Add a notification of the server."""
        return self._add("server", {"method": method, "params": params})

    def want(self, method: str, params: Any, result: Any = None, identifier: Any = "s1") -> "Script":
        """Add a request of the server, and the client's reply."""
        self._add("server", {"id": identifier, "method": method} | ({} if params is None else {"params": params}))
        return self._add("client", {"id": identifier, "result": result})

    def raw(self, message: Any) -> "Script":
        """Add any message of the server, without changing it."""
        self.traffic.append(Record("server", message))
        return self

    def end(self) -> "Script":
        """Add the end of the session: `shutdown` and its reply."""
        return self.ask("shutdown").reply(None)


def document(**more: Any) -> Json:
    return {"uri": URI, **more}


def diagnostic(**more: Any) -> Json:
    return {"range": NCCL, "message": "no", "severity": 1, "code": "nccl-backend", "source": "uncuda", **more}


def full(*items: Json, **more: Any) -> Json:
    return {"kind": "full", "items": list(items), **more}


def text_edit(range_: Json = NCCL, **more: Any) -> Json:
    return {"range": range_, "newText": "'hccl'", **more}


def edit(*edits: Json, uri: str = URI, version: int | None = 1, **more: Any) -> Json:
    changes = [{"textDocument": {"uri": uri, "version": version}, "edits": list(edits or [text_edit()])}]
    return {"documentChanges": changes, **more}


def action(**more: Any) -> Json:
    return {"title": "Fix", "kind": "quickfix", "edit": edit(), **more}


def pull(script: Script, *, result: Any, **params: Any) -> Script:
    return script.ask("textDocument/diagnostic", {"textDocument": document(), **params}).reply(result)


def act(script: Script, *actions: Json, **context: Any) -> Script:
    params = {"textDocument": document(), "range": NCCL, "context": {**CONTEXT, **context}}
    return script.ask("textDocument/codeAction", params).reply(list(actions))


def hover(script: Script, **result: Any) -> Script:
    params = {"textDocument": document(), "position": NCCL["start"]}
    return script.ask("textDocument/hover", params).reply(result)


def apply(script: Script, workspace_edit: Json, **more: Any) -> Script:
    return script.want("workspace/applyEdit", {"edit": workspace_edit, **more}, {"applied": True})


def register(script: Script, method: str, options: Any = None, identifier: str = "r1", ask: str = "s1") -> Script:
    item = {"id": identifier, "method": method} | ({} if options is None else {"registerOptions": options})
    return script.want("client/registerCapability", {"registrations": [item]}, identifier=ask)


def progress(script: Script, token: Any, **value: Any) -> Script:
    return script.push("$/progress", {"token": token, "value": value})


def begun(script: Script, **more: Any) -> Script:
    script.want("window/workDoneProgress/create", {"token": "p"}, identifier="create")
    return progress(script, "p", kind="begin", title="Fixing", **more)


def changed(script: Script) -> Script:
    change = {"range": NCCL, "text": "'hccl'"}
    return script.tell("textDocument/didChange", {"textDocument": document(version=2), "contentChanges": [change]})


def rich(script: Script) -> Script:
    """Add every kind of message that a session with VS Code may have, in order."""
    register(script, "workspace/didChangeWatchedFiles", {"watchers": [{"globPattern": "**/*.py"}]})
    script.want("workspace/configuration", {"items": [{"section": "uncuda"}]}, [None], identifier=7)
    pull(script, result=full(diagnostic(tags=[2], data={"fix": 1}, codeDescription={"href": URI}), resultId="1"))
    pull(script, result={"kind": "unchanged", "resultId": "1"}, previousResultId="1")
    command = {"title": "Fix all", "command": COMMAND}
    act(script, action(isPreferred=True, command=command, diagnostics=[diagnostic()]), command)
    act(script, {"title": "Later", "kind": "quickfix", "data": 1})
    script.ask("codeAction/resolve", {"title": "Later", "kind": "quickfix", "data": 1})
    script.reply({"title": "Later", "kind": "quickfix", "data": 1, "edit": edit()})
    hover(script, contents={"kind": "markdown", "value": "*no*"}, range=NCCL)
    params = {"previousResultIds": [{"uri": CLOSED, "value": "c1"}], "partialResultToken": "part"}
    script.ask("workspace/diagnostic", params)
    progress(script, "part", items=[full(uri=URI, version=1), full(uri=CLOSED, version=None, resultId="c2")])
    script.reply({"items": []})
    script.ask("workspace/executeCommand", {"command": COMMAND, "arguments": []})
    begun(script, percentage=0)
    progress(script, "p", kind="report", percentage=50)
    annotated = edit(text_edit(annotationId="a"), changeAnnotations={"a": {"label": "rule"}})
    annotated["documentChanges"] += edit(text_edit(range_at(0, 0, 1)), uri=CLOSED, version=None)["documentChanges"]
    apply(script, annotated, metadata={"isRefactoring": True})
    changed(script)
    progress(script, "p", kind="end")
    script.reply({"applied": True, "files": 2})
    script.push("window/logMessage", {"type": 3, "message": "done"})
    return script.want("workspace/diagnostic/refresh", None, identifier="s9")


def range_at(line: int, start: int, end: int) -> Json:
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
