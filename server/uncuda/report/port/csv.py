"""The report as a CSV table with one row for each finding, for spreadsheets and scripts.

The first columns are the columns of the files that the tool msFmkTransplt writes: `change_list.csv` (findings with a
fix) and `unsupported_api.csv` (findings without a fix). uncuda adds the columns Class, Rule and Target.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from uncuda.printable import printable
from uncuda.workspace import MANUAL
from uncuda.workspace.port import PortFinding

from .shown import ACCEPTED, PortReport

COLUMNS = ("File", "Start Line", "End Line", "Operation Type", "Message", "OP", "Tips", "Class", "Rule", "Target")
_FORMULA = ("=", "+", "-", "@")  # a spreadsheet runs a cell that begins with one of these characters as a formula


def text_of(report: PortReport) -> str:
    """Return the CSV text: a header row, then one row for each finding."""
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
    """Return the file name of a finding, with `./` in front if a spreadsheet would run the name as a formula."""
    name = printable(finding.path)
    return f"./{name}" if name.startswith(_FORMULA) else name


def _cell(text: str) -> str:
    """Return the text of a cell, with `'` in front if a spreadsheet would run it as a formula."""
    shown = printable(text)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown
