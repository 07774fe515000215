"""Holds back repeated findings: the first few findings that have no fix and the same rule and subject are reported at
once, all further ones together at the end.

Each finding that is reported at the end is stored as six numbers until then: a million of these findings take 24 MB.
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
"""A function that returns the locations of the start and the end of a span."""
# Only repetitions of the first _DECISIONS different findings (see `Decision`) are held back to be reported at the end;
# in a project with more different findings, few of them are repeated often.
_DECISIONS = 10_000


class Decision(NamedTuple):
    """All fields, except the position, of a finding that has no fix. The user decides once about all findings for which
    these fields are equal."""

    rule: str
    severity: str
    subject: str
    message: str
    target: str


class Place(NamedTuple):
    """The position of a finding; `end_line` and `end_column`: the position of the first character after the finding;
    `cell`: the number of the notebook cell."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    cell: int = 0

    @classmethod
    def of(cls, path: str, start: Location, end: Location) -> Place:
        """Return the range in a file that begins at `start` and ends before `end`."""
        return cls(path, start.line, start.column, end.line, end.column, start.cell)


class Group:
    """The positions of the findings that need the same decision, without the first few, which were reported as soon as
    they were found."""

    def __init__(self, decision: Decision, paths: list[str]) -> None:
        self.decision = decision
        self.files = 0
        self._paths = paths
        # six numbers for each position: the index of the file, then the other fields of `Place`
        self._numbers = array("I")

    def __len__(self) -> int:
        return len(self._numbers) // len(Place._fields)

    def __iter__(self) -> Iterator[Place]:
        """Iterate over the positions in this group, in the order in which the findings were found."""
        numbers = iter(self._numbers)
        for file, *place in zip(*[numbers] * len(Place._fields), strict=True):
            yield Place(self._paths[file], *place)

    def add(self, *place: int) -> None:
        """Store the position of a finding in the last file of `self._paths`. `place`: all fields of a `Place`
        except `path`."""
        file = len(self._paths) - 1
        self.files += not self._numbers or self._numbers[-len(Place._fields)] != file
        self._numbers.extend((file, *place))


class Repeated:
    """The findings that are held back and reported at the end."""

    def __init__(self) -> None:
        self._seen: dict[Decision, int] = {}
        self._groups: dict[Decision, Group] = {}
        self._paths: list[str] = []

    def keeps(self, finding: Finding, source: Source, shown: Shown | None = None) -> bool:
        """Return whether a finding is held back: it has no fix, and FIRST findings that differ from it only in their
        position were reported before. `shown`: a function that returns the locations to report for a span; None: the
        locations of the span in the source."""
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
        """Return the findings to report at the end, as one group for each decision, the largest group first."""
        return sorted(self._groups.values(), key=lambda group: (-len(group), group.decision))
