"""The JSON report: see docs/json-output.md and docs/findings.schema.json."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from uncuda.engine import Finding
from uncuda.printable import printable_json
from uncuda.source import Source

from .base import Counts, Frame, Reporter
from .records import VERSION, finding_record


class JsonReporter(Reporter):
    """One JSON object, a line a finding."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        frame.out.write(f'{{"version": {VERSION}, "findings": [')
        self._separator = "\n"

    def write(self, source: Source, findings: Sequence[Finding]) -> None:
        """One object a finding."""
        for finding in findings:
            self.frame.out.write(self._separator + dump(finding_record(finding, source)))
            self._separator = ",\n"

    def end(self) -> None:
        """The counts by rule and by decision, if asked for, and the errors."""
        out = self.frame.out
        out.write("\n]" if self.counts.findings else "]")
        if self.frame.statistics:
            ranked = sorted(self.counts.rules.items(), key=lambda item: (-sum(item[1].values()), item[0]))
            rows = [{"rule": rule, "count": sum(kinds.values()), **kinds} for rule, kinds in ranked]
            out.write(f',\n"statistics": {dump(rows)}')
            out.write(f',\n"decisions": {dump(_decisions(self.counts))}')
        errors = [{"path": problem.path, "message": problem.message} for problem in self.problems]
        out.write(f',\n"accepted": {self.accepted},\n"errors": {dump(errors)}}}\n')


def _decisions(counts: Counts) -> list[dict[str, Any]]:
    """A row for each rule and subject, most findings first."""
    rows = [
        {
            "rule": rule,
            "subject": subject,
            "count": sum(tally.classes.values()),
            "files": tally.files,
            **tally.classes,
        }
        for (rule, subject), tally in counts.decisions.items()
    ]
    return sorted(rows, key=lambda row: (-row["count"], row["rule"], row["subject"]))


def dump(value: Any) -> str:
    """JSON on one line, Chinese as it is; exact, and nothing in it steers a terminal or a CI."""
    return printable_json(json.dumps(value, ensure_ascii=False))
