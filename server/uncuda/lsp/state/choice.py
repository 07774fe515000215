"""What a program is checked with: its folder, settings and engine, and which target and versions were taken for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from uncuda.catalogue import Catalogue
from uncuda.engine import Engine
from uncuda.project import Project
from uncuda.report.words import Words
from uncuda.settings import Settings
from uncuda.workspace import Holds, Taken, pinned_target

from .roots import Folder


@dataclass(frozen=True, eq=False)
class Choice:
    """What a program is checked with. `assumed`: nothing said which target; `taken`: the versions of its plugin;
    `left_out`: it is not checked at all."""

    folder: Folder | None
    settings: Settings
    engine: Engine
    assumed: bool
    taken: Taken
    left_out: bool

    def plugin(self, locale: str) -> str:
        """The versions of the plugin, and what says so, in a language."""
        key, values = self.taken.note
        return Words(locale)(key, *values) if self.taken.versions else self.taken.package


def target_of(
    catalogue: Catalogue, packages: Mapping[str, str], settings: Settings, project: Project, holds: Holds
) -> tuple[str, bool]:
    """The target of files, and whether nothing says it. `packages`: those of the targets; `holds`: what the project of
    the files asks for."""
    if settings.target:
        return settings.target, False
    said = project.says
    asked = pinned_target(packages, holds) if not said else None
    said = said or frozenset(asked[:1] if asked else project.constants)
    return (next(iter(said)), False) if len(said) == 1 else (catalogue.default_target, True)
