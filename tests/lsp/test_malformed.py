"""Tests that whatever messages a client sends, in any order, the server answers every request, and answers the next
valid request correctly."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lsp.harness.client import Client
from lsp.harness.connection import ResponseError
from lsp.harness.expected import places
from lsp.harness.starting import Start
from lsp.harness.traffic import Json

INVALID_REQUEST, SERVER_NOT_INITIALIZED = -32600, -32002
FEW = settings(max_examples=150, suppress_health_check=list(HealthCheck), deadline=None)
TEXT = "import torch\n\ntorch.cuda.synchronize()  # 😀\nx = y.cuda()\n"
URIS = ["untitled:victim", "file:///nowhere/a.py", "file:///nowhere/%ff%00.py", "git:/a.py?{%22ref%22:1}", "x", ""]
NCCL = {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 10}}
JUNK: st.SearchStrategy[Any] = st.sampled_from(
    [
        *(None, True, -1, 2**40, 1.5, float("1e300"), "", "x", "\ud800", "\0", "a" * 10_000),
        *([], [None], [[[]]], [1, "2", {}], {}, {"uri": None}, {"line": -1, "character": "0"}, {"range": 3}),
    ]
)


def valid(uri: str) -> list[tuple[str, bool, Json]]:
    """Return one message of each kind that a client sends about a document: method, whether it is a request,
    parameters."""
    document: Json = {"uri": uri}
    cell = {"uri": f"{uri}#cell", "languageId": "python", "version": 1, "text": TEXT}
    notebook = {"uri": f"{uri}.ipynb", "notebookType": "jupyter-notebook", "version": 1, "cells": [
        {"kind": 2, "document": cell["uri"]}]}  # fmt: skip
    change = {"range": NCCL, "text": "x"}
    folder = {"uri": "file:///nowhere", "name": "nowhere"}
    context = {"diagnostics": [], "only": ["quickfix"]}
    return [
        ("textDocument/didOpen", False, {"textDocument": {**cell, **document}}),
        ("textDocument/didChange", False, {"textDocument": {**document, "version": 2}, "contentChanges": [change]}),
        ("textDocument/didSave", False, {"textDocument": document}),
        ("textDocument/didClose", False, {"textDocument": document}),
        ("textDocument/diagnostic", True, {"textDocument": document, "previousResultId": "1"}),
        ("textDocument/hover", True, {"textDocument": document, "position": NCCL["start"]}),
        ("textDocument/codeAction", True, {"textDocument": document, "range": NCCL, "context": context}),
        ("textDocument/codeLens", True, {"textDocument": document}),
        ("codeAction/resolve", True, {"title": "Fix", "kind": "quickfix", "data": {"uri": uri}}),
        ("workspace/executeCommand", True, {"command": "uncuda.fixAllInFile", "arguments": [{**document}]}),
        ("workspace/executeCommand", True, {"command": "uncuda.debugInformation", "arguments": []}),
        ("workspace/didChangeConfiguration", False, {"settings": {"uncuda": {"target": "npu"}}}),
        ("workspace/didChangeWatchedFiles", False, {"changes": [{"uri": uri, "type": 2}]}),
        ("workspace/didChangeWorkspaceFolders", False, {"event": {"added": [folder], "removed": []}}),
        ("workspace/didChangeWorkspaceFolders", False, {"event": {"added": [], "removed": [folder]}}),
        ("notebookDocument/didOpen", False, {"notebookDocument": notebook, "cellTextDocuments": [cell]}),
        ("notebookDocument/didChange", False, {"notebookDocument": {"uri": notebook["uri"], "version": 2},
         "change": {"cells": {"textContent": [{"document": {**cell, "version": 2}, "changes": [change]}]}}}),
        ("notebookDocument/didClose", False, {"notebookDocument": {"uri": notebook["uri"]},
         "cellTextDocuments": [{"uri": cell["uri"]}]}),
        ("$/cancelRequest", False, {"id": 3}),
        ("$/setTrace", False, {"value": "off"}),
        ("window/workDoneProgress/cancel", False, {"token": "nobody's"}),
    ]  # fmt: skip


MESSAGES = st.sampled_from(URIS).flatmap(lambda uri: st.sampled_from(valid(uri)))


def parts(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every part of nested objects, each as its container and its key in the container."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from parts(value[key])


class Hostile:
    """A client that sends invalid messages, and keeps a valid document open, by which it checks that the server still
    works."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.witness = client.open("untitled:witness", TEXT)
        self._asked: list[Any] = []

    def send(self, method: str, is_request: bool, params: Any) -> None:
        """Send a message that must be answered at once; only the reply to a `workspace/diagnostic` request may wait for
        changed diagnostics."""
        if is_request:
            asked = self.client.begin(method, params, deliberate=True)
            self._asked += [] if method == "workspace/diagnostic" else [asked]
        else:
            self.client.send({"jsonrpc": "2.0", "method": method, "params": params}, deliberate=True)

    def check(self) -> None:
        """Check that every request was answered, and that an edit of the valid document is processed."""
        client = self.client
        client.wait(lambda: all(map(client.answered, self._asked)), "replies to all requests")
        self._asked.clear()
        text = client.text(self.witness)
        client.type(self.witness, text + "torch.cuda.seed()\n" if len(text) < 500 else TEXT)
        assert places(client, self.witness, client.diagnostics(self.witness)) == places(client, self.witness)


@pytest.fixture
def hostile(start: Start, tmp_path: Path) -> Hostile:
    """Return a client that sends invalid messages and declares all capabilities. The server may log its errors and
    tracebacks in these tests."""
    client = start("vscode")
    client.tolerated = ["on standard error"]
    return Hostile(client)


def test_messages_with_wrong_parts(hostile: Hostile) -> None:
    @FEW
    @given(st.lists(st.tuples(MESSAGES, st.randoms(use_true_random=False), st.none() | JUNK), min_size=1, max_size=4))
    def check(messages: list[Any]) -> None:
        for (method, is_request, right), random, junk in messages:
            params = copy.deepcopy(right)
            holder, key = random.choice([*parts(params)])
            if junk is None and isinstance(holder, dict):
                del holder[key]
            else:
                holder[key] = junk
            hostile.send(method, is_request, params)
        hostile.check()

    check()


def test_parameters_of_another_kind(hostile: Hostile) -> None:
    for method, is_request, _ in valid("untitled:victim"):
        for junk in ([], [1], {}, {"textDocument": None}, "text", 7, None):
            hostile.send(method, is_request, junk)
    hostile.check()


def test_messages_in_any_order(hostile: Hostile) -> None:
    @FEW
    @given(st.lists(MESSAGES, min_size=1, max_size=12))
    def check(messages: list[tuple[str, bool, Any]]) -> None:
        for message in messages:
            hostile.send(*message)
        hostile.check()

    check()


NO_MESSAGES: list[Any] = [
    *(7, "text", None, True, [], {}, [1, 2], [{"jsonrpc": "2.0", "method": "x"}]),
    *({"jsonrpc": "1.0", "method": "shutdown"}, {"method": "textDocument/didOpen"}, {"jsonrpc": "2.0", "method": 3}),
    *({"jsonrpc": "2.0", "id": 7777, "result": None}, {"jsonrpc": "2.0", "id": None, "method": "textDocument/hover"}),
    {"jsonrpc": "2.0", "id": {"a": 1}, "method": "textDocument/hover", "params": {}},
    {"jsonrpc": "2.0", "id": 7778, "error": {"code": 1, "message": "x"}},
    {"jsonrpc": "2.0", "id": "x", "error": "not an object"},
]
NO_JSON = [
    b"Content-Length: 4\r\n\r\n{{{{",
    b'Content-Length: 6\r\n\r\n"\xff\xfe"  ',
    b"Content-Length: 0\r\n\r\n",
    b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}",
    b"content-length: 2\r\n\r\n{}",
    b"Content-Length: 400000\r\n\r\n" + 200_000 * b"[]",
]
NO_FRAMES = [b"hello\n", b"Content-Length: x\r\n\r\n", b"Content-Length: -5\r\n\r\n", b"\0" * 99]


def test_what_is_no_message(hostile: Hostile) -> None:
    for message in NO_MESSAGES:
        hostile.client.send(message, deliberate=True)
        hostile.check()


def test_frames_that_hold_no_message(hostile: Hostile) -> None:
    for data in NO_JSON:
        hostile.client.send_bytes(data)
        hostile.check()


@pytest.mark.parametrize("data", NO_FRAMES, ids=["text", "no number", "negative", "zeros"])
def test_what_is_no_frame_does_not_hang_the_server(hostile: Hostile, data: bytes) -> None:
    """If the server receives bytes that are not an LSP frame, it reads on or exits; it never stops reading without
    exiting."""
    hostile.client.send_bytes(data)
    hostile.client.end()


def test_messages_before_initialize(start: Start) -> None:
    client = start(initialize=False)
    for method, is_request, params in valid("untitled:victim"):
        if is_request:
            with pytest.raises(ResponseError) as caught:
                client.reply(client.begin(method, params, deliberate=True))
            assert caught.value.code == SERVER_NOT_INITIALIZED
        else:
            client.send({"jsonrpc": "2.0", "method": method, "params": params}, deliberate=True)
    client.initialize()
    assert [item["code"] for item in client.diagnostics(client.open("untitled:one", TEXT))]


def test_messages_after_shutdown(start: Start) -> None:
    client = start()
    client.request("shutdown")
    for method, is_request, params in valid("untitled:victim"):
        if is_request:
            with pytest.raises(ResponseError) as caught:
                client.reply(client.begin(method, params, deliberate=True))
            assert caught.value.code == INVALID_REQUEST
    client.notify("exit")
    assert client.end() == 0


def test_exit_without_shutdown(start: Start) -> None:
    client = start()
    client.notify("exit")
    assert client.end() == 1


def test_the_end_of_input(start: Start) -> None:
    """If the client dies, the server exits."""
    start().end()


def test_a_document_that_no_file_can_be_costs_itself(start: Start, tmp_path: Path) -> None:
    """A document whose URI cannot be a file path gets the diagnostics of its text, and the documents of the workspace
    get theirs."""
    inside = tmp_path.as_uri()
    uris = [
        f"{inside}/%00.py",
        f"{inside}/{'a' * 300}.py",
        f"{inside}/\ud800.py",
        "file://host/a.py",
        "file:////h/a.py",
    ]
    options = {"settings": {"workspaceDiagnostics": True}}
    client = start(files={"a.py": TEXT}, options=options, initialize=False)
    parameters = client.profile.initialize(client.folders, options)
    parameters["workspaceFolders"].append({"uri": f"{inside}/%00", "name": "nothing"})
    client.request("initialize", parameters)
    client.notify("initialized", {})
    changes = [{"uri": uri, "type": 1} for uri in uris]
    client.send({"method": "workspace/didChangeWatchedFiles", "params": {"changes": changes}}, deliberate=True)
    for uri in uris:
        item = {"uri": uri, "languageId": "python", "version": 1, "text": TEXT}
        client.send({"method": "textDocument/didOpen", "params": {"textDocument": item}}, deliberate=True)
        report = client.reply(client.begin("textDocument/diagnostic", {"textDocument": {"uri": uri}}, deliberate=True))
        assert [item["code"] for item in report["items"]]
    report = client.reply(client.begin("workspace/diagnostic", {"previousResultIds": []}, deliberate=True))
    assert any(item["uri"] == (tmp_path / "a.py").as_uri() and item["items"] for item in report["items"])
