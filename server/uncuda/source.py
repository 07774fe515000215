"""Source text and positions: decodes bytes without loss and encodes them again, and converts offsets to lines and
columns.

All other modules use half-open spans of character offsets into `Source.text` as positions.
"""

from __future__ import annotations

import codecs
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from . import lazy_re
from .cells import Cells

# PEP 263: the pattern that CPython's tokenizer searches for in the first two lines.
_COOKIE = lazy_re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
# Codecs for host names, which need quadratic time in the length of the text, and a codec that always fails.
_NOT_OF_FILES = frozenset({"idna", "punycode", "undefined"})
_LONGEST_NAME = 80  # maximum length of an encoding's name
_BLANK = lazy_re.compile(rb"^[ \t\f]*(?:[#\r\n]|$)")
_FEW = 16  # after this many calls of `position` with an offset before that of the last call, `line_starts` is computed
_BREAK = lazy_re.compile(r"\r\n|\n|\r")


class Span(NamedTuple):
    """A half-open range of character offsets."""

    start: int
    end: int


class Location(NamedTuple):
    """A position in the form that users see: line and column, from 1; in a notebook, both are relative to a cell."""

    line: int
    column: int
    cell: int = 0  # number of the notebook cell, from 1; 0 in other files

    @property
    def row(self) -> str:
        """Return the line number in the form that follows a path: `12`, or `cell 3:2` in a notebook."""
        return f"cell {self.cell}:{self.line}" if self.cell else str(self.line)


class SourceError(ValueError):
    """Raised if the bytes are no text that Python reads as source code; the message says why."""


@dataclass(frozen=True)
class Source:
    """The text of one file, without its byte order mark; for a notebook, the joined text of its cells.

    `cells`: the cells of a notebook; None for other files.
    """

    text: str
    path: str = ""
    encoding: str = "utf-8"
    bom: bool = False
    cells: Cells | None = None

    @classmethod
    def decode(cls, data: bytes, path: str = "") -> Source:
        """Decode bytes as Python decodes a source file (BOM, PEP 263, UTF-8); SourceError if they cannot be decoded."""
        bom = data.startswith(codecs.BOM_UTF8)
        if bom:
            data = data[len(codecs.BOM_UTF8) :]
        if b"\0" in data:
            raise SourceError("binary file (it holds NUL bytes), not Python source")
        encoding = _declared_encoding(data)
        if bom and encoding != "utf-8":
            raise SourceError(f"starts with a UTF-8 byte order mark but declares the encoding {encoding}")
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise SourceError(
                f"line {line} is not {encoding}: byte 0x{data[error.start]:02x}; declare its encoding (PEP 263) "
                "or save it as UTF-8"
            ) from None
        except ValueError as error:  # some codecs only raise this general error
            raise SourceError(f"is not {encoding} ({error}); declare its encoding or save it as UTF-8") from None
        source = cls(text, path, encoding, bom)
        if encoding != "utf-8" and source.encode() != (codecs.BOM_UTF8 if bom else b"") + data:
            raise SourceError(f"cannot be written back in its encoding {encoding} without changing bytes")
        return source

    def encode(self, text: str | None = None) -> bytes:
        """Return `text` (default: the source's own text) as bytes in the file's encoding, with its byte order mark."""
        assert self.cells is None, "a program is not what a notebook's file holds"
        try:
            data = (self.text if text is None else text).encode(self.encoding)
        except UnicodeEncodeError as error:
            raise SourceError(f"the fixed text cannot be written in {self.encoding}: {error.reason}") from None
        except ValueError as error:
            raise SourceError(f"the fixed text cannot be written in {self.encoding}: {error}") from None
        return codecs.BOM_UTF8 + data if self.bom else data

    @cached_property
    def line_starts(self) -> list[int]:
        r"""The offsets at which lines begin; lines end at \n, \r\n and \r, as in Python, and nowhere else."""
        return [0, *(match.end() for match in _BREAK.finditer(self.text))]

    @cached_property
    def _carriages(self) -> bool:
        return "\r" in self.text

    def position(self, offset: int) -> tuple[int, int]:
        """The (line, column) of an offset, both from 1, columns in characters."""
        # a few calls do not need the table of line starts
        if "line_starts" not in self.__dict__ and not self._carriages:
            # usually the offset is greater than in the last call
            passed, line, back = self.__dict__.get("_passed", (0, 1, 0))
            if offset < passed:
                passed, line, back = 0, 1, back + 1
            if back < _FEW:
                line += self.text.count("\n", passed, offset)
                self.__dict__["_passed"] = offset, line, back
                return line, offset - self.text.rfind("\n", 0, offset)
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def location(self, offset: int) -> Location:
        """The Location of an offset."""
        if self.cells is None:
            return Location(*self.position(offset))
        line = bisect_right(self.line_starts, offset)
        return self.location_in(line, offset - self.line_starts[line - 1] + 1)

    def location_in(self, line: int, column: int) -> Location:
        """The Location of a line and column of the text."""
        if self.cells is None:
            return Location(line, column)
        cell = self.cells.at(self.line_starts[line - 1])
        return Location(line - bisect_right(self.line_starts, cell.start) + 1, column, cell.number)

    def physical(self, span: Span) -> tuple[Location, Location]:
        """Return the locations in the file at which a span begins and ends; for a notebook, they are in the JSON
        text."""
        if self.cells is None:
            return self.location(span.start), self.location(span.end)
        start, end = self.cells.physical(span.start), self.cells.physical(span.end, span.start < span.end)
        return Location(*start), Location(*end)

    def offsets(self, span: Span) -> Span:
        """Return a span as offsets in the file's text, which is the JSON text for a notebook."""
        return span if self.cells is None else Span(*self.cells.offsets(*span))

    def offset(self, line: int, column: int) -> int:
        """The offset of a (line, column), both from 1."""
        return self.line_starts[line - 1] + column - 1

    def line_text(self, line: int) -> str:
        """The text of a line (from 1) without its line break."""
        start = self.line_starts[line - 1]
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def line_at(self, offset: int) -> str:
        """Return the line that contains `offset`, without its line break."""
        text = self.text if self.cells is None else self.cells.original
        if self._carriages:
            start = self.line_starts[self.position(offset)[0] - 1]
            return text[start : start + len(self.line_text(self.position(offset)[0]))]
        end = text.find("\n", offset)
        return text[text.rfind("\n", 0, offset) + 1 : end if end >= 0 else len(text)]


def is_encoding_line(line: str) -> bool:
    """Whether a line, one of the first two of a file, declares the file's encoding."""
    return _COOKIE.match(line.encode("utf-8", "surrogatepass")) is not None


def _declared_encoding(data: bytes) -> str:
    first = data.find(b"\n")
    second = data.find(b"\n", first + 1) if first >= 0 else -1
    for line in data[: second if second >= 0 else len(data)].split(b"\n"):
        if match := _COOKIE.match(line):
            name = match[1].decode("ascii")
            try:
                info = codecs.lookup(name[:_LONGEST_NAME])
            except LookupError:
                raise SourceError(f"declares an unknown encoding: {name[:_LONGEST_NAME]}") from None
            if not getattr(info, "_is_text_encoding", True) or info.name in _NOT_OF_FILES:
                raise SourceError(f"declares {name}, which is not a text encoding")
            return info.name
        if not _BLANK.match(line):
            break
    return "utf-8"
