"""Finds the `def` or `class` around a line by indentation, only for lines that a caller asks about."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import takewhile
from keyword import kwlist
from typing import NamedTuple, Protocol

from .. import lazy_re
from .changes import Region, Searches
from .layout import Layout
from .scans import beginnings

_HEAD = lazy_re.compile(r"[ \t\f]*(async[ \t]+\w+|\w+|@|[^\s\w])")
# each line break matches in one way only; with more ways, the time would double with every empty line
_NEXT = lazy_re.compile(r"(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\n|\r(?!\n)))*([ \t\f]*)[^\s#]")

FUNCTION = lazy_re.compile(r"(?:async[ \t]+)?def[ \t]+(\w+)")
"""Matches the header of a function; group 1 is the function's name."""
CLASS = lazy_re.compile(r"class[ \t]+(\w+)")
"""Matches the beginning of a class; group 1 is the name of the class."""
_CLAUSES = frozenset({"elif", "else", "except", "finally"})
_KEYWORDS = frozenset({*kwlist, "match", "case"})
_LINES = 16  # a search for the end of a block counts one work step for this many characters
_FIRST = 500  # number of characters that a search for the header of a block reads at first; then 1000, 2000 …
_WIDEST = sys.maxsize
_FAR = 200  # maximum number of lines that are looked at to find where a statement begins or ends
_LEAVING = frozenset({"return", "raise"})
_OPENING = frozenset(
    {"if", "elif", "else", "for", "while", "with", "try", "except", "finally", "def", "class", "match", "case"}
)


class Header(NamedTuple):
    """The first line of a block: the offset of its first word, its end, its indentation in columns, and its first
    word."""

    start: int
    end: int
    indent: int
    word: str


class _Line(NamedTuple):
    """The start of a logical line, and its indentation in columns and in characters."""

    start: int
    width: int
    characters: int


class ScopeMap(Protocol):
    """The methods of an object that finds scopes. This module finds scopes by indentation; `tests/support/oracle.py`
    finds them with the `ast` of the whole file."""

    def scope_of(self, offset: int) -> tuple[int, str] | None:
        """Return (offset of the header, "def" or "class") of the innermost scope around the line at `offset`."""
        ...

    def extent(self, header: int) -> int:
        """The end of the block below the header at this offset."""
        ...


class IndentScopes:
    """Finds scopes: it goes up from a line to lines with less indentation.

    While a line is being typed, the next line may be indented deeper although the typed line begins no block: for
    example, an `x` was typed before the indentation. The line being typed is then ignored: the lines below it belong
    to the same block as the lines above it.
    """

    def __init__(self, layout: Layout, searches: Searches) -> None:
        self._layout = layout
        self._searches = searches
        self._text = layout.text
        self._above: dict[int, Header | None] = {}
        self._extents: dict[int, int] = {}
        self._headers: dict[int, Header] = {}
        self._clauses: dict[int, list[Header]] = {}
        self._stray: dict[int, bool] = {}

    def take_over(self, before: IndentScopes, spans: Sequence[Region]) -> bool:
        """Copy the blocks and headers that were found in the text before an edit (`before`), except those that the
        edited logical lines in `spans` affect. Return whether all lines outside of `spans` are in the same blocks as
        before the edit."""
        if not spans:
            self._above, self._extents = dict(before._above), dict(before._extents)
            self._headers = dict(before._headers)
            return True
        span = Region(spans[0].old, spans[-1].old_end, spans[0].new, spans[-1].new_end)
        kept = self._same_line(before, span)
        self._take_lines(before, span)
        if before._is_stray_above(span.old) != self._is_stray_above(span.new):
            return False
        lines = list(self._code_between(span.new, span.new_end))
        narrowest = min([line.width for line in lines], default=_WIDEST)
        self._take_above(before, span, narrowest, kept)
        self._take_extents(before, span, lines, kept)
        if kept:
            return True
        width = min([narrowest, *(line.width for line in before._code_between(span.old, span.old_end))])
        return width == _WIDEST or self._width_below(span.new_end) <= width

    def follow(self, before: IndentScopes, span: Region) -> bool:
        """Return whether the edit neither added nor removed a line of code. Also return True if all lines that were
        added or removed are directly above a plain statement of the same block."""
        if self._same_line(before, span):
            return True
        heads = [*before._heads(span.old, span.old_end), *self._heads(span.new, span.new_end)]
        below = _NEXT.match(self._text, span.new_end)
        if not heads or below is None:
            return not heads
        word = _HEAD.match(self._text, below.start(1))
        if word is None or any(_indentation(head) != below[1] for head in heads):
            return False
        return word[1] in _LEAVING or (word[1].isidentifier() and word[1] not in _KEYWORDS)

    def _heads(self, start: int, end: int) -> Iterator[re.Match[str]]:
        """Yield one match for each line of code between two offsets: the indentation and the first word of the line."""
        while start < end:
            match = _HEAD.match(self._text, start)
            if match is not None and match[1] != "#":
                yield match
            start = self._layout.logical_line(start)[1]

    def _code_between(self, start: int, end: int) -> Iterator[_Line]:
        """Yield the logical lines between two offsets, without comments, blank lines and lines for which `_is_stray` is
        True."""
        for match in self._heads(start, end):
            width = columns(_indentation(match))
            if not self._is_stray(match.start(), width, match[1]):
                yield _Line(match.start(), width, match.start(1) - match.start())

    def _is_stray(self, start: int, width: int, word: str) -> bool:
        """Return whether a line is ignored when blocks are determined: it begins no block, but the next line is
        indented deeper."""
        if word.rsplit(maxsplit=1)[-1] in _OPENING:
            return False
        known = self._stray.get(start)
        if known is None:
            below = _NEXT.match(self._text, self._layout.logical_line(start)[1])
            known = self._stray[start] = below is not None and columns(below[1]) > width
        return known

    def _is_stray_above(self, start: int) -> bool:
        """Return the result of `_is_stray` for the nearest line of code above."""
        line = self._line_above(start)
        return line is not None and self._is_stray(self._layout.logical_line(line.start)[0], line.indent, line.word)

    def _line_above(self, start: int) -> Header | None:
        """The nearest line of code above."""
        while start > 0:
            line = self.header_at(start - 1)
            if line.word and line.word != "#":
                return line
            start = self._layout.logical_line(start - 1)[0]
        return None

    def _width_below(self, start: int) -> int:
        """The indentation of the next line of code that is not ignored (`_is_stray`); 0 at the end of the text."""
        line = next(self._code_between(start, len(self._text)), None)
        return line.width if line is not None else 0

    def around(self, start: int) -> list[Header]:
        """The nearest line of code above, and the headers of all blocks around that line, innermost first."""
        line = self._line_above(start)
        return [line, *self.headers(line.start)] if line is not None else []

    def outer_function(self, start: int, end: int) -> tuple[int, int] | None:
        """(start, end) of the outermost function around the lines [start, end); None if there is none, or if it is
        inside another block than a class."""
        headers = self.around(start)
        outer = next((at for at in range(len(headers) - 1, -1, -1) if headers[at].word == "def"), -1)
        if outer < 0 or any(header.word != "class" for header in headers[outer + 1 :]):
            return None
        function = headers[outer].start
        after = self.extent(function)
        return (self._layout.line_start(function), after) if end <= after else None

    def blocks_around(self, before: IndentScopes, span: Region) -> Iterator[tuple[int, int]]:
        """Yield parts [start, end) of the text before the edit, the smallest first. Each yielded part contains the
        edited lines, and all lines that the edit moves to another block.

        The first yielded part consists of the compound statement to which an edited line belongs, and the statement
        above this compound statement. Each other part consists of the lines below the header of a block around the
        edited lines.
        A block that begins or ends at other lines after the edit than before the edit is left out.
        """
        if (part := self._statement_around(before, span)) is not None:
            yield part
        for header in before.around(span.old):
            if header.start >= span.old or header.word not in _OPENING:
                continue
            end = before.extent(header.start)
            if span.old_end <= end and self.extent(header.start) == end + span.shift:
                yield header.end, end

    def _statement_around(self, before: IndentScopes, span: Region) -> tuple[int, int] | None:
        """Return the span of two statements in the text before the edit: the compound statement to which a single
        edited line belongs, and the statement above it in the same block. Return None if the edit may change the end of
        the span."""
        lines = [*before._code_between(span.old, span.old_end), *self._code_between(span.new, span.new_end)]
        widths = {line.width for line in lines}
        if len(widths) != 1 or before._is_stray_above(span.old) != self._is_stray_above(span.new):
            return None
        width = widths.pop()
        start, end = before._first_of(span.old, width), before._end_of(span.old_end, width)
        return (
            (start, end) if start >= 0 and end >= 0 and self._end_of(span.new_end, width) == end + span.shift else None
        )

    def _first_of(self, start: int, width: int) -> int:
        """Search the lines above `start` upwards. Return the start of the first line that is indented by `width`
        columns and does not begin with a word such as `else` or `except`. If a line that is indented less comes first,
        return its end. Return -1 if `_FAR` lines contain neither."""
        for _ in range(_FAR):
            if start == 0:
                return 0
            start, end = self._layout.logical_line(start - 1)
            match = _HEAD.match(self._text, start)
            if match is None or match[1] == "#":
                continue
            own, word = columns(_indentation(match)), match[1]
            if own > width or self._is_stray(start, own, word):
                continue
            if own < width:
                return end
            if word not in _CLAUSES:
                return start
        return -1

    def _end_of(self, position: int, width: int) -> int:
        """Search the lines from `position` downwards. Return the start of the first line that is indented by at most
        `width` columns; a line that is indented by `width` and begins with a word such as `else` or `except` does not
        count. Return -1 if `_FAR` lines contain no such line."""
        for _ in range(_FAR):
            if position >= len(self._text):
                return len(self._text)
            match = _HEAD.match(self._text, position)
            if match is not None and match[1] != "#":
                own, word = columns(_indentation(match)), match[1]
                if own <= width and not self._is_stray(position, own, word):
                    if own < width or word not in _CLAUSES:
                        return position
            position = self._layout.logical_line(position)[1]
        return -1

    def _same_line(self, before: IndentScopes, span: Region) -> bool:
        """Return whether `span` is a single logical line both before and after the edit, with the same indentation and
        the same kind of first token."""
        if before._layout.logical_line(span.old) != (span.old, span.old_end) or span.old == span.old_end:
            return False
        if self._layout.logical_line(span.new) != (span.new, span.new_end) or span.new == span.new_end:
            return False
        return _beginning(before._text[span.old : span.old_end]) == _beginning(self._text[span.new : span.new_end])

    def _take_lines(self, before: IndentScopes, span: Region) -> None:
        """Take over the known first words of the lines above the edit; those of the lines below it are read again when
        they are needed."""
        first = span.old
        self._headers = {start: line for start, line in before._headers.items() if start < first}

    def _take_above(self, before: IndentScopes, span: Region, width: int, kept: bool) -> None:
        """Copy results from `before`, the scopes of the text before the edit: for each line that was looked up, the
        header of the block around the line. `width`: the smallest indentation of the new lines; `kept`: whether the
        edit changed only a part of one logical line, but not its indentation or the kind of its first token."""
        first, last, shift = span.old, span.old_end, span.shift
        above, text, moved = self._above, self._text, dict[int, Header]()
        for start, header in before._above.items():
            if start < first:
                above[start] = header
            elif start < last:
                if kept:
                    above[start + span.new - first] = header
            elif header is None:
                if text[start + shift : start + shift + 1] not in " \t\f":
                    above[start + shift] = None
            elif header.start >= last:
                here = moved.get(header.start)
                if here is None:
                    here = Header(header.start + shift, header.end + shift, header.indent, header.word)
                    moved[header.start] = here
                above[start + shift] = here
            elif header.start >= first:
                if kept:
                    above[start + shift] = self.header_at(span.new)
            elif width == _WIDEST or self._width(start + shift) <= width:
                above[start + shift] = header

    def _width(self, start: int) -> int:
        match = _HEAD.match(self._text, start)
        return columns(self._text[start : match.start(1)]) if match is not None else _WIDEST

    def _take_extents(self, before: IndentScopes, span: Region, lines: Sequence[_Line], kept: bool) -> None:
        first, last, shift = span.old, span.old_end, span.shift
        for start, end in before._extents.items():
            if start >= last:
                self._extents[start + shift] = end + shift
            elif start >= first:
                if kept:
                    self._extents[start + span.new - first] = end + shift
            elif end < first:
                self._extents[start] = end
            else:
                indent = columns(self._text[self._layout.line_start(start) : start])
                ends = [line.start for line in lines if line.width <= indent and line.characters <= indent]
                ends = [at for at in ends if self._text[at - 1 : at] != "\r"]  # as in `_block_end`: none after "\r"
                if ends or end >= last:
                    self._extents[start] = ends[0] if ends else end + shift

    def scope_of(self, offset: int) -> tuple[int, str] | None:
        """Return the innermost `def` or `class` around the line at `offset`."""
        header = self.header_above(offset)
        while header is not None and header.word not in ("def", "class"):
            self._layout.work.compare()
            header = self.header_above(header.start)
        return (header.start, header.word) if header else None

    def scope_start(self, offset: int) -> int:
        """Return the offset of the header of the innermost `def` or `class` around the line at `offset`; -1 for the
        module."""
        scope = self.scope_of(offset)
        return scope[0] if scope else -1

    def header_above(self, offset: int) -> Header | None:
        """The header of the block that contains the logical line at `offset`."""
        start, _ = self._layout.logical_line(offset)
        if start in self._above:
            found = self._above[start]
        else:
            match = _HEAD.match(self._text, start)
            indent = columns(self._text[start : match.start(1)]) if match else 0
            found = self._above[start] = self._climb(start, indent) if indent else None
        if found is not None:
            self._layout.read_lines.add(found.start)
        return found

    def headers(self, offset: int) -> Iterator[Header]:
        """Yield the headers of all blocks around the line at `offset`, the innermost first."""
        header = self.header_above(offset)
        while header is not None:
            self._layout.work.compare()
            yield header
            header = self.header_above(header.start)

    def header_at(self, offset: int) -> Header:
        """Return the logical line at `offset` as a Header."""
        start, end = self._layout.logical_line(offset)
        known = self._headers.get(start)
        if known is None:
            match = _HEAD.match(self._text, start)
            if match is None:
                known = Header(start, end, 0, "")
            else:
                width = columns(self._text[start : match.start(1)])
                known = Header(match.start(1), end, width, match[1].split()[-1])
            self._headers[start] = known
        return known

    def clauses(self, header: Header) -> list[Header]:
        """Return all clauses of a compound statement (if … elif … else, try … except), including `header`."""
        if header.start in self._clauses:
            return self._clauses[header.start]
        found = [header]
        while found[0].word in _CLAUSES:
            before = next(self.lines_above(found[0].start), None)
            if before is None:
                break
            found.insert(0, before)
            self._layout.work.compare()
        while (at := self.extent(found[-1].start)) < len(self._text):
            after = self._first_line(at)
            if after is None or after.indent != header.indent or after.word not in _CLAUSES:
                break
            found.append(after)
            self._layout.work.compare()
        for clause in found:
            self._clauses[clause.start] = found
        return found

    def _first_line(self, position: int) -> Header | None:
        size = len(self._text)
        while position < size:
            line = self.header_at(position)
            if line.word and line.word != "#":
                return line
            position = self._layout.logical_line(position)[1]
        return None

    def decorators(self, start: int) -> Iterator[Header]:
        """Yield the decorators of the function or class whose header is at an offset, the nearest first."""
        return takewhile(lambda line: line.word == "@", self.lines_above(start))

    def decorated(self, start: int) -> int:
        """Return the start of the first decorator of the function or class whose header is at an offset; without
        decorators, the offset itself."""
        for line in self.decorators(start):
            start = line.start
        return start

    def lines_above(self, offset: int, *words: str) -> Iterator[Header]:
        """Yield the lines above `offset` in the same block with the same indentation, the nearest first.

        If `words` are given, yield only lines that begin with one of them; a text search finds such lines quickly.
        """
        line = self.header_at(offset)
        above = self.header_above(line.start)
        floor = above.end if above is not None else 0
        for start in self._starts_above(self._layout.line_start(line.start), floor, words):
            self._layout.work.compare(4)
            if not self._indented(start, line.indent):
                continue
            holder = self._layout.string_around(start)
            if (holder and holder[0] < start) or self._layout.logical_line(start)[0] != start:
                continue
            yield self.header_at(start)

    def _indented(self, start: int, indent: int) -> bool:
        """Return whether the line at this offset contains code with this indentation."""
        text, first = self._text, start + indent
        if text[start:first].count(" ") == indent:  # nearly all lines are indented with spaces
            return text[first : first + 1].strip("# \t\f\r\n") != ""
        match = _HEAD.match(text, start)
        return match is not None and match[1] != "#" and columns(text[start : match.start(1)]) == indent

    def _starts_above(self, start: int, floor: int, words: tuple[str, ...]) -> Iterator[int]:
        if words:
            known = self._searches.find(("beginnings", words), beginnings(words))
            yield from reversed(known[bisect_left(known, floor) : bisect_left(known, start)])
            return
        while start > floor:
            start = self._layout.line_start(start - 1)
            yield start

    def lines_at(self, start: int, end: int, indent: int) -> Iterator[Header]:
        """Yield the logical lines between two offsets that have this indentation."""
        while start < end:
            self._layout.work.compare(2)
            line = self.header_at(start)
            if line.indent == indent and line.word and line.word != "#":
                yield line
            start = self._layout.logical_line(start)[1]

    def block_end_of(self, offset: int) -> int:
        """The end of the block that contains the line at `offset`."""
        above = self.header_above(offset)
        return self.extent(above.start) if above else len(self._text)

    def _climb(self, start: int, indent: int) -> Header | None:
        """The nearest header above `start` that is indented by less than `indent`: the header of the block that
        contains a line with this indentation."""
        text, layout, spaces, known = self._text, self._layout, " " * indent, self._above
        # not the lines that are indented deeper by spaces
        pattern = re.compile(rf"\n(?! {{{indent}}}[ \t\f\r\n])[ \t\f]*[^\s#]")
        size = _FIRST
        while start > 0:
            low, last = text.rfind("\n", 0, max(0, start - size)), text.find("\n", start - 1)
            found = pattern.finditer(text, max(0, low), last if last >= 0 else len(text))
            lines = [match.start() + 1 for match in found]
            layout.work.compare(size // _FIRST + len(lines))
            start, size = low + 1, 2 * size
            for line in reversed(lines if low >= 0 else [0, *lines]):
                # a line indented by exactly `indent` has the same header above it, and `known` may contain this header
                if text.startswith(spaces, line):
                    if line in known:
                        return known[line]
                    continue
                match = _HEAD.match(text, line)
                if match is None or match[1] == "#":
                    continue
                width = columns(text[line : match.start(1)])
                if width > indent or (width == indent and line not in known):
                    continue
                holder = layout.string_around(line)
                if holder and holder[0] < line:
                    start, size = holder[0] + 1, _FIRST
                    break
                whole, end = layout.logical_line(line)
                if whole != line:
                    start, size = whole + 1, _FIRST
                    break
                if width == indent:
                    return known[line]
                if not self._is_stray(line, width, match[1]):
                    return Header(match.start(1), end, width, match[1].split()[-1])
        return None

    def extent(self, header: int) -> int:
        """The end of the block below the header at this offset."""
        if header not in self._extents:
            start, end = self._layout.logical_line(header)
            self._extents[header] = self._block_end(end, columns(self._text[start:header]))
        return self._extents[header]

    def _block_end(self, position: int, indent: int) -> int:
        text, layout = self._text, self._layout
        # "\n" is searched for faster than "^" with `re.M`, and most lines are indented deeper by spaces
        pattern = re.compile(rf"\n(?! {{{indent + 1}}})[ \t\f]{{0,{indent}}}[^\s#]")
        for match in pattern.finditer(text, max(0, position - 1)):
            start = match.start() + 1
            layout.work.compare((start - position) // _LINES)
            holder = layout.string_around(start)
            if holder and holder[0] < start:
                continue
            width = columns(text[start : match.end() - 1])
            if width > indent or layout.logical_line(start)[0] != start:
                continue
            head = _HEAD.match(text, start)
            if head is None or not self._is_stray(start, width, head[1]):
                return start
        layout.work.compare((len(text) - position) // _LINES)
        return len(text)


def _indentation(head: re.Match[str]) -> str:
    return head.string[head.start() : head.start(1)]


def _beginning(line: str) -> tuple[str, str]:
    """Return the indentation of a line, and its first token: a keyword, a punctuation mark, or "word"."""
    match = _HEAD.match(line)
    if match is None:
        return line.strip("\r\n"), ""
    word = match[1].split()[-1]
    return line[: match.start(1)], word if word in _KEYWORDS or not word.isidentifier() else "word"


def columns(space: str) -> int:
    """The width of an indentation in columns: a tab extends to the next multiple of eight, a form feed starts again at
    0."""
    if "\f" in space:
        space = space[space.rindex("\f") + 1 :]
    return len(space.expandtabs(8))
