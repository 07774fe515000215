"""Names, comments and settings in an opened file are untrusted: none of them may become a link or a control character
in the editor."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from cli.test_hostile_names import commands, steering
from lsp.harness.client import SERVER
from lsp.harness.starting import Start
from lsp.test_fix_all_workspace import COMMAND, log, messages
from lsp.test_hover import hover
from uncuda.lsp.wire.markup import code, label, popup

NAME = "[open](command:evil)\n::error::\x1b[7m\u202e.py"
TEXT = (
    "import torch\ntorch.cuda.synchronize()\n"
    "x = 1  # uncuda: ignore[\x1b[7m,`<img/src=x>`,\u202e,``,`**b]\n"
    f"y = 1  # uncuda: ignore[{'z' * 10_000}]\n"
)


@pytest.mark.skipif(os.name == "nt", reason="such names cannot be there")
def test_what_an_editor_shows(start: Start, tmp_path: Path) -> None:
    file = tmp_path.parent / f"{tmp_path.name}.log"
    client = start(
        files={
            "uncuda.toml": 'target = "npu"\n',
            "a.py": TEXT,
            NAME: b"# cuda\n\0",
            "sub\n[x](command:evil)/uncuda.toml": '"\\u001b[7m\\n[x](command:evil)" = 1\n',
            "sub\n[x](command:evil)/b.py": TEXT,
        },
        command=[*SERVER, "--log-file", str(file)],
    )
    uri = client.open(tmp_path / "a.py")
    client.open(tmp_path / "sub\n[x](command:evil)" / "b.py")

    found = [item["message"] for item in client.diagnostics(uri)]
    assert any(r"\x1b[7m" in message for message in found)
    assert all(len(message) < 2_000 for message in found)
    titles = [action["title"] for action in client.actions(uri)]
    hovers = [hover(client, uri, "ignore[", nth)[0] for nth in range(2)]
    assert "`` `<img/src=x>` ``" in hovers[0]
    assert len(hovers[1]) < 2_000
    assert "<img" not in re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", hovers[0])

    client.execute(COMMAND, {})
    shown = messages(client)
    client.wait(lambda: [message for message in messages(client) if "b[7m" in message], "what is wrong in a setting")
    assert any("open]" in message for message in shown)
    assert not any("](" in message for message in messages(client))
    assert not any("\n" in message for message in messages(client))

    kept = file.read_text(encoding="utf-8")
    for text in (*found, *titles, *hovers, *messages(client), log(client), kept, client.stderr):
        assert not steering(text)
    assert not commands("\n".join((log(client), kept, client.stderr)))


def test_nesting_does_not_end_the_server(start: Start, tmp_path: Path) -> None:
    fine = "import torch\ntorch.cuda.synchronize()\n"
    deep = 'x = f"{' + "(" * 1500 + "torch.cuda.f()" + ")" * 1500 + '}"\n'
    client = start(files={"uncuda.toml": 'target = "npu"\n', "deep.py": fine + deep, "fine.py": fine})
    for name in ("deep.py", "fine.py"):
        assert "cuda-api" in [item["code"] for item in client.diagnostics(client.open(tmp_path / name))]
    assert client.shutdown() == 0


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("a.b", "`a.b`"),
        ("a`b", "`` a`b ``"),
        ("``", "``` `` ```"),
        ("a\n\n# b", r"`a\n\n# b`"),
        ("x" * 300, "`" + "x" * 199 + "…`"),
    ],
)
def test_code_that_nothing_in_it_ends(text: str, span: str) -> None:
    assert code(text) == span


def test_popups_and_titles() -> None:
    assert popup("a\n[x](command:y)") == r"a\n[x]\x28command:y)"
    assert label("中文 `x`") == "中文 `x`"
    assert len(label("x" * 300)) == 200
