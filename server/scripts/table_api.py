"""Generates the rows of the API tables from what people decided about each name and from facts about each version of a
plugin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from scripts.plugin.compare import Fit, fit
from scripts.plugin.known import Version
from uncuda.catalogue.ranges import release

Row = tuple[str, ...]
COLUMNS = (
    *("name", "kind", "status", "replacement", "present", "since"),
    *("missing", "extra", "positions", "limits", "shim"),
)
# PyTorch's aliases for names that a patch sets, from torch/__init__.py and torch/amp/__init__.py.
ALIASES = dict.fromkeys(("torch.autocast", "torch.amp.autocast"), "torch.amp.autocast_mode.autocast")

# For names that the PyTorch of older plugins lacks: the PyTorch version that first has the name, from
# torch/__init__.py.
YOUNGER = {"torch.OutOfMemoryError": "2.5.0"}


class Decision(NamedTuple):
    """What people decided about one name: a line of server/scripts/tables/TARGET.tsv.

    `shim`: whether the target's patch makes the name work; empty if the patch is a part of the plugin, because the
    plugin's source then shows whether it does.
    """

    name: str
    kind: str
    status: str
    replacement: str
    limits: str
    shim: str


class Plugin:
    """The versions of a target's plugin, oldest first, with PyTorch's own signatures."""

    def __init__(self, versions: Sequence[Version], torch: Version, patch: str) -> None:
        """`patch`: the module of the plugin that makes CUDA's names work (the shim), if it has one."""
        self.versions, self.torch, self.patch = versions, torch, patch
        self._has = cache(self._is_usable)  # the rows of each version ask for the names of all versions

    def rows(self, decisions: Sequence[Decision], at: int) -> list[Row]:
        """Return the rows for one version, without names for which it is unknown whether the version has a
        counterpart."""
        return [row for decision in decisions if (row := self._row(decision, at))]

    def _row(self, decision: Decision, at: int) -> Row | None:
        if self._stays(decision.name, at):
            decision = decision._replace(status="present", replacement=decision.name)
        have = [self._has(decision.replacement, version) for version in self.versions]
        holder = at if have[at] else next((later for later in range(at, len(have)) if have[later]), None)
        if have[at] is None:
            return None
        if holder is None:  # the name is missing because later versions removed it
            decision = decision._replace(status="missing", replacement="")
        first = have.index(True) if True in have else 0
        since = "" if holder is None else self.versions[first if holder == at else holder].version
        different = self._fit(decision, self.versions[holder]) if holder is not None else Fit()
        return (
            *decision[:4],
            "01"[have[at] or holder is None],
            since if first or not have[at] else "",
            ",".join(different.missing),
            ",".join(different.extra),
            "01"[different.positions],
            decision.limits,
            decision.shim or "01"[self._patched(decision, at) and bool(have[at])],
        )

    def _stays(self, name: str, at: int) -> bool:
        """Return whether this version of the plugin and all later ones set `name`, a name of CUDA's API, on torch when
        the plugin is imported, so that code can keep the name. If one of these versions does not set `name`, fixes
        write the plugin's own name instead."""
        return all(version.gives(name) for version in self.versions[at:])

    def _is_usable(self, name: str, version: Version) -> bool | None:
        """Return whether a program can use a name with a version of the plugin: one of the plugin's names, or one of
        PyTorch's own; True for an empty name. Return None if the answer is unknown, because only some of the
        version's files were read."""
        if version.within(name):
            return version.has(name)
        if not any(other.gives(name) for other in self.versions):
            return release(version.version) >= release(YOUNGER.get(name, "0"))
        return True if version.gives(name) else None if version.unread else False

    def _fit(self, decision: Decision, version: Version) -> Fit:
        original, counterpart = self.torch.find(decision.name), version.find(decision.replacement)
        return fit(original.parameters, counterpart.parameters) if original and counterpart else Fit()

    def _patched(self, decision: Decision, at: int) -> bool:
        """Whether the plugin's shim sets a name, the class that contains it, or its constructor."""
        sets: Mapping[str, Sequence[str]] = self.versions[at].on_request.get(self.patch, {})
        name = ALIASES.get(decision.name, decision.name)
        parts = name.split(".")
        heads = [(".".join(parts[:size]), parts[size]) for size in range(1, len(parts))]
        made = {"__init__", "__new__"}.intersection(sets.get(name, ()))
        return bool(decision.replacement) and (bool(made) or any(last in sets.get(head, ()) for head, last in heads))


def native_rows(states: Sequence[Row], at: int) -> list[Row]:
    """Return rows for names that the vendor's documents for one version list as not supported; limits that apply to
    some hardware only are given for the newest version alone.

    `states`: rows of name, letters, hardware and limits; the letters say, for each version, whether the documents list
    the name as supported (y), not on all hardware (p), not supported (n), or not at all (a dot). The hardware in a row
    is that of the newest version that lists the name.
    """
    rows: list[Row] = []
    for name, letters, hardware, limits in states:
        newest = len(letters.rstrip(".")) - 1
        if letters[at] == "n":
            rows.append((name, "no", "", limits))
        elif letters[at] == "p" and at == newest:
            rows.append((name, "partial", hardware, limits))
    return rows
