"""The parameters that every output format gets, and the methods that it implements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple, TextIO

from uncuda.catalogue import Catalogue
from uncuda.engine import Finding
from uncuda.source import Source
from uncuda.workspace import Counts, FileCounts, Problem, Totals, fix_class

from .words import Words


class Only(NamedTuple):
    """The findings that a report shows: those that have one of these fix classes and belong to one of these rules; an
    empty set means all."""

    words: str  # the values of `--only` as they are written on the command line
    classes: frozenset[str] = frozenset()
    rules: frozenset[str] = frozenset()

    def takes(self, finding: Finding) -> bool:
        """Return whether a finding is shown."""
        known = not self.classes or fix_class(finding) in self.classes
        return known and (not self.rules or finding.rule in self.rules)


class Frame(NamedTuple):
    """Where a report is written, and its options. `statistics`: whether to print counts at the end; `quiet`: whether to
    print only findings.

    `only`: the findings to show, None for all. `terminal`: whether the report is written to a terminal. `command`: a
    function that builds the command line that the report suggests to run next.
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
        """Return the command line that checks the same files with `options`."""
        return self.command("check", *options, *(("--only", self.only.words) if self.only else ()))


class Reporter:
    """Writes a report in one format: `add` is called for every file with findings, in order, then `finish`.

    `accepted`: the number of findings that were left out because a baseline accepts them.
    """

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.totals = Totals()
        self.hidden = Totals()
        self.checked = 0
        self.accepted = 0
        self.problems: Sequence[Problem] = ()

    def add(self, source: Source, findings: Sequence[Finding]) -> Sequence[Finding]:
        """Report those findings of one file that should be shown, and return them."""
        only = self.frame.only
        if only is not None:
            self.hidden.add(FileCounts.of(source.path, [one for one in findings if not only.takes(one)]))
            findings = [one for one in findings if only.takes(one)]
        if findings:
            self.totals.add(FileCounts.of(source.path, findings))
            self.write(source, findings)
        return findings

    def write(self, source: Source, findings: Sequence[Finding]) -> None:
        """Write the findings of one file in this format."""
        raise NotImplementedError

    def finish(self, checked: int, problems: Sequence[Problem]) -> None:
        """Finish the report. `checked`: the number of files that were checked; `problems`: the errors of files that
        could not be checked."""
        self.checked = checked
        self.problems = problems
        self.end()

    @cached_property
    def counts(self) -> Counts:
        """The counts of the reported findings; they are complete once all files have been reported."""
        return self.totals.counts

    def end(self) -> None:
        """Write the end of the report in this format."""
        raise NotImplementedError
