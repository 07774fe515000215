"""What the engine gives back."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from ..edits import REVIEW, SAFE, Change, Edit, Fix, compose
from ..limits import Work
from ..project import Site
from ..source import Span


@dataclass(frozen=True, slots=True)
class Related:
    """A place of the same text that explains a finding."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found. `fixes`: best first; none: manual. `related`: what explains it, such as its alias.

    `subject`: as in `Hit`. Findings of one rule and one subject are one decision for whoever ports the code.
    """

    rule: str
    severity: str
    message: str
    span: Span
    fixes: tuple[Fix, ...]
    target: str
    related: tuple[Related, ...] = ()
    subject: str = ""


@dataclass(frozen=True)
class Report:
    """Findings in the order of the text, and the statements that could not be read.

    `sites`: the findings, silenced by an answer or not, for which it could be asked what their receiver is.
    """

    findings: tuple[Finding, ...] = ()
    skipped: tuple[Span, ...] = ()
    sites: tuple[Site, ...] = ()


@dataclass(frozen=True)
class Fixed:
    """Text after its fixes, fixes made by rule, what is left; `refused`: why the text was left as it was.

    `passes`: what was changed, pass by pass, from `before` on; `first`: what was found there.
    `alone`: the edits that the safe fixes make without those to review; None: as the passes say.
    """

    text: str
    applied: dict[str, int]
    report: Report
    refused: str | None = None
    before: str = ""
    passes: tuple[list[Change], ...] = ()
    first: Report = Report()
    alone: frozenset[Edit] | None = None

    @cached_property
    def changes(self) -> list[Change]:
        """All that was changed, as edits of the text as it was before the fixes: who makes only those that are safe has
        what the safe fixes make, and nothing that is safe only after a fix to review."""
        changes = compose(self.before, self.passes)
        if self.alone is None:
            return changes
        return [each if each.edit in self.alone else each._replace(applicability=REVIEW) for each in changes]


def whole(findings: list[Finding], unknown: bool) -> list[Finding]:
    """Findings of a text for a target without tables: with fixes only if none that matters is left by hand.

    Of a name that no table has, nobody knows what it is there; the device's word beside it would be half a port.
    `unknown`: the text imports a library of CUDA of which nobody knows either, and no rule speaks.
    """
    if not unknown and all(finding.fixes or finding.severity == "information" for finding in findings):
        return findings
    return [
        replace(finding, fixes=tuple(fix for fix in finding.fixes if fix.applicability == SAFE)) for finding in findings
    ]


def sparing(kept: list[Finding], every: list[Finding], work: Work) -> list[Finding]:
    """Findings without the fixes that would change a place where the user silenced a finding."""
    names = {(finding.rule, finding.span) for finding in kept}
    silenced = sorted(finding.span for finding in every if (finding.rule, finding.span) not in names)
    starts = [span.start for span in silenced]
    ends = list(accumulate((span.end for span in silenced), max))  # of all up to each

    def spares(fix: Fix) -> bool:
        work.compare(len(fix.edits))
        before = (bisect_left(starts, edit.end) for edit in fix.edits)
        return not any(at and ends[at - 1] > edit.start for at, edit in zip(before, fix.edits, strict=True))

    return [replace(finding, fixes=tuple(filter(spares, finding.fixes))) for finding in kept]
