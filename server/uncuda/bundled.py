"""Runs uncuda from an editor extension's bundle: only the modules in the bundle and Python's standard library are
imported.

Packages that are installed for the chosen Python are not imported, even if a bundled package has the same name. libcst
is the exception: it needs a wheel for each platform and Python version, while a bundle is the same for all.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import BuiltinImporter, FrozenImporter, ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import Distribution, DistributionFinder

_LIBCST = "libcst"
_OLDEST_LIBCST = (1, 9)
_BORROWED_MODULES = {_LIBCST, "yaml", "_yaml", "yaml_ft", "_yaml_ft"}
_BORROWED_PACKAGES = {_LIBCST, "pyyaml", "pyyaml-ft"}
_PYTHONS_OWN: tuple[object, ...] = (BuiltinImporter, FrozenImporter, PathFinder)

_libs = ""


def isolate(libs: str) -> None:
    """Restrict imports to the folder `libs` and Python itself; libcst is imported from where it is installed."""
    global _libs  # noqa: PLW0603 it is this process that is isolated
    _libs = libs
    own = [entry for entry in sys.path if _is_pythons_own(entry)]
    others = [entry for entry in sys.path if entry and entry not in own and entry != libs]
    sys.path[:] = [libs, *own]
    sys.meta_path[:] = [*(finder for finder in sys.meta_path if finder in _PYTHONS_OWN), _Lender(others)]
    _forget_others(libs)


def command() -> list[str]:
    """The start of a shell command that runs uncuda: its name if it is installed, else Python with the bundle's
    launch.py."""
    return [sys.executable, "-I", str(Path(_libs).with_name("launch.py"))] if _libs else ["uncuda"]


def preamble() -> str:
    """Return Python statements that isolate another process as `isolate` isolated this one; empty if this process is
    not isolated."""
    if not _libs:
        return ""
    return f"import sys; sys.path.insert(0, {_libs!r}); from uncuda.bundled import isolate; isolate({_libs!r})"


def _is_pythons_own(entry: str) -> bool:
    """Whether an entry of sys.path is Python's own: its library, its compiled modules, or the zip of an embedded
    Python."""
    place = Path(entry)
    if place.name in ("lib-dynload", "DLLs") or re.fullmatch(r"python3\d+\.zip", place.name):
        return True
    homes = [Path(os.__file__).parent, *([Path(sys.base_prefix)] if sys.platform == "win32" else [])]
    return place.resolve() in [home.resolve() for home in homes]


def _forget_others(libs: str) -> None:
    """Remove from sys.modules the modules that have the name of a bundled module but were imported from elsewhere when
    Python started."""
    ours = {path.name.partition(".")[0] for path in Path(libs).iterdir()}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ours and not str(getattr(module, "__file__", None)).startswith(libs):
            del sys.modules[name]


class _Lender:
    """Finds libcst, if its version is new enough, and PyYAML, which libcst needs, among the installed packages."""

    def __init__(self, folders: Iterable[str]) -> None:
        self._folders = list(folders)
        self._usable: bool | None = None

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Called by the import system with the name of a module; submodules are found by their package."""
        if path is not None or name not in _BORROWED_MODULES or not self._has_usable_libcst():
            return None
        return PathFinder.find_spec(name, self._folders)

    def find_distributions(self, context: DistributionFinder.Context | None = None) -> Iterable[Distribution]:
        """Called by `importlib.metadata` to find the versions of libcst and PyYAML."""
        name = str(getattr(context, "name", None) or "").lower()
        return self._packages(name) if name in _BORROWED_PACKAGES and self._has_usable_libcst() else ()

    def _packages(self, name: str) -> Iterable[Distribution]:
        from importlib.metadata import DistributionFinder, MetadataPathFinder

        finder: Any = MetadataPathFinder
        found: Iterable[Distribution] = finder.find_distributions(
            DistributionFinder.Context(name=name, path=self._folders)
        )
        return found

    def _has_usable_libcst(self) -> bool:
        if self._usable is None:
            numbers = [re.match(r"(\d+)\.(\d+)", package.version) for package in self._packages(_LIBCST)]
            first = numbers[0] if numbers else None
            self._usable = first is not None and (int(first[1]), int(first[2])) >= _OLDEST_LIBCST
        return self._usable
