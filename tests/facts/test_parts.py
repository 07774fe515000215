"""Tests that a syntax error in a long statement affects only the bracketed part that contains it."""

from __future__ import annotations

import pytest

from facts.common import facts, references

TABLE = """\
import torch

SIZES = {
    "one": {
        "small": load(torch.cuda.one),
    },
    "two": [
        load(torch.cuda.two),
    ],
    "three": torch.cuda.three,
}
torch.cuda.last()
"""
WHOLE = ["torch.cuda.one", "torch.cuda.two", "torch.cuda.three", "torch.cuda.last"]


def test_the_whole_table() -> None:
    assert sorted(references(TABLE)) == sorted(WHOLE)


@pytest.mark.parametrize(
    "line",
    ['"zero": "half', "\"zero': 1,", '"zero": {', '"zero": load(', '"zero": )', '"zero": ],', "zero zero", '"""zero"'],
)
def test_a_broken_line_at_the_top(line: str) -> None:
    found = references(TABLE.replace("SIZES = {\n", f"SIZES = {{\n    {line}\n"))
    assert {"torch.cuda.one", "torch.cuda.two", "torch.cuda.last"} <= set(found)


def test_a_broken_line_inside() -> None:
    text = TABLE.replace('"small": load(', '"small: load')
    assert set(references(text)) == {"torch.cuda.two", "torch.cuda.last"}
    assert facts(text).unread


def test_a_call_is_read_with_its_name() -> None:
    text = "import torch\nx = [\n    'half,\n    torch.cuda.one(\n        1,\n    ),\n]\n"
    assert references(text) == ["torch.cuda.one"]
