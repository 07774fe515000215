"""Stand-ins for amp_C's functions that every device has: `torch._foreach_*` has a composite fallback for every backend.

`multi_tensor_applier(amp_C.OP, flag, [lists], *args)`, or `OP(chunk_size, flag, [lists], *args)`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from ..edits import Edit
from ..facts.read import Name
from ..facts.role_calls import last_word

Source = Callable[[ast.expr], str]
# The same as a function with the arguments of the original, for a use that is no plain call.
_FUNCTIONS = {
    "multi_tensor_l2norm": (
        "(lambda size, flag, lists, per_tensor=False:"
        " (torch.stack(norms := torch._foreach_norm(lists[0])).norm().view(1),"
        " torch.stack(norms) if per_tensor else torch.empty(0)))"
    ),
    "multi_tensor_scale": (
        "(lambda size, flag, lists, scale: torch._foreach_copy_(lists[1], torch._foreach_mul(lists[0], scale)))"
    ),
    "multi_tensor_axpby": (
        "(lambda size, flag, lists, a, b, which=-1: torch._foreach_copy_(lists[2],"
        " torch._foreach_add(torch._foreach_mul(lists[0], a), torch._foreach_mul(lists[1], b))))"
    ),
}
_LISTS = {"multi_tensor_l2norm": 1, "multi_tensor_scale": 2, "multi_tensor_axpby": 3}
_READ = (
    r"{flag}\s*(?:\.(?:item|any|all|cpu|max|sum|tolist|bool)\b|[!=<>]=|[<>]|\[)"
    r"|(?:\b(?:if|while|not|and|or|return)\s|\b(?:int|bool|float|all_reduce)\(\s*){flag}(?![\w.])"
)


def stand_in(use: Name, applier: str, text: str) -> Edit | None:
    """The edit that replaces a use, or the call around it; None when the function has no stand-in of one line."""
    name = use.dotted.rpartition(".")[2]
    if name not in _FUNCTIONS:
        return None
    node, digest, base, piece = use.chain.node, use.statement.digest, use.statement.start, use.chain.piece

    def source(part: ast.expr) -> str:
        start, end = piece.span(part)
        return text[base + start : base + end]

    call = digest.parents.get(node)
    replaced: ast.expr = node
    new: str | None = None
    if isinstance(call, ast.Call) and _applied(call, node, applier):
        new = _expression(name, call.args[1:], source, text)
        replaced = call if new else node
    start, end = piece.span(replaced)
    return Edit(base + start, base + end, new or _FUNCTIONS[name])


def _applied(call: ast.Call, node: ast.expr, applier: str) -> bool:
    """Whether a call hands its arguments to the function at `node`, by position."""
    if call.keywords or len(call.args) < 3 or any(isinstance(argument, ast.Starred) for argument in call.args):
        return False
    return call.func is node or (call.args[0] is node and last_word(call.func) == applier)


def _expression(name: str, arguments: list[ast.expr], source: Source, text: str) -> str | None:
    flag, lists, rest = source(arguments[0]), _lists(arguments[1], _LISTS[name], source), arguments[2:]
    if lists is None:
        return None
    if name == "multi_tensor_l2norm" and len(rest) <= 1:
        return _norm(lists[0], rest[0] if rest else ast.Constant(value=False), source)
    if name == "multi_tensor_scale" and len(rest) == 1:
        copied = f"torch._foreach_copy_({lists[1]}, torch._foreach_mul({lists[0]}, {source(rest[0])}))"
        return _flagged(copied, flag, lists[0], text)
    if name == "multi_tensor_axpby" and len(rest) in (2, 3):
        a, b = (source(part) for part in rest[:2])
        left, right = f"torch._foreach_mul({lists[0]}, {a})", f"torch._foreach_mul({lists[1]}, {b})"
        copied = f"torch._foreach_copy_({lists[2]}, torch._foreach_add({left}, {right}))"
        which = int(source(rest[2])) if len(rest) == 3 and source(rest[2]) in ("0", "1") else -1
        checked = lists[which] if which in (0, 1) else f"[*{lists[0]}, *{lists[1]}]"
        return _flagged(copied, flag, checked, text)
    return None


def _lists(node: ast.expr, count: int, source: Source) -> list[str] | None:
    if isinstance(node, (ast.List, ast.Tuple)):
        plain = len(node.elts) == count and not any(isinstance(item, ast.Starred) for item in node.elts)
        return [source(item) for item in node.elts] if plain else None
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        return [f"{source(node)}[{index}]" for index in range(count)]
    return None


def _norm(tensors: str, per_tensor: ast.expr, source: Source) -> str:
    norms = f"torch._foreach_norm({tensors})"
    if isinstance(per_tensor, ast.Constant):
        if not per_tensor.value:
            return f"(torch.stack({norms}).norm().view(1), torch.empty(0))"
        return f"(torch.stack(norms := {norms}).norm().view(1), torch.stack(norms))"
    each = f"torch.stack(norms) if {source(per_tensor)} else torch.empty(0)"
    return f"(torch.stack(norms := {norms}).norm().view(1), {each})"


def _flagged(copied: str, flag: str, tensors: str, text: str) -> str:
    """The copy alone; with the overflow flag where the text reads it."""
    if not re.search(_READ.replace("{flag}", re.escape(flag)), text):
        return copied
    return f"({copied}, all(torch.isfinite(x).all() for x in {tensors}) or {flag}.fill_(1))"
