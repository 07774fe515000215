"""What the processes are asked that check files beside each other, and what they answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from uncuda.child.records import Codec
from uncuda.engine import Engine, Fixed, Report, Selection
from uncuda.limits import Kind, LimitExceeded
from uncuda.project import Helper, Project
from uncuda.settings import Settings
from uncuda.source import Source

from .discover import Exceeds, File, LeftOut, Problem
from .run import Checked, Repaired
from .scan import Gathered, Part

Place = tuple[str, int]
"""The path of a file, and the number of its engine."""


@dataclass(frozen=True)
class EngineSpec:
    """What an engine is made of."""

    target: str
    settings: Settings
    helper: Helper | None = None

    @classmethod
    def made(cls, engine: Engine) -> EngineSpec:
        """That of an engine that there is."""
        return cls(engine.target.id, engine.settings, engine.project.helper)


@dataclass(frozen=True)
class UseEngines:
    """The engines of the files that are asked about from now on. `project`: None as long as it is not known."""

    engines: tuple[EngineSpec, ...]
    project: Project | None = None


@dataclass(frozen=True)
class SurveyFiles:
    """Take the first look at files. `constants`: also for constants that name a target."""

    files: tuple[Place, ...]
    constants: bool


@dataclass(frozen=True)
class CheckFiles:
    """Check files."""

    files: tuple[Place, ...]


@dataclass(frozen=True)
class FixFiles:
    """Fix files in memory; `review`: also by fixes to review; `rules`: as for `Engine.fix`; `selections`: as for
    `fix_files`."""

    files: tuple[Place, ...]
    review: bool
    rules: tuple[str, ...] | None = None
    selections: dict[str, Selection] = field(default_factory=dict)


@dataclass(frozen=True)
class Trouble:
    """Why a file was left out; `limit`: of the kind that it went beyond. `trace`: of an error of ours. `foreign`: it is
    none of ours."""

    message: str
    kind: Kind | None = None
    limit: int = 0
    trace: str = ""
    foreign: bool = False

    @classmethod
    def of(cls, problem: Problem, trace: str = "") -> Trouble:
        """What kept somebody from reading or checking a file."""
        if isinstance(problem, Exceeds):
            return cls(problem.message, problem.limit.kind, problem.limit.limit, trace)
        return cls(problem.message, trace=trace, foreign=isinstance(problem, LeftOut))

    def problem(self, path: str) -> Problem:
        """The same, of the file at a path."""
        if self.kind:
            return Exceeds.of(path, LimitExceeded(self.kind, self.limit))
        return (LeftOut if self.foreign else Problem)(path, self.message)


@dataclass(frozen=True)
class Surveyed:
    """What the first look at files gave: the places in the list of those without use, and of those left out."""

    gathered: Gathered = field(default_factory=Gathered)
    silent: tuple[int, ...] = ()
    troubles: dict[int, Trouble] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)

    def part(self, paths: Sequence[str]) -> Part:
        """The same of the files at these paths, as it is without processes."""
        problems = {number: trouble.problem(paths[number]) for number, trouble in self.troubles.items()}
        return Part(self.gathered, set(self.silent), problems)


@dataclass(frozen=True)
class FileResult:
    """What there is to say of one file; nothing, as of most. `fixed`: its text with its fixes, if that is another.

    `notebook`: what the file of a notebook holds, and what it is to hold."""

    source: Source | None = None
    report: Report | None = None
    fixed: str | None = None
    applied: dict[str, int] = field(default_factory=dict)
    refused: str | None = None
    trouble: Trouble | None = None
    notebook: tuple[str, str] | None = None

    @classmethod
    def of_checked(cls, result: Checked) -> FileResult:
        """What is said of a file that was checked."""
        if result.problem:
            return cls(trouble=Trouble.of(result.problem, result.trace))
        report = result.report
        if report is None or not (report.findings or report.skipped):
            return cls()
        return cls(result.source, replace(report, sites=()))

    @classmethod
    def of_repaired(cls, result: Repaired) -> FileResult:
        """What is said of a file that was fixed."""
        if result.problem:
            return cls(trouble=Trouble.of(result.problem, result.trace))
        fixed = result.fixed
        if result.source is None or fixed is None:
            return cls()
        report = fixed.report
        changed = fixed.text != result.source.text
        if not (changed or fixed.applied or fixed.refused or report.findings or report.skipped):
            return cls()
        text = fixed.text if changed else None
        held = (result.data.decode(), result.result.decode()) if result.source.cells else None
        return cls(result.source, replace(report, sites=()), text, fixed.applied, fixed.refused, notebook=held)

    def checked(self, file: File) -> Checked:
        """The same, as it is without processes."""
        if self.trouble is not None:
            return Checked(file, problem=self.trouble.problem(file.path), trace=self.trouble.trace)
        return Checked(file, self.source, self.report)

    def repaired(self, file: File) -> Repaired:
        """The same, as it is without processes."""
        if self.trouble is not None:
            return Repaired(file, problem=self.trouble.problem(file.path), trace=self.trouble.trace)
        if self.source is None or self.report is None:
            return Repaired(file)
        text = self.source.text if self.fixed is None else self.fixed
        if self.notebook is not None:
            before, after = (held.encode() for held in self.notebook)
            return Repaired(file, self.source, Fixed(text, self.applied, self.report, self.refused), before, after)
        data = self.source.encode()  # which is what was read: a text that cannot be written back is not decoded
        result = data if self.fixed is None else self.source.encode(text)
        return Repaired(file, self.source, Fixed(text, self.applied, self.report, self.refused), data, result)


@dataclass(frozen=True)
class FileResults:
    """Of each file that was asked about, in that order."""

    files: tuple[FileResult, ...]


CODEC = Codec(UseEngines, SurveyFiles, CheckFiles, FixFiles, Surveyed, FileResults)
