"""What can still be read of a statement that does not parse: the bracketed parts of it that do.

A table of hundreds of lines is one statement, and a half-typed line should not cost more than its own entry.
"""

from __future__ import annotations

from collections.abc import Iterator

from .digest import Digest
from .layout import Layout
from .model import READ as _READ
from .model import digest_text

_CLOSER = {"(": ")", "[": "]", "{": "}"}


class Parts:
    """The bracketed parts of one broken statement."""

    def __init__(self, text: str, layout: Layout, start: int, end: int) -> None:
        self._text, self._work = text, layout.work
        spans = [(_callee(text, opened), closed) for opened, closed in _pairs(text, layout, start, end)]
        self._spans = sorted(spans, key=lambda span: (span[0], -span[1]))

    def around(self, offset: int) -> tuple[int, int, Digest] | None:
        """(start, end, what it says) of the largest part around a place that can be read."""
        for start, end in self._spans:
            self._work.compare()
            if start <= offset < end:
                self._work.compare((end - start) // _READ)
                if found := digest_text(self._text[start:end], self._work.limits.depth):
                    return start, end, found
        return None


def _callee(text: str, bracket: int) -> int:
    """Where the name begins that is called or subscribed."""
    while bracket and (text[bracket - 1].isalnum() or text[bracket - 1] in "._"):
        bracket -= 1
    return bracket


def _pairs(text: str, layout: Layout, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Brackets that close one another; what is open between them, and closes nothing, is passed over."""
    open_at: list[int] = []
    for at, stop in layout.tokens(start, end):
        kind = text[at]
        if kind in _CLOSER:
            open_at.append(at)
            continue
        index = len(open_at) - 1
        layout.work.compare()
        while index >= 0 and _CLOSER[text[open_at[index]]] != kind:
            index -= 1
        layout.work.compare(len(open_at) - 1 - index)
        if kind in _CLOSER.values() and index >= 0:
            yield open_at[index], stop
            del open_at[index:]
