"""Tests that, for every example of every rule, each code action's edit gives the same text as the engine, and that the
text is valid Python."""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from lsp.harness.profiles import PROFILES
from lsp.harness.text import Positions, apply_text_edits
from support.engines import engine_for
from uncuda.catalogue import load, read_page
from uncuda.edits import apply_edits
from uncuda.engine import Engine
from uncuda.lsp.server import UncudaServer
from uncuda.settings import Settings
from uncuda.source import Source

Json = dict[str, Any]
URI = "untitled:Untitled-1"
# Text that is inserted before each example so that offsets differ from columns in UTF-16 and in bytes; each text has
# other line ends.
HEADS = {"utf-8": "# 数据 é\n", "utf-16": "# 𝛼\f\u2028\n", "utf-32": "s = '''\n𝛼 # \n'''\n"}
ENDS = {"utf-8": "\n", "utf-16": "\r\n", "utf-32": "\n"}


class Talk:
    """Calls the server's handlers directly, without a connection, so that nothing else runs between two calls."""

    def __init__(self, server: UncudaServer, target: str, encoding: str) -> None:
        self._answers, self.encoding, self.text = server.protocol.raw, encoding, ""
        self._encode = partial(json.dumps, default=server.protocol._serialize_message)
        profile = PROFILES["vscode"].counting(encoding)
        self._ask("initialize", profile.initialize([], {"settings": {"target": target, "locale": "en"}}))
        self._ask("initialized", {})

    def _ask(self, method: str, params: Any) -> Any:
        return json.loads(self._encode(self._answers[method](params)))

    def open(self, text: str) -> None:
        """Replace the only open document with one that has another text."""
        self.text = text
        self._ask("textDocument/didClose", {"textDocument": {"uri": URI}})
        item = {"uri": URI, "languageId": "python", "version": 1, "text": text}
        self._ask("textDocument/didOpen", {"textDocument": item})

    def actions(self) -> list[Json]:
        """Return the code actions for the whole document."""
        whole = Positions(self.text, self.encoding).range(0, len(self.text))
        params = {"textDocument": {"uri": URI}, "range": whole, "context": {"diagnostics": []}}
        found: list[Json] = self._ask("textDocument/codeAction", params)
        return found

    def after(self, action: Json) -> str:
        """Return the document's text after an action; the action must change nothing else."""
        resolved = action if "edit" in action else self._ask("codeAction/resolve", action)
        (part,) = resolved["edit"]["documentChanges"]
        assert part["textDocument"] == {"uri": URI, "version": 1}
        return apply_text_edits(self.text, part["edits"], self.encoding)


@pytest.fixture
def server() -> Iterator[UncudaServer]:
    made = UncudaServer()
    yield made
    made.loop.close()


def parsed(text: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.dump(ast.parse(text))


def examples() -> list[str]:
    return [example.text for rule in load().rules.values() if rule.path for example in read_page(rule.path)[1]]


@pytest.mark.slow
@pytest.mark.parametrize("target", load().declarations)
@pytest.mark.parametrize("encoding", HEADS)
def test_every_action_for_every_example(server: UncudaServer, encoding: str, target: str) -> None:
    texts = examples()
    assert len(texts) > 200
    compare(server, encoding, target, texts)


def test_every_action_for_some_examples(server: UncudaServer) -> None:
    compare(server, "utf-16", "npu", examples()[::10])


def compare(server: UncudaServer, encoding: str, target: str, texts: list[str]) -> None:
    """Check all code actions for each text."""
    talk, engine = Talk(server, target, encoding), engine_for(target, Settings(locale="en"))
    for text in texts:
        head = "" if "from __future__" in text else HEADS[encoding]  # `from __future__` must stay the first statement
        talk.open((head + text).replace("\n", ENDS[encoding]))
        judge(talk, engine)


def judge(talk: Talk, engine: Engine) -> None:
    """Check all code actions for one text against the engine."""
    source = Source(talk.text)
    findings = engine.check(source).findings
    due = sorted(apply_edits(talk.text, fix.edits) for finding in findings for fix in finding.fixes)
    before, quick = parsed(talk.text), []
    for action in talk.actions():
        if not action.keys() & {"edit", "data"}:
            assert action.keys() & {"disabled", "command"}
            continue
        after, title, data = talk.after(action), action["title"], action.get("data", {})
        if title.startswith("Ignore"):
            assert parsed(after) == before
        elif data.get("rule"):
            assert after == engine.fix(source, review=data["review"], rules={data["rule"]}).text
        elif action["kind"] == "source.fixAll.uncuda":
            assert after == engine.fix(source).text
        else:
            quick.append(after)
        parsed(after)
    assert sorted(quick) == due
