"""The report as one table, for spreadsheets and scripts: its columns are those of msFmkTransplt's `change_list.csv`
(findings with a fix) and `unsupported_api.csv` (findings by hand), with what uncuda knows beside them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from uncuda.printable import printable
from uncuda.workspace import MANUAL
from uncuda.workspace.port import PortFinding

from .shown import ACCEPTED, PortReport

COLUMNS = ("File", "Start Line", "End Line", "Operation Type", "Message", "OP", "Tips", "Class", "Rule", "Target")
_FORMULA = ("=", "+", "-", "@")  # what a spreadsheet takes for a formula where it begins a cell


def text_of(report: PortReport) -> str:
    """A line a finding."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows(_rows(report))
    return out.getvalue()


def _rows(report: PortReport) -> Iterator[list[object]]:
    for finding in report.port.findings:
        by_hand = finding.kind == MANUAL
        yield [
            _path(finding),
            finding.line,
            finding.end_line,
            finding.operation,
            "" if by_hand else _cell(finding.message),
            _cell(finding.subject or finding.rule) if by_hand else "",
            _cell(finding.message) if by_hand else "",
            ACCEPTED if finding.accepted else finding.kind,
            finding.rule,
            finding.target,
        ]


def _path(finding: PortFinding) -> str:
    """The file; a name that would be a formula is written with its folder."""
    name = printable(finding.path)
    return f"./{name}" if name.startswith(_FORMULA) else name


def _cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    shown = printable(text)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown
