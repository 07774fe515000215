"""Notebooks: the cells of a program, and the strings of the file that they stand in."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property

_UNIT = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.")


@dataclass(frozen=True)
class Literal:
    """A string of JSON that holds source."""

    raw: str  # as it is written, without its quotes
    start: int  # offset in the program
    at: int  # offset of `raw` in the text of the file
    line: int  # of `raw` in that text, from 1
    column: int

    @cached_property
    def _escapes(self) -> tuple[list[int], list[int]]:
        """Offsets in the program behind each escape, and how many characters more than there the file has up to it."""
        ends, more = [], []
        longer = 0
        for found in _UNIT.finditer(self.raw):
            longer += len(found[0]) - 1
            ends.append(found.end() - longer)
            more.append(longer)
        return ends, more

    @cached_property
    def text(self) -> str:
        """The source that it holds."""
        return str(json.loads(f'"{self.raw}"')) if "\\" in self.raw else self.raw

    def offset(self, local: int) -> int:
        """The offset in `raw` of one in `text`."""
        ends, more = self._escapes if "\\" in self.raw else ([], [])
        index = bisect_right(ends, local)
        return local + (more[index - 1] if index else 0)


@dataclass(frozen=True)
class Cell:
    """A cell of Python."""

    number: int  # from 1, of all cells of the notebook
    start: int  # offset in the program
    literals: tuple[Literal, ...]
    separator: str  # what stands between two strings of its list; "" where the source is one string


@dataclass(frozen=True)
class Cells:
    """The cells of a program in their order; between two of them stands a line break that neither of them has."""

    every: tuple[Cell, ...]

    @cached_property
    def starts(self) -> list[int]:
        """Offsets in the program at which cells begin."""
        return [cell.start for cell in self.every]

    @cached_property
    def literals(self) -> list[Literal]:
        """The strings of all cells."""
        return [literal for cell in self.every for literal in cell.literals]

    @cached_property
    def original(self) -> str:
        """The program with its magics, which has the same offsets."""
        return "\n".join("".join(literal.text for literal in cell.literals) for cell in self.every)

    @cached_property
    def _beginnings(self) -> list[int]:
        return [literal.start for literal in self.literals]

    def at(self, offset: int) -> Cell:
        """The cell that holds an offset."""
        return self.every[max(0, bisect_right(self.starts, offset) - 1)]

    def holding(self, offset: int, is_end: bool = False) -> Literal:
        """The string that an offset is in; `is_end`: that of the character before it."""
        find = bisect_left if is_end else bisect_right
        return self.literals[max(0, find(self._beginnings, offset) - 1)]

    def offsets(self, start: int, end: int) -> tuple[int, int]:
        """The same offsets in the text of the file, of a span that lies in one string."""
        first, last = self.holding(start), self.holding(end, start < end)
        return first.at + first.offset(start - first.start), last.at + last.offset(end - last.start)

    def physical(self, offset: int, is_end: bool = False) -> tuple[int, int]:
        """Line and column, from 1, of an offset in the file; `is_end`: behind the character before it."""
        if not self.literals:
            return 1, 1
        literal = self.holding(offset, is_end)
        return literal.line, literal.column + literal.offset(offset - literal.start)
