"""Modules of the project that are called as a library: `import triton` finds `triton.py` beside the file."""

# Paths are plain strings here: to make a Path costs as much as to read a small file.
# ruff: noqa: PTH113, PTH118, PTH119, PTH120
from __future__ import annotations

import os.path
from collections.abc import Collection

_LAYOUTS = frozenset({"lib", "python", "src"})  # folders of packages that files beside them import


def own_module(path: str, libraries: Collection[str]) -> str:
    """FOLDER/MODULE for the file by which a project hides a library below a folder; "" if it hides none.

    A module inside a package is called by its full name. A package may lie in a folder that is none: a namespace, as
    `megatron` is around `megatron.core`.
    """
    folder, name = os.path.dirname(path), os.path.basename(path).removesuffix(".py")
    if name == "__init__":
        folder, name = os.path.dirname(folder), os.path.basename(folder)
        above = os.path.basename(folder)
        if above in libraries and not _is_package(folder):
            folder, name = os.path.dirname(folder), f"{above}.{name}"
    if name.partition(".")[0] not in libraries or _is_package(folder):
        return ""
    if os.path.basename(folder) in _LAYOUTS:
        folder = os.path.dirname(folder)
    return os.path.join(folder, name)


def _is_package(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, "__init__.py"))
