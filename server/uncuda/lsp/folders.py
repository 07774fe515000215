"""Workspace folders, the settings of each document, and the engines for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from uncuda.catalogue import Catalogue, load
from uncuda.engine import Engine
from uncuda.project import Project
from uncuda.settings import Configuration, Settings, Vocabulary

from .client import Client
from .documents import Program
from .uris import path_of


@dataclass
class Folder:
    """A folder of the workspace. `project`: what its files say together, as far as it is known."""

    uri: str
    path: str
    name: str = ""
    project: Project = field(default_factory=Project)


class Folders:
    """Gives each document its folder, its settings and its engine."""

    def __init__(self, client: Client, params: Mapping[str, Any]) -> None:
        self.client = client
        self.all: list[Folder] = _folders(params)
        self.catalogue: Catalogue = load()
        self.override: str | None = None
        vocabulary = Vocabulary(tuple(self.catalogue.declarations), tuple(self.catalogue.rules))
        self._configuration = Configuration(vocabulary)
        self._engines: dict[tuple[int, int, str | None], tuple[Engine, Settings, Project]] = {}

    def folder_of(self, path: str) -> Folder | None:
        """The innermost folder that holds a path."""
        inside = [folder for folder in self.all if path and Path(folder.path) in Path(path).parents]
        return max(inside, key=lambda folder: len(folder.path), default=None)

    def settings_of(self, path: str) -> Settings:
        """The settings of a file (empty: of an untitled document)."""
        folder = str(Path(path).parent) if path else self.all[0].path if self.all else str(Path.home())
        return self._configuration.settings_for(folder)

    def engine_of(self, program: Program) -> Engine:
        """The engine for a program."""
        settings = self.settings_of(program.path)
        folder = self.folder_of(program.path)
        project = folder.project if folder else Project()
        key = id(settings), id(project), self.override
        if key not in self._engines:
            target = self.override or settings.target or self.catalogue.default_target
            locale = self.client.language if settings.locale == "auto" else settings.locale
            engine = Engine(self.catalogue, target, replace(settings, locale=locale), project)
            self._engines[key] = engine, settings, project
        return self._engines[key][0]

    def switch(self, target: str) -> str | None:
        """Show everything for `target` from now on; gives the configuration file whose target this overrides."""
        self.override = target
        return None


def _folders(params: Mapping[str, Any]) -> list[Folder]:
    """The folders that `initialize` names: workspaceFolders, else rootUri, else rootPath."""
    given = params.get("workspaceFolders")
    found = []
    for item in given if isinstance(given, list) else ():
        if isinstance(item, dict) and isinstance(item.get("uri"), str) and (path := path_of(item["uri"])):
            found.append(Folder(item["uri"], path, str(item.get("name") or "")))
    if found:
        return found
    uri, path = params.get("rootUri"), params.get("rootPath")
    if isinstance(uri, str) and (place := path_of(uri)):
        return [Folder(uri, place, Path(place).name)]
    if isinstance(path, str) and path:
        return [Folder(Path(path).absolute().as_uri(), path, Path(path).name)]
    return []
