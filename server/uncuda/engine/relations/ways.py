"""Finds out whether every way through a function calls one of certain functions of the same file."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from ...checks.branches import Branches
from ...facts.piece import parsed
from ...facts.scans import uses
from ...facts.scopes import Header

_MANY = 60  # maximum number of calls that are checked
_LONGEST = 20_000  # maximum number of characters in a function that is parsed
_SUPPRESSES = "suppress"
_OWN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def callers(names: Collection[str], branches: Branches) -> Iterator[Header]:
    """Yield the module-level functions that may call one of the named functions."""
    facts, found = branches.facts, dict[Header, None]()
    for name in names:
        for at in islice(facts.searches.find(("apart", name), uses(name, True)), _MANY):
            outermost = list(branches.indents.headers(at))[-1:]
            if outermost and outermost[0].word == "def" and facts.text.startswith("(", at + len(name)):
                found[outermost[0]] = None
    yield from found


def always_calls(function: Header, names: Collection[str], branches: Branches) -> bool:
    """Return whether every way through a function calls one of the named functions, in a statement of its own."""
    end = branches.indents.extent(function.start)
    branches.work.search(function.start, end)
    branches.facts.layout.reads(function.start, end)
    tree = parsed(branches.text[function.start : end]) if end - function.start <= _LONGEST else None
    node = tree.body[0] if tree is not None and tree.body else None
    return isinstance(node, ast.FunctionDef) and _always(node.body, names)


def _always(body: Sequence[ast.stmt], names: Collection[str]) -> bool:
    """Return whether every way through some statements calls one of the functions."""
    for statement in body:
        if isinstance(statement, (ast.Expr, ast.Assign)) and _is_call(statement.value, names):
            return True
        if isinstance(statement, ast.If):
            arms = [statement.body, statement.orelse]
            if all(_always(arm, names) for arm in arms):
                return True
            if any(any(map(_returns, arm)) and not _always(arm, names) for arm in arms):
                return False
        elif isinstance(statement, ast.With) and not any(_SUPPRESSES in ast.unparse(item) for item in statement.items):
            if _always(statement.body, names):
                return True
            if _returns(statement):
                return False
        elif _returns(statement):
            return False
    return False


def _is_call(value: ast.expr, names: Collection[str]) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in names


def _returns(node: ast.AST) -> bool:
    """Return whether a statement may return from its function."""
    if isinstance(node, ast.Return):
        return True
    return not isinstance(node, _OWN) and any(map(_returns, ast.iter_child_nodes(node)))
