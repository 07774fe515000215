"""What every output format is given, and what it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TextIO

from uncuda.catalogue import Catalogue
from uncuda.engine import Finding
from uncuda.source import Source
from uncuda.workspace import Counts, FileCounts, Problem, Totals

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


class Reporter:
    """Writes one format: `add` for every file with findings, in order, then `finish`."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.totals = Totals()
        self.checked = 0
        self.problems: Sequence[Problem] = ()

    def add(self, source: Source, findings: Sequence[Finding]) -> None:
        """Report the findings of one file."""
        self.totals.add(FileCounts.of(source.path, findings))
        self.write(source, findings)

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
