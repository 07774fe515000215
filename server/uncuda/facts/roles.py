"""The role of a string in the code: the call with the string as an argument, the value that it is compared with, or the
variable that it is assigned to."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from .digest import Digest, Text
from .role_calls import (
    BESIDE,
    COMPREHENSIONS,
    KEEPS,
    ROWS,
    SPELLED,
    STRING_METHODS,
    STRING_TESTS,
    column_of,
    default_key,
    got,
    is_factory,
    is_field,
    is_parameter,
    is_parameter_set,
    item_name,
    last_word,
    option_name,
    parameter_of,
)

Resolve = Callable[[ast.AST], "str | None"]
_CONTAINERS = (ast.List, ast.Tuple, ast.Set, ast.Starred, *COMPREHENSIONS)
_NAMES = (ast.Name, ast.Attribute)
_EQUAL = frozenset({"assertEqual", "assertEquals", "assertNotEqual"})  # of unittest
_MEMBERSHIP = (ast.In, ast.NotIn)
_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)


@dataclass(slots=True, eq=False)
class Role:
    """How the code uses a string.

    `kind`: argument, comparison (also `x.startswith("…")`), membership, default, assignment, key, value, item,
    subscript, return, receiver, case, concatenation, statement or other. `name`: the last part of the name that the
    string is assigned to or compared with ("type" for `x.type`, "f()" for a call). `parameter`: the keyword or position
    of the string as an argument. `option`: the attribute that a command-line option sets. `items`: the strings beside
    this one (in the same list, the other branch of a conditional expression, or other entries of a dictionary).
    `outer`: for a key or value, the role of its dictionary. `cut`: whether the string is compared with a slice of fixed
    length. `column`: in a list of rows, the position of the string in its row; otherwise -1.
    """

    kind: str
    node: ast.AST
    call: ast.Call | None = None
    callee: str = ""
    method: str = ""
    parameter: str | int | None = None
    name: str = ""
    subject: ast.AST | None = None
    option: str = ""
    outer: Role | None = None
    cut: bool = False
    column: int = -1
    items: list[str] = field(default_factory=list)
    containers: list[ast.AST] = field(default_factory=list)


def role_of(text: Text, digest: Digest, resolve: Resolve) -> Role:
    """Return how a statement uses a string (see `Role`). `resolve` returns the dotted name of a node."""
    return role_at(text.node, text.piece.start(text.node), digest, resolve)


def role_at(node: ast.AST, start: int, digest: Digest, resolve: Resolve) -> Role:
    """Return how the code uses an expression (see `Role`); `start`: the offset of the expression in the statement."""
    items: list[str] = []
    containers: list[ast.AST] = []
    member: ast.AST | None = None
    first = node
    while True:
        parent = digest.parents.get(node)
        if isinstance(parent, ast.JoinedStr):
            if not _is_head(parent, start, digest):
                return Role("other", node)
        elif isinstance(parent, _CONTAINERS) and not isinstance(getattr(parent, "ctx", None), ast.Store):
            items += _texts(getattr(parent, "elts", ()), node)
            first = first if containers else node
            containers.append(parent)
            member = node
        elif _is_indexed(parent, node):
            containers.pop()  # the subscript selects one item of the list
            member = None
        elif is_parameter(parent, node, digest):
            pass
        elif isinstance(parent, ast.IfExp) and node is not parent.test:
            items += _texts((parent.body, parent.orelse), node)
        elif isinstance(parent, ast.Lambda) and is_factory(parent, digest):
            pass
        elif (spelled := _spelled(parent, node, digest)) is not None:
            node = spelled
            continue
        elif not _passes(parent, node):
            break
        assert parent is not None
        node = parent
    role = _classify(node, parent, digest, resolve)
    if member is not None and isinstance(role.subject, (ast.Tuple, ast.List)):
        _unpack(role, node, member)
    if role.kind == "item" and "," in role.name:
        role.name, items = column_of(role.name, first, containers)
    if len(containers) > 1 and isinstance(containers[0], ROWS):
        role.column = next((at for at, one in enumerate(islice(containers[0].elts, BESIDE)) if one is first), -1)
    role.items += items
    role.containers += containers
    return role


def _spelled(parent: ast.AST | None, node: ast.AST, digest: Digest) -> ast.Call | None:
    """Return the call of a string's method whose result names the same device: `(device or "cuda").lower()`."""
    if not isinstance(parent, ast.Attribute):
        return None
    if parent.attr != "format" and (parent.attr not in SPELLED or isinstance(node, (ast.Constant, ast.JoinedStr))):
        return None
    call = digest.parents.get(parent)
    return call if isinstance(call, ast.Call) and call.func is parent else None


def _texts(nodes: Iterable[ast.AST | None], without: ast.AST) -> list[str]:
    others = (node for node in islice(nodes, BESIDE) if node is not without)
    found = (node.args[0] if is_parameter_set(node) else node for node in others)
    return [node.value for node in found if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def _is_indexed(parent: ast.AST | None, node: ast.AST) -> bool:
    """Return whether a subscript directly after a list selects one of its items: `["cpu",
    "cuda"][torch.cuda.is_available()]`."""
    indexed = isinstance(parent, ast.Subscript) and node is parent.value and not isinstance(parent.slice, ast.Slice)
    return indexed and isinstance(node, (ast.List, ast.Tuple))


def _is_head(holder: ast.JoinedStr, start: int, digest: Digest) -> bool:
    """Whether an f-string begins with a field, and this field contains the expression at `start`: `f"{'cuda' if x else
    'cpu'}:{i}"`."""
    for text in digest.texts:
        if text.node is holder and not text.value and text.tokens[0].fields:
            first, last = text.tokens[0].fields[0]
            return first <= start < last
    return False


def _passes(parent: ast.AST | None, node: ast.AST) -> bool:
    """Return whether `parent` passes the value of `node` on, so that the use of `parent` is also the use of `node`:
    `node` is an operand of `or`, or the first operand of `+`, for example."""
    if isinstance(parent, ast.BinOp):
        return isinstance(parent.op, (ast.Add, ast.Mod)) and node is parent.left
    if isinstance(parent, ast.Call) and node in parent.args:
        if last_word(parent.func) == "str":
            return isinstance(node, (ast.BoolOp, ast.IfExp))
        return last_word(parent.func) in KEEPS and isinstance(node, _CONTAINERS)
    return isinstance(parent, (ast.BoolOp, ast.FormattedValue, ast.Await, ast.MatchOr))


def _unpack(role: Role, value: ast.AST, member: ast.AST) -> None:
    """Let the role refer to the variable at the same position as the string: `device, backend = "cuda", "nccl"`."""
    targets = role.subject
    if not isinstance(targets, (ast.Tuple, ast.List)) or not isinstance(value, (ast.Tuple, ast.List)):
        return
    if len(targets.elts) == len(value.elts) and member in value.elts:
        role.subject = targets.elts[value.elts.index(member)]
        role.name = last_word(role.subject)


def _classify(node: ast.AST, parent: ast.AST | None, digest: Digest, resolve: Resolve) -> Role:
    if isinstance(parent, ast.keyword):
        call = digest.parents.get(parent)
        return _argument(call, node, parent.arg, digest, resolve) if isinstance(call, ast.Call) else Role("other", node)
    if isinstance(parent, ast.Call) and node is not parent.func:
        if (counted := _counted(parent, node, digest)) is not None:
            return counted
        position = parent.args.index(node) if node in parent.args else None
        if position in (0, 1) and len(parent.args) > 1 and last_word(parent.func) in _EQUAL:
            return _compared(parent.args[1 - position], node, position, resolve)
        return _argument(parent, node, position, digest, resolve)
    if isinstance(parent, ast.Compare):
        return _comparison(parent, node, resolve)
    if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign)):
        return _assignment(parent, node)
    if isinstance(parent, (ast.Dict, ast.DictComp)):
        return _entry(parent, node, digest, resolve)
    if isinstance(parent, ast.Subscript) and node is parent.slice:
        return _subscript(parent, node, digest, resolve)
    if isinstance(parent, ast.Attribute):
        call = digest.parents.get(parent)
        return Role("receiver", node, call if isinstance(call, ast.Call) else None, method=parent.attr)
    if isinstance(parent, _LOOPS) and node is parent.iter:
        return Role("item", node, name=last_word(parent.target), subject=parent.target)
    if isinstance(parent, ast.arguments):
        parameter = parameter_of(parent, node)
        return Role("default", node, name=parameter.arg if parameter is not None else "")
    kinds = {ast.Return: "return", ast.Yield: "return", ast.BinOp: "concatenation", ast.MatchValue: "case"}
    return Role("statement" if isinstance(parent, ast.Expr | None) else kinds.get(type(parent), "other"), node)


def _counted(call: ast.Call, node: ast.AST, digest: Digest) -> Role | None:
    """Return the role of a list in a loop over `enumerate`: `for i, device in enumerate(["cuda:0", "cuda:1"])`."""
    loop = digest.parents.get(call)
    if last_word(call.func) != "enumerate" or not isinstance(loop, _LOOPS) or call is not loop.iter:
        return None
    if not isinstance(loop.target, ast.Tuple) or len(loop.target.elts) != 2 or node is not call.args[0]:
        return None
    return Role("item", node, name=last_word(loop.target.elts[1]), subject=loop.target.elts[1])


def _argument(call: ast.Call, node: ast.AST, parameter: str | int | None, digest: Digest, resolve: Resolve) -> Role:
    function: ast.expr = call.func
    if last_word(function) == "partial" and isinstance(next(iter(call.args), None), _NAMES) and parameter != 0:
        function, parameter = call.args[0], parameter - 1 if isinstance(parameter, int) else parameter
    method = last_word(function)
    role = Role("argument", node, call, resolve(function) or "", method, parameter)
    if isinstance(parameter, str):
        role.name = parameter
    if isinstance(call.func, ast.Attribute) and method in STRING_TESTS and isinstance(parameter, int):
        core, _ = unwrapped(call.func.value)
        core = got(core) or core
        role.kind, role.name, role.subject = "comparison", last_word(core), core
    elif is_field(method, parameter) and (holder := role_at(call, -1, digest, resolve)).kind in (
        "assignment",
        "default",
    ):
        role.kind, role.name, role.subject = "default", holder.name, holder.subject
    elif option := option_name(call):
        if parameter in ("default", "const", "value") or (isinstance(parameter, int) and parameter == 1):
            role.kind, role.name, role.option = "default", option, option
        elif parameter in ("choices", "type") or parameter == 2:
            role.kind, role.name, role.option = "item", option, option
    elif key := default_key(call, parameter):
        role.kind, role.name = "default", key
    elif name := item_name(call, parameter):
        role.kind, role.name = "item", name
    elif method == "Choice":
        holder = role_at(call, -1, digest, resolve)
        role.kind, role.name, role.option = holder.kind, holder.name, holder.option
    return role


def _comparison(parent: ast.Compare, node: ast.AST, resolve: Resolve) -> Role:
    operands = [parent.left, *parent.comparators]
    at = next((i for i, operand in enumerate(operands) if operand is node), 0)
    membership = any(isinstance(op, _MEMBERSHIP) for op in parent.ops)
    other = operands[at - 1] if at else operands[1]
    if membership and isinstance(other, ROWS) and other.elts and all(isinstance(e, ast.Name) for e in other.elts):
        membership, other = False, other.elts[0]  # `"cuda" in (source, destination)` compares the string with each item
    role = _compared(other, node, at, resolve)
    role.kind = "membership" if membership else "comparison"
    return role


def is_expected(role: Role, digest: Digest) -> bool:
    """Return whether a string is an argument of an assertion of unittest, `assertEqual("cuda", x.device)`."""
    call = digest.parents.get(role.node) if role.kind == "comparison" else None
    return isinstance(call, ast.Call) and last_word(call.func) in _EQUAL


def _compared(other: ast.AST, node: ast.AST, at: int, resolve: Resolve) -> Role:
    """Return the role of an expression that is compared with `other`; `at`: its index among the operands."""
    core, cut = unwrapped(other)
    core = got(core) or core
    callee = resolve(core.func if isinstance(core, ast.Call) else core) or ""
    return Role("comparison", node, name=last_word(core), callee=callee, subject=core, parameter=at, cut=cut)


def unwrapped(node: ast.AST) -> tuple[ast.AST, bool]:
    """Return the expression from which a string is computed, such as `x.device` for `str(x.device).split(":")[0]`, and
    whether a slice is taken, as in `str(x.device)[:4]`."""
    cut = False
    while True:
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            node, cut = node.value, True
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in STRING_METHODS:
            node = node.func.value
        elif isinstance(node, ast.Call) and last_word(node.func) in ("str", "repr") and len(node.args) == 1:
            node = node.args[0]
        elif isinstance(node, ast.NamedExpr):
            node = node.value
        elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and _is_empty(node.values[1:]):
            node = node.values[0]  # `device or ""`
        else:
            return node, cut


def _is_empty(nodes: Iterable[ast.AST]) -> bool:
    return all(isinstance(node, ast.Constant) and not node.value for node in nodes)


def _assignment(parent: ast.AST, node: ast.AST) -> Role:
    targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]  # type: ignore[attr-defined]
    if isinstance(parent, ast.AnnAssign) and node is parent.annotation:
        return Role("other", node)
    return Role("assignment", node, name=last_word(targets[0]), subject=targets[0])


def _entry(parent: ast.Dict | ast.DictComp, node: ast.AST, digest: Digest, resolve: Resolve) -> Role:
    outer, keys = role_at(parent, -1, digest, resolve), keys_of_values(parent)
    if node not in keys:
        return Role("key", node, subject=parent, outer=outer, items=_texts(keys.values(), node))
    (name,) = _texts([keys[node]], node) or [""]
    return Role("value", node, name=name, subject=parent, outer=outer, items=_texts(keys, node))


@lru_cache(maxsize=16)
def keys_of_values(entries: ast.Dict | ast.DictComp) -> dict[ast.AST, ast.expr | None]:
    """Return the key of each value of a dictionary; cached, because the role of each value needs the result."""
    if isinstance(entries, ast.DictComp):
        return {entries.value: entries.key}
    return dict(zip(entries.values, entries.keys, strict=True))


def _subscript(parent: ast.Subscript, node: ast.AST, digest: Digest, resolve: Resolve) -> Role:
    """Return the role of a string in a subscript `x["…"]`, or of a choice in an annotation: `device: Literal["cuda",
    "cpu"]`."""
    if last_word(parent.value) != "Literal":
        return Role("subscript", node, name=last_word(parent.value), callee=resolve(parent.value) or "", subject=parent)
    inner: ast.AST = parent
    for outer in digest.ancestors(parent):
        if isinstance(outer, ast.arg) and inner is outer.annotation:
            return Role("item", node, name=outer.arg)
        if isinstance(outer, ast.AnnAssign) and inner is outer.annotation:
            return Role("item", node, name=last_word(outer.target), subject=outer.target)
        if not isinstance(outer, (ast.Subscript, ast.Tuple, ast.BinOp)):
            break
        inner = outer
    return Role("subscript", node, subject=parent)
