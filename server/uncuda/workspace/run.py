"""Runs the engine over files one at a time; a failure in one file is recorded, and the other files are still
processed."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from uncuda.engine import Engine, Fixed, Report, Selection
from uncuda.limits import LimitExceeded
from uncuda.project import Answers
from uncuda.settings import Settings
from uncuda.source import Source, SourceError

from .discover import Exceeds, File, Problem
from .files import FileProblem, read_file, write_atomically
from .notebooks import is_notebook, source_of, written

if TYPE_CHECKING:
    from uncuda.receivers import Receivers

EngineFor = Callable[[Settings], Engine]
Load = Callable[[File, Engine], tuple[Source | None, bytes]]
"""A function that reads a file and returns its source (None if it contains no word that a rule looks for) and its
bytes."""
AnswersFor = Callable[[File, Source, Engine], "Answers | None"]
"""A function that returns the types of receivers in a file's source; it returns None if no types are looked up."""
SelectionFor = Callable[[File, Source, Engine, "Answers | None"], "Selection | None"]
"""A function that returns which findings in a file are requested; it returns None if all findings are requested. The
last argument of the function is the result of the AnswersFor for the same file."""


class Checked(NamedTuple):
    """The findings in a file; `report` is None if there was a `problem`."""

    file: File
    source: Source | None = None
    report: Report | None = None
    problem: Problem | None = None
    trace: str = ""


class Repaired(NamedTuple):
    """The result of fixing a file in memory. `data`: the bytes that were read; `result`: the bytes to write."""

    file: File
    source: Source | None = None
    fixed: Fixed | None = None
    data: bytes = b""
    result: bytes = b""
    problem: Problem | None = None
    trace: str = ""

    @property
    def after(self) -> Source:
        """The source after the fixes, to which the remaining findings refer."""
        assert self.source is not None
        assert self.fixed is not None
        if self.source.cells is None:
            return replace(self.source, text=self.fixed.text)
        return source_of(self.result, self.file.path)


def load_file(file: File, engine: Engine) -> tuple[Source | None, bytes]:
    """The source and bytes of a file on disk; FileProblem or SourceError if it cannot be read."""
    data = read_file(file.path, file.settings.max_bytes)
    if is_notebook(file.path):
        source = source_of(data, file.path, engine.catalogue.commands)
        return (source if engine.concerns(source.text.encode("utf-8", "surrogatepass")) else None), data
    if not engine.concerns(data):
        return None, data
    return Source.decode(data, file.path), data


def ask_nobody(*_: object) -> None:
    """An AnswersFor and SelectionFor that returns None: no types of receivers are looked up, and all findings are
    selected."""


def selected(selections: Mapping[str, Selection]) -> SelectionFor:
    """A SelectionFor that returns the selection in `selections` for the path of a file; None for a file without a
    selection."""
    return lambda file, source, engine, answers: selections.get(file.path)


def ask(receivers: Receivers) -> AnswersFor:
    """An AnswersFor that looks up the types of the receivers in a file, if the file's setting `receivers` is on, and
    waits for the answers."""

    def answers(file: File, source: Source, engine: Engine) -> Answers | None:
        sites = engine.check(source, concerned=True).sites if file.settings.receivers else ()
        return receivers.ask(file.path, source.text, sites) if sites else None

    return answers


def check_files(
    files: Iterable[File], engine_for: EngineFor, answers_for: AnswersFor = ask_nobody, load: Load = load_file
) -> Iterator[Checked]:
    """Check every file. A file without any word that a rule searches for is not decoded, and has no report. `load`: the
    function that reads a file."""
    for file in files:
        try:
            engine = engine_for(file.settings)
            source = load(file, engine)[0]
            if source is None:
                yield Checked(file)
                continue
            answers = answers_for(file, source, engine)
            yield Checked(file, source, engine.check(source, concerned=True, answers=answers))
        except Exception as error:  # noqa: BLE001 one file must not stop the rest
            yield Checked(file, problem=problem_of(file, error), trace=traceback.format_exc())


def fix_files(
    files: Iterable[File],
    engine_for: EngineFor,
    review: bool,
    rules: Collection[str] | None = None,
    load: Load = load_file,
    answers_for: AnswersFor = ask_nobody,
    selection_for: SelectionFor = ask_nobody,
) -> Iterator[Repaired]:
    """Fix every file in memory without writing it. `rules`: the rules whose fixes are applied, as in `Engine.fix`;
    `load`: the function that reads a file."""
    for file in files:
        try:
            engine = engine_for(file.settings)
            source, data = load(file, engine)
            if source is None:
                yield Repaired(file)
                continue
            answers = answers_for(file, source, engine)
            selection = selection_for(file, source, engine, answers)
            fixed = engine.fix(source, review, concerned=True, rules=rules, answers=answers, selection=selection)
            fixed, result = written(data, source, fixed, engine, selection)
            yield Repaired(file, source, fixed, data, result)
        except Exception as error:  # noqa: BLE001 one file must not stop the rest
            yield Repaired(file, problem=problem_of(file, error), trace=traceback.format_exc())


def write(repaired: Repaired) -> int:
    """Write a fixed file; returns how many other hard links keep the old contents. Raises FileProblem if the file
    cannot be written, or if it changed since it was read."""
    path = repaired.file.path
    try:
        same = read_file(path, len(repaired.data)) == repaired.data
    except LimitExceeded:
        same = False
    if not same:
        raise FileProblem("changed while it was being fixed; left as it is, run again")
    return write_atomically(path, repaired.result)


def problem_of(file: File, error: Exception) -> Problem:
    """The Problem to report for a file after an exception."""
    if isinstance(error, LimitExceeded):
        return Exceeds.of(file.path, error)
    if isinstance(error, (FileProblem, SourceError)):
        return Problem(file.path, str(error))
    return Problem(file.path, f"internal error, please report it: {type(error).__name__}: {error}")
