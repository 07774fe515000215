"""Follows calls from the names that files of tests import, through all files of a project, to what only CUDA has.

A skip mark must stay unchanged if its tests lead to a name of `torch.cuda` or a library that the target lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from itertools import chain
from typing import NamedTuple

from uncuda.module_names import OPERATORS, agree, module_at, operators
from uncuda.project import MANY, MARK

from .calls import Calls

# if more functions than this have the same last two segments of their dotted names, only exact names are matched; if
# more modules than this may be the one that is imported, none is read
_ALIKE = 50
# code that needs more names and libraries than this is assumed to need some that the target lacks
_MOST = 64
_FILES = 2000  # maximum number of files that are read because calls lead to them


def follow(told: Iterable[Calls], paths: Iterable[str], read: Callable[[str], Calls]) -> dict[str, Calls]:
    """Return the calls of those files, by path, to which calls lead from the names that files of tests import, and from
    what skip marks of other files skip. `told`: the calls of the files of tests; `paths`: the paths of all files of the
    project; `read`: a function that reads the calls of a file."""
    every = [*chain.from_iterable(told)]
    roots = [name for one in every if one.startswith("\n") for name in one[1:].split("\n")]
    if not roots:
        return {}
    graph, found, modules = _Graph(every), dict[str, Calls](), _Modules(paths)
    waiting, seen = [root for root in roots if not root.startswith("=")], set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for path in modules.of(name) if len(found) < _FILES and not name.startswith((MARK, "torch.")) else ():
            if path not in found:
                found[path] = read(path)
                graph.add(found[path])
        waiting += (callee for node in graph.nodes(name) for callee in graph.callees[node])
    return found


def reached(
    told: Iterable[Calls], libraries: Collection[str], extensions: Collection[str] = ()
) -> frozenset[tuple[str, str]]:
    """Return pairs (name, needs). The names are imported by files that skip tests, or are skip marks that files import.
    `needs` is a text with a line for each thing that a function needs, if the function is called through the name:
    a name of `torch.cuda`, with keywords of its call in parentheses; a library; or one of the `extensions`, which are
    the modules that the project compiles for CUDA. If a function needs more than _MOST things, `needs` is MANY."""
    every = [*chain.from_iterable(told)]
    if not any(one.startswith("\n") for one in every):
        return frozenset()
    graph = _Graph(every)
    roots = graph.callees.pop("", [])
    made = _Own(root[1:] for root in roots if root.startswith("="))
    marks = [root for root in roots if root.startswith(MARK) and made.of(root[1:])]
    found = {root: node for root in roots if root[0] not in (MARK, "=") for node in graph.own.of(root)}
    folders = {part for name in graph.callees for part in name.split(".")} - {"torch"}
    needed = _needed([*found.values(), *marks], graph, _Needs(libraries, folders, _Built(extensions)))
    said = {node: "\n".join(sorted(needs)) for node, needs in needed.items() if needs}
    pairs = [*found.items(), *((mark, mark) for mark in marks)]
    return frozenset((root, said[node]) for root, node in pairs if node in said)


def wrappers(
    told: Iterable[Calls], bound_to_cuda: Collection[str], extensions: Collection[str]
) -> frozenset[tuple[str, str]]:
    """Return pairs (name, module) of the project's functions and autograd functions that run code of a compiled module:
    one of the `extensions`, which the project compiles for CUDA, or a module of a library that may need CUDA: one of
    `bound_to_cuda`, or one whose name contains "cuda". `told`: what `calls.wrapped` returns for each file."""
    built = _Built(extensions)
    found = set[tuple[str, str]]()
    for one in chain.from_iterable(told):
        name, *callees = one.split("\n")
        for callee in callees:
            root = callee.partition(".")[0]
            if module := built.below(callee):
                found.add((name, module))
            elif root in bound_to_cuda or "cuda" in root:
                found.add((name, callee))
    return frozenset(found)


class _Graph:
    """Which functions, classes, methods and skip marks of a project call which names. `callees`: the callees of each
    caller."""

    def __init__(self, calls: Iterable[str]) -> None:
        self.callees: dict[str, list[str]] = {}
        self.own = _Own()
        self.add(calls)

    def add(self, calls: Iterable[str]) -> None:
        """Add the calls of further files."""
        for one in calls:
            caller, *callees = one.split("\n")
            if caller not in self.callees and caller:
                self.own.add(caller)
            self.callees.setdefault(caller, []).extend(callees)

    def nodes(self, name: str) -> list[str]:
        """Return, as a list of one, the caller that a name means; [] if it means none, or several."""
        return [name] if name in self.callees else self.own.of(name)


class _Modules:
    """Finds the files of a project by the dotted names of what they contain."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._module_at = cache(module_at)
        self._by_name: dict[str, list[str]] = {}
        for path in paths:
            if path.endswith(".py"):
                *_, folder, name = "", *path.replace("\\", "/").rsplit("/", 2)[-2:]
                self._by_name.setdefault(folder if name == "__init__.py" else name[:-3], []).append(path)

    def of(self, name: str) -> Iterator[str]:
        """Yield the paths of the modules that a dotted name may mean, or that may contain the function, class or method
        that it means."""
        parts = name.split(".")
        for size in range(max(1, len(parts) - 2), len(parts) + 1):
            module = ".".join(parts[:size])
            named = self._by_name.get(parts[size - 1], ())
            alike = [path for path in named if (own := self._module_at(path)) and agree(own, module)]
            yield from alike if len(alike) <= _ALIKE else ()


class _Built:
    """The modules that the project compiles for CUDA."""

    def __init__(self, extensions: Collection[str]) -> None:
        self._names, self._longest = frozenset(extensions), max((name.count(".") + 1 for name in extensions), default=0)
        self._operators = operators(extensions)

    def of(self, name: str) -> str:
        """Return the compiled module that a dotted name is, or is in, or that registers an operator with this name; ""
        if there is none."""
        if name.startswith(OPERATORS):
            return self._operators.get(name.split(".")[2], "")
        parts = name.split(".")[: self._longest]
        return next((one for size in range(len(parts), 0, -1) if (one := ".".join(parts[:size])) in self._names), "")

    def below(self, name: str) -> str:
        """Return the compiled module as `of` does, also if the name of the module is the end of a longer name: the
        path of a file, which shows the name, may begin above the folder where Python looks for modules."""
        parts = name.split(".")
        found = (self.of(".".join(parts[at:])) for at in range(len(parts)))
        return next((one for one in found if one and (one.startswith("_") or "." in one or name.startswith(one))), "")


class _Own:
    """Finds the functions, classes and methods of the project by the names with which other files import them."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._by_end: dict[str, list[str]] = {}
        for name in names:
            self.add(name)

    def add(self, name: str) -> None:
        """Add the dotted name of a function, class or method."""
        self._by_end.setdefault(_end(name), []).append(name)

    def of(self, name: str) -> list[str]:
        """Return, as a list of one, the function, class or method that an imported name means. If the name may mean
        several, return the one with exactly this name; if there is none, return []."""
        like = self._by_end.get(_end(name), [])
        found = (
            [own for own in like if agree(own, name)] if len(like) <= _ALIKE else [own for own in like if own == name]
        )
        return found if len(found) == 1 else [own for own in found if own == name]


def _end(name: str) -> str:
    return ".".join(name.split(".")[-2:])


class _Needs(NamedTuple):
    """Tells which callees are names of `torch.cuda`, libraries or modules that the project compiles for CUDA.
    `folders`: the segments of the names of the project's modules; a library with such a name is the project's own."""

    libraries: Collection[str]
    folders: Collection[str]
    built: _Built

    def of(self, callee: str, is_own: bool) -> str:
        """Return what a callee needs of CUDA; "" if it needs nothing."""
        if module := self.built.of(callee):
            return module
        root = callee.partition(".")[0]
        cudas = callee.startswith(("torch.cuda.", OPERATORS, "torch.utils.cpp_extension.")) or root in self.libraries
        return callee if cudas and not is_own and root not in self.folders else ""


def _needed(starts: Iterable[str], graph: _Graph, of_cuda: _Needs) -> dict[str, set[str]]:
    """Return what each of `starts`, and each function that they call directly or indirectly, needs of CUDA."""
    needs: dict[str, set[str]] = {}
    callers: dict[str, list[str]] = {}
    waiting = list(dict.fromkeys(starts))
    while waiting:
        caller = waiting.pop()
        if caller in needs:
            continue
        found: set[str] = set()
        for callee in graph.callees.get(caller, ()):
            known = graph.nodes(callee)
            for node in known:
                callers.setdefault(node, []).append(caller)
                waiting.append(node)
            if need := of_cuda.of(callee, bool(known)):
                found.add(need)
        needs[caller] = found if len(found) <= _MOST else {MANY}
    changed = [name for name, found in needs.items() if found]
    while changed:
        name = changed.pop()
        for caller in callers.get(name, ()):
            if MANY not in (known_needs := needs[caller]) and not needs[name] <= known_needs:
                known_needs |= needs[name]
                if MANY in known_needs or len(known_needs) > _MOST:
                    needs[caller] = {MANY}
                changed.append(caller)
    return needs
