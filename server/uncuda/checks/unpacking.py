"""Names in assignments and loops: tells which value an unpacking or a loop assigns to a name."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def is_name(node: ast.expr, name: str) -> bool:
    """Whether a node is a plain variable of this name."""
    return isinstance(node, ast.Name) and node.id == name


def is_numbered(loop: ast.For | ast.AsyncFor, name: str) -> bool:
    """Whether a loop is `for index, NAME in enumerate(…)`."""
    target, numbered = loop.target, loop.iter
    if not isinstance(target, ast.Tuple) or len(target.elts) != 2 or not is_name(target.elts[1], name):
        return False
    return isinstance(numbered, ast.Call) and is_name(numbered.func, "enumerate") and bool(numbered.args)


def given(target: ast.expr, value: ast.expr, name: str) -> Iterator[ast.expr]:
    """Yield each expression that a tuple assignment assigns to `name`: `y` for NAME in `a, NAME = x, y`."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        if not any(isinstance(one, ast.Starred) for one in (*target.elts, *value.elts)):
            yield from (one for held, one in zip(target.elts, value.elts) if is_name(held, name))
