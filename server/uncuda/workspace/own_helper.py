"""Finds a module that the project itself wrote to select the accelerator, for use as the helper module."""

# Paths are plain strings here, as in discover.py.
# ruff: noqa: PTH118
from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from uncuda import lazy_re
from uncuda.catalogue import Target
from uncuda.project import Helper
from uncuda.reading import NotUtf8Error, TooLargeError, decode_utf8, read_bytes

_NAME = lazy_re.compile(r"\w*(?:device|accelerator|platform|backend)\w*\.py")
_MANY, _DEPTH, _LONGEST = 400, 3, 40_000
"""Limits: the number of files considered per package, the depth of subfolders, and the number of characters of a
file."""
_CUDAS = {"backend": "nccl", "visible_devices": "CUDA_VISIBLE_DEVICES"}


class OwnHelper(NamedTuple):
    """A module of the project that can be used as the helper module. `names` maps each function of uncuda's helper
    module to the call of the project's module that fixes write instead."""

    module: str
    names: dict[str, str]

    @property
    def settings(self) -> str:
        """The settings with which uncuda uses this module, as TOML in one line."""
        names = ", ".join(f'{name} = "{call}"' for name, call in self.names.items())
        return f'portable-helper = "{self.module}", portable-names = {{ {names} }}'


def own_helpers(helper: Helper, targets: Sequence[Target]) -> Iterator[OwnHelper]:
    """The project's own modules that can be used instead of a helper module that does not exist yet."""
    for one in helper.every:
        package = one.module.rpartition(".")[0]
        if one.defines is None and one.folder and (own := own_helper(one.folder, package, targets)):
            yield own


def own_helper(folder: str, package: str, targets: Sequence[Target]) -> OwnHelper | None:
    """Return the first module of a package with functions that select between CUDA and one of the targets; None if
    there is none.

    The module must have a function that returns the device type, and one that returns the device's module
    (`torch.cuda`).
    """
    for path, module in islice(_files(folder, package, _DEPTH), _MANY):
        names = _answers(path, targets)
        if "device_module" in names and not names.keys().isdisjoint({"accelerator_type", "device_type"}):
            return OwnHelper(module, names)
    return None


def _files(folder: str, package: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the paths and dotted names of modules with "device", "accelerator", "platform" or "backend" in their
    name."""
    try:
        with os.scandir(folder) as entries:
            found = sorted(((entry.name, entry.is_dir()) for entry in islice(entries, _MANY)), key=lambda one: one[0])
    except OSError:
        return
    for name, _ in found:
        if _NAME.fullmatch(name):
            yield os.path.join(folder, name), f"{package}.{name.removesuffix('.py')}"
    for name, is_folder in found:
        if is_folder and depth and name.isidentifier():
            yield from _files(os.path.join(folder, name), f"{package}.{name}", depth - 1)


def _answers(path: str, targets: Sequence[Target]) -> dict[str, str]:
    """Map the names of functions in uncuda's helper module to calls of equivalent functions in the file `path`. Only
    public module-level functions of the file, without parameters and decorators, are considered."""
    try:
        text = decode_utf8(read_bytes(path))
        if len(text) > _LONGEST or not any(f'"{target.words["device"]}"' in text for target in targets):
            return {}
        tree = ast.parse(text)
    except (OSError, NotUtf8Error, TooLargeError, SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not _parameters(node) and not node.decorator_list:
            if (kind := _kind(node, targets)) and not node.name.startswith("_"):
                found.setdefault(kind, f"{node.name}()")
    return found


def _parameters(node: ast.FunctionDef) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def _kind(node: ast.FunctionDef, targets: Sequence[Target]) -> str:
    """Return the function of uncuda's helper module that a function resembles, judged by the strings in it; "" if there
    is none."""
    words = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)}
    keys = {"backend": "ccl", "visible_devices": "visible-devices"}
    for kind, cudas in _CUDAS.items():
        if cudas in words and any(target.words.get(keys[kind]) in words for target in targets):
            return kind
    if any(_is_of_torch(one) for one in ast.walk(node)):
        return "device_module"
    if "cuda" in words and any(target.words["device"] in words for target in targets):
        return "device_type" if "cpu" in words else "accelerator_type"
    return ""


def _is_of_torch(node: ast.AST) -> bool:
    """Return whether a node is a call `getattr(torch, …)`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "getattr":
        return False
    return bool(node.args) and isinstance(node.args[0], ast.Name) and node.args[0].id == "torch"
