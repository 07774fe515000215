"""One line a finding, in the order of the files: for `grep`, and for editors that take a list of places."""

from __future__ import annotations

from collections.abc import Sequence

from uncuda.engine import Finding
from uncuda.source import Source
from uncuda.workspace import fix_class

from .text import TextReporter, headline


class ConciseReporter(TextReporter):
    """Findings without their source lines; none is kept for the end."""

    def write(self, source: Source, findings: Sequence[Finding]) -> None:
        """`path:line:column: severity rule: message [class]`, the class in the words of `--only`."""
        frame = self.frame
        for finding in findings:
            frame.out.write(headline(finding, source, fix_class(finding), frame.color))
