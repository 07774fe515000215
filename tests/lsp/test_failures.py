"""Tests that an internal error is reported once and affects no other document, and that a document which the editor
cannot save correctly gets no fix."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lsp.harness.client import Client
from lsp.harness.starting import Start

TEXT = "import torch\nx.cuda()\ntorch.device('cuda')\n"
BROKEN = """
import sys
import uncuda.checks.string as string

run = string.Check.run

def fail(self, context):
    for hit in run(self, context):
        if hit.rule.name == "device-string":
            raise RuntimeError("broken on purpose")
        yield hit

string.Check.run = fail
from uncuda.cli import main
sys.exit(main(["server"]))
"""
DEAD = """
import sys
import uncuda.engine

def fail(self, *arguments, **named):
    raise RecursionError("too deep")

uncuda.engine.Engine.check = fail
from uncuda.cli import main
sys.exit(main(["server"]))
"""


def codes(client: Client, uri: str) -> list[str]:
    return [item["code"] for item in client.diagnostics(uri)]


def shown(client: Client) -> list[str]:
    return [item["message"] for item in client.traffic.received("window/showMessage")]


@pytest.mark.parametrize("profile", ["vscode", "kate"])
def test_a_rule_that_fails(start: Start, tmp_path: Path, profile: str) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    client = start(profile, command=[sys.executable, str(tmp_path / "broken.py")], files={"a.py": TEXT, "b.py": TEXT})
    one, two = client.open(tmp_path / "a.py"), client.open(tmp_path / "b.py")
    for uri in (one, two, one):
        assert codes(client, uri) == ["cuda-method"]
        client.type(uri, client.text(uri) + "#")
        assert codes(client, uri) == ["cuda-method"]
    (text,) = shown(client)
    assert "rule `device-string` failed in" in text
    assert str(tmp_path / "a.py") in text
    assert "broken on purpose" in text
    client.settle()
    logged = [item["message"] for item in client.traffic.received("window/logMessage") if item["type"] == 1]
    assert len(logged) == 2
    assert all("device-string" in entry and "Traceback" in entry for entry in logged)
    client.tolerated.append("an internal error")


def test_an_engine_that_fails(start: Start, tmp_path: Path) -> None:
    (tmp_path / "dead.py").write_text(DEAD)
    client = start(command=[sys.executable, str(tmp_path / "dead.py")], files={"a.py": TEXT})
    uri = client.open(tmp_path / "a.py")
    assert codes(client, uri) == []
    client.type(uri, TEXT + "#")
    assert codes(client, uri) == []
    (text,) = shown(client)
    assert str(tmp_path / "a.py") in text
    assert "too deep" in text


LATIN = "# -*- coding: latin-1 -*-\nimport torch\nname = '\u00e9'\nx.cuda()\n"


def applied(client: Client, uri: str) -> bool:
    """Return whether the server offers the client a fix that is enabled."""
    return any("disabled" not in a for a in client.actions(uri, only=["quickfix"]) if "npu" in a["title"])


def reasons(client: Client, uri: str) -> str:
    return " ".join(a["disabled"]["reason"] for a in client.actions(uri, only=["quickfix"]) if "disabled" in a)


def test_a_file_that_the_editor_read_in_another_encoding(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    client = start(files={"a.py": LATIN.encode("latin-1")})
    uri = client.open(path, LATIN.replace("\u00e9", "\ufffd"))
    assert codes(client, uri) == ["cuda-method"]
    assert not applied(client, uri)
    assert "reopen the file with encoding" in reasons(client, uri)
    assert "iso8859-1" in reasons(client, uri)
    assert f"uncuda fix {path}" in reasons(client, uri)
    client.close(uri)
    uri = client.open(path, LATIN)  # the user reopens the file with its real encoding
    assert applied(client, uri)


def test_a_file_that_has_the_character_itself(start: Start, tmp_path: Path) -> None:
    text = "import torch\nname = '\ufffd'\nx.cuda()\n"
    client = start(files={"a.py": text})
    assert applied(client, client.open(tmp_path / "a.py"))
    assert applied(client, client.open("untitled:1", text))


def test_a_file_that_cannot_be_read_is_no_reason(start: Start, tmp_path: Path) -> None:
    client = start(files={"a.py": b"import torch\nname = '\xff'\nx.cuda()\n"})
    assert applied(client, client.open(tmp_path / "a.py", "import torch\nname = '\ufffd'\nx.cuda()\n"))
    assert applied(client, client.open(tmp_path / "none.py", "import torch\nname = '\ufffd'\nx.cuda()\n"))
