"""Tests of syntax that is newer than the running Python."""

from __future__ import annotations

import sys

import pytest

from facts.common import facts, references
from uncuda.facts.new_syntax import wants_libcst

pytest.importorskip("libcst", reason="newer syntax is read through libcst")
NEWER = [
    'import torch\nx = f"{a["b"]} {torch.cuda.device_count()}"\n',
    "import torch\ntype X[T] = torch.cuda.Event\n",
    "import torch\ndef f[T: int](x: torch.cuda.Event): pass\n",
    "import torch\nclass A[T](torch.cuda.Event):\n    pass\n",
    'import torch\nx = t"{torch.cuda.device_count()}"\n',
    "import torch\ntry:\n    pass\nexcept* torch.cuda.OutOfMemoryError:\n    pass\n",
    "import torch\nx = f'é{a['𝛼']}', torch.cuda.current_device()\n",
]


@pytest.mark.parametrize("text", NEWER)
def test_read_through_libcst(text: str) -> None:
    found = facts(text)
    assert not found.unread
    (name,) = found.references
    spelled = [text[span[0] : span[1]] for span in name.spans() if span]
    assert ".".join(spelled) == name.dotted


def test_strings_beside_newer_syntax_are_read() -> None:
    text = 'import torch\ndef f[T](x: T, where="cuda", *, kind=f"cuda:{0}"): pass\n'
    (statement,) = (one for one in facts(text).statements.values() if one.digest.texts)
    assert next(found.value for found in statement.digest.texts) == "cuda"


def test_without_libcst_the_statement_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "libcst", None)
    text = 'import torch\nzz = t"{torch.cuda.device_count()}"\ntorch.cuda.synchronize()\n'
    if sys.version_info >= (3, 14):
        pytest.skip("this Python reads it itself")
    found = facts(text)
    assert len(found.unread) == 1
    assert references(text) == ["torch.cuda.synchronize"]
    assert wants_libcst(text[slice(*found.unread[0])])


def test_libcst_is_wanted_for_newer_syntax_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not wants_libcst('t"{a}"')
    monkeypatch.setitem(sys.modules, "libcst", None)
    assert wants_libcst('x = f(t"{a}")')
    assert not wants_libcst("x = f(")
    assert not wants_libcst("print x")


def test_half_a_statement_costs_only_itself() -> None:
    text = "import torch\nx = torch.cuda.\ntorch.cuda.synchronize()\ny = f(torch.cuda.init(\nz = torch.cuda.seed()\n"
    assert references(text) == ["torch.cuda.synchronize", "torch.cuda.seed"]
