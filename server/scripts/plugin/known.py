"""Reads the files in `names/`: the names of a version of a plugin, or of PyTorch."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from scripts.plugin.values import C_PARTS

NAMES = Path(__file__).parent / "names"
# Maps the public name of a PyTorch class to the name under which plugins add methods to this class or its base class:
# `torch.UntypedStorage`, for example, inherits the added methods from `_StorageBase` (torch/storage.py).
_OWNERS = {"torch.UntypedStorage": "torch.storage._StorageBase", "torch.TypedStorage": "torch.storage.TypedStorage"}
_OWNERS["torch.profiler.ProfilerActivity"] = "torch._C._profiler.ProfilerActivity"


@cache
def facts(target: str, version: str) -> dict[str, Any]:
    """Return the content of the JSON file about a version (names.py describes the keys); for an incomplete number such
    as 2.14, the content of the file about the newest 2.14.x."""
    listed = {path.stem.removeprefix(f"{target}-"): path for path in NAMES.glob(f"{target}-*.json")}
    newest = max((one for one in listed if f"{one}.".startswith(f"{version}.")), key=_order)
    file = listed.get(version) or listed[newest]
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return found


def _order(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]


def modules(target: str, version: str) -> dict[str, dict[str, Any]]:
    """Return the names in each module of a version; the value of a name is null, its parameters, or its parameters and
    members."""
    found: dict[str, dict[str, Any]] = facts(target, version)["modules"]
    return found


def versions(target: str) -> list[Version]:
    """The known versions of a target's plugin, oldest first."""
    found = [Version.load(path) for path in NAMES.glob(f"{target}-*.json")]
    return sorted(found, key=lambda one: _order(one.version))


class Found(NamedTuple):
    """A name that a version has, with its parameters if they are known."""

    parameters: list[str] | None = None


class Version:
    """A version of a plugin, or of PyTorch."""

    def __init__(self, known: Mapping[str, Any]) -> None:
        self.package: str = known["package"]
        self.version: str = known["version"]
        self.source: str = known["source"]
        self.modules: dict[str, dict[str, Any]] = known["modules"]
        self.aliases: dict[str, str] = known.get("aliases", {})
        self.sets: dict[str, list[str]] = known.get("sets", {})
        self.on_request: dict[str, dict[str, list[str]]] = known.get("on_request", {})
        self.native = frozenset(known.get("native", ()))
        self.unread = frozenset(known.get("unread", ()))

    @classmethod
    def load(cls, path: Path) -> Version:
        """The version described by a file."""
        return cls(json.loads(path.read_text(encoding="utf-8")))

    def gives(self, dotted: str) -> bool:
        """Return whether importing the plugin sets a name on torch."""
        owner, _, last = dotted.rpartition(".")
        return last in self.sets.get(_OWNERS.get(owner, owner), ())

    def within(self, dotted: str) -> str:
        """Replace aliases such as `torch.npu` in a dotted name; return "" if the name does not belong to the plugin."""
        parts = dotted.split(".")
        for size in range(len(parts), 0, -1):
            if other := self.aliases.get(".".join(parts[:size])):
                return self.within(".".join([other, *parts[size:]]))
        return dotted if parts[0] == self.package else ""

    def find(self, dotted: str) -> Found | None:
        """Look up a dotted name of the package that has this version; return None if the version lacks the name.

        A name in the plugin's C part, or a member of an object of unknown contents, counts as existing if the C part
        contains the name as text.
        """
        parts = self.within(dotted).split(".")
        holders = [size for size in range(1, len(parts)) if ".".join(parts[:size]) in self.modules]
        if ".".join(parts) in self.modules and not self._shape(parts):
            return Found()
        # If a module and an attribute of its parent module have the same name, Python finds the attribute.
        size = next((size for size in holders if self._shape(parts[: size + 1])), max(holders, default=0))
        if not size:
            return None
        names, rest = self.modules[".".join(parts[:size])], parts[size:]
        if rest[0] in C_PARTS:
            return Found() if len(rest) == 1 or self.native.intersection(rest) else None
        if rest[0] in names:
            return self._member(names[rest[0]], rest[1:])
        return Found() if is_dunder(rest[0]) else None

    def _shape(self, parts: list[str]) -> Any:
        return self.modules.get(".".join(parts[:-1]), {}).get(parts[-1])

    def _member(self, shape: Any, rest: list[str]) -> Found | None:
        if not rest:
            return Found(shape.get("parameters") if isinstance(shape, dict) else shape)
        # nothing is known about the object; if some files of the version were not read, one of them may define the
        # object
        if shape is None:
            return None if self.unread else Found()
        if not isinstance(shape, dict):
            return None
        if rest[0] in (shape.get("members") or ()):
            return Found()
        return self._native(rest[0]) if shape.get("bases") else None

    def _native(self, name: str) -> Found | None:
        return Found() if name in self.native else None

    def has(self, dotted: str) -> bool | None:
        """Return whether the version has a name of the plugin; None if that is unknown because not all files of the
        version were read."""
        if self.find(dotted):
            return True
        name = self.within(dotted)
        while name and name not in self.unread:
            if name in self.modules:
                return False
            name = name.rpartition(".")[0]
        return None if name else False


def is_dunder(name: str) -> bool:
    """Return whether a name is one of Python's own, such as `__init__`."""
    return name.startswith("__") and name.endswith("__")
