"""Finds lookups in a dictionary by device, such as `SIZES[x.device.type]`. On the target, a lookup by device raises
KeyError until the dictionary has an entry for the target, so a condition around the lookup that asks for CUDA is fixed
only together with the dictionary, and so is the default of a parameter by which a function looks up."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ...checks import Hit
from ...facts.digest import Chain
from ...facts.read import Facts, Statement
from ...facts.scans import whole_word
from .kernels import Kernels, Libraries


def dictionaries(hits: Sequence[Hit]) -> list[int]:
    """Return the indices of hits that report a dictionary without an entry for the target."""
    return [index for index, hit in enumerate(hits) if hit.rule.get("entry") and hit.statement is not None]


def lookups(hit: Hit, facts: Facts, kernels: Kernels) -> Iterator[tuple[int, str]]:
    """Yield the lookups by keys that are not constant (`TILES[kind]`) in the dictionary that a hit reports: the offset
    of each, and the name of the dictionary."""
    yield from ((at, name) for at, name, _ in _lookups(hit, facts, kernels))


def defaults(hits: Sequence[Hit], facts: Facts, libraries: Libraries) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of hits: the device string that is the default of a parameter, and a dictionary in which
    the function looks up the parameter's value: `def build(device="cuda"): return FACTORIES[device]`."""
    found = dictionaries(hits)
    given = {(start, name): index for index, hit in enumerate(hits) for start, name in _defaults(hit)} if found else {}
    if not given:
        return
    kernels = Kernels(facts, hits, libraries, only=())
    for index in found:
        for at, _, key in _lookups(hits[index], facts, kernels):
            scope = facts.indents.scope_of(at)
            if scope is not None and isinstance(key, ast.Name) and (scope[0], key.id) in given:
                yield given[scope[0], key.id], index


def _defaults(hit: Hit) -> Iterator[tuple[int, str]]:
    """Yield the start of a function, and the name of the parameter whose default is the device string of a hit."""
    statement, node = hit.statement, hit.node
    outer = statement.digest.parents.get(node) if statement is not None and node is not None else None
    if statement is not None and hit.rule.check == "string" and isinstance(outer, ast.arguments):
        places = [*outer.posonlyargs, *outer.args]
        named = [*zip(reversed(places), reversed(outer.defaults)), *zip(outer.kwonlyargs, outer.kw_defaults)]
        yield from ((statement.start, parameter.arg) for parameter, default in named if default is node)


def _lookups(hit: Hit, facts: Facts, kernels: Kernels) -> Iterator[tuple[int, str, ast.AST]]:
    """Yield the same as `lookups`, each with the key."""
    statement, node = hit.statement, hit.node
    mapping = statement.digest.parents.get(node) if statement is not None and node is not None else None
    if statement is None or not isinstance(mapping, ast.Dict):
        return
    if (key := _key(mapping, statement)) is not None:
        yield hit.start, "", key
    target = _target(statement.digest.parents.get(mapping))
    if target is None:
        return
    start, end = 0, len(facts.text)
    scope = facts.indents.scope_of(statement.start)
    if isinstance(target, ast.Name):
        _, start, end, *_ = kernels.variable(target.id, statement.start)
    dotted = isinstance(target, ast.Attribute) or (scope is not None and scope[1] == "class")
    name = target.attr if isinstance(target, ast.Attribute) else target.id
    for at in facts.searches.find(("lookup", name), whole_word(name)):
        found = facts.peek(at) if start <= at < end else None
        for chain in _ending(name, at, found) if found is not None else ():
            if found is not None and bool(chain.parts) is dotted and (key := _key(chain.node, found)) is not None:
                yield at, chain.spelled, key


def _ending(name: str, at: int, statement: Statement) -> Iterator[Chain]:
    """Yield the dotted names of a statement that contain the offset `at` and whose last part is `name`."""
    for chain in statement.digest.chains:
        start, end = chain.piece.span(chain.node)
        if start <= at - statement.start < end and (chain.root, *chain.parts)[-1] == name:
            yield chain


def _key(node: ast.AST, statement: Statement) -> ast.expr | None:
    """Return the key of a lookup `node[key]`; None if the key is constant, or if this is no lookup."""
    outer = statement.digest.parents.get(node)
    if not isinstance(outer, ast.Subscript) or outer.value is not node:
        return None
    return outer.slice if isinstance(outer.ctx, ast.Load) and not isinstance(outer.slice, ast.Constant) else None


def _target(assigned: ast.AST | None) -> ast.Name | ast.Attribute | None:
    """Return the only name to which a statement assigns the dictionary; None if there is none."""
    if isinstance(assigned, ast.Assign) and len(assigned.targets) == 1:
        target = assigned.targets[0]
    elif isinstance(assigned, ast.AnnAssign):
        target = assigned.target
    else:
        return None
    return target if isinstance(target, (ast.Name, ast.Attribute)) else None
