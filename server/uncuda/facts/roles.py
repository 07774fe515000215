"""What a string is there for: argument of which call, compared with what, bound to which name."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from .digest import Digest, Text

Resolve = Callable[[ast.AST], "str | None"]
_CONTAINERS = (ast.List, ast.Tuple, ast.Set)
_MEMBERSHIP = (ast.In, ast.NotIn)


@dataclass(slots=True, eq=False)
class Role:
    """The role of a string.

    kind: argument, comparison, membership, default, assignment, key, value, item, subscript, return, receiver,
    case, concatenation, statement, other. `name`: the last word of what it is bound to or compared with ("type" for
    `x.type`, "str()" for a call). `parameter`: keyword or position of an argument.
    """

    kind: str
    node: ast.AST
    call: ast.Call | None = None
    callee: str = ""
    method: str = ""
    parameter: str | int | None = None
    name: str = ""
    subject: ast.AST | None = None
    items: list[str] = field(default_factory=list)
    containers: list[ast.AST] = field(default_factory=list)


def role_of(text: Text, digest: Digest, resolve: Resolve) -> Role:
    """The role of a string expression within its statement. `resolve` gives the dotted name of a node."""
    node: ast.AST = text.node
    items: list[str] = []
    containers: list[ast.AST] = []
    while True:
        parent = digest.parents.get(node)
        if _passes(parent, node):
            node = parent  # type: ignore[assignment]
            continue
        if isinstance(parent, ast.Attribute) and parent.attr == "format":
            call = digest.parents.get(parent)
            if isinstance(call, ast.Call) and call.func is parent:
                node = call
                continue
        if isinstance(parent, (*_CONTAINERS, ast.Starred)) and not isinstance(getattr(parent, "ctx", None), ast.Store):
            items += [item.value for item in getattr(parent, "elts", ()) if _is_text(item)]
            containers.append(parent)
            node = parent
            continue
        break
    role = _classify(node, parent, digest, resolve)
    role.items, role.containers = items, containers
    return role


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _passes(parent: ast.AST | None, node: ast.AST) -> bool:
    """Whether a string keeps its role in `parent`: either arm of a conditional, the head of a concatenation …"""
    if isinstance(parent, ast.IfExp):
        return node is not parent.test
    if isinstance(parent, ast.BinOp):
        return isinstance(parent.op, (ast.Add, ast.Mod)) and node is parent.left
    if isinstance(parent, ast.NamedExpr):
        return False
    return isinstance(parent, (ast.BoolOp, ast.JoinedStr, ast.FormattedValue, ast.Await))


def _classify(node: ast.AST, parent: ast.AST | None, digest: Digest, resolve: Resolve) -> Role:
    if isinstance(parent, ast.keyword):
        call = digest.parents.get(parent)
        if isinstance(call, ast.Call):
            role = _argument(call, node, resolve)
            role.parameter = parent.arg
            if parent.arg:
                role.name = parent.arg
            return role
        return Role("other", node)
    if isinstance(parent, ast.Call) and node is not parent.func:
        role = _argument(parent, node, resolve)
        role.parameter = parent.args.index(node) if node in parent.args else None  # type: ignore[arg-type]
        return role
    if isinstance(parent, ast.Compare):
        return _comparison(parent, node, resolve)
    if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign)):
        return _assignment(parent, node)
    if isinstance(parent, ast.arguments):
        return Role("default", node, name=_parameter_of(parent, node))
    if isinstance(parent, ast.Dict):
        return _entry(parent, node)
    if isinstance(parent, ast.Subscript) and node is parent.slice:
        return Role("subscript", node, name=last_word(parent.value), callee=resolve(parent.value) or "", subject=parent)
    if isinstance(parent, ast.Attribute):
        return _receiver(parent, node, digest)
    if isinstance(parent, ast.Return):
        return Role("return", node)
    if isinstance(parent, ast.BinOp):
        return Role("concatenation", node)
    if isinstance(parent, ast.MatchValue):
        return Role("case", node)
    if isinstance(parent, ast.arg):
        return Role("other", node)
    if parent is None or isinstance(parent, ast.Expr):
        return Role("statement", node)
    return Role("other", node)


def _argument(call: ast.Call, node: ast.AST, resolve: Resolve) -> Role:
    return Role("argument", node, call, resolve(call.func) or "", last_word(call.func))


def _comparison(parent: ast.Compare, node: ast.AST, resolve: Resolve) -> Role:
    operands = [parent.left, *parent.comparators]
    at = next((i for i, operand in enumerate(operands) if operand is node), 0)
    membership = any(isinstance(op, _MEMBERSHIP) for op in parent.ops)
    other = operands[at - 1] if at else operands[1]
    return Role(
        "membership" if membership else "comparison",
        node,
        name=last_word(other),
        callee=resolve(other.func if isinstance(other, ast.Call) else other) or "",
        subject=other,
        parameter=at,
    )


def _assignment(parent: ast.AST, node: ast.AST) -> Role:
    targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]  # type: ignore[attr-defined]
    names = [last_word(target) for target in targets]
    return Role("assignment", node, name=names[0] if names else "", subject=targets[0] if targets else None)


def _entry(parent: ast.Dict, node: ast.AST) -> Role:
    if any(key is node for key in parent.keys):
        return Role("key", node, subject=parent)
    key = next((k for k, value in zip(parent.keys, parent.values) if value is node), None)
    return Role("value", node, name=key.value if key is not None and _is_text(key) else "", subject=parent)  # type: ignore[attr-defined]


def _receiver(parent: ast.Attribute, node: ast.AST, digest: Digest) -> Role:
    call = digest.parents.get(parent)
    return Role("receiver", node, call if isinstance(call, ast.Call) else None, method=parent.attr)


def _parameter_of(arguments: ast.arguments, node: ast.AST) -> str:
    positional = [*arguments.posonlyargs, *arguments.args]
    for argument, default in zip(reversed(positional), reversed(arguments.defaults)):
        if default is node:
            return argument.arg
    for argument, value in zip(arguments.kwonlyargs, arguments.kw_defaults):
        if value is node:
            return argument.arg
    return ""


def last_word(node: ast.AST | None) -> str:
    """The word that names an expression: `a.b.type` type, `str(x)` str(), `cfg["device"]` device, `x` x."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Call):
        return last_word(node.func) + "()"
    if isinstance(node, ast.Subscript):
        return node.slice.value if _is_text(node.slice) else last_word(node.value)  # type: ignore[attr-defined]
    if isinstance(node, ast.NamedExpr):
        return last_word(node.target)
    return ""
