"""Finds lookups in a dictionary by device, such as `SIZES[x.device.type]`. On the target, a lookup by device raises
KeyError until the dictionary has an entry for the target, so a condition around the lookup that asks for CUDA is fixed
only together with the dictionary, and so is the default of a parameter by which a function looks up."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ...checks import Hit
from ...facts.digest import Chain
from ...facts.read import Facts, Statement
from ...facts.role_calls import last_word, option_name, parameter_of
from ...facts.scans import whole_word, word_before
from .kernels import Kernels


def dictionaries(hits: Sequence[Hit]) -> list[int]:
    """Return the indices of hits that report a dictionary without an entry for the target."""
    return [index for index, hit in enumerate(hits) if hit.rule.get("entry") and hit.statement is not None]


def lookups(hit: Hit, facts: Facts, kernels: Kernels) -> Iterator[tuple[int, str]]:
    """Yield the lookups by keys that are not constant (`TILES[kind]`) in the dictionary that a hit reports: the offset
    of each, and the name of the dictionary."""
    statement, mapping = hit.statement, _mapping(hit)
    if statement is None or mapping is None:
        return
    if _is_looked_up(mapping, statement):
        yield hit.start, ""
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
            if found is not None and bool(chain.parts) is dotted and _is_looked_up(chain.node, found):
                yield at, chain.spelled


def defaults(hits: Sequence[Hit], facts: Facts) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of hits: the device string that is the default of a parameter or option, and a dictionary
    in which the function looks up the parameter's value, or the file the option's: `def build(device="cuda"): return
    FACTORIES[device]`, `PROVIDERS[args.device]`."""
    named = {name: index for index in dictionaries(hits) if (name := _name(hits[index]))}
    by_option: dict[str, set[str]] | None = None
    for index, hit in enumerate(hits) if named else ():
        if hit.statement is None or hit.node is None or hit.rule.check != "string":
            continue
        if (parameter := _parameter(hit)) is not None:
            start, end = hit.statement.start, facts.indents.extent(hit.statement.start)
            found = {name for name, _ in _subscripts(re.escape(parameter.arg), start, end, facts)}
        elif option := _option(hit.statement, hit.node):
            if by_option is None:
                by_option = {}
                for name, key in _subscripts(r"\w+\.\w+", 0, len(facts.text), facts):
                    by_option.setdefault(key.rpartition(".")[2], set()).add(name)
            found = by_option.get(option, set())
        else:
            continue
        yield from ((index, named[name]) for name in sorted(found & named.keys()))


def _subscripts(key: str, start: int, end: int, facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield the last word before each subscript in a span that matches the pattern `key`, and the subscript."""
    facts.work.search(start, end)
    facts.layout.reads(start, end)
    for match in re.compile(rf"\[[ \t]*({key})[ \t]*\]").finditer(facts.text, start, end):
        yield word_before(facts.text, match.start()), match[1]


def _option(statement: Statement, node: ast.AST) -> str:
    """Return the name of the command-line option that a call with the node as an argument declares; "" if there is
    none."""
    calls = (outer for outer in statement.digest.ancestors(node) if isinstance(outer, ast.Call))
    return next(filter(None, map(option_name, calls)), "")


def _name(hit: Hit) -> str:
    """Return the last word of the name to which a statement assigns the dictionary of a hit; "" if there is none."""
    mapping = _mapping(hit)
    return last_word(_target(hit.statement.digest.parents.get(mapping))) if hit.statement and mapping else ""


def _parameter(hit: Hit) -> ast.arg | None:
    """Return the parameter whose default is the device string of a hit; None if it is no default."""
    outer = hit.parent
    return parameter_of(outer, hit.node) if isinstance(outer, ast.arguments) and hit.node is not None else None


def _mapping(hit: Hit) -> ast.Dict | None:
    """Return the dictionary display of which a hit is a key; None if there is none."""
    return outer if isinstance(outer := hit.parent, ast.Dict) else None


def _ending(name: str, at: int, statement: Statement) -> Iterator[Chain]:
    """Yield the dotted names of a statement that contain the offset `at` and whose last part is `name`."""
    for chain in statement.digest.chains:
        start, end = chain.piece.span(chain.node)
        if start <= at - statement.start < end and (chain.root, *chain.parts)[-1] == name:
            yield chain


def _is_looked_up(node: ast.AST, statement: Statement) -> bool:
    outer = statement.digest.parents.get(node)
    if not isinstance(outer, ast.Subscript) or outer.value is not node:
        return False
    return isinstance(outer.ctx, ast.Load) and not isinstance(outer.slice, ast.Constant)


def _target(assigned: ast.AST | None) -> ast.Name | ast.Attribute | None:
    """Return the only name to which a statement assigns the dictionary; None if there is none."""
    if isinstance(assigned, ast.Assign) and len(assigned.targets) == 1:
        target = assigned.targets[0]
    elif isinstance(assigned, ast.AnnAssign):
        target = assigned.target
    else:
        return None
    return target if isinstance(target, (ast.Name, ast.Attribute)) else None
