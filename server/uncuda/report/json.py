"""The JSON report: see docs/json-output.md and docs/findings.schema.json."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from uncuda.engine import Finding
from uncuda.printable import printable_json
from uncuda.source import Source
from uncuda.workspace import Counts

from .base import Frame, Reporter
from .order import steps
from .records import VERSION, finding_record


class JsonReporter(Reporter):
    """Writes one JSON object, in which each finding is on a separate line."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        frame.out.write(f'{{"version": {VERSION}, "findings": [')
        self._separator = "\n"

    def write(self, source: Source, findings: Sequence[Finding]) -> None:
        """Write one JSON object for each finding."""
        for finding in findings:
            self.frame.out.write(self._separator + dump(finding_record(finding, source)))
            self._separator = ",\n"

    def end(self) -> None:
        """Write the errors; if requested, also the number of findings for each rule, and for each pair of a rule and a
        subject (such as a library)."""
        out = self.frame.out
        out.write("\n]" if self.counts.rows else "]")
        if self.frame.statistics:
            rows = [{"rule": rule, "count": tally.count, **tally.by_class} for rule, tally in self.counts.by_rule]
            out.write(f',\n"statistics": {dump(rows)}')
            out.write(f',\n"decisions": {dump(_decisions(self.counts))}')
        if self.frame.summary:
            out.write(f',\n"summary": {dump(self._summary())}')
        errors = [{"path": problem.path, "message": problem.message} for problem in self.problems]
        out.write(f',\n"accepted": {self.accepted},\n"errors": {dump(errors)}}}\n')

    def _summary(self) -> dict[str, Any]:
        """Return the object for `--summary`; it lists all folders, and all steps of the recommended order of work,
        however many there are."""
        counts, frame = self.counts, self.frame
        total, hidden = counts.total, self.hidden.counts.total
        return {
            "count": total.count,
            "files": total.files,
            "classes": total.by_class,
            "hidden": hidden.by_class,
            "decisions": counts.decisions_by_hand,
            "targets": {target: tally.by_class for target, tally in sorted(counts.targets.items())},
            "folders": [
                {
                    "folder": row.folder,
                    "tests": row.tests,
                    "count": row.tally.count,
                    "files": row.tally.files,
                    **row.tally.by_class,
                }
                for row in counts.folders()
            ],
            "order": [step.record() for step in steps(counts, frame.catalogue.rules, frame.command)],
        }


def _decisions(counts: Counts) -> list[dict[str, Any]]:
    """Return one row for each pair of a rule and a subject (the library, API or variable of its findings), the rows
    with the most findings first."""
    return [
        {"rule": rule, "subject": subject, "count": tally.count, "files": tally.files, **tally.by_class}
        for (rule, subject), tally in counts.by_decision
    ]


def dump(value: Any) -> str:
    """Return `value` as JSON on one line, with Chinese characters unescaped; characters that control a terminal or a CI
    system are escaped."""
    return printable_json(json.dumps(value, ensure_ascii=False))
