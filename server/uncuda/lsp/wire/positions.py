"""Converts clients' lines and columns to offsets and back, in the negotiated position encoding."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Literal

from uncuda import lazy_re

if TYPE_CHECKING:  # importing lsprotocol takes 0.3 s, and the workspace job needs only offsets
    from lsprotocol.types import Position, Range

Encoding = Literal["utf-8", "utf-16", "utf-32"]

_BREAK = lazy_re.compile(r"\r\n|\n|\r")


class Lines:
    r"""A text with the offsets of its lines, which end with \n, \r\n or \r and nothing else.

    Objects are immutable; `replaced` returns a new one. The line starts before the last edit are stored as offsets from
    the beginning of the text, and those after the last edit as distances from its end. After an edit, only the stored
    line starts between its place and the place of the previous edit change.
    """

    __slots__ = ("_head", "_row", "_tail", "count", "encoding", "text")

    def __init__(self, text: str, encoding: Encoding = "utf-16") -> None:
        self._set(text, encoding, [0, *(match.end() for match in _BREAK.finditer(text))], [])

    def _set(self, text: str, encoding: Encoding, head: list[int], tail: list[int]) -> None:
        self.text, self.encoding = text, encoding
        # `head`: the offsets of the first line starts; `tail`: the distances of the other line starts from the end of
        # the text, the last line first
        self._head, self._tail = head, tail
        self.count = len(head) + len(tail)
        # (start, end, number) of the line that was requested last, if each character of it takes one unit of the
        # encoding
        self._row = 0, -1, 0

    def start(self, line: int) -> int:
        """The offset where a line (from 0) starts."""
        if line < len(self._head):
            return self._head[line]
        return len(self.text) - self._tail[self.count - 1 - line]

    def line(self, offset: int) -> int:
        """The line (from 0) that contains an offset; a line break belongs to the line that it ends."""
        tail = self._tail
        rest = len(self.text) - offset
        if tail and rest <= tail[-1]:
            return self.count - 1 - bisect_left(tail, rest)
        return bisect_right(self._head, offset) - 1

    def end(self, line: int) -> int:
        """The offset where a line ends, without its line break."""
        if line + 1 >= self.count:
            return len(self.text)
        end = self.start(line + 1) - 1
        return end - 1 if self.text.startswith("\r\n", end - 1) and end > self.start(line) else end

    def offset(self, position: Position) -> int:
        """The offset of a position; a position beyond the line or the text is moved back to its end."""
        return self.offset_at(position.line, position.character)

    def offset_at(self, line: int, character: int) -> int:
        """The offset of a line and a column, both from 0, the column in units of the encoding."""
        if line < 0 or character < 0:
            return 0 if line < 0 else self.start(min(line, self.count - 1))
        if line >= self.count:
            return len(self.text)
        start, end = self.start(line), self.end(line)
        if self.encoding != "utf-32" and not self.text.isascii():
            row = self.text[start:end]
            if not row.isascii():
                return start + _characters(row, character, self.encoding)
        return min(start + character, end)

    def point(self, offset: int) -> tuple[int, int]:
        """(line, column) of an offset, both from 0."""
        offset = max(0, min(offset, len(self.text)))
        line = self.line(offset)
        start = self.start(line)
        offset = min(offset, self.end(line))  # the offset may be between \r and \n
        if self.encoding != "utf-32" and not self.text.isascii():
            before = self.text[start:offset]
            if not before.isascii():
                return line, _units(before, self.encoding)
        return line, offset - start

    def points(self, start: int, end: int) -> tuple[int, int, int, int]:
        """(line, column, end line, end column) of a span; fast for consecutive spans."""
        first, last, line = self._row
        if not first <= start <= end <= last:
            line = self.line(start)
            first, last = self.start(line), self.end(line)
            if not first <= start <= end <= last or not self._is_plain(first, last):
                return *self.point(start), *self.point(end)
            self._row = first, last, line
        return line, start - first, line, end - first

    def _is_plain(self, start: int, end: int) -> bool:
        """Whether each character in a part of the text takes one unit of the encoding."""
        return self.encoding == "utf-32" or self.text.isascii() or self.text[start:end].isascii()

    def position(self, offset: int) -> Position:
        """The protocol's Position of an offset."""
        from lsprotocol.types import Position

        return Position(*self.point(offset))

    def range(self, span: tuple[int, int]) -> Range:
        """The protocol's Range of a half-open span."""
        from lsprotocol.types import Range

        return Range(self.position(span[0]), self.position(span[1]))

    def replaced(self, start: int, end: int, new: str) -> Lines:
        """The Lines of the text in which [start, end) is replaced by `new`."""
        old = self.text
        text = f"{old[:start]}{new}{old[end:]}"
        first = self.line(start - 1) if start else 0  # a preceding \r may now be joined with a \n
        last = self.line(end)
        begin = self.start(first)
        until = (self.start(last + 1) if last + 1 < self.count else len(old)) + len(text) - len(old)
        fresh = [match.end() for match in _BREAK.finditer(text, begin, until)]
        if last + 1 < self.count and fresh:
            fresh.pop()  # the start of the line after the replaced lines; `_after` returns this start, too
        lines = Lines.__new__(Lines)
        lines._set(text, self.encoding, [*self._until(first), *fresh], self._after(last))
        return lines

    def _until(self, line: int) -> list[int]:
        """The starts of the lines up to and including `line`."""
        missing = line + 1 - len(self._head)
        if missing <= 0:
            return self._head[: line + 1]
        size = len(self.text)
        return self._head + [size - rest for rest in reversed(self._tail[-missing:])]

    def _after(self, line: int) -> list[int]:
        """Return the starts of the lines after `line`, as distances from the end of the text."""
        wanted = self.count - 1 - line
        missing = wanted - len(self._tail)
        if missing <= 0:
            return self._tail[:wanted]
        size = len(self.text)
        return self._tail + [size - start for start in reversed(self._head[-missing:])]


def _units(text: str, encoding: Encoding) -> int:
    """The number of units of the encoding that a text takes."""
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _characters(row: str, units: int, encoding: Encoding) -> int:
    """Return the number of whole characters before a column that is given in units of the encoding."""
    wide = 0x80 if encoding == "utf-8" else 0x10000
    if ord(max(row)) < wide:
        return min(units, len(row))
    taken = 0
    for number, character in enumerate(row):
        taken += _width(ord(character), encoding)
        if taken > units:
            return number
    return len(row)


def _width(code: int, encoding: Encoding) -> int:
    if encoding == "utf-16":
        return 2 if code >= 0x10000 else 1
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
