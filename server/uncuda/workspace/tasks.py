"""The messages between this process and the worker processes that check files in parallel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from uncuda.child.records import Codec
from uncuda.edits import Change, Edit
from uncuda.engine import Engine, Fixed, Report, Selection
from uncuda.limits import Kind, LimitExceeded
from uncuda.project import Helper, Project
from uncuda.settings import Settings
from uncuda.source import Source

from .discover import Exceeds, File, LeftOut, Problem
from .run import Checked, Repaired
from .scan import Gathered, Part

Place = tuple[str, int]
"""The path of a file, and the number of the engine that checks it."""


@dataclass(frozen=True)
class EngineSpec:
    """The parameters from which an engine is created."""

    target: str
    settings: Settings
    helper: Helper | None = None

    @classmethod
    def made(cls, engine: Engine) -> EngineSpec:
        """Return the EngineSpec of an existing engine."""
        return cls(engine.target.id, engine.settings, engine.project.helper)


@dataclass(frozen=True)
class UseEngines:
    """Sets the engines for the requests that follow. `project`: what all files of the project show together, such as
    the plugins that they import; None before the files have been searched."""

    engines: tuple[EngineSpec, ...]
    project: Project | None = None


@dataclass(frozen=True)
class SurveyFiles:
    """A request to search the bytes of files for words that rules look for. `constants`: whether to search for
    constants that name a target, too; `tests`: whether the project has files of tests."""

    files: tuple[Place, ...]
    constants: bool
    tests: bool


@dataclass(frozen=True)
class CheckFiles:
    """A request to check files."""

    files: tuple[Place, ...]


@dataclass(frozen=True)
class FixFiles:
    """A request to fix files in memory. `review`: whether to apply fixes that need review, too. `rules`: the rules
    whose fixes are applied, as in `Engine.fix`. `selections`: the findings to fix in each file, as in `fix_files`.
    `steps`: whether the answer should contain `FileResult.steps`."""

    files: tuple[Place, ...]
    review: bool
    rules: tuple[str, ...] | None = None
    selections: dict[str, Selection] = field(default_factory=dict)
    steps: bool = False


@dataclass(frozen=True)
class Trouble:
    """The reason why a worker process did not check a file. `kind` and `limit` describe an exceeded limit, `trace` an
    internal error; `foreign`: whether the file's contents are of a type that uncuda does not check."""

    message: str
    kind: Kind | None = None
    limit: int = 0
    trace: str = ""
    foreign: bool = False

    @classmethod
    def of(cls, problem: Problem, trace: str = "") -> Trouble:
        """The Trouble for a problem with a file."""
        if isinstance(problem, Exceeds):
            return cls(problem.message, problem.limit.kind, problem.limit.limit, trace)
        return cls(problem.message, trace=trace, foreign=isinstance(problem, LeftOut))

    def problem(self, path: str) -> Problem:
        """Return the problem to report for the file at `path`."""
        if self.kind:
            return Exceeds.of(path, LimitExceeded(self.kind, self.limit))
        return (LeftOut if self.foreign else Problem)(path, self.message)


@dataclass(frozen=True)
class Surveyed:
    """The result of searching the bytes of files for words that rules look for. `silent`: the indices of files that
    cannot have findings; `troubles`: problems by the index of the file."""

    gathered: Gathered = field(default_factory=Gathered)
    silent: tuple[int, ...] = ()
    troubles: dict[int, Trouble] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)

    def part(self, paths: Sequence[str]) -> Part:
        """Return the result as a `Part`, for the files at these paths."""
        problems = {number: trouble.problem(paths[number]) for number, trouble in self.troubles.items()}
        return Part(self.gathered, set(self.silent), problems)


@dataclass(frozen=True)
class Steps:
    """The steps by which a text was fixed; the fields are those of `Fixed` with the same names."""

    passes: tuple[tuple[Change, ...], ...]
    first: Report
    alone: frozenset[Edit] | None

    @classmethod
    def of(cls, fixed: Fixed) -> Steps:
        """Return the steps by which a text was fixed."""
        return cls(tuple(map(tuple, fixed.passes)), fixed.first._replace(sites=()), fixed.alone)


@dataclass(frozen=True)
class FileResult:
    """The result for one file; all fields are empty for most files. `fixed`: the text after fixes, if the fixes changed
    the text. `notebook`: the old and new contents of a notebook file. `steps`: the steps by which the text was fixed,
    if the request asks for them."""

    source: Source | None = None
    report: Report | None = None
    fixed: str | None = None
    applied: dict[str, int] = field(default_factory=dict)
    refused: str | None = None
    trouble: Trouble | None = None
    notebook: tuple[str, str] | None = None
    steps: Steps | None = None

    @classmethod
    def of_checked(cls, result: Checked) -> FileResult:
        """The result for a checked file."""
        if result.problem:
            return cls(trouble=Trouble.of(result.problem, result.trace))
        report = result.report
        if report is None or not (report.findings or report.skipped):
            return cls()
        return cls(result.source, report._replace(sites=()))

    @classmethod
    def of_repaired(cls, result: Repaired, steps: bool = False) -> FileResult:
        """The result for a fixed file. `steps`: whether to include the steps by which the text was fixed."""
        if result.problem:
            return cls(trouble=Trouble.of(result.problem, result.trace))
        fixed = result.fixed
        if result.source is None or fixed is None:
            return cls()
        report = fixed.report
        changed = fixed.text != result.source.text
        first = steps and fixed.first.findings
        if not (changed or fixed.applied or fixed.refused or report.findings or report.skipped or first):
            return cls()
        text = fixed.text if changed else None
        held = (result.data.decode(), result.result.decode()) if result.source.cells else None
        made = Steps.of(fixed) if steps else None
        spared = report._replace(sites=())
        return cls(result.source, spared, text, fixed.applied, fixed.refused, notebook=held, steps=made)

    def checked(self, file: File) -> Checked:
        """The result as a `Checked`."""
        if self.trouble is not None:
            return Checked(file, problem=self.trouble.problem(file.path), trace=self.trouble.trace)
        return Checked(file, self.source, self.report)

    def repaired(self, file: File) -> Repaired:
        """The result as a `Repaired`."""
        if self.trouble is not None:
            return Repaired(file, problem=self.trouble.problem(file.path), trace=self.trouble.trace)
        if self.source is None or self.report is None:
            return Repaired(file)
        text = self.source.text if self.fixed is None else self.fixed
        fixed = Fixed(text, self.applied, self.report, self.refused)
        if made := self.steps:
            passes = tuple(map(list, made.passes))
            fixed = replace(fixed, before=self.source.text, passes=passes, first=made.first, alone=made.alone)
        if self.notebook is not None:
            before, after = (held.encode() for held in self.notebook)
            return Repaired(file, self.source, fixed, before, after)
        # encoding the text gives exactly the bytes that were read, because `Source.decode` refuses all other files
        data = self.source.encode()
        return Repaired(file, self.source, fixed, data, data if self.fixed is None else self.source.encode(text))


@dataclass(frozen=True)
class FileResults:
    """The results for the files of a request, in the order of the request."""

    files: tuple[FileResult, ...]


CODEC = Codec(UseEngines, SurveyFiles, CheckFiles, FixFiles, Surveyed, FileResults)
