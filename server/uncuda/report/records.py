"""Findings as JSON objects: the stable format that docs/json-output.md describes."""

from __future__ import annotations

from typing import Any

from uncuda.engine import Finding
from uncuda.source import Source

VERSION = 1


def finding_record(finding: Finding, source: Source) -> dict[str, Any]:
    """One element of `findings`."""
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "message": finding.message,
        "path": source.path,
        "range": range_record(source, finding.span.start, finding.span.end),
        "fixes": [
            {
                "applicability": fix.applicability,
                "title": fix.title,
                "edits": [
                    {"path": source.path, "range": range_record(source, edit.start, edit.end), "text": edit.text}
                    for edit in fix.edits
                ],
            }
            for fix in finding.fixes
        ],
        "target": finding.target,
        "subject": finding.subject,
    }


def range_record(source: Source, start: int, end: int) -> dict[str, dict[str, int]]:
    """A half-open range; lines and columns from 1, columns in characters."""
    ends = {}
    for name, offset in (("start", start), ("end", end)):
        line, column = source.position(offset)
        ends[name] = {"line": line, "column": column}
    return ends


def fix_class(finding: Finding) -> str:
    """The class of the finding's best fix: "safe", "review", or "manual" if it has none."""
    return finding.fixes[0].applicability if finding.fixes else "manual"
