"""Combines the findings of several engines, one for each target, for one text: each finding gets the least safe fix
class that an engine gave it, and no fix if one engine has none.

Linked findings are fixed together, so the engine of one target must know the fix classes of the other targets' engines
before it links its own findings. All engines run several times, until they would make the same edits. Before
each new run, each place in the text gets the least safe fix class that an engine gave it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from ...edits import SAFE, Edit, Fix, lowest, merge
from ...source import Span
from ..results import Finding, Report

Lows = Mapping[Span, "str | None"]
"""For each span, the least safe fix class that an engine gave it; None if one of the engines has no fix for it."""
Differing = Callable[[Finding], Finding]
"""A function that returns a finding without its fix, with the reason that the targets need different fixes."""


class Agreement:
    """Compares the findings of several engines for one text, span by span. `speaks`: a function of the index of an
    engine and the name of a rule; it returns whether this engine has this rule."""

    def __init__(self, speaks: Callable[[int, str], bool], differing: Differing) -> None:
        self._speaks, self._differing = speaks, differing
        self.lows: dict[Span, str | None] = {}
        self._reasons: dict[Span, Finding] = {}
        self._served: set[Span] = set()

    def settled(self, reports: Sequence[Report]) -> bool:
        """Return whether the reports, one for each engine, have the same fix at each span. If the result is False,
        store in `lows` the fix classes that the engines must use in their next run."""
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
        """Yield the spans at which the engines (one for each target) would make different edits, or at which only some
        of the engines would make an edit."""
        made = [_made(report) for report in reports]
        for span, findings in said.items():
            first = next(iter(findings.values()))
            if not first.fixes:
                continue
            silent = [at for at in range(len(reports)) if at not in findings and not _edits(first.fixes[0]) <= made[at]]
            if silent and all(self._speaks(at, first.rule) for at in silent):
                # the code at this span is already for one accelerator, so it stays unchanged
                self._served.add(span)
            if silent or len({_edits(one.fixes[0]) for one in findings.values()}) > 1:
                self._reasons.setdefault(span, self._differing(first))
                yield span

    def together(self, reports: Sequence[Report]) -> list[Finding]:
        """Combine the findings of all engines: return one finding for each span, in the order of the text."""
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
        return low._replace(fixes=(low.fixes[0]._replace(edits=tuple(merge(one.fixes[0] for one in said))),))


def _by_span(reports: Sequence[Report]) -> dict[Span, dict[int, Finding]]:
    """Return the first finding of each engine at each span, as `result[span][index of the engine]`."""
    said: dict[Span, dict[int, Finding]] = {}
    for at, report in enumerate(reports):
        for finding in report.findings:
            said.setdefault(finding.span, {}).setdefault(at, finding)
    return said


def _beside(report: Report) -> Iterable[Finding]:
    """Yield, without its fixes, each finding that has the same span as an earlier finding of the report."""
    seen: set[Span] = set()
    for finding in report.findings:
        if finding.span in seen:
            yield finding._replace(fixes=())
        seen.add(finding.span)


def _class(finding: Finding) -> str | None:
    return finding.fixes[0].applicability if finding.fixes else None


def _lowest(findings: Mapping[int, Finding]) -> str | None:
    return lowest(*map(_class, findings.values()))


def _edits(fix: Fix) -> frozenset[Edit]:
    """Return the edits of a fix that must be the same for all engines; edits that only insert the keyword of an
    argument are left out, because they are right for every target."""
    return frozenset(edit for edit in fix.edits if not _names_argument(edit))


def _names_argument(edit: Edit) -> bool:
    return edit.start == edit.end and edit.text.endswith("=") and edit.text[:-1].isidentifier()


def _made(report: Report) -> frozenset[Edit]:
    """Return those edits of a report's fixes which must be the same for all engines (see `_edits`)."""
    return frozenset().union(*(_edits(finding.fixes[0]) for finding in report.findings if finding.fixes))
