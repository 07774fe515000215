"""Limits on the work that one text may cause, and the counter that holds them.

Work is counted, not timed, so that a text is refused on every machine or on none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

_STRETCH = 256  # characters that are searched in about the time of one step
Kind = Literal["bytes", "statements", "comparisons", "depth"]


@dataclass(frozen=True)
class Limits:
    """The most that one analysis of one text may take; docs/decisions say where the defaults come from."""

    bytes: int = 8_000_000
    """Size of the text."""
    statements: int = 50_000
    """Logical lines that are read, those that are read again counted again."""
    comparisons: int = 5_000_000
    """Steps of the loops that look at one thing for another: candidates, lines, tokens."""
    depth: int = 100
    """Nesting within one statement, and of blocks."""


class LimitExceeded(Exception):
    """A text takes more than a limit allows. `setting`: the name of the one that raises the limit."""

    def __init__(self, kind: Kind, limit: int) -> None:
        super().__init__(kind, limit)
        self.kind: Kind = kind
        self.limit = limit

    @property
    def setting(self) -> str:
        """The setting to raise, in kebab-case."""
        return f"max-{self.kind}"

    def __str__(self) -> str:
        return f"more than {self.limit:,} {self.kind}; raise `{self.setting}` to allow more"


class Work:
    """The work that one analysis has caused so far; LimitExceeded as soon as it is more than its limits allow."""

    __slots__ = ("_most", "comparisons", "limits", "statements")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.statements = 0
        self.comparisons = 0
        self._most = limits.comparisons

    def compare(self, count: int = 1) -> None:
        """Count steps of a loop, before or after they are made."""
        self.comparisons += count
        if self.comparisons > self._most:
            raise LimitExceeded("comparisons", self._most)

    def search(self, start: int, end: int, steps: int = 0) -> None:
        """Count a search of the characters between two offsets, done by the machine: much cheaper than a step each.

        `steps`: what else there was to do, in steps.
        """
        self.compare(1 + steps + (end - start) // _STRETCH)

    def size(self, text: str) -> None:
        """Count the bytes of the text."""
        most = self.limits.bytes
        if len(text) > most or (4 * len(text) > most and len(text.encode("utf-8", "surrogatepass")) > most):
            raise LimitExceeded("bytes", most)

    def too_deep(self) -> LimitExceeded:
        """What to raise where nesting was too deep to follow."""
        return LimitExceeded("depth", self.limits.depth)

    def statement(self) -> None:
        """Count a logical line that is read."""
        self.statements += 1
        if self.statements > self.limits.statements:
            raise LimitExceeded("statements", self.limits.statements)


UNLIMITED = Limits(*[2**62] * 4)
"""For what is not the user's text."""
