"""The types of the values that the engine returns."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from ..checks.hit import moved_fixes
from ..edits import REVIEW, SAFE, Change, Edit, Fix, compose
from ..facts.changes import Region
from ..limits import Work
from ..project import Site
from ..source import Span


class Related(NamedTuple):
    """Another span of the same text, which explains a finding."""

    span: Span
    message: str


class Finding(NamedTuple):
    """A finding of a rule at a span of the text. `fixes`: the fixes, best first; if there is none, a person must change
    the code. `related`: other spans that explain the finding.

    `subject`: the library, API or variable that the finding is about, as in `Hit`. Findings with the same rule and
    subject need only one decision by the person who ports the code.
    """

    rule: str
    severity: str
    message: str
    span: Span
    fixes: tuple[Fix, ...]
    target: str
    related: tuple[Related, ...] = ()
    subject: str = ""


class Report(NamedTuple):
    """The findings of a text in source order, and the spans of statements that could not be parsed.

    `sites`: the places whose receivers the receiver analysis can look up, also those of findings that are not reported.
    """

    findings: tuple[Finding, ...] = ()
    skipped: tuple[Span, ...] = ()
    sites: tuple[Site, ...] = ()


class Movable:
    """Gives a report new offsets after an edit of lines that its findings and fixes do not touch. The field `skipped`
    of the report that `at` returns is empty."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._lasts = [_last(finding) for finding in report.findings]

    def __len__(self) -> int:
        return len(self._lasts)

    def at(self, region: Region | None) -> Report:
        """Return the report with its offsets after an edit; a finding above the edited lines stays the same object."""
        if region is None or not region.shift:
            return Report(self._report.findings, (), self._report.sites)
        here, start, findings = region.place, region.old_end, self._report.findings
        moved = [
            each if last < start else _moved(each, region) for each, last in zip(findings, self._lasts, strict=True)
        ]
        sites = [
            one._replace(span=Span(here(one.span.start), here(one.span.end)), at=here(one.at))
            for one in self._report.sites
        ]
        return Report(tuple(moved), (), tuple(sites))


def _last(finding: Finding) -> int:
    """The largest offset in a finding."""
    ends = [edit.end for fix in finding.fixes for edit in fix.edits]
    return max([finding.span.end, *ends, *(one.span.end for one in finding.related)])


def _moved(finding: Finding, region: Region) -> Finding:
    here, span, related = region.place, finding.span, finding.related
    return Finding(
        finding.rule,
        finding.severity,
        finding.message,
        Span(here(span.start), here(span.end)),
        moved_fixes(finding.fixes, region),
        finding.target,
        related and tuple([Related(Span(here(one.span.start), here(one.span.end)), one.message) for one in related]),
        finding.subject,
    )


@dataclass(frozen=True)
class Fixed:
    """The result of fixing a text. `applied`: the number of applied fixes by rule; `report`: the remaining findings;
    `refused`: the reason why the text was not fixed.

    `before`: the original text; `first`: the report on the original text; `passes`: the changes of each pass. `alone`:
    the edits that a run which applies only safe fixes would make; None if the safe edits in `passes` are the same.
    """

    text: str
    applied: dict[str, int]
    report: Report
    refused: str | None = None
    before: str = ""
    passes: tuple[list[Change], ...] = ()
    first: Report = field(default_factory=Report)
    alone: frozenset[Edit] | None = None

    @cached_property
    def changes(self) -> list[Change]:
        """Return all changes as edits of the original text. The safe changes alone give the same text as a run that
        applies only safe fixes; a change that is safe only after a fix that needs review counts as one that needs
        review."""
        changes = compose(self.before, self.passes)
        if self.alone is None:
            return changes
        return [each if each.edit in self.alone else each._replace(applicability=REVIEW) for each in changes]


def whole(findings: list[Finding], unknown: bool) -> list[Finding]:
    """Return the findings for a target without tables of its APIs; if one of them has no fix, all others keep only
    their safe fixes.

    Without such tables, uncuda does not know which names of PyTorch exist on the target. If uncuda fixed a device
    string and left an unknown name beside it unchanged, the code would be half ported. `unknown`: whether the text
    imports a library for CUDA that no rule covers.
    """
    if not unknown and all(finding.fixes or finding.severity == "information" for finding in findings):
        return findings
    return [
        finding._replace(fixes=tuple(fix for fix in finding.fixes if fix.applicability == SAFE)) for finding in findings
    ]


def sparing(kept: list[Finding], every: list[Finding], work: Work) -> list[Finding]:
    """Return the findings without the fixes that would change code at a finding that the user suppressed."""
    names = {(finding.rule, finding.span) for finding in kept}
    silenced = sorted(finding.span for finding in every if (finding.rule, finding.span) not in names)
    starts = [span.start for span in silenced]
    ends = list(accumulate((span.end for span in silenced), max))  # for each span: the greatest end so far

    def spares(fix: Fix) -> bool:
        work.compare(len(fix.edits))
        before = (bisect_left(starts, edit.end) for edit in fix.edits)
        return not any(at and ends[at - 1] > edit.start for at, edit in zip(before, fix.edits, strict=True))

    return [finding._replace(fixes=tuple(filter(spares, finding.fixes))) for finding in kept]
