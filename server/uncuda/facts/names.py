"""Resolves local names to dotted names, by imports, aliases, and scopes that hide a name."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .. import lazy_re
from ..limits import UNLIMITED, Work
from .bindings import Binding
from .changes import Searches
from .digest import Digest
from .role_calls import chain_of
from .scans import plain
from .scopes import ScopeMap

_FALLBACKS = frozenset({"def", "class", "from", "import"})
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# functions that return torch; functions that import what they are given by name; and those that make a stand-in for it
_LATE = frozenset(
    {"_torch", *(f"{under}{verb}_torch" for under in ("", "_") for verb in ("get", "import", "load", "require"))}
)
_GETTERS, _LOADING = frozenset({"cast", "get_module"}), ("dependency", "import", "lazy", "require")
_MAKING = ("create", "dummy", "fake", "install", "make", "mock", "new", "stub")
_IMPORTERS = frozenset({"import_module", "importorskip", "__import__"})


@dataclass(slots=True, eq=False)
class Bound:
    """One binding of a name. `scope`: the offset of the header of the scope, or -1 for the module; `dotted`: the dotted
    name of the bound object, None if it is unknown."""

    scope: int
    word: str
    dotted: str | None
    binding: Binding
    statement: int


class Names:
    """The bindings, in one text, of local names that may stand for something that a rule reports, such as `t` after
    `import torch as t`."""

    def __init__(self, scopes: ScopeMap, work: Work | None = None, stored: frozenset[str] = frozenset()) -> None:
        """`stored`: the names under which classes of the text store the module: `self.torch = torch`."""
        self.work, self.stored = work or Work(UNLIMITED), stored
        self._scopes = scopes
        self._bound: dict[str, list[Bound]] = {}
        self._declared: dict[tuple[str, int], str] = {}
        self._flat: dict[str, str | None] = {}
        self.stars: list[tuple[str, Binding, int]] = []

    def bindings(self, name: str) -> list[Bound]:
        """All known bindings of a local name."""
        return self._bound.get(name, [])

    def add(self, name: str, dotted: str | None, binding: Binding, statement: int) -> None:
        """Record that the statement at this offset binds `name`."""
        if binding.inside >= 0:
            scope, word = statement + binding.inside, "def"
        else:
            scope, word = self._scope_of(statement)
        if binding.kind in ("global", "nonlocal"):
            self._declared[name, scope] = binding.kind
            return
        self._bound.setdefault(name, []).append(Bound(scope, word, dotted, binding, statement))
        self._flat.pop(name, None)

    def _scope_of(self, statement: int) -> tuple[int, str]:
        return self._scopes.scope_of(statement) or (-1, "")

    def settle(self) -> None:
        """Move the bindings of names declared `global` to the module, and resolve parameters that hand on torch; called
        after all statements have been added."""
        for bounds in self._bound.values():
            for bound in bounds:
                if self._declared.get((bound.binding.name, bound.scope)) == "global":
                    bound.scope = -1
        bounds = self.bindings("torch")
        if any(bound.dotted == "torch" for bound in bounds) and all(bound.scope >= 0 for bound in bounds):
            # only functions import torch, and hand it on: `def fit(self, torch):`
            for bound in bounds:
                if bound.binding.kind == "parameter":
                    bound.dotted = "torch"

    def moved(self, scopes: ScopeMap, place: Callable[[int], int], work: Work) -> Names:
        """Return the same bindings for a text in which the statements have other offsets."""
        names = Names(scopes, work, self.stored)
        for name, bounds in self._bound.items():
            names._bound[name] = [
                Bound(b.scope if b.scope < 0 else place(b.scope), b.word, b.dotted, b.binding, place(b.statement))
                for b in bounds
            ]
        names._declared = {(name, place(scope)): kind for (name, scope), kind in self._declared.items()}
        names._flat = dict(self._flat)
        return names

    def resolve(self, name: str, statement: int, inside: int = -1) -> str | None:
        """Return the dotted name of the object that `name` means in the statement at this offset; None if it is unknown
        or ambiguous."""
        bounds = self._bound.get(name)
        if not bounds:
            return None
        if name not in self._flat:
            self.work.compare(len(bounds))
            self._flat[name] = _agreed(bounds) if all(b.scope < 0 for b in bounds) else ""
        flat = self._flat[name]
        if flat != "":
            return flat
        self.work.compare(2 * len(bounds))
        at = statement + inside if inside >= 0 else statement
        own = at if inside >= 0 else (self._scopes.scope_of(statement) or (-1, ""))[0]
        best = -1
        for bound in bounds:
            header = bound.scope
            if header <= best or (bound.word == "class" and header != own):
                continue
            if header == at or (header < statement < self._scopes.extent(header)):
                best = header
        return _agreed([b for b in bounds if b.scope == best])

    def resolve_node(self, node: ast.AST, statement: int, digest: Digest) -> str | None:
        """Return the dotted name that a name or attribute expression resolves to; None if it resolves to none."""
        base, parts = chain_of(node)
        if not isinstance(base, ast.Name):
            return None
        if self.stored and base.id == "self" and parts and parts[0] in self.stored:
            return ".".join(["torch", *parts[1:]])
        if digest.nested and hidden(base.id, node, digest, self.work):
            return None
        root = self.resolve(base.id, statement, digest.scopes.get(node, -1))
        return None if root is None else ".".join([root, *parts])


def hidden(name: str, node: ast.AST, digest: Digest, work: Work) -> bool:
    """Whether a parameter of a lambda, or a target of a comprehension, hides `name` at `node`."""
    inner = node
    for outer in digest.ancestors(node):
        work.compare()
        if isinstance(outer, ast.Lambda) and inner is outer.body:
            arguments = outer.args
            every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
            if any(argument and argument.arg == name for argument in every):
                return True
        elif isinstance(outer, _COMPREHENSIONS):
            if outer not in digest.targets:
                targets = (target for generator in outer.generators for target in ast.walk(generator.target))
                digest.targets[outer] = frozenset(target.id for target in targets if isinstance(target, ast.Name))
            if name in digest.targets[outer]:
                first = outer.generators[0]
                if inner is not first or not _holds(first.iter, node):
                    return True
        inner = outer
    return False


def _holds(tree: ast.AST, node: ast.AST) -> bool:
    return any(child is node for child in ast.walk(tree))


def _agreed(bounds: list[Bound]) -> str | None:
    """Return the dotted name if all bindings of a name in one scope agree on it, otherwise None.

    A binding `name = None` contradicts no other binding; neither does a definition in a fallback branch, if another
    binding is an import.
    """
    known = {b.dotted for b in bounds if b.dotted}
    if len(known) != 1:
        return _same_tail(known) if known and all(b.dotted or _is_none(b.binding.value) for b in bounds) else None
    imported = any(b.dotted and b.binding.kind in ("import", "from") for b in bounds)
    for bound in bounds:
        if bound.dotted or _is_none(bound.binding.value) or bound.binding.kind == "del":
            continue
        if not (imported and bound.binding.kind in _FALLBACKS):
            return None
    return known.pop()


def _same_tail(known: set[str]) -> str | None:
    """Return the shortest name if it is a parent of all others, such as `torch` for `import torch` and `import
    torch.nn`; otherwise None."""
    names = sorted(known)
    return names[0] if all(n == names[0] or n.startswith(names[0] + ".") for n in names) else None


def _is_none(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value in (None, False)


def imported_name(value: ast.expr | None) -> str | None:
    """The module that `importlib.import_module("torch")` or a similar call returns; None for other expressions."""
    if isinstance(value, ast.Call) and len(value.args) >= 1 and isinstance(value.args[0], ast.Constant):
        function = value.func
        last = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        name = value.args[0].value
        if last in _IMPORTERS and isinstance(name, str) and (last != "__import__" or "." not in name):
            return name
    return None


LATE = lazy_re.compile(r"^[ \t]*torch[ \t]*=[ \t]*[\w.]+\(", re.M)
"""Matches each line that may bind `torch` as `is_late_torch` says."""


def is_late_torch(nodes: Sequence[ast.AST]) -> bool:
    """Return whether a statement only binds `torch` to what a function gives that imports it late: `torch =
    _safe_import("torch")`, `torch = _import_torch()`. `nodes`: the nodes of the statement."""
    node = nodes[0] if len(nodes) == 1 else None
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call) or len(node.targets) > 1:
        return False
    target, call = node.targets[0], node.value
    if not isinstance(target, ast.Name) or target.id != "torch":
        return False
    last = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if not call.args and not call.keywords:
        return last in _LATE and isinstance(call.func, ast.Name)
    first = call.args[0] if call.args else None
    named = isinstance(first, ast.Constant) and first.value == "torch"
    imports = last in _GETTERS or any(word in last.lower() for word in _LOADING)
    return named and imports and not any(word in last.lower() for word in _MAKING)


def plain_imports(searches: Searches) -> Iterator[tuple[str, str]]:
    """Yield (local name, module) for each module in an `import a, b.c as d`; the statements are not parsed."""
    text, end = searches.text, 0
    for at in searches.find(("text", "import "), plain("import ")):
        if at < end:
            continue
        end = text.find("\n", at)
        end = end if end >= 0 else len(text)
        if not text[text.rfind("\n", 0, at) + 1 : at].strip():
            for part in text[at + 7 : end].partition("#")[0].partition(";")[0].split(","):
                words = part.split()
                if words:
                    yield words[2] if len(words) == 3 else words[0].partition(".")[0], words[0]


def from_imports(searches: Searches) -> Iterator[tuple[str, str]]:
    """Yield (local name, dotted name) for each name in a `from a.b import c as d`; the statements are not parsed."""
    text = searches.text
    for at in searches.find(("text", "import "), plain("import ")):
        head = text[text.rfind("\n", 0, at) + 1 : at].split()
        if len(head) != 2 or head[0] != "from":
            continue
        opened = text.startswith("(", at + 7)
        end = text.find(")" if opened else "\n", at)
        while not opened and end > 0 and text[end - 2 : end].rstrip("\r").endswith("\\"):
            end = text.find("\n", end + 1)
        yield from _imported_from(head[1], text[at + 7 + opened : end if end >= 0 else len(text)])


@lru_cache(maxsize=1024)
def _imported_from(module: str, names: str) -> tuple[tuple[str, str], ...]:
    parts = re.sub(r"#[^\n]*|;.*|\\\r?\n", " ", names).split(",")
    prefix = module if module.endswith(".") else f"{module}."  # `from . import a` binds `.a`
    return tuple((words[-1], prefix + words[0]) for part in parts if (words := part.split()))
