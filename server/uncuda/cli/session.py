"""What every command that reads files does first: settings, files, the project, the target."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import click

from uncuda.catalogue import Catalogue, load
from uncuda.engine import Engine, Finding
from uncuda.project import Project
from uncuda.report.words import Words, language
from uncuda.settings import SEVERITIES, Configuration, Settings, SettingsError, Vocabulary, hint, values_of
from uncuda.workspace import File, Problem, Scanner, Survey, discover, named_targets, required_torch, survey
from uncuda.workspace import Words as ModuleWords

from .console import Console
from .texts import say

STDIN = "-"


class Failure(click.ClickException):
    """Nothing can be done; the message says why and what to do."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"uncuda: {say('error', '错误')}: {self.message}", file=file, err=file is None)


@dataclass
class Session:
    """One run over files. `given` is what the command line says of settings, in kebab-case."""

    given: dict[str, object]
    config: str | None = None
    isolated: bool = False
    quiet: bool = False
    verbose: bool = False
    problems: list[Problem] = field(default_factory=list)
    read: int = 0

    def __post_init__(self) -> None:
        self.catalogue: Catalogue = load()
        declarations = self.catalogue.declarations
        vocabulary = Vocabulary(tuple(declarations), tuple(self.catalogue.rules))
        try:
            overrides = values_of(self.given, str(Path.cwd()), vocabulary)
        except SettingsError as error:
            raise click.UsageError(error.message) from None
        self.configuration = Configuration(vocabulary, overrides, self.config, self.isolated)
        words = {name: declaration["words"] for name, declaration in declarations.items()}
        self.modules = ModuleWords(
            {name: word.get("package", "") for name, word in words.items()},
            {name: word.get("patch", "") for name, word in words.items()},
        )
        locale = self.given.get("locale")
        self.words = Words(language(locale if isinstance(locale, str) else "auto"))
        self.console = Console(self.words, self.quiet, self.verbose)
        self.default_target = self.catalogue.default_target
        self.project = Project()
        # By the identity of a file's settings, which are shared by all files that the same configuration governs.
        self._resolved: dict[int, Settings] = {}
        self._engines: dict[int, Engine] = {}
        self._noted: set[str] = set()
        self._named: dict[str, str] = {}

    def files(self, paths: Sequence[str]) -> list[File]:
        """The files that may have findings; all have been read once, for that and for what they say of the project."""
        found = discover(paths or ["."], self.configuration.settings_for)
        for problem in found.problems:
            self.fail(problem)
        self.console.left_out(found.skipped)
        if found.files:
            self._speak(found.files[0].settings)
        for file in found.files:
            if id(file.settings) not in self._resolved:
                self._resolve(file)
        guess = _Guess(self.catalogue, self._resolved, self.default_target)
        look = survey(found.files, self.modules, guess.concerns)
        for problem in look.problems:
            self.fail(problem)
        self.project = look.project
        self._look_for_constants(look)
        self.read += len(look.files)
        groups = {id(file.settings): file.settings for file in look.files}
        right = {key for key, settings in groups.items() if guess.holds(self.engine_for(settings), key)}
        return [file for file in look.files if id(file.settings) not in right or file.path not in look.silent]

    def reads_standard_input(self, paths: Sequence[str], name: str | None) -> bool:
        """Whether the text comes from standard input (under `name`); a usage error if that does not fit the paths."""
        if STDIN in paths and len(paths) > 1:
            raise click.UsageError("`-` (standard input) does not go together with files")
        if name and STDIN not in paths:
            raise click.UsageError("--stdin-filename goes with `-`")
        return STDIN in paths

    def standard_input(self, name: str | None) -> tuple[File, bytes]:
        """The text on standard input as a file called `name`, which alone decides what the project is."""
        if sys.stdin is None:  # closed
            raise Failure(say("there is no standard input", "没有标准输入"))
        data = sys.stdin.buffer.read()
        path = name or STDIN
        settings = self.configuration.settings_for(str((Path.cwd() / path).parent))
        self._speak(settings)
        scanner = Scanner(self.modules)
        scanner.add(data)
        self.project = scanner.project()
        self.read += 1
        file = File(path, settings, True)
        self._resolve(file)
        return file, data

    def fail(self, problem: Problem, trace: str = "") -> None:
        """Remember and print what could not be done."""
        self.problems.append(problem)
        self.console.error(problem, trace)

    def engine_for(self, settings: Settings) -> Engine:
        """The engine for files with these settings; made once for each of them."""
        engine = self._engines.get(id(settings))
        if engine is None:
            resolved = self._resolved[id(settings)]
            target = self._target(resolved)
            engine = self._engines[id(settings)] = Engine(self.catalogue, target, resolved, self.project)
        return engine

    def _resolve(self, file: File) -> None:
        """Fill in what the settings of a file leave open: the language, and the version of PyTorch."""
        settings = replace(file.settings, locale=self.words.locale)
        if settings.torch_version is None and (found := required_torch(str(Path(file.path).parent))):
            settings = replace(settings, torch_version=found.version)
            if self.verbose:
                self._note(self.words("torch", found.version, found.path))
        self._resolved[id(file.settings)] = settings

    def _target(self, settings: Settings) -> str:
        if settings.target:
            return settings.target
        imported = sorted(self.project.plugins | self.project.shims)
        if len(imported) > 1:
            raise Failure(_which(imported, self.modules))
        if imported:
            package = self.modules.packages[imported[0]]
            if imported[0] not in self.project.plugins:
                package = self.modules.shims[imported[0]]
            self._note(self.words("target found", imported[0], package))
            return imported[0]
        if len(self._named) == 1:
            ((target, line),) = self._named.items()
            self._note(self.words("target named", target, line))
            return target
        self._note(self.words("target assumed", self.default_target))
        return self.default_target

    def _look_for_constants(self, look: Survey) -> None:
        """Where neither a setting nor an import says what the project runs on, a constant may."""
        decided = look.project.plugins or look.project.shims
        if decided or all(settings.target for settings in self._resolved.values()):
            return
        words = {name: d["words"] for name, d in self.catalogue.declarations.items()}
        own = {name: (word.get("device", ""), word.get("ccl", "")) for name, word in words.items()}
        self._named = named_targets((f.path for f in look.files if f.path not in look.silent), own)
        self.project = replace(self.project, constants=frozenset(self._named))

    def _speak(self, settings: Settings) -> None:
        """Take the language of the configuration, now that there is one; the command line is part of it."""
        self.words = self.console.words = Words(language(settings.locale))

    def _note(self, text: str) -> None:
        if text not in self._noted:
            self._noted.add(text)
            self.console.note(text)


class _Guess:
    """Looks at files before it is known what the project is: as if it used no shim and the default target.

    Nearly always that turns out right, and files without findings need not be read again.
    """

    def __init__(self, catalogue: Catalogue, resolved: Mapping[int, Settings], target: str) -> None:
        self._catalogue = catalogue
        self._target = target
        self._resolved = resolved
        self._engines: dict[int, Engine] = {}

    def concerns(self, file: File, data: bytes) -> bool:
        """Whether a file may have findings."""
        key = id(file.settings)
        engine = self._engines.get(key)
        if engine is None:
            settings = self._resolved[key]
            engine = self._engines[key] = Engine(self._catalogue, settings.target or self._target, settings)
        return engine.concerns(data)

    def holds(self, engine: Engine, key: int) -> bool:
        """Whether `engine`, which knows the project, would have said the same; `key`: of the settings."""
        shim = engine.settings.strategy == "auto" and engine.target.id in engine.project.shims
        return not shim and self._engines[key].target.id == engine.target.id


def _which(imported: Sequence[str], modules: ModuleWords) -> str:
    names = " and ".join(modules.packages[target] for target in imported)
    choices = " or ".join(f"--target {target}" for target in imported)
    return say(
        f"the project imports {names}; choose with {choices}, or with `target` in uncuda.toml or [tool.uncuda]",
        f"项目同时导入了 {names}；请用 {choices} 选择，或在 uncuda.toml 或 [tool.uncuda] 中设置 `target`",
    )


def choose(what: str, value: str, choices: Sequence[str]) -> str:
    """`value` if it is one of `choices`; otherwise a usage error that suggests the nearest."""
    if value not in choices:
        raise click.UsageError(f"unknown {what} `{value}`{hint(value, choices)}")
    return value


def fails(findings: Iterable[Finding], settings: Settings) -> bool:
    """Whether a finding is as grave as the settings' `fail-level`."""
    grave = SEVERITIES[: SEVERITIES.index(settings.fail_level) + 1]
    return any(finding.severity in grave for finding in findings)
