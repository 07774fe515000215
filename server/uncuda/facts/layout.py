"""Finds the strings, comments and logical lines of a text, but only near the offsets that a caller asks for.

Without brackets and backslashes, only triple-quoted strings can extend over several lines, so these are found first, by
their quotes. The search for a logical line starts at the nearest line above that certainly begins a statement
(`return`, `import` …), because a line that begins a statement cannot be inside brackets.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import islice

from .. import lazy_re
from ..limits import UNLIMITED, Work

# Matches brackets, line breaks, and tokens that may contain brackets: strings and comments. A backslash at the end of a
# line continues a string.
_TOKEN = lazy_re.compile(
    r"""#[^\n\r]*|"[^"\\\n]*(?:\\(?:\r\n|[\s\S])[^"\\\n]*)*"|'[^'\\\n]*(?:\\(?:\r\n|[\s\S])[^'\\\n]*)*'"""
    r"""|[()\[\]{}]|\\?\r?\n|\\?\r|["']"""
)
_COMMENT = lazy_re.compile(r"#[^\n]*")
_HIDDEN = lazy_re.compile(r"""#[^\n\r]*|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'""")
_SURE = lazy_re.compile(
    r"[ \t\f]*(?:(?:async[ \t]+def|def|class|import|return|with|while|try|raise|assert|del|pass|break|continue|global"
    r"|nonlocal|elif|except)\b(?![ \t]*[=.,)\]}])|from[ \t]+[\w.]+[ \t]+import\b|(?:else|finally)[ \t]*:)"
)
_RESET = lazy_re.compile(
    r"[ \t\f]*(?:(?:def|class)[ \t]+\w+[ \t]*[(\[:]|(?:return|raise|assert|del|with|while|import)[ \t]+[\w(\[{\"'-]"
    r"|from[ \t]+[\w.]+[ \t]+import\b|(?:pass|break|continue|return)[ \t]*(?:[#\r\n]|\Z)|(?:try|else|finally)[ \t]*:"
    r"|elif\b|except\b)"
)
_OPEN, _CLOSE = "([{", ")]}"


class Layout:
    """The strings, comments and logical lines of one text; all results are cached.

    `strings`: the spans of the text's triple-quoted strings, if they are known. `work`: counts the work of searches;
    None to count nothing. `mended`: whether the triple quotes of the text are unbalanced, so that their pairs are a
    guess. `known_starts`, `known_ends`: the starts and ends of the logical lines that are already known.
    """

    def __init__(self, text: str, strings: list[tuple[int, int]] | None = None, work: Work | None = None) -> None:
        self.text = text
        self.work = work or Work(UNLIMITED)
        self._carriages = "\r" in text
        self.strings, self.mended = triple_strings(text) if strings is None else (strings, False)
        self._string_starts = [start for start, _ in self.strings]
        self.known_starts: list[int] = []
        self.known_ends: list[int] = []
        self.unclosed: set[int] = set()
        self.read_lines: set[int] = set()
        """For each logical line that a check has read: an offset in this line."""
        self.read_parts: set[tuple[int, int]] = set()
        """The spans of several lines that a check reads at once, with `reads`."""
        self._passed: tuple[int, int, tuple[int, int] | None] = (-1, 0, None)
        """Where the last call of `token_at` stopped: the start of the logical line that it read, an offset between two
        tokens of this line, and the token after this offset."""

    def string_around(self, offset: int) -> tuple[int, int] | None:
        """The span of the triple-quoted string around `offset`, with its quotes; None if there is none."""
        index = bisect_right(self._string_starts, offset) - 1
        if index >= 0 and offset < self.strings[index][1]:
            return self.strings[index]
        return None

    def is_prose(self, start: int, end: int) -> bool:
        """Whether the lines [start, end) are inside a triple-quoted string that is a statement of its own."""
        holder = self.string_around(start)
        if holder is None or holder[0] >= start or holder[1] <= end:
            return False
        first, last = self.logical_line(start)
        return not self.text[first : holder[0]].strip(" \t\frRuU") and not self.text[holder[1] : last].strip()

    def logical_line(self, offset: int) -> tuple[int, int]:
        """(start, end) of the logical line that contains `offset`, with its line break."""
        index = bisect_right(self.known_starts, offset) - 1
        if index >= 0 and offset < self.known_ends[index]:
            start = self.known_starts[index]
            self.read_lines.add(start)
            return start, self.known_ends[index]
        start = self._sure_start(offset)
        while True:
            end = self.line_end(start)
            self.work.search(start, end)
            at = bisect_left(self.known_starts, start)
            if at == len(self.known_starts) or self.known_starts[at] != start:
                self.known_starts.insert(at, start)
                self.known_ends.insert(at, end)
            if end > offset or end >= len(self.text):
                self.read_lines.add(start)
                return start, end
            start = end

    def forget_reads(self) -> None:
        """Forget what was read of the text so far."""
        self.read_lines, self.read_parts = set(), set()

    def reads(self, start: int, end: int) -> None:
        """Note that a check reads the text between two offsets, so that an edit of this text may change the result of
        the check. A check need not call this method for a logical line that it asked for, or for the block below it."""
        self.read_parts.add((start, end))

    def reads_line(self, offset: int) -> None:
        """Note that a check reads the logical line around an offset, for a check that does not ask for the line."""
        self.read_lines.add(offset)

    def line_start(self, offset: int) -> int:
        """The start of the physical line that contains `offset`."""
        return _line_start(self.text, offset) if self._carriages else self.text.rfind("\n", 0, offset) + 1

    def line_break(self, offset: int) -> int:
        """The end of the physical line that contains `offset`, before its line break."""
        end = self.text.find("\n", offset)
        end = end if end >= 0 else len(self.text)
        carriage = self.text.find("\r", offset, end) if self._carriages else -1
        return carriage if carriage >= 0 else end

    def newline_at(self, offset: int) -> str:
        """Return the line break for a new line at `offset`: that of the line above."""
        if self._carriages:
            above = self.text[max(0, offset - 2) : offset]
            if above.endswith("\r\n"):
                return "\r\n"
            return "\r" if above.endswith("\r") else "\n"
        return "\n"

    def is_comment(self, offset: int) -> bool:
        """Whether `offset` is in a comment."""
        return self.token_at(offset) == "#"

    def token_at(self, offset: int) -> str:
        """Return the kind of token that contains `offset`: "#" for a comment, a quote character for a string, "" for
        code."""
        if self.string_around(offset):
            return '"'
        start, end = self.logical_line(offset)
        position, token = start, None
        # successive calls in one long line usually have increasing offsets
        if self._passed[0] == start and self._passed[1] <= offset:
            _, position, token = self._passed
        while position <= offset:
            self.work.compare()
            token = token or self._next_token(position, end) or (end, end)
            self._passed = start, position, token
            if token[0] > offset or token[0] == end:
                return ""
            if offset < token[1]:
                kind = self.text[token[0]]
                return kind if kind in "#\"'" else ""
            position, token = token[1], None
        return ""

    def tokens(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield (start, end) of the brackets, strings, comments and line breaks in a part of the text."""
        while (token := self._next_token(start, end)) is not None:
            self.work.compare()
            yield token
            start = token[1]

    def _next_token(self, position: int, limit: int) -> tuple[int, int] | None:
        match = _TOKEN.search(self.text, position, limit)
        if match is None:
            return None
        start = match.start()
        index = bisect_left(self._string_starts, position)
        if index < len(self.strings) and self.strings[index][0] <= start:
            return self.strings[index]
        return start, match.end()

    def is_sure(self, start: int) -> bool:
        """Whether the line at this offset certainly begins a statement, whatever is above it."""
        return _SURE.match(self.text, start) is not None

    def _sure_start(self, offset: int) -> int:
        """Return the start of the nearest line, at or above `offset`, that certainly begins a statement."""
        text, strings, opening, ends = self.text, self.strings, self._string_starts, self.known_ends
        sure, carriages = _SURE.match, self._carriages
        start = self.line_start(offset)
        known, lines = bisect_left(ends, start), 0
        while start > 0:
            lines += 1
            index = bisect_right(opening, start) - 1
            if index >= 0 and strings[index][0] < start < strings[index][1]:
                start = self.line_start(strings[index][0])
                continue
            while known and ends[known - 1] >= start:
                known -= 1
            if known < len(ends) and ends[known] == start:
                break
            if sure(text, start) and not self._goes_on(start):
                break
            start = _line_start(text, start - 1) if carriages else text.rfind("\n", 0, start - 1) + 1
        self.work.compare(lines)
        return start

    def _goes_on(self, start: int) -> bool:
        """Whether the line above this one ends with a backslash."""
        above = self.text[max(0, start - 3) : start]
        return above.endswith(("\\\n", "\\\r\n"))

    def line_end(self, start: int, most: int = sys.maxsize) -> int:
        """Return the end of the logical line that begins at `start`; for a line longer than `most`, an offset beyond
        this length."""
        text = self.text
        end = text.find("\n", start) + 1 or len(text)
        index = bisect_left(self._string_starts, start)
        plain = index == len(self.strings) or self.strings[index][0] >= end
        line = text[start:end]
        if plain and text[end - 2 : end - 1] != "\\" and not (self._carriages and "\r" in line):
            if "#" in line or '"' in line or "'" in line:
                line = _HIDDEN.sub("", line)
            if (
                line.count("(") == line.count(")")
                and line.count("[") == line.count("]")
                and line.count("{") == line.count("}")
            ):
                return end
        return self._long_line_end(start, most)

    def _long_line_end(self, start: int, most: int) -> int:
        text, size, depth, position = self.text, len(self.text), 0, start
        while True:
            token = self._next_token(position, size)
            self.work.compare()
            if token is None:
                if depth:
                    self.unclosed.add(start)
                return size
            position = token[1]
            if position > start + most:
                return position
            kind = text[token[0]]
            if kind in _OPEN:
                depth += 1
            elif kind in _CLOSE:
                depth = max(0, depth - 1)
            elif kind in "\r\n" and (depth == 0 or _RESET.match(text, position)):
                if depth:
                    self.unclosed.add(start)
                return position


def without_comments(text: str) -> str:
    """Return the code without comments; a `#` in a string counts as the start of a comment, too."""
    return _COMMENT.sub("", text) if "#" in text else text


def _line_start(text: str, offset: int) -> int:
    """The start of the physical line that contains `offset`; a carriage return alone also ends a line."""
    newline = text.rfind("\n", 0, offset) + 1
    carriage = text.rfind("\r", newline, offset) + 1
    return carriage if carriage > newline and text[carriage : carriage + 1] != "\n" else newline


def triple_strings(text: str) -> tuple[list[tuple[int, int]], bool]:
    """Return the triple-quoted strings, sorted, and whether the text has unbalanced triple quotes. If it has, it is a
    guess where each string begins and ends."""
    spans: list[tuple[int, int]] = []
    position, size = 0, len(text)
    double, single = text.find('"""'), text.find("'''")
    while double >= 0 or single >= 0:
        start = double if single < 0 or 0 <= double < single else single
        skip = _hidden_until(text, spans[-1][1] if spans else 0, start)
        if skip:
            position = skip
        else:
            end = _closing(text, start)
            if end < 0:
                return _repair(text), True
            spans.append((start, end))
            position = end
        if 0 <= double < position:
            double = text.find('"""', position, size)
        if 0 <= single < position:
            single = text.find("'''", position, size)
    return spans, False


def _hidden_until(text: str, floor: int, start: int) -> int:
    """Return the end of the comment or one-line string that contains the quotes at `start`; 0 if these quotes are
    code."""
    line = max(floor, _line_start(text, start))
    while line > floor and text[line - 2 : line - 1] == "\\":
        line = max(floor, _line_start(text, line - 1))
    if not any(mark in text[line:start] for mark in "#\"'"):
        return 0
    for match in _TOKEN.finditer(text, line):
        if match.start() >= start:
            return 0
        if match.end() > start:
            return match.end()
    return 0


def _closing(text: str, start: int) -> int:
    """The end of the triple-quoted string that begins at `start`; -1 if it is not closed."""
    quotes, position = text[start : start + 3], start + 3
    while True:
        found = text.find(quotes, position)
        if found < 0:
            return -1
        slashes = found
        while slashes > start + 3 and text[slashes - 1] == "\\":
            slashes -= 1
        if (found - slashes) % 2 == 0:
            return found + 3
        position = found + 1


_QUOTES = lazy_re.compile(r'"""|\'\'\'')
_CODE = lazy_re.compile(
    r"^[ \t]*(?:(?:def|class)[ \t]+\w+.*:|import[ \t]\w|from[ \t]+[\w.]+[ \t]+import\b|return\b|@\w)", re.M
)


def _repair(text: str) -> list[tuple[int, int]]:
    """Pair the triple quotes of a text in which they are unbalanced. If the text has an odd number of triple quotes,
    one of them is left out, so that the others form as many good pairs as possible.

    Two triple quotes are a good pair if no line of code is between them, and no word follows directly after the second.
    """
    marks = [match.start() for match in _QUOTES.finditer(text)]
    costs = [_cost(text, a, b) for a, b in zip(marks, marks[1:])]
    even = sum(costs[1::2])
    best, left_out = even, 0
    for index in range(2, len(marks), 2):
        even += costs[index - 2] - costs[index - 1]
        if even < best:
            best, left_out = even, index
    kept = marks[:left_out] + marks[left_out + 1 :] if len(marks) % 2 else marks
    return [(a, b + 3) for a, b in zip(kept[::2], kept[1::2])]


def _cost(text: str, start: int, end: int) -> int:
    cost = 2 * sum(1 for _ in islice(_CODE.finditer(text, start, end), 3))
    if text[start : start + 3] != text[end : end + 3]:
        cost += 2
    if text[end + 3 : end + 4].isalnum():
        cost += 3
    before = text[start - 1 : start]
    return cost + (1 if before.isalnum() and before not in "rRbBfFuU" else 0)
