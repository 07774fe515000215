"""Cells of notebooks: the checked text is the joined source of the cells, which the notebook's file contains in JSON
strings."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property

from uncuda import lazy_re

_UNIT = lazy_re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.")


@dataclass(frozen=True)
class Literal:
    """A JSON string of the notebook's file that contains source code."""

    raw: str  # as written in the file, without its quotes
    start: int  # offset of its source in the joined text of the cells
    at: int  # offset of `raw` in the file's text
    line: int  # line of `raw` in the file's text, from 1
    column: int

    @cached_property
    def _escapes(self) -> tuple[list[int], list[int]]:
        """For each escape sequence in `raw`: the offset in `text` after it, and by how many characters `raw` is longer
        than `text` up to there."""
        ends, more = [], []
        longer = 0
        for found in _UNIT.finditer(self.raw):
            longer += len(found[0]) - 1
            ends.append(found.end() - longer)
            more.append(longer)
        return ends, more

    @cached_property
    def text(self) -> str:
        """The source code that the string contains."""
        return str(json.loads(f'"{self.raw}"')) if "\\" in self.raw else self.raw

    def offset(self, local: int) -> int:
        """Return the offset in `raw` that corresponds to an offset in `text`."""
        ends, more = self._escapes if "\\" in self.raw else ([], [])
        index = bisect_right(ends, local)
        return local + (more[index - 1] if index else 0)


@dataclass(frozen=True)
class Cell:
    """A code cell with Python source."""

    number: int  # from 1, among all cells of the notebook
    start: int  # offset in the joined text of the cells
    literals: tuple[Literal, ...]
    separator: str  # the text between two strings of the cell's list; "" if the source is one string


@dataclass(frozen=True)
class Cells:
    """The cells of a notebook in order; their joined text has a line break between two cells, which belongs to
    neither."""

    every: tuple[Cell, ...]

    @cached_property
    def starts(self) -> list[int]:
        """The offsets in the joined text at which cells begin."""
        return [cell.start for cell in self.every]

    @cached_property
    def literals(self) -> list[Literal]:
        """The JSON strings of all cells."""
        return [literal for cell in self.every for literal in cell.literals]

    @cached_property
    def original(self) -> str:
        """The joined text before magics such as `%time` were replaced; the offsets are the same."""
        return "\n".join("".join(literal.text for literal in cell.literals) for cell in self.every)

    @cached_property
    def _beginnings(self) -> list[int]:
        return [literal.start for literal in self.literals]

    def at(self, offset: int) -> Cell:
        """The cell that contains an offset."""
        return self.every[max(0, bisect_right(self.starts, offset) - 1)]

    def holding(self, offset: int, is_end: bool = False) -> Literal:
        """Return the JSON string that contains an offset; with `is_end`, the one that contains the character before the
        offset."""
        find = bisect_left if is_end else bisect_right
        return self.literals[max(0, find(self._beginnings, offset) - 1)]

    def offsets(self, start: int, end: int) -> tuple[int, int]:
        """Return the offsets in the file's text for a span of the joined text that is in one JSON string."""
        first, last = self.holding(start), self.holding(end, start < end)
        return first.at + first.offset(start - first.start), last.at + last.offset(end - last.start)

    def physical(self, offset: int, is_end: bool = False) -> tuple[int, int]:
        """Return the line and column in the file, from 1, of an offset in the joined text; with `is_end`, the position
        after the character before the offset."""
        if not self.literals:
            return 1, 1
        literal = self.holding(offset, is_end)
        return literal.line, literal.column + literal.offset(offset - literal.start)
