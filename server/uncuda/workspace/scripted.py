"""Finds functions and classes of other files that a file compiles with TorchScript, by reading the files that its
imports name."""

# Paths are strings here, because making a Path costs as much as reading a small file.
# ruff: noqa: PTH118, PTH119, PTH120
from __future__ import annotations

import os
from collections.abc import Callable, Collection
from typing import NamedTuple

from uncuda.engine.portable.module_files import file_of, module_at
from uncuda.engine.portable.torchscript import Scripting, Taken, compiled_with, scripting
from uncuda.limits import LimitExceeded
from uncuda.source import SourceError

from .files import FileProblem

# If TorchScript compiles more functions than this together with one imported name, uncuda does not find all of them,
# but assumes that any function of the project may be compiled.
_MOST = 64
_OPEN = Scripting(is_open=True)


SCRIPTS, COMPILED, ALIAS, UNCLEAR = "TorchScript", "compiled ", "alias ", "unclear "
"""Each string that `scripts` returns begins with SCRIPTS, COMPILED, ALIAS or UNCLEAR. SCRIPTS: the file may compile any
code of the project with TorchScript. COMPILED: the file compiles a function. After COMPILED, the string contains the
path of the function's file, the name of the function, and the name of the call or decorator that compiles it ("" for
`torch.jit.script` itself). ALIAS: the file gives `torch.jit.script` another name; the string contains this name after
ALIAS. UNCLEAR: the file uses a name that may be an alias of `torch.jit.script`; the string contains this name after
UNCLEAR. If any file of the project makes this name an alias of `torch.jit.script`, the file that uses the name may
compile any code."""
_BETWEEN = "\0"  # in a string that begins with COMPILED: separates the path, the function, and the call or decorator


def scripts(data: bytes, path: str, read: Callable[[str], bytes], libraries: Collection[str]) -> frozenset[str]:
    """Return the facts about TorchScript in a file's bytes: strings that begin with SCRIPTS, COMPILED, ALIAS or
    UNCLEAR. `read`: a function that returns the bytes of another file. `libraries`: names of modules that compile none
    of the project's code. A module of the project with one of these names is read like any other file of the
    project."""
    found = scripting(data.decode("utf-8", "replace"))
    roots = {name.partition(".")[0] for name in libraries}
    facts, unclear = {ALIAS + name for name in found.aliases}, set(found.unclear)
    for taken in found.taken:
        further = _followed(path, taken, read, roots)
        facts.update(COMPILED + _BETWEEN.join((file, name, taken.by)) for file, name in further or ())
        if further is None:
            unclear.add(taken.by)
    if found.is_open or "" in unclear:
        facts.add(SCRIPTS)
    return frozenset(facts | {UNCLEAR + name for name in unclear - {""}})


class Scripts(NamedTuple):
    """What all files of a project compile with TorchScript. The fields are the fields of `Project` with the same
    names."""

    scripts: bool
    compiled: frozenset[tuple[str, str]]


def together(facts: Collection[str]) -> Scripts:
    """Combine the facts about TorchScript of all files."""
    aliases = {fact.removeprefix(ALIAS) for fact in facts if fact.startswith(ALIAS)}
    unclear = {fact.removeprefix(UNCLEAR) for fact in facts if fact.startswith(UNCLEAR)}
    split = (fact.removeprefix(COMPILED).split(_BETWEEN) for fact in facts if fact.startswith(COMPILED))
    compiled = frozenset((file, name) for file, name, alias in split if not alias or alias in aliases)
    return Scripts(SCRIPTS in facts or not aliases.isdisjoint(unclear), compiled)


def _followed(
    path: str, first: Taken, read: Callable[[str], bytes], libraries: Collection[str]
) -> set[tuple[str, str]] | None:
    """Return (path, name) of the functions and classes that TorchScript compiles together with `first`, an imported
    name that a file compiles; None if any function may be compiled."""
    compiled: set[tuple[str, str]] = set()
    waiting = [(path, first._replace(by=""))]
    seen = set(waiting)
    while waiting:
        file, taken = waiting.pop()
        place = file_of(file, taken.module)
        if place is None and taken.module.partition(".")[0] in libraries:
            continue
        further = _within(place, taken, read)
        if further.is_open or len(seen) > _MOST or place is None:
            return None
        compiled.update((_spelled(place), name) for name in further.names)
        fresh = {(place, one) for one in further.taken} - seen
        seen |= fresh
        waiting += fresh
    return compiled


def _within(place: str | None, taken: Taken, read: Callable[[str], bytes]) -> Scripting:
    """Return the functions and classes that TorchScript compiles when it compiles the imported name `taken`."""
    if place is None or not taken.name:
        return _OPEN  # it is not known which function of the module is compiled
    if os.path.basename(place) == "__init__.py" and module_at(os.path.join(os.path.dirname(place), taken.name)):
        return _OPEN
    try:
        return compiled_with(read(place).decode("utf-8", "replace"), taken.name)
    except (FileProblem, SourceError, LimitExceeded):
        return _OPEN


def _spelled(path: str) -> str:
    return os.path.normpath(path).replace("\\", "/")
