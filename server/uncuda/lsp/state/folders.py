"""Workspace folders, their settings, and the engine for each document."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uncuda.catalogue import Catalogue, load
from uncuda.engine import Engine
from uncuda.engine.several import make_engine, portable_targets
from uncuda.messages import language
from uncuda.project import Helper, Project
from uncuda.report.words import Words, baseline_problem
from uncuda.settings import Configuration, EditorSettings, Settings, SettingsError, Vocabulary, read_editor, values_of
from uncuda.workspace import Chosen, Requirements, baseline_beside, choose, reach
from uncuda.workspace import Words as ModuleWords
from uncuda.workspace.own_helper import own_helpers

from ..wire.client import Client
from ..wire.logs import logger
from ..wire.texts import Texts
from .choice import PORTABLE, Choice
from .documents import Document, Program
from .roots import Folder, folders_of

if TYPE_CHECKING:
    from uncuda.workspace.baseline import BaselineError

_LIBRARIES = ("site-packages", "dist-packages")
_KEPT = 3
"""How many unused engines are kept, with the texts that they have read, in case their settings are used again."""


@dataclass(frozen=True)
class KnownFolder:
    """A workspace folder in a form that can be sent to another process; the fields are those of `Folder`."""

    uri: str
    path: str
    editor: EditorSettings
    project: Project


@dataclass(frozen=True)
class Known:
    """The data from which another process can choose the engine for each file. `override`: the target to which the user
    switched."""

    client: Client
    folders: tuple[KnownFolder, ...]
    override: str | None


class Folders:
    """Determines the folder, settings and engine of each document.

    `tell` is called once for each problem in settings. `catalogue`: the rules and targets.
    """

    def __init__(
        self, client: Client, params: Mapping[str, Any], tell: Callable[[str], object] = lambda text: None
    ) -> None:
        self.client = client
        self.all = list(folders_of(params))
        self.catalogue: Catalogue = load()
        self.vocabulary = Vocabulary(tuple(self.catalogue.declarations), tuple(self.catalogue.rules))
        self.override: str | None = None
        self.alone: dict[str, Project] = {}
        """Maps the URI of each document outside of all folders to a project of its own."""
        self.outside = Folder("", "")
        self._tell = tell
        self._told: dict[str, str] = {}
        self._offered: set[str] = set()
        """Paths of those helper modules for which the project has already been searched for an equivalent module."""
        self._unknown: set[str] = set()
        self._noted: set[str] = set()
        self._configurations: dict[str, Configuration] = {}
        self._engines: list[tuple[Settings, str, Project, Engine]] = []
        self._choices: dict[str, Choice] = {}
        self._words = ModuleWords.of(self.catalogue.declarations)
        self._requirements = self._new_requirements()
        options = params.get("initializationOptions")
        self._initial: object = options.get("settings") if isinstance(options, dict) else None
        self.set_editor({})

    def folder_of(self, path: str) -> Folder | None:
        """The innermost folder that contains a path."""
        inside = [folder for folder in self.all if path and folder.holds(path)]
        return max(inside, key=lambda folder: len(folder.path), default=None)

    def editor_of(self, program: Program) -> EditorSettings:
        """Return the editor's settings for a document."""
        return (self._folder(program) or self.outside).editor

    def known(self) -> Known:
        """Return the folders and settings in a form that can be sent to another process."""
        folders = (KnownFolder(folder.uri, folder.path, folder.editor, folder.project) for folder in self.all)
        return Known(self.client, tuple(folders), self.override)

    @classmethod
    def of_known(cls, known: Known) -> Folders:
        """Return a Folders object with the folders and settings that the server sent to this process."""
        made = cls(known.client, {})
        made.all = [Folder(one.uri, one.path, editor=one.editor, project=one.project) for one in known.folders]
        made.override = known.override
        return made

    def add(self, folders: Iterable[Folder]) -> None:
        """Add folders to the workspace."""
        for folder in folders:
            folder.editor = read_editor(self._initial, self.vocabulary)
            self.all.append(folder)
        self.reload()

    def set_editor(self, tables: Mapping[str, object]) -> bool:
        """Set the editor's settings; the keys of `tables` are URIs of folders, or "" for the settings without a folder;
        missing settings are filled from initializationOptions. Return whether any setting changed."""
        changed = False
        wrong: dict[str, None] = {}
        unknown: dict[str, None] = {}
        for folder in (*self.all, self.outside):
            raw = tables.get(folder.uri)
            editor = read_editor(raw if raw and isinstance(raw, dict) else self._initial, self.vocabulary)
            changed |= editor != folder.editor
            folder.editor = editor
            wrong |= dict.fromkeys(editor.problems)
            unknown |= dict.fromkeys(editor.unknown)
        self.tell_once("", "; ".join(wrong))
        for key in unknown.keys() - self._unknown:
            logger.warning("unknown setting %s", key)
        self._unknown = set(unknown)
        if changed:
            self.reload()
        return changed

    def tell_once(self, place: str, problem: str) -> None:
        """Report a problem in the file `place`, or in the editor's settings if `place` is ""; a problem equal to the
        last one reported for that file is not reported again."""
        if self._told.get(place, "") != problem:
            self._told[place] = problem
            if problem:
                self._tell(problem)

    def reload(self) -> None:
        """Forget configuration files, so that they are read again when they are needed."""
        self._configurations.clear()
        self._requirements = self._new_requirements()
        self.forget()

    def forget(self) -> None:
        """Forget all choices of settings and engines, so that they are computed again."""
        self._choices.clear()

    def stand_alone(self, program: Program, project: Project) -> bool:
        """Set the project of a document outside of all folders; return whether it changed."""
        if self.alone.get(program.uri, Project()) == project:
            return False
        self.alone[program.uri] = project
        self._choices.pop(program.uri, None)
        return True

    def finds(self, path: str, folder: Folder) -> bool:
        """Return whether a file is among the files that are checked in a folder."""
        return reach(path, folder.path, lambda place: self.settings_for(place, folder)) is not None

    def drop(self, uri: str) -> None:
        """Forget the settings and engine of a closed document."""
        self._choices.pop(uri, None)
        self.alone.pop(uri, None)

    def over(self, folder: Folder) -> dict[str, object]:
        """Return the editor's settings, in kebab-case, that override the configuration files of a folder."""
        if self.override == PORTABLE:
            return {
                **{key: value for key, value in folder.editor.over.items() if key != "target"},
                "strategy": PORTABLE,
            }
        target = {"target": self.override} if self.override else {}
        return {**folder.editor.over, **target}

    def under(self, folder: Folder) -> dict[str, object]:
        """Return the editor's settings, in kebab-case, that the configuration files of a folder override."""
        return dict(folder.editor.under)

    def configuration(self, folder: Folder) -> Configuration:
        """Return the configuration of a folder, from which the settings of each subfolder are read."""
        known = self._configurations.get(folder.path)
        if known is None:
            root = folder.path or os.curdir
            over = values_of(self.over(folder), root, self.vocabulary)
            under = values_of(self.under(folder), root, self.vocabulary)
            known = self._configurations[folder.path] = Configuration(self.vocabulary, over, under=under)
        return known

    def settings_for(self, place: str, folder: Folder | None = None) -> Settings:
        """Return the settings for files in the folder at `place` ("" for a document without a file).

        If the configuration file is invalid, the error is reported, and only the editor's settings apply.
        """
        folder = folder or self.folder_of(place) or self.outside
        if place:
            configuration = self.configuration(folder)
            try:
                settings = configuration.settings_for(place)
                if file := configuration.file_for(place):
                    self._told.pop(file, None)
            except SettingsError as error:
                self.tell_once(str(Path(error.path).absolute()), str(error))
            else:
                return settings
        table = {**self.under(folder), **self.over(folder)}
        values: dict[str, Any] = values_of(table, folder.path or os.curdir, self.vocabulary)
        return Settings(**values)

    def baseline_at(self, place: str, folder: Folder | None) -> str:
        """Return the path of the baseline for files in the folder at `place`: beside their configuration file, else in
        the workspace folder; "" if there is neither. The baseline need not exist."""
        try:
            file = self.configuration(folder or self.outside).file_for(place)
        except SettingsError:  # the error in the configuration file was already reported with its line
            return ""
        return baseline_beside(file, folder.path if folder else "")

    def tell_of_baseline(self, error: BaselineError) -> None:
        """Report why a baseline is unusable, once for each reason."""
        self.tell_once(error.place, baseline_problem(error, self.language()))

    def choice_of(self, program: Program) -> Choice:
        """Return the settings with which a document is checked; they are cached until `forget` or `drop` removes
        them."""
        choice = self._choices.get(program.uri)
        if choice is None:
            choice = self._choices[program.uri] = self._choose(program)
        return choice

    def choice_at(self, folder: Folder) -> Choice:
        """The settings with which files directly in a workspace folder are checked."""
        engine, settings, chosen = self.engine_at(folder.path, folder, folder.project)
        return Choice(folder, settings, engine, chosen, left_out=False)

    def engine_of(self, program: Program) -> Engine:
        """Return the engine that checks a document."""
        return self.choice_of(program).engine

    def language(self, locale: str = "auto") -> str:
        """Return "en" or "zh" for the value of the setting `locale`; "auto" means the client's language, or, if the
        client does not name it, the language of the operating system."""
        return language(self.client.language if locale == "auto" else locale)

    def title_of(self, target: str, locale: str) -> str:
        """Return the display name of a target, or of portable source for all targets."""
        if target == PORTABLE:
            return Texts(locale)("portable", ", ".join(self._devices))
        return str(self.catalogue.declarations[target]["title-zh" if locale == "zh" else "title"])

    def titles_of(self, targets: Iterable[str], locale: str) -> str:
        """The titles of several targets in a language, comma-separated."""
        return ", ".join(self.title_of(target, locale) for target in targets)

    @property
    def _devices(self) -> list[str]:
        """Return the display names of the devices for which portable source is written by default."""
        targets = portable_targets(self.catalogue, Settings())
        return [self.catalogue.target(target).words["DEVICE"] for target in targets]

    @property
    def choices(self) -> tuple[str, ...]:
        """Return the values among which a user can choose: the targets, and portable source for all targets."""
        return (*self.catalogue.declarations, PORTABLE)

    def in_order(self, first: str, among: Iterable[str] = ()) -> tuple[str, ...]:
        """Return targets in the order in which they are offered, with `first` (the current choice) at the beginning; if
        `among` is empty, all targets and portable source."""
        return tuple(sorted(among or self.choices, key=lambda target: target != first))

    def said_in_file(self, place: str) -> str | None:
        """Return the target that a configuration file names for the folder at `place`, or the value for all targets,
        even if the user has switched to another target."""
        try:
            return _aim(Configuration(self.vocabulary).settings_for(place))
        except SettingsError:
            return None

    def otherwise(self, target: str) -> str | None:
        """Return the first configuration file of a workspace folder that sets a target other than `target`."""
        said = (folder for folder in self.all if self.said_in_file(folder.path) not in (None, target))
        return next((Configuration(self.vocabulary).file_for(folder.path) for folder in said), None)

    def switch(self, target: str) -> str | None:
        """Check all files for `target` until the server ends; returns the first configuration file that names another
        target. Raises KeyError for an unknown target."""
        if target not in self.choices:
            raise KeyError(target)
        self.override = None
        self.reload()
        files = [self._otherwise(folder, target) for folder in self.all]
        self.override = target
        self.reload()
        return next((file for file in files if file), None)

    def _otherwise(self, folder: Folder, target: str) -> str | None:
        """Return the configuration file that names a target other than `target` for a folder; None if there is none."""
        configuration = self.configuration(folder)
        try:
            said = _aim(configuration.settings_for(folder.path))
            return configuration.file_for(folder.path) if said not in (None, target) else None
        except SettingsError:
            return None

    def _folder(self, program: Program) -> Folder | None:
        """Return the folder of a document; an untitled document belongs to the first folder."""
        return self.folder_of(program.path) if program.path else next(iter(self.all), None)

    def engine_at(self, place: str, folder: Folder | None, project: Project) -> tuple[Engine, Settings, Chosen]:
        """Return the engine for files in the folder at `place`, its settings, and how the target was chosen."""
        settings = self.settings_for(place, folder)
        holds = self._requirements.of(place) if place else {}
        named = dict.fromkeys(project.constants, "")
        root = self._root(place, folder) if settings.portable else ""
        chosen = choose(self.catalogue, self._words, settings, project, holds, named, root)
        resolved = replace(chosen.settings, locale=self.language(settings.locale))
        if chosen.helper is not None:
            project = replace(project, helper=chosen.helper)
        return self._engine(resolved, chosen.target, project), resolved, chosen

    def _root(self, place: str, folder: Folder | None) -> str:
        """Return the root folder of a portable project: the folder of its configuration file, otherwise the workspace
        folder."""
        if folder is None:
            return place
        file = self.configuration(folder).file_for(place)
        return os.path.dirname(file) if file and folder.holds(file) else folder.path  # noqa: PTH120

    def _new_requirements(self) -> Requirements:
        return Requirements(self._words.packages.values(), lambda why: self.tell_once(why, why))

    def _choose(self, program: Program) -> Choice:
        folder = self._folder(program)
        place = str(Path(program.path).parent) if program.path else folder.path if folder else ""
        project = folder.project if folder and program.path else self.alone.get(program.uri, Project())
        engine, settings, chosen = self.engine_at(place, folder, project)
        baseline = self.baseline_at(place, folder) if program.path else ""
        choice = Choice(folder, settings, engine, chosen, self._left_out(program, folder), baseline)
        if not choice.left_out and chosen.helper is not None and settings.portable_helper is None:
            self._offer(chosen.helper, settings)
        if not choice.left_out and (note := choice.no_tables("en")) and note not in self._noted:
            self._noted.add(note)
            logger.warning(note)
        return choice

    def _offer(self, helper: Helper, settings: Settings) -> None:
        """Notify the user, once, if the project has a module that can be used instead of uncuda's helper module."""
        if helper.path in self._offered:
            return
        self._offered.add(helper.path)
        targets = [self.catalogue.target(one) for one in portable_targets(self.catalogue, settings)]
        for own in own_helpers(helper, targets):
            self.tell_once(own.module, Words(self.language(settings.locale))("helper found", own.module, own.settings))

    def _engine(self, settings: Settings, target: str, project: Project) -> Engine:
        for known in self._engines:
            if known[:3] == (settings, target, project):
                self._engines.remove(known)
                break
        else:
            known = settings, target, project, make_engine(self.catalogue, target, settings, project, remember=16)
        used = {id(choice.engine) for choice in self._choices.values()}
        idle = [engine for engine in self._engines if id(engine[3]) not in used][:-_KEPT]
        self._engines = [engine for engine in self._engines if engine not in idle] + [known]
        return known[3]

    def _left_out(self, program: Program, folder: Folder | None) -> bool:
        """Return whether a document is not checked: it is not Python, is excluded, or belongs to an installed
        library."""
        if isinstance(program, Document) and not program.is_python:
            return True
        if not program.path:
            return False
        if folder is None:
            return any(f"{os.sep}{name}{os.sep}" in program.path for name in _LIBRARIES)
        return reach(program.path, folder.path, lambda place: self.settings_for(place, folder), git=False) is None


def _aim(settings: Settings) -> str | None:
    """Return the target that the settings name, PORTABLE if they choose portable source for all targets, None if they
    choose nothing."""
    return PORTABLE if settings.portable else settings.target
