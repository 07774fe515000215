"""Tests that if any value in a message has a wrong type, a request gets a result or error -32602, and a notification
has no effect."""

from __future__ import annotations

import asyncio
import copy
import itertools
import json
import logging
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from lsp.harness.profiles import PROFILES
from lsp.harness.traffic import Json
from lsp.test_malformed import valid
from uncuda.lsp.fixing.job import Job, Outcome
from uncuda.lsp.server import UncudaServer

INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, CANCELLED = -32602, -32600, -32601, -32800
INFO = types.MessageType.Info
ALLOWED = {"textDocument/completion": METHOD_NOT_FOUND, "workspace/diagnostic": CANCELLED}
TEXT = "import torch\n\ntorch.cuda.synchronize()\nx = y.cuda()\n"
MISSING: Any = object()
JUNK: tuple[Any, ...] = (
    *(None, True, -1, 7, 1.5, 2**40, "", "x", "\ud800", [], ["x"], [None], {}, {"uri": 1}, MISSING),
    *(10**4000, json.loads("[" * 800 + "]" * 800)),
)
AT = {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 10}}


def requests(uri: str) -> list[tuple[str, Json]]:
    """Return every request that the server answers, and every command, with all parameters that they may have."""
    document: Json = {"textDocument": {"uri": uri}}
    shown = {"range": AT, "message": "m", "source": "uncuda", "code": "cuda-api", "severity": 1, "data": {}}
    shown = json.loads(json.dumps(shown))  # a deep copy, of which `AT` itself is not a part
    batch = {"rules": ["cuda-api"], "applicability": "safe", "dryRun": True}
    action = {"title": "Fix", "kind": "quickfix", "data": {"uri": uri, "rule": "cuda-api", "review": True}}
    commands: list[tuple[str, Any]] = [
        ("uncuda.fixAllInFile", {"uri": uri, **batch}),
        ("uncuda.fixAllInWorkspace", {"scope": uri, **batch}),
        ("uncuda.previewFixAllInWorkspace", {"scope": uri, **batch}),
        ("uncuda.switchTarget", {"target": "npu"}),
        ("uncuda.showRule", {"rule": "cuda-api"}),
    ]
    return [
        ("textDocument/diagnostic", {**document, "identifier": "uncuda", "previousResultId": "1"}),
        ("textDocument/hover", {**document, "position": AT["start"], "workDoneToken": 1}),
        (
            "textDocument/codeAction",
            {**document, "range": AT, "context": {"diagnostics": [shown], "only": ["quickfix"], "triggerKind": 1}},
        ),
        ("textDocument/codeLens", {**document, "workDoneToken": 1}),
        ("codeAction/resolve", action),
        ("uncuda/status", document),
        *(
            ("workspace/executeCommand", {"command": name, "arguments": [argument], "workDoneToken": "t"})
            for name, argument in commands
        ),
        ("workspace/executeCommand", {"command": "uncuda.debugInformation", "arguments": []}),
        ("workspace/diagnostic", {"previousResultIds": [{"uri": uri, "value": "1"}], "partialResultToken": "p"}),
        ("textDocument/completion", {**document, "position": AT["start"]}),
    ]


def parts(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every part of nested objects, including the path of the whole object."""
    yield path
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from parts(value[key], (*path, key))


def replaced(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    """Return a copy in which one part is replaced or, with MISSING, removed."""
    if not path:
        return None if junk is MISSING else junk
    made = copy.deepcopy(value)
    holder = made
    for key in path[:-1]:
        holder = holder[key]
    if junk is MISSING:
        del holder[path[-1]]
    else:
        holder[path[-1]] = junk
    return made


class Inside:
    """A server that runs in the test's process, so that thousands of messages take seconds; `replies` maps request ids
    to replies."""

    def __init__(self) -> None:
        self.server = UncudaServer()
        self.replies: dict[Any, Json] = {}
        self.said: list[Json] = []
        self.answers = True
        self.server.protocol.write = self._take
        self._numbers = itertools.count(1)
        asyncio.set_event_loop(self.server.loop)

    def _take(self, data: bytes) -> None:
        message = json.loads(data.partition(b"\r\n\r\n")[2])
        self.said.append(message)
        if "method" not in message:
            self.replies[message["id"]] = message
        elif "id" in message and self.answers:  # the user does not answer the server's question
            self.server.loop.call_soon(self.send, {"id": message["id"], "result": None})

    def send(self, message: Json) -> None:
        self.server.protocol.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def begin(self, method: str, params: Any) -> int:
        number = next(self._numbers)
        self.send({"id": number, "method": method, "params": params})
        return number

    def reply(self, number: int) -> Json:
        async def wait() -> None:
            while number not in self.replies:
                await asyncio.sleep(0)

        self.server.loop.run_until_complete(asyncio.wait_for(wait(), 30))
        return self.replies[number]

    def diagnostics(self, uri: str) -> list[str]:
        reply = self.reply(self.begin("textDocument/diagnostic", {"textDocument": {"uri": uri}}))
        return [item["code"] for item in reply["result"]["items"]]

    def open(self, uri: str) -> None:
        document = {"uri": uri, "languageId": "python", "version": 1, "text": TEXT}
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})


class NoJob:
    """Used in place of the process that fixes the workspace."""

    def __init__(self, server: UncudaServer, job: Job, progress: Any) -> None:
        assert json.dumps(asdict(job))
        self.done: asyncio.Future[Outcome] = server.loop.create_future()
        self.done.set_result(Outcome(failed=""))

    def stop(self) -> None:
        """Do nothing: no process was started."""


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch) -> Iterator[Inside]:
    monkeypatch.setattr("uncuda.lsp.fixing.batch.JobProcess", NoJob)
    # pytest sends captured log records between processes, which fails for an unpaired surrogate.
    logging.disable()
    made = Inside()
    assert made.reply(made.begin("initialize", PROFILES["vscode"].initialize([])))["result"]
    yield made
    logging.disable(logging.NOTSET)
    made.server.ended()
    made.server.loop.close()


@pytest.mark.slow
def test_every_request_with_every_part_of_another_type(inside: Inside) -> None:
    uri = "untitled:one"
    inside.open(uri)
    found = inside.diagnostics(uri)
    assert found
    wrong = []
    for method, params in requests(uri):
        for path, junk in itertools.product(parts(params), JUNK):
            number = inside.begin(method, replaced(params, path, junk))
            if method == "workspace/diagnostic":  # a valid request of this method waits until diagnostics change
                inside.send({"method": "$/cancelRequest", "params": {"id": number}})
            error = inside.reply(number).get("error", {"code": INVALID_PARAMS})
            allowed = ALLOWED.get(method, INVALID_PARAMS)
            if error["code"] not in (INVALID_PARAMS, allowed):
                wrong.append((method, path, str(junk)[:20], str(error)[:150]))
    assert not wrong, "\n".join(map(str, wrong))
    assert inside.diagnostics(uri) == found


@pytest.mark.slow
def test_initialize_with_every_part_of_another_type() -> None:
    params = PROFILES["vscode"].initialize([Path("/nowhere")]) | {"rootPath": "/nowhere", "trace": "off"}
    made, junk, wrong = Inside(), itertools.cycle(JUNK), []
    places = [(path, value) for path in parts(params) if len(path) < 3 for value in JUNK if "processId" not in path]
    places += [(path, next(junk)) for path in parts(params) if len(path) > 2]
    for path, value in places:
        made.server.protocol.initialized = False
        reply = made.reply(made.begin("initialize", replaced(params, path, value)))
        if reply.get("error", {"code": INVALID_PARAMS})["code"] != INVALID_PARAMS:
            wrong.append((path, str(value)[:20], str(reply)[:200]))
    assert not wrong, "\n".join(map(str, wrong))
    made.server.loop.close()


@pytest.mark.parametrize("value", [value for value in JUNK if value is not MISSING], ids=lambda value: repr(value)[:9])
def test_process_ids_that_are_none(value: Any) -> None:
    made = Inside()
    params = PROFILES["vscode"].initialize([]) | {"processId": value}
    assert made.reply(made.begin("initialize", params))["result"]
    made.server.loop.close()


@pytest.mark.slow
def test_every_notification_with_every_part_of_another_type(inside: Inside) -> None:
    """An invalid notification affects no open document except the one that it is about."""
    witness = "untitled:witness"
    inside.open(witness)
    found = inside.diagnostics(witness)
    for uri in ("untitled:victim", "file:///nowhere/%00.py", "file:///\ud800.py", f"file:///{'a' * 5000}.py"):
        for method, is_request, params in valid(uri):
            if not is_request:
                for path, junk in itertools.product(parts(params), JUNK[::4] if uri[0] == "f" else JUNK[::2]):
                    inside.send({"method": method, "params": replaced(params, path, junk)})
    assert inside.diagnostics(witness) == found
    assert not [message for message in inside.said if "internal error" in str(message)[:9999]]
    assert [message for message in inside.said if message.get("id", 0) == 0 and "error" in message] == []


@pytest.mark.parametrize("params", ["untitled:", 7, [], True])
def test_a_request_that_may_wait_long_is_refused_at_once(inside: Inside, params: Any) -> None:
    assert inside.reply(inside.begin("workspace/diagnostic", params))["error"]["code"] == INVALID_PARAMS


class TestIds:
    """Client and server number their requests separately; each request has one reply."""

    def codes(self, inside: Inside, number: Any) -> list[int]:
        """Return the codes of the errors in the replies to an id; 0 stands for a result."""
        said = [message for message in inside.said if message.get("id") == number and "method" not in message]
        return [message.get("error", {"code": 0})["code"] for message in said]

    def test_an_id_that_is_in_use(self, inside: Inside) -> None:
        waiting = inside.begin("workspace/diagnostic", {"previousResultIds": []})
        inside.send({"id": waiting, "method": "textDocument/hover", "params": {}})
        assert self.codes(inside, waiting) == [INVALID_REQUEST]
        inside.replies.clear()
        inside.send({"method": "$/cancelRequest", "params": {"id": waiting}})
        inside.reply(waiting)
        assert self.codes(inside, waiting) == [INVALID_REQUEST, CANCELLED]
        inside.begin("uncuda/status", {"textDocument": {"uri": "untitled:x"}})
        inside.send({"id": waiting, "method": "uncuda/status", "params": {"textDocument": {"uri": "untitled:x"}}})
        assert self.codes(inside, waiting)[2:] == [0]

    def test_a_reply_to_ones_own_request(self, inside: Inside) -> None:
        waiting = inside.begin("workspace/diagnostic", {"previousResultIds": []})
        replies: list[Json] = [{"result": None}, {"error": {"code": 1, "message": "x"}}, {"result": {}, "id": None}]
        for reply in replies:
            inside.send({"id": waiting, **reply})
        inside.send({"method": "$/cancelRequest", "params": {"id": waiting}})
        inside.reply(waiting)
        assert self.codes(inside, waiting) == [CANCELLED]

    def test_what_is_neither_request_nor_reply_has_no_id(self, inside: Inside) -> None:
        inside.send({"id": 1, "resullt": None})  # the client's first request had the id 1 and was answered long ago
        inside.send({"id": 7, "method": 3})
        assert [message["id"] for message in inside.said if "error" in message] == [None, 7]

    @pytest.mark.parametrize("identifier", [None, 7, "nobody's", [1], 1.5, True])
    def test_a_reply_to_nothing_is_not_replied_to(self, inside: Inside, identifier: Any) -> None:
        before = len(inside.said)
        inside.send({"id": identifier, "result": 1})
        inside.send({"id": identifier, "error": {"code": 1, "message": "x"}})
        assert len(inside.said) == before

    def test_an_id_of_the_servers(self, inside: Inside) -> None:
        inside.answers = False
        taken: list[Any] = []
        inside.server.ask("window/showMessageRequest", types.ShowMessageRequestParams(INFO, "?"), taken.append)
        asked = next(message["id"] for message in inside.said if message.get("method") == "window/showMessageRequest")
        inside.send({"id": asked, "method": "workspace/diagnostic", "params": {"previousResultIds": []}})
        inside.send({"id": asked, "method": "$/cancelRequest", "params": {"id": asked}})
        inside.send({"method": "$/cancelRequest", "params": {"id": asked}})
        inside.reply(asked)
        inside.send({"id": asked, "result": {"title": "yes"}})
        assert self.codes(inside, asked)[-1] == CANCELLED
        assert [answer.title for answer in taken] == ["yes"]
