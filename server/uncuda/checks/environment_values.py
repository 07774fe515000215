"""Checks whether the target's environment variable accepts the value that the code assigns to CUDA's variable."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import pairwise

from ..facts.read import Statement
from ..facts.role_calls import last_word

_READERS = frozenset({"get", "getenv", "pop"})


def given_value(statement: Statement, node: ast.AST) -> ast.AST | None:
    """The value that the code assigns to the environment variable named by `node`; None if the variable is only
    read."""
    if isinstance(node, ast.keyword):
        return node.value
    parent = statement.digest.parents.get(node)
    if isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Store):
        around = statement.digest.parents.get(parent)
        return around.value or parent if isinstance(around, (ast.Assign, ast.AnnAssign)) else parent
    if isinstance(parent, ast.Dict):
        return next((value for key, value in zip(parent.keys, parent.values) if key is node), None)
    if isinstance(parent, ast.Call) and len(parent.args) > 1 and parent.args[0] is node:
        return None if last_word(parent.func) in _READERS else parent.args[1]
    return None


def ascends(value: ast.AST | str) -> bool:
    """Whether the comma-separated numbers of a literal value ascend; True for other values."""
    parts = _parts(value)
    numbers = [int(part) for part in parts if part.isascii() and part.isdecimal()]
    return len(numbers) < len(parts) or all(one < other for one, other in pairwise(numbers))


def shared(value: ast.AST | str, patterns: Sequence[str]) -> bool:
    """Whether every comma-separated part of a literal value matches a pattern for values with the same meaning on the
    target."""
    parts = _parts(value)
    return bool(parts) and all(any(fnmatchcase(part, pattern) for pattern in patterns) for part in parts)


def _parts(value: ast.AST | str) -> list[str]:
    """Return the comma-separated parts of a literal value, one of which may be ""; [] for other values."""
    if isinstance(value, ast.Constant):
        value = str(value.value)
    return [part.strip() for part in value.strip("'\" ").split(",")] if isinstance(value, str) else []
