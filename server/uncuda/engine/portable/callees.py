"""Finds functions of other files that a text uses and that run other code, without an error, on a device that is not
CUDA's. As long as such a file stays on CUDA, a port of the text alone would silently skip work."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ...reading import NotUtf8Error, decode_utf8, read_bytes
from .module_files import file_of

_MOST = 64  # maximum number of files that are read for one text
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_CUDA = ("torch.cuda.", "cuda.")
_AVAILABLE = frozenset({"is_available", "device_count"})
_Files = dict[str, "tuple[str, ast.Module] | None"]


class _Used(NamedTuple):
    """A name of another module that a file uses. `module`: as the import spells it, with leading dots."""

    module: str
    name: str


def calls_what_stays(text: str, path: str, stays: Callable[[str, str], bool]) -> bool:
    """Return whether the text of the file at `path` uses such a function, also through other files. `stays`: returns
    whether a file, given its text and path, stays on CUDA by itself."""
    if (tree := _parsed(text)) is None:
        return False
    files: _Files = {}
    passed, waiting = {path}, [(path, tree)]
    while waiting:
        place, tree = waiting.pop()
        for found in dict.fromkeys(_asking_files(place, tree, files)):
            other = files[found]
            if found in passed or other is None:
                continue
            passed.add(found)
            if len(passed) > _MOST or stays(other[0], found):
                return True
            waiting.append((found, other[1]))
    return False


def _asking_files(path: str, tree: ast.Module, files: _Files) -> Iterator[str]:
    """Yield the files with functions that the file uses and that silently do something else on other devices."""
    for used in dict.fromkeys(_used(tree)):
        if found := _defining(path, used, files, set()):
            yield found


def _used(tree: ast.Module) -> Iterator[_Used]:
    """Yield the names that a file imports and may call, and those that it takes from imported modules."""
    modules: dict[str, str] = {}
    called = _run(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
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
    """Return the names that code of a file uses for more than annotations and tests of a class."""
    types: set[int] = set()
    for node in ast.walk(tree):
        parts = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        if isinstance(node, ast.Call) and _dotted(node.func) in ("isinstance", "issubclass"):
            parts += node.args[1:]
        types.update(id(one) for part in parts if isinstance(part, ast.AST) for one in ast.walk(part))
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in types}


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        above = _dotted(node.value)
        return above and f"{above}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _defining(path: str, used: _Used, files: _Files, passed: set[tuple[str, _Used]]) -> str | None:
    """Return the file that defines a name, directly or through files that pass it on, if what it defines silently does
    something else on other devices; otherwise None."""
    if (path, used) in passed or len(passed) > _MOST:
        return None
    passed.add((path, used))
    found = file_of(path, used.module)
    read = _read(found, files) if found else None
    if found is None or read is None:
        return None
    tree = read[1]
    if used.name in {node.name for node in tree.body if isinstance(node, _DEFINITIONS)}:
        return found if _asks(tree, used.name) else None
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                if used.name == (alias.asname or alias.name):
                    return _defining(found, _Used(module, alias.name), files, passed)
    return None


def _read(path: str, files: _Files) -> tuple[str, ast.Module] | None:
    if path not in files:
        files[path] = None
        try:
            text = decode_utf8(read_bytes(path))
        except (OSError, NotUtf8Error):
            return None
        if tree := _parsed(text):
            files[path] = text, tree
    return files[path]


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _asks(tree: ast.Module, name: str) -> bool:
    """Return whether a function or class of a file, or one of the same file that it names, asks whether a device is
    CUDA's and raises no error if it is not."""
    definitions = {node.name: node for node in tree.body if isinstance(node, _DEFINITIONS)}
    passed, waiting = {name}, [name]
    while waiting:
        node = definitions[waiting.pop()]
        if _is_silent(node):
            return True
        named = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        fresh = (named & definitions.keys()) - passed
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
    """Return whether a node is `x.is_cuda`, compares the type of a device with "cuda", or asks whether there is a CUDA
    device."""
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
