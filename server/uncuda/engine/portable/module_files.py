"""Finds the files of the modules that a file imports."""

# Paths are strings in this module, because creating a Path costs as much as reading a small file.
# ruff: noqa: PTH112, PTH113, PTH118, PTH120
from __future__ import annotations

import os
from collections.abc import Iterator

_ABOVE = 12  # maximum number of folders above a file that are searched for the modules of its project
_LAYOUTS = ("", "src", "python", "lib")


def file_of(path: str, module: str) -> str | None:
    """Return the path of a module that a file imports; None if the module does not belong to the project."""
    words = module.lstrip(".")
    dots = len(module) - len(words)
    folder = os.path.dirname(path)
    parts = words.split(".") if words else []
    if dots:
        for _ in range(dots - 1):
            folder = os.path.dirname(folder)
        return module_at(os.path.join(folder, *parts))
    for above in _above(folder):
        for layout in _LAYOUTS:
            base = os.path.join(above, layout) if layout else above
            root = os.path.join(base, parts[0])
            if os.path.isdir(root) or os.path.isfile(f"{root}.py"):
                return module_at(os.path.join(base, *parts)) or f"{root}.py"
    return None


def _above(folder: str) -> Iterator[str]:
    """Yield a folder and all folders above it, spelled as in the paths of their files."""
    for _ in range(_ABOVE):
        yield folder
        if not folder or os.path.dirname(folder) == folder:
            return
        folder = os.path.dirname(folder)


def module_at(path: str) -> str | None:
    """Return the file of a module or package, whose path is given without an ending; None if there is none."""
    inside = os.path.join(path, "__init__.py")
    if os.path.isfile(inside):
        return inside
    return f"{path}.py" if os.path.isfile(f"{path}.py") else None
