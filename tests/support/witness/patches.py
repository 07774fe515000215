"""Reports names that a pytest test replaces (`mock.patch`) in CUDA's module, while the tested code uses the target's
module, or the reverse."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from .module import FUNCTION, Module, Word
from .project import Project
from .record import Record, record
from .regions import sites, skipped
from .words import CUDA

PATCHES = {"patch", "setattr", "object", "delattr", "dict", "multiple", "spy", "stub"}
METHOD = "()"  # stands for x.cuda(), a method of tensors and modules


class Patched(NamedTuple):
    """A name that a pytest test replaces with a mock."""

    module: Module
    node: ast.AST
    name: str  # the name without the part that names the module
    word: Word


def records(project: Project) -> Iterator[Record]:
    """Report names that a pytest test replaces in CUDA's module, while the tested code calls the target's module, or
    the reverse."""
    uses: dict[str, list[tuple[Module, Word]]] = {}
    patched = [item for module in project.modules for item in _patched(module)]
    nodes = {item.word.node for item in patched}
    for module in project.modules:
        for word in module.words.values():
            if word.family == "method" and word.text in (CUDA.device, module.target.device):
                uses.setdefault(METHOD, []).append((module, word))
            if word.family in ("api", "import") and word.node not in nodes and (name := _below(module, word.text)):
                uses.setdefault(name, []).append((module, word))
                uses.setdefault("", []).append((module, word))
    every = (site for module in {item.module for item in patched} for site in sites(project, module))
    never = {site.node for site in every if skipped(site.guards)}
    patched = [item for item in patched if item.node not in never]
    for item in patched:
        near = {item.module, *_imported(project, item.module)}
        found = uses.get(item.name, [])
        local = [word for module, word in found if module in near] or [word for _, word in found]
        ported, stayed = [w for w in local if w.ported], [w for w in local if w.stayed]
        if (item.word.stayed and ported and not stayed) or (item.word.ported and stayed and not ported):
            yield record(item.module, item.node, "patch", (ported or stayed)[0].text)
    for module in project.modules:
        for node in module.parents:
            if isinstance(node, ast.Call) and (dotted := _replaced(module, node)):
                yield from _reached(project, module, node, dotted)


def _reached(project: Project, module: Module, node: ast.Call, dotted: str) -> Iterator[Record]:
    """Report a name that a pytest test replaces in a module of the project, if the module no longer binds the name or
    its code no longer calls it."""
    parts = dotted.split(".")
    homes = ((project.module(".".join(parts[:n])), parts[n:]) for n in range(len(parts) - 1, 0, -1))
    home, below = next(((home, below) for home, below in homes if home), (None, []))
    if home is None or parts[0] == "torch" or not (home.change.any or module.moved(node)):
        return
    name = below[0]
    after, before = _bound(home.tree), _bound(_before(home))
    if "*" in after or "__getattr__" in after or project.module(f"{home.dotted}.{name}"):
        return
    if name not in after:
        if name in before or module.moved(node.args[0]):
            yield record(module, node, "patch", f"{home.path} has no {name}")
        return
    found = home.bindings.get(name, [])
    if any(item.moved or home.side(item.dotted) is not False for item in found) or not found:
        return
    api = ".".join([_below(home, f"{found[0].dotted}.x").removesuffix("x").rstrip("."), *below[1:]]).strip(".")
    words = [word for word in home.words.values() if word.family == "api"]
    uses = [word for word in words if _below(home, word.text) == api]
    if any(word.ported for word in uses) and not any(word.stayed for word in uses):
        yield record(module, node, "patch", next(word.text for word in uses if word.ported))


def _replaced(module: Module, node: ast.Call) -> str:
    """Return the dotted name that a call to `mock.patch` replaces, given as one string or as object and name."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name not in PATCHES or not node.args or any(item.arg in ("create", "raising") for item in node.keywords):
        return ""
    first, second = node.args[0], node.args[1] if len(node.args) > 1 else None
    if isinstance(first, ast.Constant):
        return first.value if isinstance(first.value, str) and "." in first.value else ""
    base = module.resolve(first)
    return f"{base}.{second.value!s}" if base and isinstance(second, ast.Constant) else ""


def _before(module: Module) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(module.before or "")
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


def _bound(tree: ast.Module) -> set[str]:
    """Return the names that a file binds at module level, also in branches; "*" for a star import."""
    found: set[str] = set()
    nodes: list[ast.AST] = [*tree.body]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, (*FUNCTION, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif not isinstance(node, ast.Lambda):
            nodes += ast.iter_child_nodes(node)
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            found |= set(node.names)
    return found


def _below(module: Module, dotted: str) -> str:
    for device in (CUDA, module.target):
        for base in sorted((*device.modules, f"{device.modules[-1]}.{device.device}"), key=len, reverse=True):
            if dotted.startswith(base + "."):
                return dotted[len(base) + 1 :]
    return ""


def _patched(module: Module) -> Iterator[Patched]:
    for node in module.parents:
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in PATCHES:
            continue
        first, word = node.args[0], module.words.get(node.args[0])
        if word and word.family == "path":
            device = module.target.device if word.target else CUDA.device
            base, _, below = word.text.partition(f".{device}")
            yield Patched(module, node, METHOD if base.endswith(("Tensor", "Module")) else below.lstrip("."), word)
        elif word and word.family == "api" and len(node.args) > 1:
            attribute = node.args[1]
            below = _below(module, word.text + ".x").removesuffix("x")
            if isinstance(attribute, ast.Constant) and isinstance(first, ast.Attribute | ast.Name):
                yield Patched(module, node, below + str(attribute.value), word)


def _imported(project: Project, module: Module, depth: int = 2) -> Iterator[Module]:
    """Yield the project files that a file imports, directly or through another file."""
    for found in {binding.dotted for several in module.bindings.values() for binding in several}:
        home = project.module(found) or project.module(found.rpartition(".")[0])
        if home and home is not module:
            yield home
            if depth > 1:
                yield from _imported(project, home, depth - 1)
