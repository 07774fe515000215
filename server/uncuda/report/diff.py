"""Unified diffs of bytes, which can be applied to the file whatever its name and encoding."""

# Paths are plain strings here, as in workspace/discover.py.
# ruff: noqa: PTH100, PTH117, PTH118, PTH119, PTH120
from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter
from typing import Literal, TypeVar

from uncuda import lazy_re
from uncuda.printable import controls_escaped, printable
from uncuda.source import Location, Source, Span

_COLORS = {"-": "31", "+": "32", "@": "36"}
_HEADERS = 2
_MANY = 1000  # files with fewer lines are compared as a whole
_ESCAPES = {7: b"a", 8: b"b", 9: b"t", 10: b"n", 11: b"v", 12: b"f", 13: b"r", 34: b'"', 92: b"\\"}
_QUOTED = lazy_re.compile(rb'[\x00-\x1f"\\\x7f]')
# a CI system runs `##[` and `##vso[` as commands anywhere in a line: see printable.py
_COMMAND = lazy_re.compile(rb"(##(?:vso)?)\[", re.IGNORECASE)
_NOT_ASCII = lazy_re.compile(rb"[\x80-\xff]")

_Line = TypeVar("_Line", bound=Hashable)
_Opcode = tuple[Literal["replace", "delete", "insert", "equal"], int, int, int, int]
"""How lines of a file became lines of another: see SequenceMatcher.get_opcodes."""


def unified_diff(path: str, before: bytes | None, after: bytes) -> Iterator[bytes]:
    """Yield the lines of a diff that `git apply` and `patch -p1` accept; there are none if the files are equal.
    `before`: the old bytes of the file, None for a new file.

    File names are quoted as git quotes them with `core.quotePath=false`: Chinese characters stay readable.
    """
    old, new = _by_newline(before or b""), _by_newline(after)
    for number, hunk in enumerate(_Matcher(old, new).get_grouped_opcodes()):
        if number == 0:
            yield b"--- %b\n" % (_header(b"a/", path) if before is not None else b"/dev/null")
            yield b"+++ %b\n" % _header(b"b/", path)
        (_, first, _, new_first, _), (_, _, end, _, new_end) = hunk[0], hunk[-1]
        yield b"@@ -%b +%b @@\n" % (_range(first, end), _range(new_first, new_end))
        for tag, i, i_end, j, j_end in hunk:
            parts = [(b" ", old[i:i_end])] if tag == "equal" else [(b"-", old[i:i_end]), (b"+", new[j:j_end])]
            for sign, lines in parts:
                yield from map(_ended, (sign + line for line in lines))


class _Matcher(SequenceMatcher[_Line]):
    """Compares the lines of two files.

    In a file of 200 lines or more, SequenceMatcher matches frequent lines, such as blank lines, only next to other
    equal lines. Lines that SequenceMatcher reports as replaced are compared a second time, without the rest of the
    file. Without this second comparison, a blank line between two changed lines would be shown as removed and added
    again.

    Files of many lines are compared in parts, between the lines that each file contains once: the time that
    SequenceMatcher takes grows with the square of the number of changed lines.
    """

    def __init__(self, old: Sequence[_Line], new: Sequence[_Line]) -> None:
        super().__init__(None, old, new)
        self._old: Sequence[_Line] = old
        self._new: Sequence[_Line] = new

    def get_opcodes(self) -> list[_Opcode]:
        if len(self._old) < _MANY:
            return [part for opcode in super().get_opcodes() for part in self._parts(opcode)]
        found: list[_Opcode] = []
        i = j = 0
        for i_end, j_end in [*_common(self._old, self._new), (len(self._old), len(self._new))]:
            if i < i_end or j < j_end:
                found += self._parts(("replace", i, i_end, j, j_end))
            if i_end < len(self._old):
                found.append(("equal", i_end, i_end + 1, j_end, j_end + 1))
            i, j = i_end + 1, j_end + 1
        return [_joined(list(run)) for _, run in groupby(found, key=itemgetter(0))]

    def _parts(self, opcode: _Opcode) -> list[_Opcode]:
        tag, i, i_end, j, j_end = opcode
        if tag != "replace":
            return [opcode]
        inner = SequenceMatcher(None, self._old[i:i_end], self._new[j:j_end]).get_opcodes()
        return [(part, i + a, i + a_end, j + b, j + b_end) for part, a, a_end, b, b_end in inner]


def _common(old: Sequence[_Line], new: Sequence[_Line]) -> list[tuple[int, int]]:
    """Return the indices, in both files, of lines that each file contains once, as many as are in the same order."""
    times, new_times = Counter(old), Counter(new)
    places = {line: j for j, line in enumerate(new) if new_times[line] == 1}
    pairs = [(i, places[line]) for i, line in enumerate(old) if times[line] == 1 and line in places]
    ends: list[int] = []  # for each length: the smallest index in `new` at which an ordered run of that length ends
    before: list[int] = []  # for each pair: the length of the longest ordered run that ends with it
    for _, j in pairs:
        length = bisect_left(ends, j)
        ends[length : length + 1] = [j]
        before.append(length)
    kept, length = list[tuple[int, int]](), len(ends) - 1
    for pair, of in zip(reversed(pairs), reversed(before), strict=True):
        if of == length and (not kept or pair[1] < kept[-1][1]):
            kept.append(pair)
            length -= 1
    return kept[::-1]


def _joined(run: Sequence[_Opcode]) -> _Opcode:
    """Return one opcode for consecutive ones of the same kind."""
    tag, i, _, j, _ = run[0]
    return tag, i, run[-1][2], j, run[-1][4]


def _range(start: int, end: int) -> bytes:
    """Return a range of lines, counted from 0, as a hunk of a unified diff names it."""
    count = end - start
    return b"%d" % (start + 1) if count == 1 else b"%d,%d" % (start + bool(count), count)


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def readable_diff(path: str, before: bytes | None, after: bytes, encoding: str) -> Iterator[str]:
    """Yield the lines of the diff decoded as text, for a client of the language server. `encoding`: the encoding of the
    file."""
    for number, line in enumerate(unified_diff(path, before, after)):
        yield _text(line, "utf-8" if number < _HEADERS else encoding)


def terminal_diff(path: str, before: bytes | None, after: bytes, encoding: str, color: bool) -> Iterator[str]:
    """Yield the lines of the diff for a terminal: control characters are escaped, so the diff can be read but not
    applied."""
    for line in readable_diff(path, before, after, encoding):
        for part in line.removesuffix("\n").split("\n"):
            shown = "\t".join(map(printable, part.removesuffix("\r").split("\t")))
            code = _COLORS.get(part[:1]) if color else None
            yield f"\x1b[{code}m{shown}\x1b[0m\n" if code else shown + "\n"


def name_in_diff(path: str) -> tuple[str, bool]:
    """Return (the name of a file in a diff, whether the file is in the current folder or below it).

    Names are relative to the current folder, in which git applies the diff; a file elsewhere has its absolute path as
    its name.
    """
    if not os.path.isabs(path) and os.pardir not in path.replace(os.sep, "/").split("/"):
        return os.path.normpath(path), True
    folder, here = os.path.realpath(os.path.dirname(path)), os.path.realpath(os.curdir)
    real = os.path.join(folder, os.path.basename(path))
    inside = os.path.normcase(real).startswith(os.path.normcase(here).rstrip(os.sep) + os.sep)
    return os.path.relpath(real, here) if inside else os.path.abspath(path), inside


def lines_before(before: str, after: str) -> Callable[[int], int]:
    """Return a function that maps a line of `after` (from 1) to the line of `before` from which it comes, or at which
    it was inserted."""
    blocks = [one for one in _Matcher(before.splitlines(), after.splitlines()).get_opcodes() if one[0] != "delete"]
    starts = [new for _, _, _, new, _ in blocks]

    def line_before(line: int) -> int:
        index = bisect_left(starts, line) - 1
        if index < 0 or line > blocks[index][4]:
            return line
        _, old, old_end, new, _ = blocks[index]
        return max(1, min(old + line - new, old_end))

    return line_before


def places_before(before: Source, after: Source) -> Callable[[Span], tuple[Location, Location]]:
    """Return a function that maps a span of `after` to its start and end in `before`, or to the location at which it
    was inserted."""
    line_before = lines_before(before.text, after.text)

    def place_before(offset: int) -> Location:
        line, column = after.position(offset)
        return before.location_in(line_before(line), column)

    return lambda span: (place_before(span.start), place_before(span.end))


def _header(prefix: bytes, path: str) -> bytes:
    """Return a file name in the form that is required after `--- ` or `+++ `; a name with blanks is followed by a tab,
    as git writes it for GNU patch."""
    raw = prefix + path.replace(os.sep, "/").lstrip("/").encode("utf-8", "surrogateescape")
    quoted = _QUOTED.sub(lambda found: b"\\" + (_ESCAPES.get(found[0][0]) or b"%03o" % found[0][0]), raw)
    quoted = _COMMAND.sub(rb"\1\\133", quoted)
    if controls_escaped(path) != path:  # true for direction marks, C1 controls, and bytes that are not UTF-8
        quoted = _NOT_ASCII.sub(lambda found: b"\\%03o" % found[0][0], quoted)
    name = b'"' + quoted + b'"' if quoted != raw or raw.endswith(b" ") else raw
    return name + b"\t" if b" " in name else name


def _text(line: bytes, encoding: str) -> str:
    try:
        return line[:1].decode("ascii") + line[1:].decode(encoding)
    except UnicodeError:  # the encoding has a shift state that lasts beyond the line
        return line.decode("utf-8", "replace")


def _by_newline(data: bytes) -> list[bytes]:
    r"""Return the lines as diff tools split them: each line ends with \n, and a single \r is a part of its line."""
    lines = data.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
