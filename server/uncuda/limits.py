"""Limits on the work that the analysis of one text may take, and the counter that enforces them.

Work is counted in steps and not timed, so that a text is refused either on every machine or on none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

_STRETCH = 256  # searching this many characters takes about as long as one step
Kind = Literal["bytes", "statements", "comparisons", "depth"]


@dataclass(frozen=True)
class Limits:
    """The maximum work for one analysis of one text; docs/decisions explains the defaults."""

    bytes: int = 8_000_000
    """The size of the text in bytes."""
    statements: int = 50_000
    """The number of logical lines that are parsed; a line that is parsed again counts again."""
    comparisons: int = 5_000_000
    """The number of steps of loops over candidates, lines and tokens."""
    depth: int = 100
    """The nesting of expressions within a statement, and of blocks."""


class LimitExceeded(Exception):
    """A text exceeds a limit. `setting`: the name of the setting by which the user can raise the limit."""

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


class Work:
    """Counts the work of one analysis; raises LimitExceeded as soon as a limit is exceeded."""

    __slots__ = ("_most", "comparisons", "limits", "statements")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.statements = 0
        self.comparisons = 0
        self._most = limits.comparisons

    def compare(self, count: int = 1) -> None:
        """Count steps of a loop, before or after the loop runs them."""
        self.comparisons += count
        if self.comparisons > self._most:
            raise LimitExceeded("comparisons", self._most)

    def search(self, start: int, end: int, steps: int = 0) -> None:
        """Count a search between two offsets by `str.find` or a regular expression, which is much cheaper than a step
        for each character.

        `steps`: further steps of the loop to count.
        """
        self.compare(1 + steps + (end - start) // _STRETCH)

    def size(self, text: str) -> None:
        """Check the size of the text in bytes against the limit."""
        most = self.limits.bytes
        if len(text) > most or (4 * len(text) > most and len(text.encode("utf-8", "surrogatepass")) > most):
            raise LimitExceeded("bytes", most)

    def too_deep(self) -> LimitExceeded:
        """The exception to raise if nesting is too deep."""
        return LimitExceeded("depth", self.limits.depth)

    def statement(self) -> None:
        """Count a logical line that is parsed."""
        self.statements += 1
        if self.statements > self.limits.statements:
            raise LimitExceeded("statements", self.limits.statements)


UNLIMITED = Limits(*[2**62] * 4)
"""Limits that no text exceeds, for analyses whose work must not be refused."""
