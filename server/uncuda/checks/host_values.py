"""Finds tensors that are certainly on the CPU: results of `.cpu()`, names that hold them, and values computed from
them.

An expression counts as not on the CPU unless it can be traced back to a CPU tensor.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property

from .. import lazy_re
from ..facts.read import Statement
from ..facts.role_calls import chain_of, last_word
from ..facts.roles import Role
from ..facts.scans import uses
from .base import Context
from .string_flow import Flow

RANGES = frozenset({"arange", "eye", "linspace"})
FACTORIES = frozenset({"as_tensor", "empty", "eye", "full", "ones", "rand", "randn", "tensor", "zeros"})
"""Functions of torch that create a tensor on the default device."""
_SCALARS = frozenset({"as_tensor", "tensor"})
"""Functions that can create 0-dimensional tensors, which may be combined with tensors on any device."""
_PLACES = ("set_default_device", "set_default_tensor_type", "with torch.device")
_DEEP, _MANY = 8, 200  # how many variables are traced for one expression; how many expressions are checked in one file
_TAKEN = frozenset({"T", "data", "imag", "indices", "mT", "real", "values"})
_KEEPING = frozenset({"cat", "concat", "flatten", "hstack", "stack", "vstack", "where"})
"""Functions of torch whose result is on the same device as their tensor arguments."""
_CONVERTS = lazy_re.compile(
    r"def[ \t]+\w*(?:convert|filter|load|map|rename|split)\w*\([ \t\n]*"
    r"(?P<given>(?:\w*_)?(?:state_dict|checkpoint|ckpt))\b"
)
_ADDS = frozenset({"append", "extend"})


class HostValues:
    """Finds tensors on the CPU in one source file."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._devices = frozenset({"cuda", context.target.words["device"]})
        self._named: dict[tuple[str, int], bool] = {}
        self._functions: dict[str, bool] = {}
        self._left = _MANY

    @cached_property
    def _flow(self) -> Flow:
        return Flow(self._context)

    @cached_property
    def _begins(self) -> bool:
        """Whether the file contains code that moves a tensor to the CPU, creates a tensor there, or loops over
        `.items()`."""
        words = (".items(", "cpu", *(f"torch.{name}" for name in sorted(FACTORIES | RANGES)))
        return any(map(self._context.facts.says, words))

    def holds(self, node: ast.AST, statement: Statement, depth: int = 0) -> bool:
        """Whether an expression is a tensor on the CPU, or a list of them."""
        self._context.facts.work.compare(4)
        self._left -= 1
        if self._left < 0 or depth > _DEEP or not self._begins:
            return False
        if isinstance(node, ast.Call):
            return self._called(node, statement, depth)
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._is_named(node, statement, depth)
        if isinstance(node, (ast.Subscript, ast.Starred)):
            return self.holds(node.value, statement, depth)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self.holds(node.elt, statement, depth)
        if isinstance(node, (ast.BinOp, ast.Compare)):
            return self._is_computed(node, statement, depth)
        return self._all(_parts(node), statement, depth)

    def _is_computed(self, node: ast.BinOp | ast.Compare, statement: Statement, depth: int) -> bool:
        """Whether one operand is a CPU tensor and every other operand is a CPU tensor, a name, an attribute or a
        constant, but not a call."""
        parts = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.left, *node.comparators]
        shown = [self.holds(part, statement, depth) for part in parts]
        spelled = (isinstance(part, (ast.Attribute, ast.Constant, ast.Name)) for part in parts)
        return any(shown) and all(one or other for one, other in zip(shown, spelled, strict=True))

    def makes(self, name: str) -> bool:
        """Whether this function of torch creates a tensor on the CPU if it is called without a device."""
        return name in FACTORIES | RANGES and not any(map(self._context.facts.says, _PLACES))

    def is_device_of(self, node: ast.AST, statement: Statement, depth: int = 0) -> bool:
        """Whether an expression is the device of a tensor on the CPU: `x.device`."""
        return isinstance(node, ast.Attribute) and node.attr == "device" and self.holds(node.value, statement, depth)

    def leaves(self, call: ast.Call, statement: Statement) -> bool:
        """Whether the result of a call is moved to a device in the same expression: `x.cpu().double().to(device)`."""
        parents = statement.digest.parents
        moved: ast.AST | None = call
        while moved is not None and isinstance(taken := parents.get(moved), ast.Attribute):
            moved = parents.get(taken)
            if taken.attr in self._devices:
                return True
            if taken.attr == "to" and isinstance(moved, ast.Call) and not self._is_moved(moved, statement, 0):
                return True
        return False

    def _all(self, nodes: list[ast.expr], statement: Statement, depth: int) -> bool:
        """Return whether all expressions are on the CPU; numbers have no device and are skipped."""
        tensors = [node for node in nodes if not isinstance(node, ast.Constant)]
        return bool(tensors) and all(self.holds(node, statement, depth) for node in tensors)

    def _called(self, call: ast.Call, statement: Statement, depth: int) -> bool:
        function = call.func
        if isinstance(function, ast.Name):
            return self._gives(function.id, depth)
        if not isinstance(function, ast.Attribute):
            return False
        root, _, name = (self._flow.resolve(function, statement) or "").rpartition(".")
        if root.partition(".")[0] == "torch":
            devices = [word.value for word in call.keywords if word.arg in ("device", None)]
            if root != "torch" or not all(self.is_device_of(device, statement, depth) for device in devices):
                return False
            if name.endswith("_like"):
                return bool(devices) or self._all(call.args[:1], statement, depth)
            made = (bool(devices) and name in FACTORIES | RANGES) or (self.makes(name) and name not in _SCALARS)
            return made or (name in _KEEPING and self._all(_listed(call), statement, depth))
        if function.attr in ("cpu", "to"):
            return function.attr == "cpu" or self._is_moved(call, statement, depth)
        return function.attr not in self._devices and self.holds(function.value, statement, depth)

    def _is_moved(self, call: ast.Call, statement: Statement, depth: int) -> bool:
        """Whether the result of `.to(…)` is on the CPU: `.to` moves a tensor to the CPU, or changes only the dtype of
        a tensor that is on the CPU."""
        assert isinstance(call.func, ast.Attribute)
        given = [*call.args, *(word.value for word in call.keywords if word.arg in ("device", None))]
        if any(isinstance(one, ast.Constant) and one.value == "cpu" for one in given):
            return True
        types = all((self._flow.resolve(one, statement) or "").startswith("torch.") for one in given)
        return types and self.holds(call.func.value, statement, depth)

    def _is_named(self, node: ast.Name | ast.Attribute, statement: Statement, depth: int) -> bool:
        base, parts = chain_of(node)
        if isinstance(node, ast.Attribute) and node.attr in _TAKEN:
            return self.holds(node.value, statement, depth)
        if not isinstance(base, ast.Name) or len(parts) > (base.id == "self"):
            return False
        if self._context.resolve(node, statement) is not None:
            return False  # the name is a module or another object of torch instead of a tensor
        spelled = ".".join([base.id, *parts])
        scope = -1 if parts else self._flow.scope(spelled, statement.start, Role("assignment", node))
        key = spelled, scope
        if key not in self._named:
            self._context.asked.add(spelled)
            self._named[key] = False  # a variable whose value depends on itself counts as unknown
            values = [*self._values(spelled, scope)]
            loaded = scope >= 0 and self._is_of_checkpoint(spelled, scope)
            # a value computed from a loaded tensor and assigned to the same variable is on the CPU, too
            self._named[key] = loaded
            shown = [(value, where) for value, where in values if not (value is None if loaded else _is_empty(value))]
            self._named[key] = (loaded or bool(shown)) and all(
                value is not None and self.holds(value, where, depth + 1) for value, where in shown
            )
        return self._named[key]

    def _values(self, name: str, scope: int) -> Iterator[tuple[ast.expr | None, Statement]]:
        """Yield the values of a variable, with the arguments that the file passes for it if it is a parameter."""
        for value, where in values_of(self._flow, name, scope):
            passed = [*self._passed(name, where)] if value is None and where.start == scope else []
            yield from passed or [(value, where)]

    def _passed(self, name: str, header: Statement) -> Iterator[tuple[ast.expr | None, Statement]]:
        """Yield the arguments that this file passes for a parameter of a function; None for an argument that cannot be
        found. Nothing is yielded if the function's name has no leading underscore, because other files may then call
        the function, too."""
        facts, function = self._context.facts, header.digest.piece.nodes[0]
        if not isinstance(function, ast.FunctionDef) or not function.name.startswith("_"):
            return
        if facts.text[: header.start].rstrip("\n").rpartition("\n")[2].startswith(("@", ")")):
            return  # a decorator may pass other arguments
        names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
        if name not in names or facts.indents.scope_of(header.start) is not None:
            return
        self._context.asked.add(function.name)
        for place in facts.searches.find((function.name, True), uses(function.name, True)):
            if header.start <= place < header.end or facts.layout.token_at(place):
                continue
            found = facts.peek(place)
            call = _call_at(place, found) if found is not None else None
            if found is None or call is None:
                yield None, header
                return
            at = names.index(name)
            given = [word.value for word in call.keywords if word.arg == name] or call.args[at : at + 1]
            whole = not any(isinstance(one, ast.Starred) for one in call.args)
            yield (given[0] if given and whole else None), found

    def _is_of_checkpoint(self, name: str, scope: int) -> bool:
        """Return whether a variable is a tensor of a loaded checkpoint, in a function that converts the state dict
        passed to it. Functions that convert a state dict run on the CPU, where the checkpoint was loaded."""
        facts = self._context.facts
        header = _CONVERTS.match(facts.text, scope)
        if header is None or not facts.says(".items("):
            return False
        facts.work.search(scope, facts.indents.extent(scope))
        facts.layout.reads(scope, facts.indents.extent(scope))
        loop = rf"^[ \t]*for[ \t]+\w+,[ \t]*{re.escape(name)}[ \t]+in[ \t]+{header['given']}\.items\(\)"
        return re.search(loop, facts.text[scope : facts.indents.extent(scope)], re.M) is not None

    def _gives(self, name: str, depth: int) -> bool:
        """Whether all values that a function of this file returns are on the CPU."""
        if name not in self._functions:
            self._functions[name] = False
            facts = self._context.facts
            self._context.asked.update((name, f"def {name}"))
            facts.work.search(0, len(facts.text))
            headers = list(re.finditer(rf"^def {re.escape(name)}\(", facts.text, re.M))
            if len(headers) != 1:
                return False
            start, end = headers[0].start(), facts.indents.extent(headers[0].start())
            facts.work.search(start, end)
            places = [match.end() for match in re.finditer(r"^[ \t]+(?=return\b|yield\b)", facts.text[start:end], re.M)]
            returned = [facts.peek(start + at) for at in places]
            self._functions[name] = bool(returned) and all(
                found is not None
                and isinstance(node := found.digest.piece.nodes[0], ast.Return)
                and node.value is not None
                and self.holds(node.value, found, depth + 1)
                for found in returned
            )
        return self._functions[name]


def values_of(flow: Flow, spelled: str, scope: int) -> Iterator[tuple[ast.expr | None, Statement]]:
    """Yield the values assigned to a variable or appended to its list; None for a binding without a value, such as a
    loop."""
    for found in flow.naming(spelled, scope):
        bound = [one for one in found.digest.bindings if one.name == spelled]
        values = [value for node in found.digest.piece.nodes for value in _values(node, spelled)]
        yield from ((value, found) for value in values)
        if len(bound) > len(values):
            yield None, found


def _call_at(at: int, statement: Statement) -> ast.Call | None:
    """Return the call of the function whose name is at an offset; None if the name is used in another way."""
    chain = statement.chain_at(at)
    if chain is None:
        return None
    call = statement.digest.parents.get(chain.node)
    return call if isinstance(call, ast.Call) and call.func is chain.node else None


def _parts(node: ast.AST) -> list[ast.expr]:
    """Return the expressions that can be the value of an expression: both branches of `… if …`, or the items of a
    list."""
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    return node.elts if isinstance(node, (ast.List, ast.Tuple)) else []


def _listed(call: ast.Call) -> list[ast.expr]:
    """Return the positional arguments of a call; an argument that is a list or tuple is replaced by its items.
    Arguments that are numbers, such as a dimension, are returned, too."""
    return [one for given in call.args for one in (given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given])]


def _is_empty(value: ast.expr | None) -> bool:
    """Return whether a value is an empty list or None, which are usual initial values."""
    return (isinstance(value, (ast.List, ast.Tuple)) and not value.elts) or getattr(value, "value", ...) is None


def _values(node: ast.AST, spelled: str) -> Iterator[ast.expr]:
    """The values that a statement assigns to a variable or appends to the list in it."""
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and node.value is not None:
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = zip(target.elts, node.value.elts) if len(target.elts) == len(node.value.elts) else ()
                yield from (value for one, value in pairs if _spells(one, spelled))
            elif _spells(target, spelled):
                yield node.value
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        if node.value.func.attr in _ADDS and _spells(node.value.func.value, spelled):
            yield from node.value.args


def _spells(node: ast.AST, spelled: str) -> bool:
    return ast.unparse(node) == spelled if isinstance(node, (ast.Name, ast.Attribute)) else last_word(node) == spelled
