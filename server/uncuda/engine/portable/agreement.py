"""What the engines of several targets come to together: each place in the lowest class, by hand where one lacks it.

Linked places change together, so what one engine holds back it has to hold back before it links: each engine is told
what the others say, until all of them would make the same edits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from ...edits import SAFE, Edit, Fix, lowest, merge
from ...source import Span
from ..results import Finding, Report

Lows = Mapping[Span, "str | None"]
"""The class that a place comes to; None: by hand."""
Differing = Callable[[Finding], Finding]
"""A finding without its fix, which says that the targets need different ones."""


class Agreement:
    """The places of one text. `speaks`: whether the engine at a position has a rule at all."""

    def __init__(self, speaks: Callable[[int, str], bool], differing: Differing) -> None:
        self._speaks, self._differing = speaks, differing
        self.lows: dict[Span, str | None] = {}
        self._reasons: dict[Span, Finding] = {}
        self._served: set[Span] = set()

    def settled(self, reports: Sequence[Report]) -> bool:
        """Whether the reports, one of each engine, agree; if not, `lows` says what is new."""
        said = _by_span(reports)
        for span, findings in said.items():
            for finding in findings.values():
                if not finding.fixes:
                    self._reasons.setdefault(span, finding)
        found = {span: low for span, each in said.items() if (low := _lowest(each)) != SAFE}
        fresh = {span: low for span, low in found.items() if self.lows.get(span, SAFE) != low}
        if not fresh:
            fresh = dict.fromkeys(self._differ(said, reports))
        self.lows.update(fresh)
        return not fresh

    def _differ(self, said: Mapping[Span, Mapping[int, Finding]], reports: Sequence[Report]) -> Iterable[Span]:
        """The places at which the engines would make different edits, or not all of them any."""
        made = [_made(report) for report in reports]
        for span, findings in said.items():
            first = next(iter(findings.values()))
            if not first.fixes:
                continue
            silent = [at for at in range(len(reports)) if at not in findings and not _edits(first.fixes[0]) <= made[at]]
            if silent and all(self._speaks(at, first.rule) for at in silent):
                self._served.add(span)  # what is written for one accelerator already is left as it is
            if silent or len({_edits(one.fixes[0]) for one in findings.values()}) > 1:
                self._reasons.setdefault(span, self._differing(first))
                yield span

    def together(self, reports: Sequence[Report]) -> list[Finding]:
        """The findings, each place once, in the order of the text."""
        found = []
        for span, findings in _by_span(reports).items():
            if span not in self._served:
                found.append(self._one(span, list(findings.values())))
        others = [one for report in reports for one in _beside(report)]
        rules = {(one.span, one.rule) for one in found}
        found += [one for one in dict.fromkeys(others) if (one.span, one.rule) not in rules]
        return sorted(found, key=lambda finding: (finding.span, finding.rule))

    def _one(self, span: Span, said: Sequence[Finding]) -> Finding:
        low = min(said, key=lambda finding: bool(finding.fixes) + (_class(finding) == SAFE))
        if not low.fixes:
            return self._reasons.get(span, low)
        return replace(low, fixes=(replace(low.fixes[0], edits=tuple(merge(one.fixes[0] for one in said))),))


def _by_span(reports: Sequence[Report]) -> dict[Span, dict[int, Finding]]:
    """The findings of places, by the engine that gives them; of several of one engine the first."""
    said: dict[Span, dict[int, Finding]] = {}
    for at, report in enumerate(reports):
        for finding in report.findings:
            said.setdefault(finding.span, {}).setdefault(at, finding)
    return said


def _beside(report: Report) -> Iterable[Finding]:
    """The findings that are not the first of their place: they have no fix of their own."""
    seen: set[Span] = set()
    for finding in report.findings:
        if finding.span in seen:
            yield replace(finding, fixes=())
        seen.add(finding.span)


def _class(finding: Finding) -> str | None:
    return finding.fixes[0].applicability if finding.fixes else None


def _lowest(findings: Mapping[int, Finding]) -> str | None:
    return lowest(*map(_class, findings.values()))


def _edits(fix: Fix) -> frozenset[Edit]:
    """What must be the same for all: not the keywords that arguments are given, which are right for all."""
    return frozenset(edit for edit in fix.edits if not _names_argument(edit))


def _names_argument(edit: Edit) -> bool:
    return edit.start == edit.end and edit.text.endswith("=") and edit.text[:-1].isidentifier()


def _made(report: Report) -> frozenset[Edit]:
    """All edits of a report, as far as they must be the same for all."""
    return frozenset().union(*(_edits(finding.fixes[0]) for finding in report.findings if finding.fixes))
