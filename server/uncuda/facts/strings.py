"""The parts of a string expression: prefixes, quotes, bodies, and the fields of f-strings.

The positions that `ast` reports for parts of f-strings changed in Python 3.12; this module finds the parts in the text
itself, so they are the same in every version.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from uncuda import lazy_re

_START = lazy_re.compile(r"([A-Za-z]{0,2})(\"\"\"|'''|\"|')")
_DEEPEST = 100  # Python 3.12 accepts at most 150 nested f-strings
_GAP = lazy_re.compile(r"(?:[\s()]|\\\r?\n|#[^\n\r]*)*")


class Token(NamedTuple):
    """One literal of a string expression, which may join several literals; `start` and `end`: the offsets of its body,
    without the quotes."""

    prefix: str
    start: int
    end: int
    fields: tuple[tuple[int, int], ...]

    @property
    def formatted(self) -> bool:
        """Whether the literal is an f-string or a t-string."""
        return "f" in self.prefix or "t" in self.prefix


def tokens(text: str, start: int, end: int) -> list[Token]:
    """Return the literals of the string expression between two offsets; [] if the text there is no string
    expression."""
    found: list[Token] = []
    position = start
    while position < end:
        match = _START.match(text, position)
        if match is None:
            return []
        token, position = _token(text, match)
        if token is None:
            return []
        found.append(token)
        gap = _GAP.match(text, position)
        position = gap.end() if gap else position
    return found


def _token(text: str, match: re.Match[str]) -> tuple[Token | None, int]:
    prefix, quotes, start = match[1].lower(), match[2], match.end()
    if "f" in prefix or "t" in prefix:
        end, fields = formatted_end(text, start, quotes)
    else:
        end, fields = plain_end(text, start, quotes), []
    if end < 0:
        return None, start
    return Token(prefix, start, end, tuple(sorted(fields))), end + len(quotes)


def plain_end(text: str, start: int, quotes: str) -> int:
    """Return the offset of the closing quotes of a plain string whose body begins at `start`; -1 if it is not
    closed."""
    position = start
    while True:
        found = text.find(quotes, position)
        if found < 0:
            return -1
        slashes = found
        while slashes > start and text[slashes - 1] == "\\":
            slashes -= 1
        if (found - slashes) % 2 == 0:
            return found
        position = found + 1


def formatted_end(text: str, start: int, quotes: str, level: int = 0) -> tuple[int, list[tuple[int, int]]]:
    """Return, for an f-string or t-string whose body begins at `start`, the offset of its closing quotes, and the spans
    of the expressions in its fields; the offset is -1 if the string is not closed.

    `level`: the number of f-strings and fields around this string; above a limit, the offset is -1.
    """
    fields: list[tuple[int, int]] = []
    position, size = start, len(text)
    while position < size:
        char = text[position]
        if text.startswith(quotes, position):
            return position, fields
        if char == "\\":
            position += 2
        elif text.startswith("{{", position) or text.startswith("}}", position):
            position += 2
        elif char == "{":
            expression, position = _field(text, position + 1, quotes, fields, level + 1)
            if expression is None:
                return -1, fields
            fields.append(expression)
        else:
            position += 1
    return -1, fields


def _field(
    text: str, start: int, quotes: str, fields: list[tuple[int, int]], level: int
) -> tuple[tuple[int, int] | None, int]:
    """Return the span of the expression in the field that begins at `start`, and the offset after the closing brace of
    the field."""
    if level > _DEEPEST:
        return None, start
    depth, position, size, end = 0, start, len(text), -1
    while position < size:
        char = text[position]
        if end < 0 and char in "\"'":
            match = _START.match(text, position)
            if match is None:
                return None, position
            prefixed = text[position - 1 : position] in "fFtT" and position > start
            body, inside = match.end(), match[2]
            inner = formatted_end(text, body, inside, level)[0] if prefixed else plain_end(text, body, inside)
            if inner < 0:
                return None, position
            position = inner + len(match[2])
            continue
        if end >= 0 and text.startswith(quotes, position):
            return None, position
        if char == "{" and end >= 0:
            nested, position = _field(text, position + 1, quotes, fields, level + 1)
            if nested is None:
                return None, position
            fields.append(nested)
            continue
        if char in "([{":
            depth += 1
        elif char in ")]}" and depth:
            depth -= 1
        elif char == "}":
            return (start, end if end >= 0 else position), position + 1
        elif depth == 0 and end < 0 and char in ":!" and not (char == "!" and text[position + 1 : position + 2] == "="):
            end = position
        position += 1
    return None, position
