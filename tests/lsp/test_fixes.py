"""Whatever is offered for any example of any rule: the edit gives what the engine gives, and the result is Python."""

from __future__ import annotations

import ast
import warnings
from typing import Any

import pytest

from lsp.client import Client
from lsp.profiles import PROFILES
from lsp.starting import Start
from lsp.text import apply_text_edits
from uncuda.catalogue import load, read_page
from uncuda.edits import apply_edits
from uncuda.engine import Engine
from uncuda.settings import Settings
from uncuda.source import Source

# What stands before each example, so that offsets, columns in UTF-16 and bytes all differ; and how its lines end.
HEADS = {"utf-8": "# 数据 é\n", "utf-16": "# 𝛼\f\u2028\n", "utf-32": "s = '''\n𝛼 # \n'''\n"}
ENDS = {"utf-8": "\n", "utf-16": "\r\n", "utf-32": "\n"}


def edited(client: Client, uri: str, action: dict[str, Any]) -> str:
    """The text after an action, of which nothing but the document may change."""
    (part,) = client.resolve(action)["edit"]["documentChanges"]
    assert part["textDocument"]["uri"] == uri
    return apply_text_edits(client.text(uri), part["edits"], client.buffers.encoding)


def parsed(text: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.dump(ast.parse(text))


@pytest.mark.parametrize("target", load().declarations)
@pytest.mark.parametrize("encoding", HEADS)
def test_every_action_for_every_example(start: Start, encoding: str, target: str) -> None:
    files: dict[str, str | bytes] = {"uncuda.toml": f'target = "{target}"\n'}
    client = start(PROFILES["vscode"].counting(encoding), files=files)
    engine = Engine(load(), target, Settings(locale="en"))
    uri = client.open("untitled:Untitled-1", "")
    texts = (example.text for rule in load().rules.values() if rule.path for example in read_page(rule.path)[1])
    for text in texts:
        future = "from __future__" in text  # must stay the first statement
        client.type(uri, (text if future else HEADS[encoding] + text).replace("\n", ENDS[encoding]))
        judge(client, uri, engine)


def judge(client: Client, uri: str, engine: Engine) -> None:
    """Check every action for the text of a document."""
    text = client.text(uri)
    source = Source(text)
    findings = engine.check(source).findings
    fixes = sorted(apply_edits(text, fix.edits) for finding in findings for fix in finding.fixes)
    before, quick = parsed(text), []
    for action in client.actions(uri):
        title = action["title"]
        if not action.keys() & {"edit", "data"}:
            assert action.keys() & {"disabled", "command"}
            continue
        after = edited(client, uri, action)
        if title.startswith("Ignore"):
            assert parsed(after) == before
        elif title.startswith("Fix all"):
            rule = action["data"]["rule"]
            assert after == engine.fix(source, review=action["data"]["review"], rules={rule}).text
        elif action["kind"] == "source.fixAll.uncuda":
            assert after == engine.fix(source).text
        else:
            quick.append(after)
        parsed(after)
    assert sorted(quick) == fixes
