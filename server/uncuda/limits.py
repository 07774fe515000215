"""Limits on the work for the analysis of one text, and the counter that enforces them.

The counter counts steps instead of time, so that a text exceeds a limit on every machine or on none.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

_STRETCH = 256  # a search in this many characters takes about as long as one step
Kind = Literal["bytes", "statements", "comparisons", "depth"]


@dataclass(frozen=True)
class Limits:
    """The maximum work for the analysis of one text; docs/decisions gives the reasons for the defaults."""

    bytes: int = 8_000_000
    """The maximum size of the text in bytes."""
    statements: int = 50_000
    """The maximum number of parsed logical lines; a line that is parsed twice counts twice."""
    comparisons: int = 5_000_000
    """The maximum number of steps in loops over candidates, lines and tokens."""
    depth: int = 100
    """The maximum nesting of expressions in a statement, and of blocks."""


class LimitExceeded(Exception):
    """Raised if a text exceeds a limit. `setting`: the name of the setting by which the user can raise the limit."""

    def __init__(self, kind: Kind, limit: int) -> None:
        super().__init__(kind, limit)
        self.kind: Kind = kind
        self.limit = limit

    @property
    def setting(self) -> str:
        """The name of the setting by which the user can raise the limit, in kebab-case: `max-depth`."""
        return f"max-{self.kind}"

    def __str__(self) -> str:
        return f"more than {self.limit:,} {self.kind}; raise `{self.setting}` to allow more"


class Size:
    """The size in bytes of the text that was measured last; of an edited text, only the changed parts are measured."""

    def __init__(self) -> None:
        self._text = ""
        self._bytes = 0

    def of(self, text: str, edited: tuple[str, Collection[tuple[int, int, str]]] | None) -> int:
        """Return the size of a text as UTF-8."""
        if edited is not None and edited[0] is self._text:
            for start, end, new in edited[1]:
                self._bytes += _bytes(new) - _bytes(self._text[start:end])
        elif text is not self._text:
            self._bytes = _bytes(text)
        self._text = text
        return self._bytes


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


class Work:
    """Counts the work of one analysis, and raises LimitExceeded if it exceeds a limit."""

    __slots__ = ("_most", "comparisons", "limits", "statements")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.statements = 0
        self.comparisons = 0
        self._most = limits.comparisons

    def compare(self, count: int = 1) -> None:
        """Count the steps of a loop; called before or after the loop."""
        self.comparisons += count
        if self.comparisons > self._most:
            raise LimitExceeded("comparisons", self._most)

    def search(self, start: int, end: int, steps: int = 0) -> None:
        """Count a search between two offsets by `str.find` or a regular expression; it costs much less than one step
        for each character.

        `steps`: additional steps to count.
        """
        self.compare(1 + steps + (end - start) // _STRETCH)

    def size(self, text: str, edited: tuple[str, Collection[tuple[int, int, str]]] | None, last: Size) -> None:
        """Raise LimitExceeded if the size of the text in bytes exceeds the limit. `edited`: an earlier text, and the
        edits (start, end, text) that turned it into this text."""
        most = self.limits.bytes
        if len(text) > most or (4 * len(text) > most and last.of(text, edited) > most):
            raise LimitExceeded("bytes", most)

    def too_deep(self) -> LimitExceeded:
        """Return the exception to raise for a text that is nested too deep."""
        return LimitExceeded("depth", self.limits.depth)

    def statement(self) -> None:
        """Count one parsed logical line."""
        self.statements += 1
        if self.statements > self.limits.statements:
            raise LimitExceeded("statements", self.limits.statements)


UNLIMITED = Limits(*[2**62] * 4)
"""Limits that no text exceeds, for analyses that must not be refused."""
