"""Tests that the editor simulated by the tests converts positions, edits and document versions as LSP requires."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp.harness.editbuffer import Buffer, Buffers, NotApplied
from lsp.harness.text import OutOfRange, Positions, apply_text_edits, difference, line_starts
from lsp.harness.traffic import Json

ENCODINGS = ("utf-8", "utf-16", "utf-32")
TEXTS = st.text(st.sampled_from("a\n\r\f\v\x1c\x85\u2028\u2029é中😀"), max_size=30)


def range_at(line: int, start: int, end: int) -> Json:
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


def insert(line: int, character: int, text: str) -> Json:
    return {"range": range_at(line, character, character), "newText": text}


def test_lines_end_at_three_breaks_only() -> None:
    assert line_starts("a\fb\vc\x85d\u2028e\nf\r\ng\rh") == [0, 10, 13, 15]


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 7), ("utf-16", 3), ("utf-32", 2)])
def test_units(encoding: str, character: int) -> None:
    positions = Positions("x\n中😀y", encoding)
    assert positions.offset({"line": 1, "character": character}) == 4
    assert positions.position(4) == {"line": 1, "character": character}


@pytest.mark.parametrize("position", [(0, 3), (1, 0), (-1, 0), (0, -1)])
def test_positions_outside_are_errors(position: tuple[int, int]) -> None:
    with pytest.raises(OutOfRange):
        Positions("ab", "utf-16").offset({"line": position[0], "character": position[1]})


def test_what_lies_beyond_is_the_end_when_a_server_reads_it() -> None:
    positions = Positions("ab\ncd", "utf-16")
    assert [positions.clamped({"line": line, "character": 9}) for line in (0, 1, 2)] == [2, 5, 5]
    assert positions.clamped({"line": 1, "character": 1}) == 4


def test_a_position_inside_a_character_is_an_error() -> None:
    with pytest.raises(OutOfRange):
        Positions("😀", "utf-16").offset({"line": 0, "character": 1})


@given(TEXTS, st.sampled_from(ENCODINGS), st.integers(0, 30))
def test_positions_and_offsets_agree(text: str, encoding: str, offset: int) -> None:
    offset = min(offset, len(text))
    if text[max(offset - 1, 0) : offset + 1] != "\r\n":  # no position lies between \r and \n
        assert Positions(text, encoding).offset(Positions(text, encoding).position(offset)) == offset


@given(TEXTS, TEXTS, st.sampled_from(ENCODINGS))
def test_a_difference_turns_one_text_into_the_other(old: str, new: str, encoding: str) -> None:
    start, end, text = difference(old, new)
    assert old[:start] + text + old[end:] == new
    edit = {"range": Positions(old, encoding).range(start, end), "newText": text}
    assert apply_text_edits(old, [edit], encoding) == new


def test_edits_speak_of_the_text_before() -> None:
    edits = [{"range": range_at(0, 2, 3), "newText": "Z"}, insert(0, 0, "1"), insert(0, 0, "2")]
    assert apply_text_edits("abc", edits, "utf-16") == "12abZ"


def test_edits_may_not_overlap() -> None:
    with pytest.raises(ValueError, match="overlap"):
        apply_text_edits("abc", [{"range": range_at(0, 0, 2), "newText": ""}, insert(0, 1, "x")], "utf-16")


@pytest.fixture
def buffers(tmp_path: Path) -> Buffers:
    """Return a simulated editor in which `a.py` is open as version 3, and `b.py`, closed, has a byte order mark and
    Windows line ends."""

    def changed(buffer: Buffer, text: str) -> None:
        buffer.text, buffer.version = text, buffer.version + 1

    (tmp_path / "b.py").write_bytes("\ufeffb\r\n".encode())
    made = Buffers("utf-16", changed)
    made.open["file:///a.py"] = Buffer("file:///a.py", "python", 3, "a\n")
    return made


def versioned(**versions: int | None) -> Json:
    parts: list[Any] = []
    for uri, version in versions.items():
        parts.append({"textDocument": {"uri": uri, "version": version}, "edits": [insert(0, 1, "!")]})
    return {"documentChanges": parts}


def test_an_edit_changes_memory_and_disk_and_is_taken_back(buffers: Buffers, tmp_path: Path) -> None:
    closed = tmp_path / "b.py"
    assert buffers.apply(versioned(**{"file:///a.py": 3, closed.as_uri(): None})) == ["file:///a.py", closed.as_uri()]
    assert buffers.open["file:///a.py"].text == "a!\n"
    assert closed.read_bytes() == "\ufeffb!\r\n".encode()
    buffers.undo()
    assert buffers.open["file:///a.py"].text == "a\n"
    assert closed.read_bytes() == "\ufeffb\r\n".encode()


@pytest.mark.parametrize("version", [2, 4, None])
def test_nothing_is_applied_for_another_version(buffers: Buffers, tmp_path: Path, version: int | None) -> None:
    closed = tmp_path / "b.py"
    with pytest.raises(NotApplied):
        buffers.apply(versioned(**{closed.as_uri(): None, "file:///a.py": version}))
    with pytest.raises(NotApplied):
        buffers.apply(versioned(**{"file:///a.py": 3, closed.as_uri(): 1}))
    assert buffers.open["file:///a.py"].text == "a\n"
    assert closed.read_bytes() == "\ufeffb\r\n".encode()
