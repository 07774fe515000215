"""Parses the bracketed parts of a statement that cannot be parsed as a whole.

A table of hundreds of lines is one statement; an incomplete line should only affect its own entry in the table.
"""

from __future__ import annotations

from collections.abc import Iterator

from .digest import Digest
from .layout import Layout
from .model import READ as _READ
from .model import digest_text

_CLOSER = {"(": ")", "[": "]", "{": "}"}


class Parts:
    """The bracketed parts of a statement with a syntax error."""

    def __init__(self, text: str, layout: Layout, start: int, end: int) -> None:
        self._text, self._work = text, layout.work
        spans = [(_callee(text, opened), closed) for opened, closed in _pairs(text, layout, start, end)]
        self._spans = sorted(spans, key=lambda span: (span[0], -span[1]))

    def around(self, offset: int) -> tuple[int, int, Digest] | None:
        """Return (start, end, contents) of the largest part that contains an offset and can be parsed."""
        for start, end in self._spans:
            self._work.compare()
            if start <= offset < end:
                self._work.compare((end - start) // _READ)
                if found := digest_text(self._text[start:end], self._work.limits.depth):
                    return start, end, found
        return None


def _callee(text: str, bracket: int) -> int:
    """The start of the name that is called or subscripted by a bracket: of `a.f` for the bracket in `a.f(x)`."""
    while bracket and (text[bracket - 1].isalnum() or text[bracket - 1] in "._"):
        bracket -= 1
    return bracket


def _pairs(text: str, layout: Layout, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the offsets of matching pairs of brackets; unmatched brackets between them are skipped."""
    open_at: list[int] = []
    waiting = dict.fromkeys(_CLOSER.values(), 0)  # number of open brackets, by their closing character
    for at, stop in layout.tokens(start, end):
        kind = text[at]
        if kind in _CLOSER:
            open_at.append(at)
            waiting[_CLOSER[kind]] += 1
        elif waiting.get(kind):
            passed = len(open_at)
            while (closer := _CLOSER[text[open_at[-1]]]) != kind:
                waiting[closer] -= 1
                open_at.pop()
            layout.work.compare(passed - len(open_at))
            waiting[kind] -= 1
            yield open_at.pop(), stop
