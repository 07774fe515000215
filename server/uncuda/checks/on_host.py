"""Types of numbers that no tensor of the accelerator gets: on the host, and in comparisons."""

from __future__ import annotations

import ast

from ..facts.model import Name
from ..facts.read import Facts, Statement

RANGES = frozenset({"arange", "eye", "linspace"})
FACTORIES = frozenset({"as_tensor", "empty", "eye", "full", "ones", "rand", "randn", "tensor", "zeros"})
"""The functions of torch that make a tensor of what is no tensor, or need not be one."""
_PLACES = ("set_default_device", "set_default_tensor_type", "with torch.device")
_MOVES = frozenset({"cuda", "double", "to", "type", "type_as"})
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


def is_off_device(reference: Name, facts: Facts) -> bool:
    """Whether a dtype is compared, what a word means, or given to what is on the host: a tensor there, or one made."""
    node, statement = reference.chain.node, reference.statement
    outer = statement.digest.parents.get(node)
    if isinstance(outer, ast.Dict) or is_compared(node, statement) or is_cast_on_host(outer, statement):
        return True
    return isinstance(outer, ast.keyword) and _is_made_on_host(statement.digest.parents.get(outer), statement, facts)


def _is_made_on_host(call: ast.AST | None, statement: Statement, facts: Facts) -> bool:
    """Whether a call makes a tensor without a word of a device, which is not moved at once."""
    if (
        not isinstance(call, ast.Call)
        or not isinstance(call.func, ast.Attribute)
        or call.func.attr not in FACTORIES | RANGES
    ):
        return False
    if any(word.arg in ("device", None) for word in call.keywords) or any(map(facts.says, _PLACES)):
        return False
    made: ast.AST | None = call
    while isinstance(taken := statement.digest.parents.get(made) if made is not None else None, ast.Attribute):
        if taken.attr in _MOVES:
            return False
        made = statement.digest.parents.get(taken)
    return True
