"""Finds modules of the project that have the name of a library and are imported instead of it: `import triton` finds
`triton.py` beside the file."""

# Paths are strings here, because making a Path costs as much as reading a small file.
# ruff: noqa: PTH100, PTH113, PTH116, PTH118, PTH119, PTH120, PTH122
from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from itertools import islice
from typing import NamedTuple

from uncuda.byte_search import contains

_ABOVE = 4  # how many folders above the file's folder are searched for modules of the project
_MANY = 2000  # maximum number of entries that are read from one folder
# a folder that contains one of these files or folders is a project's root folder
_ENDS = frozenset({".git", ".hg", "pyproject.toml", "setup.cfg", "setup.py"})
_BUILD = "setup.py"  # modules beside this file are imported as top-level modules, even if the folder is a package
_COMPILED = (".cu", ".cuh", ".cpp", ".cc", ".so", ".pyd", "setup.py")
_CUDA = "cuda"
# names of source folders: files beside such a folder import its modules without its name, e.g. `src/a.py` as `a`
_LAYOUTS = frozenset({"lib", "python", "src"})


def own_module(path: str, libraries: Collection[str]) -> str:
    """If the module in the file `path` has the name of a library, so that files in FOLDER import it instead of the
    library, return FOLDER/NAME (NAME: the module's name); otherwise return "".

    A module inside a package is imported by its full name, so it never takes the place of a library. A package may be
    in a namespace folder, such as `megatron` around `megatron.core`.
    """
    name = os.path.basename(path).removesuffix(".py")
    if name != "__init__" and name.partition(".")[0] not in libraries:
        return ""  # most files
    folder = os.path.dirname(path)
    if name == "__init__":
        folder, name = os.path.dirname(folder), os.path.basename(folder)
        above = os.path.basename(folder)
        if above in libraries and not _is_package(folder):
            folder, name = os.path.dirname(folder), f"{above}.{name}"
    if name.partition(".")[0] not in libraries or (_is_package(folder) and not _is_built(folder)):
        return ""
    if os.path.basename(folder) in _LAYOUTS:
        folder = os.path.dirname(folder)
    return os.path.join(folder, name)


class _Found(NamedTuple):
    """A module that files of a project can import. `folder`: the prefix of the paths of the files that can import the
    module; `name`: the module's name; `root`: the first part of the name, as bytes, which every import of the module
    contains."""

    folder: str
    name: str
    root: bytes


class Above:
    """Finds the modules that a file can import from its own folder or from a parent folder, even if uncuda does not
    check these modules. A folder is read again when it changes; `once`: each folder is read only once."""

    def __init__(self, libraries: Collection[str], once: bool = False) -> None:
        self._libraries = {*libraries, *(name.partition(".")[0] for name in libraries)}
        self._entries = self._libraries.union(f"{name}.py" for name in self._libraries)
        self._known: dict[str, tuple[int, tuple[str, ...], bool]] = {}
        self._once = once
        self._found: dict[str, list[_Found]] = {}

    def of(self, path: str, data: bytes) -> Iterator[str]:
        """Yield FOLDER/MODULE for each module of the project that the file at `path` can import, if the first part of
        the module's name occurs in `data`, the bytes of this file. A module is only yielded if it has the name of a
        library, so that Python imports the module instead of the library, or has "cuda" in its name."""
        for one in self._of_folder(os.path.dirname(path)) if path else ():
            if contains(data, one.root):
                yield os.path.join(one.folder, one.name)

    def _of_folder(self, folder: str) -> list[_Found]:
        """The modules that files in a folder can import from this folder and from its parents within the project."""
        known = self._found.get(folder)
        if known is None:
            known = []
            for disk, called in _folders(folder):
                modules, ends = self._modules(disk)
                roots = {name: name.partition(".")[0] for name in modules} if modules else {}
                inside = {root for root in {*roots.values()} if _is_within(folder, disk, root)}
                known += [_Found(called, name, root.encode()) for name, root in roots.items() if root not in inside]
                if ends:
                    break
            if self._once:
                self._found[folder] = known
        return known

    def _modules(self, folder: str) -> tuple[tuple[str, ...], bool]:
        """The modules of a folder, and whether it is the project's root."""
        known = self._known.get(folder)
        if known is not None and self._once:
            return known[1:]
        try:
            changed = 0 if self._once else os.stat(folder or ".").st_mtime_ns
            if known is None or known[0] != changed:
                names = _entries(folder)
                if not names:
                    return (), True
                likely = names & self._entries
                if _CUDA in "/".join(names):
                    likely.update(entry for entry in names if _CUDA in entry)
                modules = tuple(name for entry in sorted(likely) for name in self._module(folder, entry, names))
                known = self._known[folder] = changed, modules, not _ENDS.isdisjoint(names)
        except OSError:
            return (), True
        return known[1:]

    def _module(self, folder: str, entry: str, names: Collection[str]) -> Iterator[str]:
        name, ending = os.path.splitext(entry)
        is_cudas = _CUDA in name and name not in self._libraries
        if not name.isidentifier() or not (is_cudas or name in self._libraries) or ending not in ("", ".py"):
            return
        if ending or _is_package(os.path.join(folder, name)):
            if is_cudas or "__init__.py" not in names or _BUILD in names:
                yield name
            return
        inner = _entries(os.path.join(folder, name))
        if any(one.endswith(_COMPILED) for one in inner):
            return  # this folder contains the source files of a compiled extension, not a Python module
        folders = (one for one in inner if one.isidentifier() and _is_python(os.path.join(folder, name, one)))
        below = [*(one[:-3] for one in inner if one.endswith(".py")), *folders]
        if is_cudas and below:
            yield name
        elif not is_cudas:  # an installed library takes precedence over a folder that is not a package
            yield from (f"{name}.{one}" for one in below)


def _folders(folder: str) -> Iterator[tuple[str, str]]:
    """Yield a folder and its parents, each as (path on disk, prefix of the paths of files in it)."""
    yield folder, folder
    disk = os.path.abspath(folder)
    for _ in range(_ABOVE):
        above = os.path.dirname(disk)
        if above == disk:
            return
        disk, folder = above, os.path.dirname(folder)
        yield disk, folder


def _is_within(folder: str, above: str, module: str) -> bool:
    """Return whether a folder is inside a folder that has the module's name but is no package, such as the project
    folder itself."""
    inside = os.path.abspath(os.path.join(above, module))
    return (os.path.abspath(folder) + os.sep).startswith(inside + os.sep) and not _is_package(inside)


def _is_python(folder: str) -> bool:
    return _is_package(folder) or any(one.endswith(".py") for one in _entries(folder))


def _entries(folder: str) -> set[str]:
    try:
        with os.scandir(folder or ".") as entries:
            return {entry.name for entry in islice(entries, _MANY)}
    except OSError:
        return set()


def _is_built(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, _BUILD))


def _is_package(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, "__init__.py"))
