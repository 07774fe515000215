"""What files are checked for: one choice of target and versions, for the command line, the server and its processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from uncuda.catalogue import Catalogue
from uncuda.engine.several import portable_targets
from uncuda.project import Helper, Project
from uncuda.settings import Settings

from .portable import helper_of
from .requirements import Holds
from .versions import Taken, pinned_target, settled
from .words import Words

_ASSUMED = "target assumed"


@dataclass(frozen=True)
class Chosen:
    """The target of files, and the versions to check for."""

    target: str
    settings: Settings
    """Those of the files, with the versions that hold for the target."""
    taken: Taken
    """The versions of the target's plugin, and what says so."""
    note: tuple[str, ...] = ()
    """The key and the values of the words that say why it is this target; empty where a setting names it."""
    among: tuple[str, ...] = ()
    """The targets that the project imports, where nothing chooses among them: `target` is one of them, for display."""
    helper: Helper | None = None
    """The module that a portable project asks."""

    @property
    def assumed(self) -> bool:
        """Whether nothing names the target, or too much does."""
        return bool(self.among) or self.note[:1] == (_ASSUMED,)


def choose(
    catalogue: Catalogue,
    words: Words,
    settings: Settings,
    project: Project,
    holds: Holds,
    named: Mapping[str, str],
    root: str = "",
) -> Chosen:
    """The choice for the files with these settings.

    `holds`: what the project asks for, where the files are; `named`: the targets that a constant of the project names,
    each with its line; `root`: the folder of a portable project.
    """
    if settings.portable:
        first = portable_targets(catalogue, settings)[0]
        versions, taken = settled(settings, catalogue, first, holds)
        helper = helper_of(settings, root)
        return Chosen(first, replace(versions, target_version=None), taken, helper=helper)
    target, note, among = _target(catalogue, words, settings, project, holds, named)
    versions, taken = settled(settings, catalogue, target, holds)
    return Chosen(target, versions, taken, note, among)


def _target(
    catalogue: Catalogue,
    words: Words,
    settings: Settings,
    project: Project,
    holds: Holds,
    named: Mapping[str, str],
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """A setting, an import, what is asked for, a constant: the first that names one target. With why, and among which
    nothing chooses."""
    default = catalogue.default_target
    if settings.target:
        return settings.target, (), ()
    imported = tuple(sorted(project.says))
    if len(imported) > 1:
        return (default if default in imported else imported[0]), (), imported
    if imported:
        return imported[0], _found(words, project, imported[0]), ()
    if asked := pinned_target(words.packages, holds):
        return asked[0], ("target asked for", *asked), ()
    if len(named) == 1:
        ((target, line),) = named.items()
        return target, ("target named", target, line), ()
    return default, (_ASSUMED, default), ()


def _found(words: Words, project: Project, target: str) -> tuple[str, ...]:
    """The note that says by what a target was found."""
    if target in project.plugins:
        return "target found", target, words.packages[target]
    if target in project.shims:
        return "target found", target, words.shims[target]
    return "target switched", target, words.variables[target]
