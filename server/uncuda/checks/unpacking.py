"""Names in assignments and loops: tells which value an unpacking or a loop assigns to a name, and which target receives
a value."""

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


def target_of(assignment: ast.AST | None, value: ast.AST) -> ast.expr | None:
    """Return the first target of an assignment (`=`, `:=`, `+=`) whose whole value is the node `value`; None for other
    nodes."""
    if getattr(assignment, "value", None) is not value:
        return None
    target: ast.expr | None = getattr(assignment, "target", None)
    return assignment.targets[0] if isinstance(assignment, ast.Assign) else target


def item_target(target: ast.expr | None, values: ast.Tuple, item: ast.AST | None) -> ast.expr | None:
    """Return the item of a target to which an assignment of a tuple assigns one of its `values`: `b` for `y` in `a, b =
    x, y`. Return None if the target has another number of items and no item is starred, or if a starred item is
    between the value and both ends of the tuple."""
    items = target.elts if isinstance(target, ast.Tuple) else []
    both = (items, values.elts)
    starred = any(isinstance(one, ast.Starred) for one in (*items, *values.elts))
    at = next((at for at, one in enumerate(values.elts) if one is item), len(values.elts))
    if at >= len(values.elts) or (not starred and len(items) != len(values.elts)):
        return None
    if not any(isinstance(one, ast.Starred) for side in both for one in side[: at + 1]):
        return items[at] if at < len(items) else None
    last = at - len(values.elts)  # the position from the end
    if not any(isinstance(one, ast.Starred) for side in both for one in side[last:]):
        return items[last] if -last <= len(items) else None
    return None
