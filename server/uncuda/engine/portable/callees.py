"""Finds functions of other files that a text uses, if they ask for a CUDA device and raise no error if there is none.
If the file of the called function stays on CUDA, a port of the caller alone would silently skip work."""

# Paths are strings in this module, because creating a Path costs as much as reading a small file.
# ruff: noqa: PTH100, PTH116
from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ...facts.piece import parsed
from ...facts.role_calls import chain_of
from ...reading import NotUtf8Error, decode_utf8, read_bytes
from .module_files import file_of

_MOST = 64  # maximum number of files that are read to check one text
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_CUDA = ("torch.cuda.", "cuda.")
_AVAILABLE = frozenset({"is_available", "device_count"})
_Stamp = tuple[int, int]  # a file's time of modification and its size
_Stays = Callable[[str, str], bool]


class _Used(NamedTuple):
    """A name of another module that a file uses. `module`: the module as the import statement spells it, with leading
    dots."""

    module: str
    name: str


class _Module(NamedTuple):
    """The functions and classes of one file, and the names that it uses from other files."""

    named: Mapping[str, Sequence[str]]
    """For each function and class of the file: the functions and classes of the same file that it names."""
    silent: frozenset[str]
    """The functions and classes that ask for a CUDA device, and raise no error if there is none."""
    passed_on: Mapping[str, _Used]
    """The names that the file imports from other modules."""
    used: Sequence[_Used]
    imported: Sequence[tuple[str, str]]
    """The imports at module level, outside of `try` and other blocks, in the form that the function `imported`
    returns."""


class Callees:
    """Tells whether a text uses functions of other files that stay on CUDA; the result for a file is cached until the
    file changes."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, _Stamp | None], bool] = {}

    def stay(self, text: str, path: str, stays: _Stays) -> bool:
        """Return whether the text of the file at `path` uses a function that stays on CUDA, directly or through other
        files. `stays`: a function that returns, for the text and path of a file, whether the code in this file stays on
        CUDA, whatever it calls in other files; all calls of the method must pass the same function."""
        if (tree := parsed(text)) is None:
            return False
        passed = {path}
        waiting: list[tuple[str, Sequence[_Used]]] = [(path, tuple(_used(tree)))]
        while waiting:
            place, used = waiting.pop()
            for found in dict.fromkeys(_asking_files(place, used)):
                other = read_module(found)
                if found in passed or other is None:
                    continue
                passed.add(found)
                if len(passed) > _MOST or self.file_stays(found, stays):
                    return True
                waiting.append((found, other.used))
        return False

    def file_stays(self, path: str, stays: _Stays) -> bool:
        """Return whether the code in the file at `path` stays on CUDA, whatever it calls in other files; `stays`: see
        the method `stay`."""
        key = path, stamp_of(path)
        if key not in self._known:
            text = text_of(path)
            self._known[key] = text is not None and stays(text, path)
        return self._known[key]


def _asking_files(path: str, every: Sequence[_Used]) -> Iterator[str]:
    """Yield each file with a function that the file at `path` uses, if the function asks for a CUDA device and raises
    no error if there is none."""
    for used in dict.fromkeys(every):
        if found := _defining(path, used, set()):
            yield found


def _used(tree: ast.Module) -> Iterator[_Used]:
    """Yield the imported names that a file may call, and the attributes that it reads from imported modules."""
    modules: dict[str, str] = {}
    called = _run(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = _source(node)
            for alias in node.names:
                if (alias.asname or alias.name) in called:
                    yield _Used(module, alias.name)
                inner = module + alias.name if module.endswith(".") else f"{module}.{alias.name}"
                modules.setdefault(alias.asname or alias.name, inner)
        elif isinstance(node, ast.Import):
            modules.update((alias.asname or alias.name, alias.name) for alias in node.names)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, (ast.Name, ast.Attribute)):
            if origin := modules.get(_dotted(node.value)):
                yield _Used(origin, node.attr)


def _run(tree: ast.Module) -> set[str]:
    """Return the names that a file uses in code other than annotations and calls of `isinstance`."""
    types: set[int] = set()
    for node in ast.walk(tree):
        parts = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        if isinstance(node, ast.Call) and _dotted(node.func) in ("isinstance", "issubclass"):
            parts += node.args[1:]
        types.update(id(one) for part in parts if isinstance(part, ast.AST) for one in ast.walk(part))
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in types}


def _dotted(node: ast.expr) -> str:
    root, parts = chain_of(node)
    return ".".join((root.id, *parts)) if isinstance(root, ast.Name) else ""


def _defining(path: str, used: _Used, passed: set[tuple[str, _Used]]) -> str | None:
    """Return the file that defines a function; it is found through the files that import the function's name. Return
    None if no file defines the function, if the function does not ask for a CUDA device, or if the function raises an
    error where there is no CUDA device."""
    if (path, used) in passed or len(passed) > _MOST:
        return None
    passed.add((path, used))
    found = file_of(path, used.module)
    module = read_module(found) if found else None
    if found is None or module is None:
        return None
    if used.name in module.named:
        return found if _asks(module, used.name) else None
    origin = module.passed_on.get(used.name)
    return _defining(found, origin, passed) if origin is not None else None


def read_module(path: str) -> _Module | None:
    """Return the functions, classes and imports of the file at a path; None if the file cannot be read or parsed."""
    stamp = stamp_of(path)
    return _read(os.path.abspath(path), stamp) if stamp is not None else None


def stamp_of(path: str) -> _Stamp | None:
    """Return when a file was changed, and its size; None if there is no such file."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=1024)
def _read(path: str, _version: _Stamp) -> _Module | None:
    text = text_of(path)
    tree = parsed(text) if text is not None else None
    if tree is None:
        return None
    definitions = {node.name: node for node in tree.body if isinstance(node, _DEFINITIONS)}
    named = {name: tuple(_names(node) & definitions.keys()) for name, node in definitions.items()}
    silent = frozenset(name for name, node in definitions.items() if _is_silent(node))
    passed_on: dict[str, _Used] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                passed_on.setdefault(alias.asname or alias.name, _Used(_source(node), alias.name))
    return _Module(named, silent, passed_on, tuple(_used(tree)), tuple(imported(tree.body)))


def text_of(path: str) -> str | None:
    """Return the text of a file; None if it cannot be read."""
    try:
        return decode_utf8(read_bytes(path))
    except (OSError, NotUtf8Error):
        return None


def _names(definition: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(definition) if isinstance(one, ast.Name)}


def imported(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield (module, name) for each import: the module as spelled, with leading dots, and the name that is imported
    from it, "" for a plain `import`."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((_source(node), alias.name) for alias in node.names)


def _source(node: ast.ImportFrom) -> str:
    return "." * node.level + (node.module or "")


def _asks(module: _Module, name: str) -> bool:
    """Return whether a function or class of a file, or one that it uses from the same file, asks for a CUDA device and
    raises no error if there is none."""
    passed, waiting = {name}, [name]
    while waiting:
        one = waiting.pop()
        if one in module.silent:
            return True
        fresh = set(module.named[one]) - passed
        passed |= fresh
        waiting += fresh
    return False


def _is_silent(definition: ast.AST) -> bool:
    loud: set[int] = set()
    for node in ast.walk(definition):
        if isinstance(node, ast.Assert):
            loud.update(map(id, ast.walk(node)))
        elif isinstance(node, ast.If) and any(isinstance(one, ast.Raise) for one in (*node.body, *node.orelse)):
            loud.update(map(id, ast.walk(node.test)))
    return any(_is_question(node) for node in ast.walk(definition) if id(node) not in loud)


def _is_question(node: ast.AST) -> bool:
    """Return whether a node is `x.is_cuda`, a comparison of a device type with "cuda", or a call that asks whether
    there is a CUDA device."""
    if isinstance(node, ast.Attribute):
        return node.attr == "is_cuda" or (node.attr in _AVAILABLE and _dotted(node).startswith(_CUDA))
    if not isinstance(node, ast.Compare):
        return False
    sides = [node.left, *node.comparators]
    return any(_is_cuda(side) for side in sides) and any(
        isinstance(one, ast.Attribute) and one.attr in ("type", "device") for side in sides for one in ast.walk(side)
    )


def _is_cuda(node: ast.expr) -> bool:
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return any(map(_is_cuda, node.elts))
    return isinstance(node, ast.Constant) and node.value == "cuda"
