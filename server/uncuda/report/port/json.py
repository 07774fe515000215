"""Writes the report as JSON (docs/report.schema.json), and reads an earlier report for `uncuda report --compare`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import uncuda
from uncuda.reading import NotUtf8Error, decode_utf8, read_bytes
from uncuda.workspace import Tally
from uncuda.workspace.comparison import Comparison, Earlier
from uncuda.workspace.port import PortFinding, TargetPort
from uncuda.workspace.upgrades import Plugin, Upgrade

from ..json import dump
from .shown import PortReport

FORMAT, VERSION = "uncuda-report", 1
_LARGEST = 200_000_000


class NoReportError(Exception):
    """Raised for a file that is not a JSON report. `reason`: why the file could not be read; empty if it could be read
    but contains other data."""

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = reason


def text_of(report: PortReport) -> str:
    """Return the report as one JSON object; each of its members, and each finding, is on a separate line."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "uncuda": uncuda.__version__,
        "name": report.name,
        "plugins": [_plugin(plugin) for plugin in report.port.plugins],
        "checked": len(report.port.looked),
        "summary": _summary(report),
        "blocks": {name: [block._asdict() for block in blocks] for name, blocks in report.blocks.items()},
        "folders": [{"folder": row.folder, "tests": row.tests, **_tally(row.tally)} for row in report.counts.folders()],
        "rules": [{"rule": rule, **_tally(tally)} for rule, tally in report.counts.by_rule],
        "decisions": [
            {"rule": rule, "subject": subject, **_tally(tally)} for (rule, subject), tally in report.counts.by_decision
        ],
        "targets": [_target(report, target) for target in report.port.targets],
        "upgrades": [_upgrade(upgrade) for upgrade in report.port.upgrades],
        "order": [step.record() for step in report.order],
        **({"comparison": _comparison(report.comparison)} if report.comparison is not None else {}),
        "errors": [{"path": problem.path, "message": problem.message} for problem in report.problems],
    }
    members = ",\n".join(f"{dump(name)}: {dump(value)}" for name, value in head.items())
    findings = ",\n".join(dump(_finding(finding)) for finding in report.port.findings)
    return f'{{{members},\n"findings": [{findings and chr(10)}{findings}{findings and chr(10)}]}}\n'


def read_report(path: str) -> tuple[Earlier, ...]:
    """Return the findings of an earlier JSON report; raise NoReportError if the file is not a JSON report."""
    try:
        value = json.loads(decode_utf8(read_bytes(path, _LARGEST)))
    except OSError as error:
        raise NoReportError(str(error.strerror or error)) from None
    except NotUtf8Error as error:
        raise NoReportError(error.message) from None
    except (ValueError, RecursionError):
        raise NoReportError from None
    if not isinstance(value, dict) or (value.get("format"), value.get("version")) != (FORMAT, VERSION):
        raise NoReportError
    findings = value.get("findings")
    if not isinstance(findings, list):
        raise NoReportError
    return tuple(map(_earlier, findings))


def _earlier(raw: object) -> Earlier:
    match raw:
        case {
            "path": str(path),
            "range": {"start": {"line": int(line)}},
            "rule": str(rule),
            "subject": str(subject),
            "message": str(message),
            "class": str(kind),
            "target": str(target),
            "print": str(print_),
            "accepted": bool(accepted),
        }:
            return Earlier(path, line, rule, subject, message, kind, target, print_, accepted)
    raise NoReportError


def _finding(finding: PortFinding) -> dict[str, Any]:
    start = {"line": finding.line, "column": finding.column}
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "message": finding.message,
        "path": finding.path,
        **({"cell": finding.cell} if finding.cell else {}),
        "range": {"start": start, "end": {"line": finding.end_line, "column": finding.end_column}},
        "class": finding.kind,
        "target": finding.target,
        "subject": finding.subject,
        "print": finding.print,
        "accepted": finding.accepted,
    }


def _summary(report: PortReport) -> dict[str, Any]:
    return {
        **_tally(report.counts.total),
        "accepted": report.port.accepted.total.by_class,
        "decisions": report.counts.decisions_by_hand,
        "severities": dict(sorted(report.counts.severities.items())),
        "begun": report.begun,
    }


def _tally(tally: Tally) -> dict[str, int]:
    return {"count": tally.count, **({"files": tally.files} if tally.files else {}), **tally.by_class}


def _plugin(plugin: Plugin) -> dict[str, Any]:
    return {
        "target": plugin.target,
        "package": plugin.package,
        "version": plugin.version,
        "assumed": plugin.assumed,
    }


def _target(report: PortReport, target: TargetPort) -> dict[str, Any]:
    counts = target.counts
    return {
        "target": target.target,
        "plugins": [_plugin(plugin) for plugin in target.plugins],
        **_tally(counts.total),
        "accepted": target.accepted.total.by_class,
        "decisions": counts.decisions_by_hand,
        "blocks": {name: report.blocking(counts, name) for name in report.prerequisites},
    }


def _upgrade(upgrade: Upgrade) -> dict[str, Any]:
    return {
        "plugin": _plugin(upgrade.plugin),
        "later": upgrade.later,
        "version": upgrade.version,
        "gained": [{"rule": rule, "subject": subject, "count": count} for (rule, subject), count in upgrade.gained],
        "lost": upgrade.lost,
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "fixed": [_known(one) for one in comparison.fixed],
        "accepted": [_known(one) for one in comparison.accepted],
        "left": len(comparison.left),
        "new": [_known(one) for one in comparison.new],
    }


def _known(finding: Earlier | PortFinding) -> Mapping[str, str]:
    return {"path": finding.path, "rule": finding.rule, "target": finding.target, "print": finding.print}
