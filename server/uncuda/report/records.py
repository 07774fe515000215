"""Findings as JSON objects: the stable format that docs/json-output.md describes."""

from __future__ import annotations

from typing import Any

from uncuda.edits import Edit, in_cell
from uncuda.engine import Finding
from uncuda.source import Source

VERSION = 1


def finding_record(finding: Finding, source: Source) -> dict[str, Any]:
    """Return one element of the array `findings` in the JSON report."""
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "message": finding.message,
        "path": source.path,
        **place_record(source, finding.span.start, finding.span.end),
        "fixes": [
            {
                "applicability": fix.applicability,
                "title": fix.title,
                "edits": [_edit_record(edit, source) for edit in fix.edits],
            }
            for fix in finding.fixes
        ],
        "target": finding.target,
        "subject": finding.subject,
    }


def _edit_record(edit: Edit, source: Source) -> dict[str, Any]:
    if source.cells is not None:
        edit = in_cell(edit, source.text, source.cells.starts)[1]
    return {"path": source.path, **place_record(source, edit.start, edit.end), "text": edit.text}


def place_record(source: Source, start: int, end: int) -> dict[str, Any]:
    """Return a half-open range as JSON; lines and columns begin at 1, and columns are counted in characters. In a
    notebook, line and column are relative to a cell, and the number of the cell is added."""
    first, last = source.location(start), source.location(end)
    ends = {"start": {"line": first.line, "column": first.column}, "end": {"line": last.line, "column": last.column}}
    return {"cell": first.cell, "range": ends} if first.cell else {"range": ends}
