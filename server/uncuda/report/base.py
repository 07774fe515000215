"""What every output format is given, and what it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TextIO

from uncuda.catalogue import Catalogue
from uncuda.engine import Finding
from uncuda.source import Source
from uncuda.workspace import Problem

from .records import fix_class
from .words import Words


@dataclass(frozen=True)
class Frame:
    """Where a report goes and how it looks. `statistics`: counts at the end; `quiet`: findings alone."""

    out: TextIO
    words: Words
    catalogue: Catalogue
    color: bool = False
    statistics: bool = False
    quiet: bool = False


def _no_classes() -> dict[str, int]:
    return {"safe": 0, "review": 0, "manual": 0}


@dataclass
class Tally:
    """Findings that belong together: how many of each class of fix, and in how many files."""

    classes: dict[str, int] = field(default_factory=_no_classes)
    files: int = 0

    @property
    def by_hand(self) -> int:
        """How many of them have no fix."""
        return self.classes["manual"]


@dataclass
class Counts:
    """What was found, for the summary."""

    severities: dict[str, int] = field(default_factory=dict)
    classes: dict[str, int] = field(default_factory=dict)
    rules: dict[str, dict[str, int]] = field(default_factory=dict)
    decisions: dict[tuple[str, str], Tally] = field(default_factory=dict)  # by rule and subject
    findings: int = 0
    files: int = 0

    @property
    def by_hand(self) -> int:
        """To how many decisions the findings by hand come; one without a subject is a decision of its own."""
        tallies = self.decisions.items()
        return sum(min(tally.by_hand, 1) if subject else tally.by_hand for (_, subject), tally in tallies)

    def add(self, findings: Sequence[Finding]) -> None:
        """Count the findings of one file."""
        self.findings += len(findings)
        self.files += bool(findings)
        here: set[tuple[str, str]] = set()
        for finding in findings:
            kind = fix_class(finding)
            self.severities[finding.severity] = self.severities.get(finding.severity, 0) + 1
            self.classes[kind] = self.classes.get(kind, 0) + 1
            row = self.rules.setdefault(finding.rule, _no_classes())
            row[kind] += 1
            decision = finding.rule, finding.subject
            tally = self.decisions.get(decision)
            if tally is None:
                tally = self.decisions[decision] = Tally()
            tally.classes[kind] += 1
            here.add(decision)
        for decision in here:
            self.decisions[decision].files += 1


class Reporter:
    """Writes one format: `add` for every file with findings, in order, then `finish`.

    `accepted`: how many findings were left out because a baseline accepts them.
    """

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.counts = Counts()
        self.checked = 0
        self.accepted = 0
        self.problems: Sequence[Problem] = ()

    def add(self, source: Source, findings: Sequence[Finding]) -> None:
        """Report the findings of one file."""
        self.counts.add(findings)
        self.write(source, findings)

    def write(self, source: Source, findings: Sequence[Finding]) -> None:
        """What the format says of one file."""
        raise NotImplementedError

    def finish(self, checked: int, problems: Sequence[Problem]) -> None:
        """End the report. `checked`: how many files were checked; `problems`: what could not be."""
        self.checked = checked
        self.problems = problems
        self.end()

    def end(self) -> None:
        """What the format says last."""
        raise NotImplementedError
