"""The SARIF 2.1.0 report, for code scanning services."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import uncuda
from uncuda.engine import Finding
from uncuda.source import Source, Span

from .base import Frame, Reporter
from .fingerprint import Fingerprints
from .json import dump
from .rules import page_uri, rule_page

_LEVELS = {"error": "error", "warning": "warning", "information": "note"}


class SarifReporter(Reporter):
    """Writes one SARIF run, which contains the title and the page of every rule with findings."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        self._results: list[dict[str, Any]] = []
        self._indexes: dict[str, int] = {}
        self._fingerprints = Fingerprints()

    def write(self, source: Source, findings: Sequence[Finding]) -> None:
        """Collect one SARIF result for each finding."""
        for finding in findings:
            self._results.append(self._result(finding, source))

    def end(self) -> None:
        """Write the whole SARIF log."""
        driver = {
            "name": "uncuda",
            "version": uncuda.__version__,
            "rules": [self._describe(name) for name in self._indexes],
        }
        notifications = [
            {
                "level": "error",
                "message": {"text": problem.message},
                "locations": [{"physicalLocation": {"artifactLocation": _location(problem.path)}}],
            }
            for problem in self.problems
        ]
        run = {
            "tool": {"driver": driver},
            "columnKind": "unicodeCodePoints",
            "invocations": [{"executionSuccessful": not self.problems, "toolExecutionNotifications": notifications}],
            "results": self._results,
        }
        schema = "https://json.schemastore.org/sarif-2.1.0.json"
        self.frame.out.write(dump({"version": "2.1.0", "$schema": schema, "runs": [run]}) + "\n")

    def _result(self, finding: Finding, source: Source) -> dict[str, Any]:
        location = _location(source.path)
        result: dict[str, Any] = {
            "ruleId": finding.rule,
            "ruleIndex": self._indexes.setdefault(finding.rule, len(self._indexes)),
            "level": _LEVELS[finding.severity],
            "message": {"text": finding.message},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": location,
                        "region": _region(source, finding.span),
                    }
                }
            ],
            "partialFingerprints": {"uncuda/v1": self._fingerprints.of(finding, source)},
            "properties": {"target": finding.target, "subject": finding.subject},
        }
        if source.cells is not None:
            result["properties"]["cell"] = source.location(finding.span.start).cell
        elif finding.fixes:  # the edits of a notebook cannot be written as edits of the file's text
            result["fixes"] = [
                {
                    "description": {"text": f"{fix.title} ({fix.applicability})"},
                    "artifactChanges": [
                        {
                            "artifactLocation": location,
                            "replacements": [
                                {
                                    "deletedRegion": _region(source, Span(edit.start, edit.end)),
                                    "insertedContent": {"text": edit.text},
                                }
                                for edit in fix.edits
                            ],
                        }
                    ],
                }
                for fix in finding.fixes
                if fix.edits
            ]
        return result

    def _describe(self, name: str) -> dict[str, Any]:
        rule, locale = self.frame.catalogue.rules.get(name), self.frame.words.locale
        described: dict[str, Any] = {"id": name, "name": "".join(part.capitalize() for part in name.split("-"))}
        if rule is not None:
            described |= {
                "shortDescription": {"text": rule.title_in(locale)},
                "helpUri": page_uri(rule),
                "help": {"text": rule.title_in(locale), "markdown": rule_page(rule, locale)},
                "defaultConfiguration": {"level": _LEVELS[rule.severity]},
                "properties": {"fix": rule.fix or "manual", "tags": ["portability"]},
            }
        return described


def _location(path: str) -> dict[str, str]:
    uri = quote(os.fsencode(path.replace("\\", "/")))
    return {"uri": f"file://{uri}"} if uri.startswith("/") else {"uri": uri, "uriBaseId": "%SRCROOT%"}


def _region(source: Source, span: Span) -> dict[str, int]:
    (line, column, _), (end_line, end_column, _) = source.physical(span)
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
