"""Tests that `Layout`, which reads a text only near one offset, finds the same logical lines, strings and comments as
Python's tokenizer."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module

import pytest

from support.oracle import logical_lines
from uncuda.facts.layout import Layout
from uncuda.limits import Limits, Work

TEXTS = [
    "a = 1\nb = (\n  2,\n)\nc = 3\n",
    "a = '''x\n(\n''' + b\nc = 1\n",
    'def f():\n    """Doc ( \n    with (\n    """\n    return (1 +\n        2)\n',
    "x = 'a\\\nb(' ; y = 2\nz = 3\n",
    "x = a \\\n    + b\ny = 1\n",
    "x = {'#': '#'}  # {\ny = [\n# [\n]\n",
    "x = r'\\\\'\ny = '\\\\'\nz = 1\n",
    "x = '\"\"\"'\ny = \"'''\"\nz = 1  # '''\nw = '''a'''\n",
    "x = (\n\n  1)\n\n\ny = 2",
    "if x:\n\ty = (\n1)\n\tz = 2\n",
    "x = '''a'''; y = '''b\nc'''; z = (\n1)\nw = 1\n",
    "class A:\r\n    x = (\r\n    1)\r\n    y = '''\r\n'''\r\nz = 1\r\n",
    "x = 1\n\f\ndef f():\n    pass\n",
]


def lines_of(text: str) -> list[tuple[int, int]]:
    """Return the start and end of every logical line. `Layout.logical_line` is called once for every character of the
    text, in shuffled order, so that its caches have no effect."""
    layout = Layout(text)
    offsets = sorted(range(len(text)), key=lambda offset: (offset * 7919) % 101)
    found = {layout.logical_line(offset) for offset in offsets}
    return sorted((start, end) for start, end in found if text[start:end].strip() and not _comment(text[start:end]))


def _comment(line: str) -> bool:
    return all(not row.strip() or row.lstrip().startswith("#") for row in line.splitlines())


@pytest.mark.parametrize("text", TEXTS)
def test_logical_lines_are_the_tokenizers(text: str) -> None:
    found = [(start + len(text[start:end]) - len(text[start:end].lstrip()), end) for start, end in lines_of(text)]
    assert found == logical_lines(text)


def test_whole_modules_of_the_standard_library() -> None:
    for name in ("argparse", "typing", "ast", "tokenize", "textwrap", "dataclasses"):
        text = inspect.getsource(import_module(name))
        layout = Layout(text)
        for start, end in logical_lines(text):
            first, last = layout.logical_line((start + end) // 2)
            assert text[first:start].strip() == ""
            assert last == end, text[start:end]


def test_comments_and_strings() -> None:
    text = "x = '# no'  # yes\ny = '''\n# no\n'''\n"
    layout = Layout(text)
    assert [layout.is_comment(i) for i, char in enumerate(text) if char == "#"] == [False, True, False]


@pytest.mark.parametrize("stray", ['"""', "'''"])
@pytest.mark.parametrize("line", [1, 7, 12, 20])
def test_a_stray_triple_quote_leaves_the_strings_of_other_lines(stray: str, line: int) -> None:
    block = 'def f{n}(a):\n    """Say (\n\n    more.\n    """\n    return a\n\n'
    text = "".join(block.format(n=n) for n in range(4))
    rows = text.split("\n")
    rows[line] += f"  {stray}"
    broken = Layout("\n".join(rows))
    whole = len(ast.parse(text).body)
    assert sum(1 for start, end in broken.strings if "Say (" in broken.text[start:end]) >= whole - 1


def test_an_open_bracket_ends_at_the_next_statement() -> None:
    text = "x = f(\nreturn y\nz = 1\n"
    layout = Layout(text)
    start, end = layout.logical_line(0)
    assert text[start:end] == "x = f(\n"
    assert start in layout.unclosed


def test_questions_about_one_long_line_take_time_linear_in_it() -> None:
    text = "x = (a, 'b', # c\n" + "'e'," * 5_000 + "d;" * 100_000
    work = Work(Limits(comparisons=1_000_000))
    layout = Layout(text, work=work)
    asked = range(0, len(text), 50)
    found = [layout.token_at(offset) for offset in asked]
    assert found[:1] == [""]
    for offset in (len(text), 8, 13, 1, len(text) - 1, 9):  # the result must not depend on the order of the calls
        assert layout.token_at(offset) == Layout(text).token_at(offset)
