"""What every output format is given, and what it is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TextIO

from uncuda.catalogue import Catalogue
from uncuda.engine import Finding
from uncuda.source import Source
from uncuda.workspace import Counts, FileCounts, Problem, Totals, fix_class

from .words import Words


@dataclass(frozen=True)
class Only:
    """Which findings are shown: those of these classes and of these rules; empty: of all."""

    words: str  # that say it on the command line
    classes: frozenset[str] = frozenset()
    rules: frozenset[str] = frozenset()

    def takes(self, finding: Finding) -> bool:
        """Whether a finding is shown."""
        known = not self.classes or fix_class(finding) in self.classes
        return known and (not self.rules or finding.rule in self.rules)


@dataclass(frozen=True)
class Frame:
    """Where a report goes and how it looks. `statistics`: counts at the end; `quiet`: findings alone.

    `only`: None for all findings; `terminal`: a person reads it; `command`: says a command line to run next.
    """

    out: TextIO
    words: Words
    catalogue: Catalogue
    color: bool = False
    statistics: bool = False
    quiet: bool = False
    summary: bool = False
    terminal: bool = False
    only: Only | None = None
    command: Callable[..., str] = " ".join

    def check(self, *options: str) -> str:
        """The command line that checks the same and shows it in another way."""
        return self.command("check", *options, *(("--only", self.only.words) if self.only else ()))


class Reporter:
    """Writes one format: `add` for every file with findings, in order, then `finish`.

    `accepted`: how many findings were left out because a baseline accepts them.
    """

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.totals = Totals()
        self.hidden = Totals()
        self.checked = 0
        self.accepted = 0
        self.problems: Sequence[Problem] = ()

    def add(self, source: Source, findings: Sequence[Finding]) -> Sequence[Finding]:
        """Report the findings of one file that are to be shown; returns these."""
        only = self.frame.only
        if only is not None:
            self.hidden.add(FileCounts.of(source.path, [one for one in findings if not only.takes(one)]))
            findings = [one for one in findings if only.takes(one)]
        if findings:
            self.totals.add(FileCounts.of(source.path, findings))
            self.write(source, findings)
        return findings

    def write(self, source: Source, findings: Sequence[Finding]) -> None:
        """What the format says of one file."""
        raise NotImplementedError

    def finish(self, checked: int, problems: Sequence[Problem]) -> None:
        """End the report. `checked`: how many files were checked; `problems`: what could not be."""
        self.checked = checked
        self.problems = problems
        self.end()

    @cached_property
    def counts(self) -> Counts:
        """What was reported, once all of it is."""
        return self.totals.counts

    def end(self) -> None:
        """What the format says last."""
        raise NotImplementedError
