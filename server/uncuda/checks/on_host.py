"""Types of numbers that no tensor of the accelerator gets: on the host, and in comparisons."""

from __future__ import annotations

import ast

from ..facts.read import Statement

_CHOSEN = (ast.IfExp, ast.List, ast.Set, ast.Tuple)


def is_compared(node: ast.AST, statement: Statement) -> bool:
    """Whether a value is compared, alone or as one of several: `x.dtype in (torch.float32, torch.float64)`."""
    for outer in statement.digest.ancestors(node):
        if not isinstance(outer, _CHOSEN):
            return isinstance(outer, ast.Compare)
    return False


def is_cast_on_host(call: ast.AST | None, statement: Statement) -> bool:
    """Whether a method casts a tensor that lies on the host: `x.cpu().double()`, `x.double().numpy()`."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    taken = statement.digest.parents.get(call)
    if isinstance(taken, ast.Attribute) and taken.attr == "numpy":
        return True
    moved = call.func.value
    return isinstance(moved, ast.Call) and isinstance(moved.func, ast.Attribute) and moved.func.attr == "cpu"
