"""GitLab's code quality report: a JSON array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from uncuda.engine import Finding
from uncuda.source import Source

from .base import Frame, Reporter
from .fingerprint import Fingerprints
from .json import dump

_SEVERITIES = {"error": "major", "warning": "minor", "information": "info"}


class GitlabReporter(Reporter):
    """Collects one JSON object for each finding, and writes them as an array. The format has no field for errors, so
    they are only written to standard error."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        self._entries: list[dict[str, Any]] = []
        self._fingerprints = Fingerprints()

    def write(self, source: Source, findings: Sequence[Finding]) -> None:
        """Collect one JSON object for each finding."""
        for finding in findings:
            (line, column, _), (end_line, end_column, _) = source.physical(finding.span)
            self._entries.append(
                {
                    "description": f"{finding.rule}: {finding.message}",
                    "check_name": finding.rule,
                    "fingerprint": self._fingerprints.of(finding, source),
                    "severity": _SEVERITIES[finding.severity],
                    "location": {
                        "path": source.path.replace("\\", "/"),
                        "lines": {"begin": line, "end": end_line},
                        "positions": {
                            "begin": {"line": line, "column": column},
                            "end": {"line": end_line, "column": end_column},
                        },
                    },
                }
            )

    def end(self) -> None:
        """Write the array of all objects."""
        self.frame.out.write("[" + ",".join("\n" + dump(entry) for entry in self._entries) + "\n]\n")
