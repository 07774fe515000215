"""The steps that the commands have in common: load the settings, find the files, read the facts of their project,
choose the target."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import click

from uncuda.catalogue import Catalogue, load
from uncuda.catalogue.keys import PREREQUISITES
from uncuda.edits import REVIEW, SAFE
from uncuda.engine import Engine, Finding, Report, Selection
from uncuda.messages import language
from uncuda.report.base import Only
from uncuda.report.words import Words
from uncuda.settings import SEVERITIES, Configuration, Settings, SettingsError, Vocabulary, hint, values_of
from uncuda.source import Source, SourceError
from uncuda.workspace import (
    CLASSES,
    AnswersFor,
    Checked,
    EngineFor,
    Engines,
    Exceeds,
    File,
    LeftOut,
    Problem,
    Repaired,
    UndecidedTarget,
    ask,
    ask_nobody,
    check_files,
    discover,
    fix_files,
    number_for,
    processors,
    program_bytes,
    project_files,
    read_text,
    selected,
    sizes_of,
    wanted_for,
)
from uncuda.workspace import Words as ModuleWords
from uncuda.workspace.counts import Row

from .console import Console
from .options import words_in
from .texts import say

if TYPE_CHECKING:
    from uncuda.workspace.workers import Workers

STDIN = "-"
_PLACES = 3  # maximum number of unparsed statements that one message names
_ONLY_VERBOSE = ("torch", "receivers late")
_ASKED_FOR = "target asked for"
_VERSIONS = "plugin "  # the key of every message about the plugin's version begins with this text


class Wanted(NamedTuple):
    """Which fixes a command applies. `review`: whether fixes that need review are applied, too; `rules`: the rules
    whose fixes are applied, None for all rules."""

    review: bool
    rules: tuple[str, ...] | None = None

    def takes(self, row: Row) -> bool:
        """Return whether the command applies the best fix of a finding."""
        return row.kind in ((SAFE, REVIEW) if self.review else (SAFE,)) and (not self.rules or row.rule in self.rules)


class Failure(click.ClickException):
    """Raised if the command cannot continue; the message says why and what to do."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"uncuda: {say('error')}: {self.message}", file=file, err=file is None)


@dataclass
class Session:
    """One run of a command over a set of files. `given`: the settings from the command line, by kebab-case key.

    `looked`: the files that were read, with and without findings.
    """

    given: dict[str, object]
    config: str | None = None
    isolated: bool = False
    quiet: bool = False
    verbose: bool = False
    problems: list[Problem] = field(default_factory=list)
    read: int = 0
    looked: list[File] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.catalogue: Catalogue = load()
        declarations = self.catalogue.declarations
        vocabulary = Vocabulary(tuple(declarations), tuple(self.catalogue.rules))
        try:
            overrides = values_of(self.given, str(Path.cwd()), vocabulary)
        except SettingsError as error:
            raise click.UsageError(error.message) from None
        self.configuration = Configuration(vocabulary, overrides, self.config, self.isolated)
        locale = self.given.get("locale")
        self.words = Words(language(locale if isinstance(locale, str) else "auto"))
        self.console = Console(self.words, self.quiet, self.verbose)
        self.engines = Engines(self.catalogue, self._note)
        self._workers: Workers | None = None
        self._noted: set[str] = set()
        # for each target: the first note about the choice of the target or its plugin
        self._first: dict[tuple[str, object], tuple[object, ...]] = {}

    def files(self, paths: Sequence[str]) -> list[File]:
        """Return the files that may have findings. Each file is read once, to decide whether it may have findings and
        to collect the facts of its project; other files of the project are read only for these facts."""
        found = discover(paths or ["."], self.configuration.settings_for)
        for problem in found.problems:
            self.fail(problem)
        for path, message in found.notes:
            self._note("note", f"{path}: {message}")
        self.console.left_out(found.skipped)
        if found.files:
            self._speak(found.files[0].settings)
        every = project_files(paths or ["."], found.files, self.configuration.settings_for)
        self._engage(every, looked=False)
        look = self.engines.survey(every, workers=self._workers).of({file.path for file in found.files})
        for problem in look.problems:
            if not isinstance(problem, LeftOut):
                self.fail(problem)
        self.console.left_out(problem for problem in look.problems if isinstance(problem, LeftOut))
        self.read += len(look.files)
        self.looked = look.files
        with self._decided():
            files = self.engines.worth(look)
        if self._workers is None:
            self._engage(files, looked=True)
        return files

    def check(self, paths: Sequence[str], files: list[File], shown: Iterable[File]) -> Iterator[Checked]:
        """Check the files that `files` returned for these paths. `shown`: an iterator over the same files that draws
        the progress bar."""
        if self._workers is not None:
            return self._workers.check(files, shown, self.engines.known_for, self.engine_for)
        return check_files(shown, self.engine_for, self.answers_for(paths, files))

    def check_again(self, paths: Sequence[str], files: Sequence[File], engine_for: EngineFor) -> Iterator[Checked]:
        """Check files again with the engines that `engine_for` returns, such as the engines of another target."""
        if self._workers is not None:
            return self._workers.check(files, files, engine_for, engine_for)
        return check_files(files, engine_for, self.answers_for(paths, files))

    def fix(
        self,
        paths: Sequence[str],
        files: list[File],
        shown: Iterable[File],
        wanted: Wanted,
        selections: Mapping[str, Selection],
    ) -> Iterator[Repaired]:
        """Fix files in memory, with the same arguments as `check`; `selections`: the findings that should be fixed, by
        path."""
        if self._workers is not None:
            from uncuda.workspace.tasks import FixFiles  # worker processes have imported this module already

            request = FixFiles((), *wanted, dict(selections))
            return self._workers.fix(files, shown, self.engines.known_for, self.engine_for, request)
        answers_for = self.answers_for(paths, files)
        asked = selected(selections)
        return fix_files(shown, self.engine_for, *wanted, answers_for=answers_for, selection_for=asked)

    def _engage(self, files: Sequence[File], looked: bool) -> None:
        """Start worker processes if the files are large enough to need them. `looked`: whether each file has already
        been read once.

        No worker process is started if receivers are analysed, because a single process analyses the receivers of all
        files.
        """
        wanted = files[0].settings.workers if files and "workers" in self.given else wanted_for(files)
        if (wanted or processors()) == 1 or any(file.settings.receivers for file in files):
            return
        sizes = sizes_of(files)
        number = number_for(sizes, wanted, looked)
        if number > 1:
            from uncuda.workspace.workers import Workers  # imported here, because the import takes time

            self._workers = Workers(self.catalogue, number, files, sizes, self._lose)
            click.get_current_context().call_on_close(self._workers.close)

    def _lose(self, process: int, code: int) -> None:
        from uncuda.child.pool import exit_reason

        self._note("worker crashed", process, exit_reason(code))

    def reads_standard_input(self, paths: Sequence[str], name: str | None) -> bool:
        """Return whether the checked text comes from standard input (under the name `name`); raise a usage error if it
        cannot be combined with the paths."""
        if STDIN in paths and len(paths) > 1:
            raise click.UsageError("`-` (standard input) cannot be combined with files")
        if name and STDIN not in paths:
            raise click.UsageError("--stdin-filename goes with `-`")
        return STDIN in paths

    def standard_input(self, name: str | None) -> tuple[File, bytes]:
        """Return the text from standard input as a file named `name`; it replaces the file of this name on disk. If no
        file of this name exists, the project consists only of the text from standard input."""
        if sys.stdin is None:  # the caller closed standard input
            raise Failure(say("no standard input"))
        data = sys.stdin.buffer.read()
        path = name or STDIN
        settings = self.configuration.settings_for(str((Path.cwd() / path).parent))
        self._speak(settings)
        file = File(path, settings, True)
        try:
            program = program_bytes(data, path)
        except SourceError:  # this error is reported later, when the text is checked
            program = b""
        every = project_files([path], [file], self.configuration.settings_for) if name else [file]
        if len(every) > 1:
            self.engines.survey(every, lambda other, most: program if other == path else read_text(other, most))
        else:
            self.engines.alone(file, program)
        self.read += 1
        return file, data

    def fail_read(self, problem: Problem, trace: str = "") -> None:
        """Report an error of a file that was counted as read, so that the summary does not count the file as clean."""
        self.read -= 1
        self.fail(problem, trace)

    def fail(self, problem: Problem, trace: str = "") -> None:
        """Record an error of a file and print it."""
        if isinstance(problem, Exceeds):
            problem, trace = Problem(problem.path, self.words.exceeds(problem.limit)), ""
        self.problems.append(problem)
        self.console.error(problem, trace)

    def unread(self, source: Source, report: Report) -> None:
        """Report the statements of a file that could not be parsed; findings in other statements are still reported."""
        if not report.skipped:
            return
        lines = [source.location(span.start) for span in report.skipped]
        for line in lines if self.verbose else ():
            self.console.print(f"{source.path}:{line.row}:{line.column}: {self.words('unread')}")
        places = ", ".join(f"{source.path}:{line.row}" for line in lines[:_PLACES])
        more = ", …" if len(lines) > _PLACES else ""
        self.fail(
            Problem(source.path, self.words("unread some", self.words.count(len(lines), "statement"), places + more))
        )

    def engine_for(self, settings: Settings) -> Engine:
        """Return the engine for files with these settings; one engine is created for each settings object."""
        with self._decided():
            return self.engines.engine_for(settings)

    def answers_for(self, paths: Sequence[str], files: Iterable[File]) -> AnswersFor:
        """Return a function that returns the types of receivers, if the settings of any file enable receiver analysis;
        the child process of this analysis ends with the command.

        `paths`: the paths in the command line; imports are resolved in the folders among them.
        """
        if not any(file.settings.receivers for file in files):
            return ask_nobody
        from uncuda.receivers import Receivers

        folders = [path for path in paths if Path(path).is_dir()]
        receivers = Receivers(folders or ["."], self._note, question_seconds=30)
        click.get_current_context().call_on_close(receivers.close)
        return ask(receivers)

    @contextmanager
    def _decided(self) -> Iterator[None]:
        try:
            yield
        except UndecidedTarget as error:
            raise Failure(_which(error.targets, self.engines.modules)) from None

    def _speak(self, settings: Settings) -> None:
        """From now on, print messages in the language of these settings, which include the options of the command
        line."""
        self.words = self.console.words = Words(language(settings.locale))
        self.engines.locale = self.words.locale

    def _note(self, key: str, *values: object) -> None:
        text = self.words(key, *values)
        if text in self._noted or (key in _ONLY_VERBOSE and not self.verbose):
            return
        if key == _ASKED_FOR or key.startswith(_VERSIONS):
            first = self._first.setdefault((key[: len(_VERSIONS)], values[0]), values)
            if first is not values and not self.verbose:
                if first[1] != values[1]:
                    self._note("folders differ")
                return
        self._noted.add(text)
        self.console.note(text)


def _which(imported: Sequence[str], modules: ModuleWords) -> str:
    names = " and ".join(modules.packages[target] for target in imported)
    choices = " or ".join(f"--target {target}" for target in imported)
    return say("two plugins", names=names, choices=choices)


def choose(what: str, value: str, choices: Sequence[str]) -> str:
    """`value` if it is one of `choices`; otherwise a usage error that suggests the most similar one."""
    if value not in choices:
        raise click.UsageError(say(f"unknown {what}", value=value, hint=hint(value, choices)))
    return value


def shown_only(given: Iterable[str], catalogue: Catalogue) -> Only | None:
    """Return which findings `--only` selects: by fix class, by rule, or by prerequisite ("plugin"); None without
    `--only`."""
    words, classes, rules = words_in(given), set[str](), set[str]()
    for word in words:
        if word in CLASSES:
            classes.add(word)
        elif word in PREREQUISITES:
            rules |= {rule.name for rule in catalogue.rules.values() if rule.prerequisite == word}
        else:
            rules.add(choose("class", word, (*CLASSES, *PREREQUISITES, *catalogue.rules)))
    return Only(",".join(words), frozenset(classes), frozenset(rules)) if words else None


def fails(findings: Iterable[Finding], settings: Settings) -> bool:
    """Whether a finding is at least as severe as the setting `fail-level`."""
    grave = SEVERITIES[: SEVERITIES.index(settings.fail_level) + 1]
    return any(finding.severity in grave for finding in findings)
