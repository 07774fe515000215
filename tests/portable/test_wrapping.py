"""Tests that lines which fixes made too long are broken as formatters break them."""

from __future__ import annotations

import ast

import pytest

from support.portable import HELPER, portable_engine, ported
from uncuda.edits import apply_edits
from uncuda.engine.portable.wrapping import wrapped
from uncuda.project import Helper
from uncuda.source import Source


@pytest.mark.parametrize(
    "line, broken",
    [
        (
            "value = torch.zeros(count, device=where().now())",
            "value = torch.zeros(\n    count, device=where().now()\n)",
        ),
        (
            "value = torch.zeros(numbers, dtype=numbers.dtype, device=where().now())",
            "value = torch.zeros(\n    numbers,\n    dtype=numbers.dtype,\n    device=where().now(),\n)",
        ),
        (
            "f(\n    numbers, dtype=numbers.dtype, device=where().now()\n)",
            "f(\n    numbers,\n    dtype=numbers.dtype,\n    device=where().now(),\n)",
        ),
        ("value = torch.tensor([numbers]).to(where())", "value = torch.tensor([numbers]).to(\n    where()\n)"),
        (
            "if some.number < other and not where().is_there():\n    pass",
            "if (\n    some.number < other\n    and not where().is_there()\n):\n    pass",
        ),
        ("value = where().now() if where() else 'cpu'", "value = (\n    where().now() if where() else 'cpu'\n)"),
        ("return_value = a.long_name + where().now().x", "return_value = (\n    a.long_name + where().now().x\n)"),
        ("total = sum([one for one in every if where()])", "total = sum(\n    [one for one in every if where()]\n)"),
        (
            "def f(x, y=where()):\n    return x.a_much_longer_name(where(), y)",
            "def f(x, y=where()):\n    return x.a_much_longer_name(\n        where(), y\n    )",
        ),
        ("value = torch.zeros(count, device=where())  # it", ""),
        ("value = '''\n" + "x" * 50 + "\n'''", ""),
        ("short = f(1)", ""),
        ("a_name_that_is_too_long_for_any_break.of.a.line", ""),
    ],
)
def test_line(line: str, broken: str) -> None:
    after = apply_edits(line, wrapped("", line, 40))
    assert after == (broken or line)
    assert ast.dump(ast.parse(after)) == ast.dump(ast.parse(line))


def test_lines_that_were_there_stay() -> None:
    line = "value = torch.zeros(count, device=where().now())\n"
    assert wrapped(line, line + "new = 1\n", 20) == []


def test_the_length_is_that_of_the_lines_where_no_settings_say_it() -> None:
    line = f"value = torch.zeros({'count, ' * 9}device=where())"
    assert len(line) == 98
    assert wrapped("x = 1\n", line)
    assert not wrapped(f"{'x' * 99}\n", line)
    for unbroken in ("# ", "'", '"""\n'):
        assert wrapped(f"{unbroken}{'x' * 99}{unbroken.strip('# ')}\n", line)


TEXT = "import torch\n\ndata = torch.tensor([numbers, numbers, numbers], dtype=torch.int32, device='cuda')\n"
BROKEN = "data = torch.tensor(\n    [numbers, numbers, numbers], dtype=torch.int32, device=accelerator_type()\n)\n"


def test_a_fix_that_makes_a_line_too_long_breaks_it() -> None:
    assert ported(TEXT, helper=Helper(HELPER, line_length=88)).endswith(BROKEN)
    windows = ported(TEXT.replace("\n", "\r\n"), helper=Helper(HELPER, line_length=88))
    assert windows.endswith(BROKEN.replace("\n", "\r\n"))
    assert "\n    [" not in ported(TEXT, helper=Helper(HELPER, line_length=100))


def test_its_changes_are_those_of_the_fix() -> None:
    fixed = portable_engine(Helper(HELPER, line_length=88)).fix(Source(TEXT))
    assert apply_edits(TEXT, [change.edit for change in fixed.changes]) == fixed.text
    assert {change.applicability for change in fixed.changes} == {"safe"}
