"""Chooses the engine for each file of a project, after all files were searched for facts about the project."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from uncuda.catalogue import Catalogue, Versions, around, same_version
from uncuda.catalogue.ranges import release
from uncuda.checks.missing_shim import is_projects
from uncuda.engine import Engine
from uncuda.engine.several import PortableEngine, make_engine
from uncuda.project import Helper, Project
from uncuda.settings import Settings, shown

from .backends import neighbours
from .choice import Chosen, choose
from .constants import Constants
from .discover import File
from .own_helper import own_helpers
from .patched import carried
from .portable import root_of
from .requirements import TORCH, Holds, Requirements
from .scan import Read, Scanner, Survey, read_text, survey
from .versions import Taken
from .words import Words

if TYPE_CHECKING:
    from .workers import Workers

Note = Callable[..., None]


class UndecidedTarget(Exception):
    """Raised if the project imports the plugins of several targets and no setting names one. `targets`: the ids of the
    targets whose plugins the project imports."""

    def __init__(self, targets: Sequence[str]) -> None:
        super().__init__(" or ".join(targets))
        self.targets = tuple(targets)


class _Group(NamedTuple):
    """Files with the same settings and the same required versions. `given` contains the settings as they were found;
    `settings` differs from them only in the language of messages."""

    given: Settings
    settings: Settings
    holds: Holds


class Engines:
    """The engine for each file; files with the same settings and required versions share an engine.

    `note(key, *values)` is called for each decision, with a key of messages/reports.py and its values, such as "target
    found" (target, module) or "table older" (package, version, version of the table that is used instead). `locale`:
    the language of messages, "en" or "zh".
    """

    def __init__(self, catalogue: Catalogue, note: Note = lambda key, *values: None, locale: str = "en") -> None:
        self.catalogue = catalogue
        self.modules = Words.of_catalogue(catalogue)
        self.project = Project()
        self.locale = locale
        self._note = note
        self._constants = Constants(self.modules.devices)
        self._named: dict[str, str] = {}
        self._requirements = Requirements(self.modules.packages.values(), lambda why: self._note("note", why))
        # The keys of the following four dictionaries are the id() of a file's settings.
        self._groups: dict[int, _Group] = {}
        self._split: dict[int, list[_Group]] = {}
        self._guesses: dict[int, Engine] = {}
        self._engines: dict[int, tuple[Engine, Taken]] = {}
        self._used: set[int] = set()
        self._paths: list[tuple[str, Settings]] = []  # files that are fixed with the strategy `portable`
        self._otherwise: dict[tuple[int, str, str], Engine] = {}
        self._looked: Sequence[File] = ()
        self._read: Read = read_text
        self._replaced = False  # whether to find out which names that tests replace move with the code under test

    def survey(self, files: Sequence[File], read: Read = read_text, workers: Workers | None = None) -> Survey:
        """Read every file once, to collect facts about the project and to find out whether the file may have findings.
        `workers`: the processes that read the files; None if this process reads them."""
        admitted = [self._admit(file) for file in files]
        if workers is not None:
            look, self._named = workers.survey(admitted, self._guess, not self._is_set())
        else:
            look = survey(admitted, self.modules, self._may_concern if self._is_set() else self._look, read)
        self.project = look.project
        self._looked, self._read, self._replaced = look.files, read, bool(look.project.patching)
        return look

    def worth(self, look: Survey) -> list[File]:
        """Return the files of a survey that may have findings; raise UndecidedTarget if the project imports the plugins
        of several targets and no setting names a target."""
        groups = dict.fromkeys(id(file.settings) for file in look.files)
        right = {key for key in groups if self._guessed_right(self._engine(key)[0], key)}
        return [file for file in look.files if id(file.settings) not in right or file.path not in look.silent]

    def alone(self, file: File, data: bytes) -> None:
        """Prepare the check of a single file that is not in a folder; its project consists only of this file."""
        scanner = Scanner(self.modules)
        scanner.add(data, path=file.path)
        self.project = scanner.project({file.path, *neighbours(file.path)})
        self._admit(file)
        if not self._is_set():
            self._look_for_constants(data)

    def known_for(self, settings: Settings) -> Engine:
        """Return the same engine as `engine_for`, without calling `note`."""
        return self._engine(id(settings))[0]

    def engine_for(self, settings: Settings) -> Engine:
        """The engine for files with these settings, which is created only once. Raises UndecidedTarget if the project
        imports the plugins of several targets and no setting names a target."""
        key = id(settings)
        engine, taken = self._engine(key)
        if key not in self._used:
            self._used.add(key)
            self._note_versions(engine, taken, self._groups[key])
        return engine

    def for_target(self, settings: Settings, target: str, version: str = "") -> Engine:
        """Return the engine for files with these settings, but for another target or another version of its plugin.

        With a `version`, the PyTorch version is the one that this plugin version is made for, not the configured one.
        """
        own, given = self.known_for(settings), self._groups[id(settings)].settings
        if target == own.target.id and not version and not given.portable:
            return own
        key = id(settings), target, version
        if key not in self._otherwise:
            torch = None if version else given.torch_version
            hardware = given.hardware if target == own.target.id else None
            strategy = "rewrite" if given.portable else given.strategy
            asked = replace(
                given, target=target, target_version=version or None, torch_version=torch, strategy=strategy
            )
            group = self._groups[id(settings)]._replace(settings=replace(asked, hardware=hardware))
            chosen = self._choose(group, self.project, self._named)
            engine = _same(self._otherwise.values(), target, chosen.settings)
            self._otherwise[key] = engine or Engine(self.catalogue, target, chosen.settings, self.project)
        return self._otherwise[key]

    def later_versions(self, target: str, version: str) -> tuple[str, ...]:
        """Return the versions of a target's plugin that have tables and are later than `version`.

        If `version` is a range, the versions later than its oldest version are returned.
        """
        known = self.catalogue.target(target).versions
        now = around(Versions.of(version), known)
        return tuple(other for other in known if now and release(other) > release(now[0]))

    def _engine(self, key: int) -> tuple[Engine, Taken]:
        if self._replaced:
            self._replaced = False
            self._look_under_test()
        known = self._engines.get(key)
        if known is None:
            group = self._groups[key]
            chosen = self._choose(group, self.project, self._named)
            if chosen.among:
                raise UndecidedTarget(chosen.among)
            self._note_target(chosen)
            target, settings, taken = chosen.target, chosen.settings, chosen.taken
            guess = self._guesses.get(key)
            engine = _same([engine for engine, _ in self._engines.values()], target, settings, chosen.helper)
            if engine is None:
                fits = guess is not None and guess.target.id == target
                project = replace(self.project, helper=chosen.helper) if chosen.helper else self.project
                new = guess.knowing(project) if fits and guess else None
                engine = new or make_engine(self.catalogue, target, settings, project)
            known = self._engines[key] = engine, taken
            if target in self.project.served:
                self._note("serves several")
        return known

    def _look_under_test(self) -> None:
        """Find out which names that tests replace move with the code under test, and let all engines know."""
        own = {key: self._engine(key)[0] for key in dict.fromkeys(id(file.settings) for file in self._looked)}
        every = {file.path: own[id(file.settings)] for file in self._looked}
        engines = {path: engine for path, engine in every.items() if not isinstance(engine, PortableEngine)}
        if found := carried(engines, self.project.patching, self._read):
            self.project = replace(self.project, carried=found)
            knowing = {engine: engine.knowing(self.project) for engine in {*engines.values()}}
            self._engines = {
                key: (knowing.get(engine, engine), taken) for key, (engine, taken) in self._engines.items()
            }

    def _admit(self, file: File) -> File:
        """Add a file to the group of files with the same settings and required versions; return the file with the
        settings object of its group. If files with one settings object require different versions, they are in
        several groups: the first group keeps the object, and each other group gets a copy of it."""
        found = self._grouped(file)
        if found.settings.portable:
            self._paths.append((found.path, found.settings))
        return found

    def _grouped(self, file: File) -> File:
        holds = self._requirements.of(os.path.dirname(file.path))  # noqa: PTH120
        split = self._split.setdefault(id(file.settings), [])
        for group in split:
            if group.holds is holds or _versions(group.holds) == _versions(holds):
                return file if group.given is file.settings else file._replace(settings=group.given)
        given = replace(file.settings) if split else file.settings
        group = _Group(given, replace(given, locale=self.locale), holds)
        split.append(group)
        self._groups[id(given)] = group
        return file if given is file.settings else file._replace(settings=given)

    def _choose(self, group: _Group, project: Project, named: dict[str, str]) -> Chosen:
        root = self._root(group) if group.settings.portable else ""
        return choose(self.catalogue, self.modules, group.settings, project, group.holds, named, root)

    def _root(self, group: _Group) -> str:
        """The folder that contains the files of a group."""
        return root_of([path for path, settings in self._paths if settings is group.given])

    def _note_target(self, chosen: Chosen) -> None:
        if chosen.note:
            key, *values = chosen.note
            self._note(key, *values[:-1], shown(Path(values[-1])) if key == "target asked for" else values[-1])

    def _note_versions(self, engine: Engine, taken: Taken, group: _Group) -> None:
        """Call `note` for the chosen versions, unless a setting names them. If the chosen versions are newer or
        older than all versions with a table of APIs, also call `note` for the version whose table is used instead."""
        if isinstance(engine, PortableEngine):
            helper = engine.project.helper
            modules = [one.module for one in (*helper.others, helper)] if helper else []
            key = "portable packages" if len(modules) > 1 else "portable"
            self._note(key, ", ".join(engine.plugins), ", ".join(modules))
            if helper is not None and group.settings.portable_helper is None:
                self._offer(helper, engine)
            return
        if taken.versions and taken.why != "set":
            key, values = taken.note
            self._note(key, *values[:-1], shown(Path(values[-1])))
        if (torch := engine.settings.torch_version) and not group.settings.torch_version:
            self._note("torch", torch, shown(Path(group.holds[TORCH].path)))
        target, versions = engine.target, Versions.of(taken.versions)
        if not target.has_tables:
            self._note("no tables", target.title)
        tables = around(versions, target.versions)
        exact = versions.exact
        if len(tables) == 1 and not (same_version(exact, tables[0]) if exact else versions.holds(tables[0])):
            key = "table newer" if versions.may("<", tables[0]) else "table older"
            self._note(key, target.words["package"], target.version, tables[0])

    def _offer(self, helper: Helper, engine: PortableEngine) -> None:
        """Call `note` if the helper module does not exist yet, and the project has a module of its own that could be
        used instead."""
        for own in own_helpers(helper, [part.target for part in engine.parts]):
            self._note("helper found", own.module, own.settings)

    def _is_set(self) -> bool:
        """Whether a setting names the target for all files; then the target need not be found out from constants in the
        files."""
        return all(group.settings.target for group in self._groups.values())

    def _look(self, file: File, data: bytes) -> bool:
        """Search a file for constants that name a target, and return whether the file may have findings."""
        self._look_for_constants(data)
        return self._may_concern(file, data)

    def _look_for_constants(self, data: bytes) -> None:
        self._named = self._constants.known(self._named, data)

    def _may_concern(self, file: File, data: bytes) -> bool:
        """Return whether a file may have findings, according to the engine that `_guess` returns."""
        return self._guess(file.settings).concerns(data)

    def _guess(self, settings: Settings) -> Engine:
        """Return the engine for files with these settings, before the facts about the project are known.

        The guess assumes that the project has no shim, i.e. no runtime patch such as transfer_to_npu. The guessed
        target is the one that a setting names or whose plugin the project requires; if there is neither a setting nor a
        required plugin, the default target. After the whole project has been read, the engine that is finally chosen
        nearly always equals the guessed one; then files without findings need not be read again.
        """
        key = id(settings)
        engine = self._guesses.get(key)
        if engine is None:
            chosen = self._choose(self._groups[key], Project(), {})
            target, settings = chosen.target, chosen.settings
            engine = _same(self._guesses.values(), target, settings) or make_engine(self.catalogue, target, settings)
            self._guesses[key] = engine
        return engine

    def _guessed_right(self, engine: Engine, key: int) -> bool:
        """Return whether `_guess` assumed the right target, and was right that the project has no shim. `engine`: the
        engine that was chosen after the whole project had been read; `key`: the id of the settings."""
        shim = engine.settings.strategy == "auto" and is_projects(engine.project, engine.target)
        return not shim and self._guesses[key].target.id == engine.target.id


def _versions(holds: Holds) -> dict[str, Versions]:
    return {name: held.versions for name, held in holds.items()}


def _same(engines: Iterable[Engine], target: str, settings: Settings, helper: Helper | None = None) -> Engine | None:
    """Return one of the engines that has this target, these settings and this helper module; None if there is none."""
    alike = (one for one in engines if one.target.id == target and one.project.helper == helper)
    return next((engine for engine in alike if engine.settings == settings), None)
