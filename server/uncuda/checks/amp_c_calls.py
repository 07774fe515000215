"""Stand-ins for amp_C's functions that every device has: `torch._foreach_*` has a composite fallback for every backend.

`multi_tensor_applier(amp_C.OP, flag, [lists], *args)`, or `OP(chunk_size, flag, [lists], *args)`.
"""

from __future__ import annotations

import ast

from ..edits import Edit
from ..facts.read import Name
from ..facts.role_calls import last_word


def stand_in(use: Name, applier: str, text: str) -> Edit | None:
    """The edit that replaces the call around a use; None when there is no one-line stand-in."""
    node, digest, base = use.chain.node, use.statement.digest, use.statement.start
    call = digest.parents.get(node)
    if not isinstance(call, ast.Call) or call.keywords or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    direct = call.func is node
    if not direct and not (call.args and call.args[0] is node and last_word(call.func) == applier):
        return None
    piece = use.chain.piece

    def source(part: ast.expr) -> str:
        start, end = piece.span(part)
        return text[base + start : base + end]

    arguments = call.args[2:]
    if not arguments or not isinstance(arguments[0], (ast.List, ast.Tuple)):
        return None
    lists = [source(item) for item in arguments[0].elts]
    new = _expression(use.dotted.rpartition(".")[2], lists, arguments[1:], source)
    if new is None:
        return None
    start, end = piece.span(call)
    return Edit(base + start, base + end, new)


def _expression(name: str, lists: list[str], rest: list[ast.expr], source: object) -> str | None:
    assert callable(source)
    if name == "multi_tensor_l2norm" and len(lists) == 1 and len(rest) <= 1:
        norms = f"torch._foreach_norm({lists[0]})"
        wanted = rest[0] if rest else ast.Constant(False)
        if isinstance(wanted, ast.Constant) and not wanted.value:
            return f"(torch.stack({norms}).norm().view(1), torch.empty(0))"
        per_tensor = "torch.stack(norms)" if isinstance(wanted, ast.Constant) else f"torch.stack(norms) if {source(wanted)} else torch.empty(0)"
        return f"(torch.stack(norms := {norms}).norm().view(1), {per_tensor})"
    if name == "multi_tensor_scale" and len(lists) == 2 and len(rest) == 1:
        return f"torch._foreach_copy_({lists[1]}, torch._foreach_mul({lists[0]}, {source(rest[0])}))"
    if name == "multi_tensor_axpby" and len(lists) == 3 and len(rest) in (2, 3):
        a, b = source(rest[0]), source(rest[1])
        left, right = f"torch._foreach_mul({lists[0]}, {a})", f"torch._foreach_mul({lists[1]}, {b})"
        return f"torch._foreach_copy_({lists[2]}, torch._foreach_add({left}, {right}))"
    return None
