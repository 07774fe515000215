"""Workflow commands that GitHub Actions shows beside the lines of a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from uncuda.engine import Finding
from uncuda.printable import controls_escaped, printable
from uncuda.source import Source

from .base import Frame, Reporter
from .repeated import Repeated

_LEVELS = {"error": "error", "warning": "warning", "information": "notice"}


class GithubReporter(Reporter):
    """`::error file=…,line=…::message`, one line a finding; what is repeated comes last.

    GitHub shows the first 10 errors and the first 10 warnings of a step: not all of them for one library.
    """

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        self._repeated = Repeated()

    def write(self, source: Source, findings: Sequence[Finding]) -> None:
        """One command a finding, but for those that are repeated."""
        for finding in findings:
            if self._repeated.keeps(finding, source):
                continue
            (line, column), (end_line, end) = source.position(finding.span.start), source.position(finding.span.end)
            places = {"file": source.path, "line": line, "endLine": end_line}
            if line == end_line:  # GitHub refuses columns that are on different lines
                places |= {"col": column, "endColumn": max(column, end - 1)}
            places["title"] = f"uncuda ({finding.rule})"
            self._command(_LEVELS[finding.severity], places, f"{source.path}:{line}:{column}: {finding.message}")

    def end(self) -> None:
        """One command a finding that was kept for the end, and one an error."""
        for group in self._repeated.groups():
            said = group.decision
            for path, line, column in group:
                places = {"file": path, "line": line, "col": column, "title": f"uncuda ({said.rule})"}
                self._command(_LEVELS[said.severity], places, f"{path}:{line}:{column}: {said.message}")
        for problem in self.problems:
            self._command("error", {"file": problem.path, "title": "uncuda"}, f"{problem.path}: {problem.message}")

    def _command(self, level: str, properties: dict[str, object], message: str) -> None:
        told = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
        self.frame.out.write(f"::{level} {told}::{_escape(printable(message))}\n")


def _property(value: object) -> str:
    """A value as GitHub reads it: exact, line breaks too; what has no escape there is shown as it is elsewhere."""
    text = str(value)
    if text.isprintable():
        return _escape(text, ":,")
    return "%0A".join(
        "%0D".join(_escape(controls_escaped(part), ":,") for part in line.split("\r")) for line in text.split("\n")
    )


def _escape(text: str, more: str = "") -> str:
    for char in "%\r\n" + more:
        text = text.replace(char, f"%{ord(char):02X}")
    return text
