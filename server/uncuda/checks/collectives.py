"""Traces float64 tensors from the call that creates them to a collective such as `all_reduce`, within one source file.

A tensor is not reported in cases of doubt: if it is converted to another dtype or device before the collective, if its
variable is assigned again, or if the process group or the backend may belong to another library.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from .. import lazy_re
from ..catalogue import Rule
from ..facts.model import Statement
from ..facts.role_calls import COMPREHENSIONS, chain_of, last_word
from ..facts.roles import Role
from .base import Context
from .given_device import says_number
from .host_values import FACTORIES, RANGES, values_of
from .result_values import cut
from .string_flow import Flow

# `_DEEP`: maximum number of variables that are traced from the tensor to a collective. `_MANY`: maximum number of uses
# of a tensor that are checked
_DEEP, _MANY = 8, 200
_CASTS = frozenset({"double", "mean", "sum", "to", "type"})
_REDUCING = frozenset({"mean", "sum"})
_KEEPING = frozenset(
    {"clone", "contiguous", "detach", "flatten", "squeeze", "unsqueeze", "div_", "mul_", "add_", "sub_"}
)
_COMPUTING = frozenset({"add", "div", "mul", "sub"})
_SHAPING = frozenset({"reshape", "view"})  # `view` also accepts a dtype
_BESIDE_DEVICE = frozenset({"copy", "memory_format", "non_blocking"})
_TENSORS = frozenset({0, 1, "input", "input_list", "output", "tensor", "tensors"})  # parameters for tensors
_INNER = (*COMPREHENSIONS, ast.DictComp, ast.Lambda)  # expressions that may bind the variable in a scope of their own
_TESTS = frozenset({"if", "elif", "else", "while"})
# patterns; "dtype" does not match in `DistributedType`
_ASKS = "backend", "(?<![a-z])dtype", "float64", "double", "cpu", "device"
_ACCELERATOR = "accelerator"  # the usual name of the `Accelerator` object of Hugging Face's Accelerate
_CATCHES = lazy_re.compile(r"\b(?:suppress|raises|assertRaises)\b")
_OTHER = "gloo"
"""A collective library for the CPU that accepts float64. If a file contains the word `gloo`, none of its collectives is
reported."""


class _Tensor(NamedTuple):
    """An expression that is a float64 tensor. `placed`: whether the tensor is on the accelerator. `array`: whether the
    tensor certainly has at least one dimension. The sum of a float32 tensor and a float64 tensor without dimensions may
    be a float32 tensor."""

    node: ast.AST
    statement: Statement
    placed: bool
    array: bool


class Collectives:
    """Traces tensors through the variables and functions of one source file."""

    def __init__(self, context: Context, rule: Rule) -> None:
        self._context, self._names = context, frozenset(rule.get("collectives", ()))
        self._flow, self._parameters = Flow(context), context.parameters
        words = context.target.words
        self._device = words.get("device", "")
        self._asks = re.compile("|".join(filter(None, (*_ASKS, re.escape(words.get("ccl", ""))))), re.I)
        self._left = _MANY

    def taker(self, call: ast.AST | None, statement: Statement) -> str:
        """Return the source of the call of a collective that receives the result of `call`; "" if no collective
        certainly receives it."""
        if not self._names or not isinstance(call, ast.Call) or self._context.facts.says(_OTHER):
            return ""
        made = self._made(call, statement)
        found = self._follow(made, 0) if made is not None else ""
        return "" if found and self._excused(call, statement) else found

    def _made(self, call: ast.Call, statement: Statement) -> _Tensor | None:
        """The float64 tensor that a call creates; None if the call is not known to create one."""
        root, _, name = (self._flow.resolve(call.func, statement) or "").rpartition(".")
        if root == "torch" and name in FACTORIES | RANGES:
            placed = any(word.arg == "device" and self._is_device(word.value, statement) for word in call.keywords)
            return _Tensor(call, statement, placed, name in RANGES or _has_shape(call, name))
        if isinstance(call.func, ast.Attribute) and call.func.attr in _CASTS:
            given = [*call.args, *(word.value for word in call.keywords if word.arg == "device")]
            placed = any(self._is_device(one, statement) for one in given)
            placed = placed or self._is_placed(call.func.value, statement)
            return _Tensor(call, statement, placed, False)
        return None

    def _is_placed(self, node: ast.AST, statement: Statement) -> bool:
        """Return whether a chain of method calls moves its object to the accelerator: `x.cuda().sum()`."""
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            moved = node.args if node.func.attr == "to" else ()
            if node.func.attr == "cuda" or any(self._is_device(one, statement) for one in moved):
                return True
            if node.func.attr not in _KEEPING | _REDUCING:
                return False
            node = node.func.value
        return False

    def _is_device(self, node: ast.AST, statement: Statement, depth: int = 0) -> bool:
        """Return whether an expression is the accelerator on machines that have one: `"cuda:0"`, `torch.device("cuda",
        i)`, `current_device()`, `accelerator.device`, a choice between one of these and the CPU, or a variable with
        such a value."""
        if isinstance(node, ast.JoinedStr) and node.values:
            node = node.values[0]
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value.partition(":")[0] in ("cuda", self._device)
        if isinstance(node, ast.IfExp):
            return any(self._is_device(one, statement, depth) for one in (node.body, node.orelse))
        if isinstance(node, ast.Call) and last_word(node.func) == "device" and node.args:
            return self._is_device(node.args[0], statement, depth)
        if isinstance(node, ast.Attribute) and node.attr == "device" and last_word(node.value) == _ACCELERATOR:
            return True
        if isinstance(node, (ast.Name, ast.Attribute, ast.Call)) and says_number(node):
            return True
        return self._is_name_of_device(node, statement, depth)

    def _is_name_of_device(self, node: ast.AST, statement: Statement, depth: int) -> bool:
        """Return whether every value that the file assigns to a variable, or to an attribute of `self`, is the
        accelerator."""
        base, parts = chain_of(node)
        self._left -= 1
        if not isinstance(base, ast.Name) or len(parts) > (base.id == "self") or depth >= _DEEP or self._left < 0:
            return False
        spelled = ".".join([base.id, *parts])
        self._context.asked.add(spelled)
        scope = -1 if parts else self._flow.scope(spelled, statement.start, Role("assignment", node))
        values = [*values_of(self._flow, spelled, scope)]
        return bool(values) and all(
            value is not None and self._is_device(value, where, depth + 1) for value, where in values
        )

    def _follow(self, tensor: _Tensor, depth: int) -> str:
        self._context.facts.work.compare(4)
        self._left -= 1
        if self._left < 0:
            return ""
        node, parents = tensor.node, tensor.statement.digest.parents
        parent = parents.get(node)
        if isinstance(parent, ast.Attribute):
            call = parents.get(parent)
            after = self._after(tensor, parent.attr, call) if isinstance(call, ast.Call) else None
            return self._follow(after, depth) if after is not None else ""
        if isinstance(parent, ast.BinOp):
            other = parent.right if node is parent.left else parent.left
            kept = tensor.array or isinstance(other, ast.Constant)
            return self._follow(tensor._replace(node=parent), depth) if kept else ""
        if isinstance(parent, ast.Subscript) and node is parent.value:
            whole = tensor.array and isinstance(parent.slice, ast.Slice)
            return self._follow(tensor._replace(node=parent, array=whole), depth)
        if isinstance(parent, (ast.Assign, ast.AnnAssign)) and node is parent.value:
            targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
            return next(filter(None, (self._bound(tensor, target, depth) for target in targets)), "")
        if isinstance(parent, (ast.List, ast.Tuple)):
            node, parent = parent, parents.get(parent)
        if isinstance(parent, ast.keyword) and isinstance(call := parents.get(parent), ast.Call) and parent.arg:
            return self._given(tensor, call, parent.arg, node is tensor.node, depth)
        if isinstance(parent, ast.Call) and node in parent.args:
            return self._given(tensor, parent, parent.args.index(node), node is tensor.node, depth)
        return ""

    def _after(self, tensor: _Tensor, name: str, call: ast.Call) -> _Tensor | None:
        """The tensor that a method returns; None if its dtype is unknown, or may differ from that of the object."""
        words = {word.arg for word in call.keywords}
        same = tensor._replace(node=call)
        if name == "cuda":
            return same._replace(placed=True)
        if name == "to":
            given = [*call.args, *(word.value for word in call.keywords if word.arg == "device")]
            moved = all(self._is_device(one, tensor.statement) for one in given) and words <= _BESIDE_DEVICE | {
                "device"
            }
            return same._replace(placed=True) if given and moved else None
        if name in _COMPUTING:
            kept = tensor.array or all(isinstance(one, ast.Constant) for one in call.args)
        elif name in _SHAPING:
            kept = all(isinstance(one, (ast.Constant, ast.UnaryOp)) for one in call.args) and not words
        else:
            kept = name in _KEEPING or (name in _REDUCING and "dtype" not in words)
        return same._replace(array=tensor.array and name not in _REDUCING) if kept else None

    def _given(self, tensor: _Tensor, call: ast.Call, given: int | str, alone: bool, depth: int) -> str:
        """Return the source of the call that passes a tensor to a collective: `call` itself, or a call in the function
        that `call` runs. The tensor is an argument of `call`. `given`: the index or keyword of the argument; `alone`:
        whether the argument is the tensor itself, not a list that contains it."""
        name = self._flow.resolve(call.func, tensor.statement) or ""
        if name in self._names:
            places = _TENSORS if "scatter" in name else _TENSORS - {1}
            shown = tensor.placed and given in places and not _is_grouped(call, 2 if "all_reduce" in name else 3)
            return ast.unparse(call) if shown and not self._excused(call, tensor.statement) else ""
        if not alone or depth >= _DEEP:
            return ""
        parameter, header = self._parameters.parameter(call, given, tensor.statement)
        if not parameter or header is None:
            return ""
        end = self._context.facts.indents.extent(header.start)
        return self._named(tensor._replace(statement=header), parameter, header.start, end, depth + 1)

    def _bound(self, tensor: _Tensor, target: ast.AST, depth: int) -> str:
        """Return the source code of the collective call that receives the variable or attribute to which a tensor is
        assigned; only the code after the assignment in the same block is searched."""
        base, parts = chain_of(target)
        if not isinstance(base, ast.Name) or len(parts) > 1 or depth >= _DEEP:
            return ""
        spelled, start = ".".join([base.id, *parts]), tensor.statement.start
        scope = -1 if parts else self._flow.scope(spelled, start, Role("assignment", target))
        end = self._context.facts.indents.block_end_of(start)
        return self._named(tensor, spelled, scope, end, depth + 1)

    def _named(self, tensor: _Tensor, spelled: str, scope: int, end: int, depth: int) -> str:
        """Return the source code of the collective call that receives a variable before the variable is assigned
        again."""
        self._context.asked.add(spelled)
        root, *attributes = spelled.split(".")
        for found in self._flow.naming(spelled, scope):
            if not tensor.statement.start < found.start < end:
                continue
            self._context.facts.work.compare(len(found.digest.chains))
            own = attributes or self._flow.scope(spelled, found.start, Role("assignment", tensor.node)) == scope
            for chain in found.digest.chains if own else ():
                inner = any(isinstance(outer, _INNER) for outer in found.digest.ancestors(chain.node))
                if chain.root == root and list(chain.parts[: len(attributes)]) == attributes and not inner:
                    node = cut(chain.node, len(chain.parts) - len(attributes))
                    if taker := self._follow(tensor._replace(node=node, statement=found), depth):
                        return taker
            if self._binds(found, spelled):
                return ""
        return ""

    def _binds(self, statement: Statement, spelled: str) -> bool:
        if any(binding.name == spelled for binding in statement.digest.bindings):
            return True
        text = self._context.text[statement.start : statement.end]
        spelled = spelled if "." in spelled else f"{spelled}.data"
        return re.search(rf"(?<![\w.]){re.escape(spelled)}\s*(?:,|:[^=]+=|=)(?!=)", text) is not None

    def _excused(self, node: ast.AST, statement: Statement) -> bool:
        """Return whether code is under a condition on the backend, dtype or device, or in a `try` that handles its
        failure."""
        if any(isinstance(outer, (ast.IfExp, ast.BoolOp)) for outer in statement.digest.ancestors(node)):
            return True
        indents, text = self._context.facts.indents, self._context.text
        for header in indents.headers(statement.start):
            if header.word == "try" or _CATCHES.search(text, header.start, header.end):
                return True
            chain = indents.clauses(header) if header.word in _TESTS else ()
            self._context.facts.work.compare(len(chain))
            if any(self._asks.search(text, clause.start, clause.end) for clause in chain):
                return True
        return False


def _has_shape(call: ast.Call, name: str) -> bool:
    """Return whether the tensor that a factory function makes has dimensions: `tensor([a, b])`, `zeros(3)`."""
    first = call.args[0] if call.args else None
    if name in ("tensor", "as_tensor") or isinstance(first, (ast.List, ast.Tuple)):
        return isinstance(first, (ast.List, ast.Tuple)) and bool(first.elts)
    return isinstance(first, ast.Constant)


def _is_grouped(call: ast.Call, position: int) -> bool:
    """Whether a collective has, or may have, a `group` argument; such a group may belong to another library."""
    groups = [*call.args[position:], *(word.value for word in call.keywords if word.arg in (None, "group"))]
    if any(isinstance(one, ast.Starred) for one in call.args):
        return True
    return any(last_word(one) != "WORLD" and getattr(one, "value", one) is not None for one in groups)
