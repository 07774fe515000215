"""What the engine found in each open program, as long as neither the text nor the engine changed."""

from __future__ import annotations

from dataclasses import dataclass

from uncuda.engine import Engine, Finding, Report
from uncuda.source import Source

from .documents import Program


@dataclass(frozen=True, eq=False)
class Analysis:
    """A program as it was when it was analysed. `disabled`: why its fixes must not be made, if so."""

    program: Program
    text: str
    version: int | None
    engine: Engine
    report: Report
    disabled: str | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found, in the order of the text."""
        return self.report.findings


def analyse(program: Program, engine: Engine, known: Analysis | None) -> Analysis:
    """The analysis of a program: `known` if that still holds."""
    text = program.text
    if known is not None and known.text is text and known.engine is engine:
        return known
    report = engine.check(Source(text, program.path))
    return Analysis(program, text, program.version, engine, report)
