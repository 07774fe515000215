"""Chooses the target and the versions for which files are checked, for the command line, the server and its
processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from uncuda.catalogue import Catalogue
from uncuda.engine.several import portable_targets
from uncuda.project import Helper, Project
from uncuda.settings import Settings

from .portable import helper_of
from .requirements import TORCH, Holds
from .versions import Taken, pinned_target, settled
from .words import Words

_ASSUMED = "target assumed"


class Chosen(NamedTuple):
    """The target for which files are checked, and the versions of its plugin and of PyTorch."""

    target: str
    settings: Settings
    """The settings of the checked files, with the chosen versions of the target's plugin and of PyTorch."""
    taken: Taken
    """The chosen versions of the target's plugin, and the source that states them."""
    note: tuple[str, ...] = ()
    """(key, values) of the message that says why this target was chosen; () if a setting names the target."""
    among: tuple[str, ...] = ()
    """The targets whose plugins the project imports, if there are several and no setting names one; `target` is then
    only for display."""
    helper: Helper | None = None
    """With the strategy `portable`: the module whose functions the fixes call."""

    @property
    def assumed(self) -> bool:
        """Whether the target is only assumed, because neither a setting nor the project names a target, or because the
        project names several."""
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
    """Choose the target and versions for the files with these settings.

    `holds` maps packages to the versions that the project requires. `named` maps each target that a constant of the
    project names to the line of the constant. `root` is the folder of a portable project.
    """
    if settings.portable:
        first = portable_targets(catalogue, settings)[0]
        versions, taken = settled(settings, catalogue, first, holds)
        held = holds.get(TORCH)
        torch = settings.torch_version or (str(held.versions) if held else "")
        helper = replace(helper_of(settings, root), torch=torch)
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
    """Return the target, and the fields `note` and `among` of Chosen. The target comes from the first of these sources
    that names one: a setting, an import, a requirement, a constant."""
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
    """Return the note that says which import or variable named the target."""
    if target in project.plugins:
        return "target found", target, words.packages[target]
    if target in project.shims:
        return "target found", target, words.shims[target]
    return "target switched", target, words.variables[target]
