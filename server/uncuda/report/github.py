"""Workflow commands (`::error …`), which GitHub Actions shows beside the lines of a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from uncuda.engine import Finding
from uncuda.printable import controls_escaped, printable
from uncuda.source import Source

from .base import Frame, Reporter
from .repeated import Decision, Place, Repeated

_LEVELS = {"error": "error", "warning": "warning", "information": "notice"}


class GithubReporter(Reporter):
    """Writes `::error file=…,line=…::message`, one line for each finding. Of findings without a fix that differ only in
    their position, all but the first 3 are written last.

    GitHub shows only the first 10 errors and the first 10 warnings of a step, so these should not all be about one
    library.
    """

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        self._repeated = Repeated()

    def write(self, source: Source, findings: Sequence[Finding]) -> None:
        """Write one command for each finding, except for repeated findings, which are held back until the end."""
        for finding in findings:
            if self._repeated.keeps(finding, source, source.physical):
                continue
            self._finding(finding, Place.of(source.path, *source.physical(finding.span)))

    def end(self) -> None:
        """Write one command for each finding that was held back until the end, and one for each error."""
        for group in self._repeated.groups():
            for place in group:
                self._finding(group.decision, place)
        for problem in self.problems:
            self._command("error", {"file": problem.path, "title": "uncuda"}, f"{problem.path}: {problem.message}")

    def _finding(self, found: Finding | Decision, place: Place) -> None:
        properties: dict[str, object] = {"file": place.path, "line": place.line, "endLine": place.end_line}
        if place.line == place.end_line:  # GitHub rejects columns if a finding covers several lines
            properties |= {"col": place.column, "endColumn": max(place.column, place.end_column - 1)}
        properties["title"] = f"uncuda ({found.rule})"
        self._command(_LEVELS[found.severity], properties, f"{place.path}:{place.line}:{place.column}: {found.message}")

    def _command(self, level: str, properties: dict[str, object], message: str) -> None:
        told = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
        self.frame.out.write(f"::{level} {told}::{_escape(printable(message))}\n")


def _property(value: object) -> str:
    """Return a value escaped in the way that GitHub requires: `%` and line breaks as `%25`, `%0A`; other control
    characters as Python's escapes."""
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
