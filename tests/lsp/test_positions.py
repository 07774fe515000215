"""Tests that converting between positions and offsets in three encodings gives the same as the tests' own
conversion."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import Position

from lsp.harness.text import Positions
from uncuda.lsp.wire.positions import Encoding, Lines

ENCODINGS: tuple[Encoding, ...] = get_args(Encoding)
TEXTS = st.lists(
    st.sampled_from(["a", "bc ", "é", "中文", "😀", "\n", "\r\n", "\r", "\f", "\v", "\x85", "\u2028", "\ud800"])
).map("".join)


@given(TEXTS, st.sampled_from(ENCODINGS), st.integers(0, 12), st.integers(0, 30))
def test_positions_to_offsets(text: str, encoding: Encoding, line: int, character: int) -> None:
    lines, model = Lines(text, encoding), Positions(text, encoding)
    offset = lines.offset_at(line, character)
    assert 0 <= offset <= len(text)
    try:
        assert offset == model.clamped({"line": line, "character": character})
    except ValueError:  # a position inside a character counts as the character's start
        assert lines.point(offset) < (line, character) < lines.point(offset + 1)


@given(TEXTS, st.sampled_from(ENCODINGS), st.data())
def test_offsets_to_positions(text: str, encoding: Encoding, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    lines, model = Lines(text, encoding), Positions(text, encoding)
    assert lines.point(offset) == tuple(model.position(offset).values())
    position = lines.position(offset)
    assert (position.line, position.character) == lines.point(offset)


@given(TEXTS, st.sampled_from(ENCODINGS), st.lists(st.tuples(st.integers(0), st.integers(0), TEXTS), max_size=6))
def test_replacing_keeps_lines_right(text: str, encoding: Encoding, edits: list[tuple[int, int, str]]) -> None:
    lines = Lines(text, encoding)
    for place, length, new in edits:
        start = place % (len(lines.text) + 1)
        end = start + length % (len(lines.text) - start + 1)
        before, fresh = lines.text, lines.text[:start] + new + lines.text[end:]
        old, lines = lines, lines.replaced(start, end, new)
        expected = Lines(fresh, encoding)
        assert lines.text == fresh
        assert old.text == before
        assert [lines.start(n) for n in range(lines.count)] == [expected.start(n) for n in range(expected.count)]
        assert [lines.line(n) for n in range(len(fresh) + 1)] == [expected.line(n) for n in range(len(fresh) + 1)]


@pytest.mark.parametrize(
    "line, character, offset", [(-1, 5, 0), (0, -1, 0), (1, -3, 4), (0, 99, 3), (1, 99, 7), (2, 0, 7), (99, 99, 7)]
)
def test_what_lies_outside(line: int, character: int, offset: int) -> None:
    assert Lines("abc\ndef").offset_at(line, character) == offset


def test_an_offset_outside() -> None:
    lines = Lines("abc\ndef")
    assert (lines.point(-5), lines.point(99)) == ((0, 0), (1, 3))
    assert lines.range((4, 99)).end == Position(1, 3)


def test_between_the_two_characters_of_a_break() -> None:
    lines = Lines("ab\r\ncd")
    assert lines.point(3) == (0, 2)
    assert lines.offset_at(0, 3) == 2
