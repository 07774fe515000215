"""The report with one line for each finding, in the order of the files: for `grep`, and for editors that read lists of
locations."""

from __future__ import annotations

from collections.abc import Sequence

from uncuda.engine import Finding
from uncuda.source import Source
from uncuda.workspace import fix_class

from .text import TextReporter, headline


class ConciseReporter(TextReporter):
    """Writes findings without their source lines; repeated findings are written where they occur, not at the end."""

    def write(self, source: Source, findings: Sequence[Finding]) -> None:
        """Write `path:line:column: severity rule: message [class]`, the fix class in the words of `--only`."""
        frame = self.frame
        for finding in findings:
            frame.out.write(headline(finding, source, fix_class(finding), frame.color))
