"""Places by hand of one decision: the first are reported like any other, the rest together, at the end.

Kept of a place: six numbers, so that a million places take 24 MB.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import NamedTuple

from uncuda.engine import Finding
from uncuda.source import Location, Source, Span
from uncuda.workspace import MANUAL, fix_class

FIRST = 3
Shown = Callable[[Span], tuple[Location, Location]]
"""From a span to where it begins and ends."""
_DECISIONS = 10_000  # with more different ones than that, few have many places


class Decision(NamedTuple):
    """What findings by hand have in common that one decision settles: all but the place."""

    rule: str
    severity: str
    subject: str
    message: str
    target: str


class Place(NamedTuple):
    """Where something was found; `end_line`, `end_column`: of the first character after it; `cell`: of a notebook."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    cell: int = 0

    @classmethod
    def of(cls, path: str, start: Location, end: Location) -> Place:
        """From a location to another one."""
        return cls(path, start.line, start.column, end.line, end.column, start.cell)


class Group:
    """The places of a decision after its first."""

    def __init__(self, decision: Decision, paths: list[str]) -> None:
        self.decision = decision
        self.files = 0
        self._paths = paths
        self._numbers = array("I")  # file, then the other fields of a `Place`; file …

    def __len__(self) -> int:
        return len(self._numbers) // len(Place._fields)

    def __iter__(self) -> Iterator[Place]:
        """Each place, in the order in which they were found."""
        numbers = iter(self._numbers)
        for file, *place in zip(*[numbers] * len(Place._fields), strict=True):
            yield Place(self._paths[file], *place)

    def add(self, *place: int) -> None:
        """Keep a place in the last file: the fields of a `Place` behind the path."""
        file = len(self._paths) - 1
        self.files += not self._numbers or self._numbers[-len(Place._fields)] != file
        self._numbers.extend((file, *place))


class Repeated:
    """The places that are reported at the end."""

    def __init__(self) -> None:
        self._seen: dict[Decision, int] = {}
        self._groups: dict[Decision, Group] = {}
        self._paths: list[str] = []

    def keeps(self, finding: Finding, source: Source, shown: Shown | None = None) -> bool:
        """Whether a finding is kept for the end: by hand, and FIRST of its decision came before. `shown`: where its
        span begins and ends, if that is not where the source has it."""
        if not finding.subject or fix_class(finding) != MANUAL:
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
        start, end = shown(finding.span) if shown else map(source.location, finding.span)
        group.add(*Place.of(source.path, start, end)[1:])
        return True

    def groups(self) -> list[Group]:
        """What was kept, the decision with the most places first."""
        return sorted(self._groups.values(), key=lambda group: (-len(group), group.decision))
