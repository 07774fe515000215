"""Defines which findings of a text the user asked for, and which statements no fix may change."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from ..edits import Edit, Fix
from ..source import Span
from .results import Finding, Report


class LeftAlone(NamedTuple):
    """A finding that is neither reported nor fixed, and its statement, which no fix of another finding may change."""

    rule: str
    span: Span
    statement: Span


@dataclass(frozen=True)
class Selection:
    """The findings of one text that the user asked for. `text`: the hash of the text, as `name_of` returns it. `parts`:
    sorted spans; only findings that touch one of these spans are reported and fixed; None for all findings."""

    text: str
    left_alone: tuple[LeftAlone, ...] = ()
    parts: tuple[Span, ...] | None = None

    def of(self, report: Report) -> Report:
        """Return a report with only the findings that the user asked for. `report`: all findings of the text that this
        selection is for."""
        if not self.left_alone and self.parts is None:
            return report
        places = {(each.rule, each.span) for each in self.left_alone}
        findings = [
            finding._replace(fixes=tuple(filter(self._may_be_made, finding.fixes)))
            for finding in report.findings
            if (finding.rule, finding.span) not in places and self._asks_for(finding)
        ]
        return report._replace(findings=tuple(findings))

    def moved(self, edits: Collection[Edit]) -> Selection:
        """Return the same selection for the text after these edits."""
        shift = _Shift(edits)
        left = [LeftAlone(each.rule, shift.whole(each.span), shift.whole(each.statement)) for each in self.left_alone]
        parts = None if self.parts is None else tuple(map(shift.grown, self.parts))
        return replace(self, left_alone=tuple(left), parts=parts)

    def _asks_for(self, finding: Finding) -> bool:
        if self.parts is None:
            return True
        start, end = finding.span
        at = bisect_right(self.parts, start, key=lambda part: part.end)
        return at < len(self.parts) and self.parts[at].start < max(end, start + 1)

    def _may_be_made(self, fix: Fix) -> bool:
        return not any(map(self._touches, fix.edits))

    def _touches(self, edit: Edit) -> bool:
        at = bisect_right(self._statements, edit.start, key=lambda statement: statement.end)
        return at < len(self._statements) and self._statements[at].start < edit.end

    @cached_property
    def _statements(self) -> list[Span]:
        return sorted({each.statement for each in self.left_alone})


def name_of(text: str) -> str:
    """Return a hash that identifies this version of a text."""
    from hashlib import sha256  # imported here, because the import takes time

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class _Shift:
    """Converts spans of a text into spans of the text after edits that do not overlap."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._edits = sorted(edits)
        self._ends = [edit.end for edit in self._edits]
        self._starts = [edit.start for edit in self._edits]
        self._by = [0, *accumulate(len(edit.text) - (edit.end - edit.start) for edit in self._edits)]

    def whole(self, span: Span) -> Span:
        """Return the new position of a span that no edit touches."""
        by = self._by[bisect_right(self._ends, span.start)]
        return Span(span.start + by, span.end + by)

    def grown(self, span: Span) -> Span:
        """Return the new position of a span, extended by all edits inside it or at its ends."""
        first, last = bisect_left(self._ends, span.start), bisect_right(self._starts, span.end)
        start, end = span
        if first < last:
            start = min(start, self._starts[first])
            end = max(end, self._ends[last - 1])
        return Span(start + self._by[first], end + self._by[last])
