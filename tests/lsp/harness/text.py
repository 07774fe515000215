"""Converts positions and offsets as an editor does; this code is written only for the tests, to check the server's own
conversion."""

import re
from bisect import bisect_right
from functools import lru_cache
from typing import Any

_BREAK = re.compile(r"\r\n|\n|\r")
_UNITS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


class OutOfRange(ValueError):
    """Raised if a position is not in the text; the message says which position."""


def line_starts(text: str) -> list[int]:
    """The offset of every line's first character; lines end at \\n, \\r\\n and \\r only."""
    return [0, *(match.end() for match in _BREAK.finditer(text))]


def units(text: str, encoding: str) -> int:
    """The length of a text in the code units of `encoding` (utf-8, utf-16, utf-32)."""
    codec = encoding if encoding == "utf-8" else f"{encoding}-le"
    return len(text.encode(codec, "surrogatepass")) // _UNITS[encoding]


@lru_cache(maxsize=32)
def positions_of(text: str, encoding: str) -> "Positions":
    """The positions of a text, cached, because the checks of a session need the same ones repeatedly."""
    return Positions(text, encoding)


class Positions:
    """The positions of one text in one encoding."""

    def __init__(self, text: str, encoding: str) -> None:
        self.text = text
        self.encoding = encoding
        self._starts = line_starts(text)

    def clamped(self, position: dict[str, int]) -> int:
        """Return the offset of a position as servers must interpret it: a position beyond the end of a line is the end
        of the line, a position beyond the text is the end of the text."""
        try:
            line = self.line(position["line"])
        except OutOfRange:
            return len(self.text)
        if position["character"] > units(line, self.encoding):
            return self._starts[position["line"]] + len(line)
        return self.offset(position)

    def line(self, number: int) -> str:
        """A line without its line break; OutOfRange if there is no line with this number."""
        if not 0 <= number < len(self._starts):
            raise OutOfRange(f"line {number} of {len(self._starts)}")
        end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self.text)
        return _BREAK.sub("", self.text[self._starts[number] : end])

    def offset(self, position: dict[str, int]) -> int:
        """The offset of an LSP position; OutOfRange if it is outside its line or inside a character."""
        line = self.line(position["line"])
        start, wanted, counted = self._starts[position["line"]], position["character"], 0
        if line.isascii() and 0 <= wanted <= len(line):
            return start + wanted
        for index, character in enumerate(line):
            if counted == wanted:
                return start + index
            counted += units(character, self.encoding)
        if counted == wanted:
            return start + len(line)
        raise OutOfRange(f"character {wanted} of line {position['line']}, which has {counted}: {line!r}")

    def span(self, range_: dict[str, Any]) -> tuple[int, int]:
        """The offsets of an LSP range; OutOfRange if it is not in this text, or ends before it starts."""
        start, end = self.offset(range_["start"]), self.offset(range_["end"])
        if end < start:
            raise OutOfRange(f"a range that ends before it starts: {range_}")
        return start, end

    def position(self, offset: int) -> dict[str, int]:
        r"""Return the LSP position of an offset; an offset between \r and \n has the position of the line's end."""
        number = bisect_right(self._starts, offset) - 1
        line = self.text[self._starts[number] : offset].rstrip("\r\n")
        return {"line": number, "character": units(line, self.encoding)}

    def range(self, start: int, end: int) -> dict[str, dict[str, int]]:
        """The LSP range of two offsets."""
        return {"start": self.position(start), "end": self.position(end)}


def difference(old: str, new: str) -> tuple[int, int, str]:
    r"""Return the only part in which two texts differ: its start and end in `old`, and its text in `new`.

    Neither end of the returned part is between \r and \n, because no position can be there.
    """
    shortest = min(len(old), len(new))
    start = next((i for i in range(shortest) if old[i] != new[i]), shortest)
    rest = shortest - start
    tail = next((i for i in range(rest) if old[-1 - i] != new[-1 - i]), rest)
    start -= _inside_a_break(old, start)
    tail -= _inside_a_break(old, len(old) - tail)
    return start, len(old) - tail, new[start : len(new) - tail]


def _inside_a_break(text: str, offset: int) -> bool:
    return text[max(offset - 1, 0) : offset + 1] == "\r\n"


def apply_text_edits(text: str, edits: list[dict[str, Any]], encoding: str) -> str:
    """A text after LSP TextEdits, whose ranges all refer to the text before; ValueError if two overlap.

    Several insertions at the same position keep their order, as the protocol requires.
    """
    positions = positions_of(text, encoding)
    spans = [(*positions.span(edit["range"]), edit["newText"]) for edit in edits]
    spans.sort(key=lambda edit: edit[:2])
    for (_, end, _), (start, *_) in zip(spans, spans[1:], strict=False):
        if start < end:
            raise ValueError(f"edits overlap at offset {start}")
    parts, last = [], 0
    for start, end, new in spans:
        parts += [text[last:start], new]
        last = end
    return "".join([*parts, text[last:]])
