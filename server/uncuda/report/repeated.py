"""Places by hand of one decision: the first are reported like any other, the rest together, at the end.

Kept of a place: three numbers, so that a million places take 12 MB.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import NamedTuple

from uncuda.engine import Finding
from uncuda.source import Source

from .records import fix_class

FIRST = 3
_DECISIONS = 10_000  # with more different ones than that, few have many places


class Decision(NamedTuple):
    """What findings by hand have in common that one decision settles: all but the place."""

    rule: str
    severity: str
    subject: str
    message: str
    target: str


class Group:
    """The places of a decision after its first."""

    def __init__(self, decision: Decision, paths: list[str]) -> None:
        self.decision = decision
        self.files = 0
        self._paths = paths
        self._numbers = array("I")  # file, line, column; file, line, column …

    def __len__(self) -> int:
        return len(self._numbers) // 3

    def __iter__(self) -> Iterator[tuple[str, int, int]]:
        """Path, line and column of each place, in the order in which they were found."""
        numbers = iter(self._numbers)
        for file, line, column in zip(numbers, numbers, numbers, strict=True):
            yield self._paths[file], line, column

    def add(self, line: int, column: int) -> None:
        """Keep a place in the last file."""
        file = len(self._paths) - 1
        self.files += not self._numbers or self._numbers[-3] != file
        self._numbers.extend((file, line, column))


class Repeated:
    """The places that are reported at the end."""

    def __init__(self) -> None:
        self._seen: dict[Decision, int] = {}
        self._groups: dict[Decision, Group] = {}
        self._paths: list[str] = []

    def keeps(self, finding: Finding, source: Source, shown: Callable[[int], int] = int) -> bool:
        """Whether a finding is kept for the end: by hand, and FIRST of its decision came before. `shown`: from a line
        to its number."""
        if not finding.subject or fix_class(finding) != "manual":
            return False
        decision = Decision(finding.rule, finding.severity, finding.subject, finding.message, finding.target)
        seen = self._seen.get(decision, 0)
        if seen < FIRST:
            if seen or len(self._seen) < _DECISIONS:
                self._seen[decision] = seen + 1
            return False
        if not self._paths or self._paths[-1] != source.path:
            self._paths.append(source.path)
        group = self._groups.get(decision)
        if group is None:
            group = self._groups[decision] = Group(decision, self._paths)
        line, column = source.position(finding.span.start)
        group.add(shown(line), column)
        return True

    def groups(self) -> list[Group]:
        """What was kept, the decision with the most places first."""
        return sorted(self._groups.values(), key=lambda group: (-len(group), group.decision))
