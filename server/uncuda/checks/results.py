"""What a text does with the result of a call: which of its fields it reads, and which of its numbers it compares."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from ..catalogue import Rule
from ..facts.model import Name, Statement
from ..facts.role_calls import COMPREHENSIONS, chain_of, last_word
from ..facts.roles import Role
from .base import Context
from .name_calls import call_of
from .parameters import Parameters
from .string_flow import Flow

FIELD = "field-not-filled"
"""The limit of an object of which a field is read that the target does not fill."""
OBJECT, PAIR, NUMBER = "object", "pair", "number"
_DEEP, _MANY = 8, 200  # names on the way to a use; uses that are looked at
_SAME = frozenset(
    {"Version", "float", "int", "list", "max", "min", "next", "parse", "reversed", "round", "sorted", "str", "tuple"}
)  # what they give says the same number, or an item of what they are given
_ITEM = frozenset({"max", "min", "next"})
_KEEPING = frozenset({"add", "append"})
_SPREAD = frozenset({"format", "print"})
_WRAPPERS = (ast.Await, ast.BoolOp, ast.NamedExpr, ast.IfExp, ast.UnaryOp)


class Value(NamedTuple):
    """An expression that has the result, or a part of it. `listed`: its items have it."""

    node: ast.AST
    statement: Statement
    kind: str
    listed: bool = False


class Read(NamedTuple):
    """A place where a field is read, or numbers are compared or unpacked (field ""), and its source."""

    field: str
    source: str


class Results:
    """Answers for one text. Names, attributes of `self`, loops and functions of the text are followed."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._seen: set[tuple[str, str, bool, int]] = set()
        self._numbers: frozenset[str] = frozenset()
        self._left = 0

    @cached_property
    def _flow(self) -> Flow:
        return Flow(self._context)

    def apart(self, reference: Name, rule: Rule) -> tuple[str, str] | None:
        """The limit that lowers the fix of a call, and what the text does with its result that is to blame.

        The rule's `fields`: functions whose result has fields of which the target may fill some only; `numbers`: those
        that give numbers of CUDA's own, a pair, or the fields that hold them.
        """
        fields, numbers = rule.get("fields", ()), rule.get("numbers", {})
        if reference.dotted not in fields and reference.dotted not in numbers:
            return None
        target = self._context.target
        filled = target.fields.get(reference.dotted, frozenset())
        same = target.has("capability")
        for read in self.reads(reference, OBJECT if reference.dotted in fields else PAIR, numbers):
            if read.field and read.field not in filled:
                return FIELD, read.source
            if not read.field and not same:
                return str(target.features["capability"]), read.source
        return None

    def reads(self, reference: Name, kind: str = OBJECT, numbers: object = None) -> Iterator[Read]:
        """What the text does with the result of the call of a reference."""
        call = call_of(reference)
        if call is None:
            return
        self._seen, self._left = set(), _MANY
        self._numbers = frozenset(numbers.get(reference.dotted, ()) if isinstance(numbers, dict) else ())
        yield from self._follow(Value(call, reference.statement, kind), 0)

    def _follow(self, value: Value, depth: int) -> Iterator[Read]:
        self._context.facts.work.compare(4)
        self._left -= 1
        if self._left < 0:
            return
        node, parent = value.node, value.statement.digest.parents.get(value.node)
        if isinstance(parent, ast.Attribute):
            if value.kind == OBJECT and not value.listed:
                yield from self._field(value, parent, parent.attr, depth)
        elif isinstance(parent, ast.Call):
            yield from self._given(value, parent, parent.args.index(node) if node in parent.args else -1, depth)
        elif isinstance(parent, ast.keyword):
            call = value.statement.digest.parents.get(parent)
            if isinstance(call, ast.Call) and parent.arg:
                yield from self._given(value, call, parent.arg, depth)
        elif isinstance(parent, (ast.Assign, ast.AnnAssign)) and node is parent.value:
            for target in parent.targets if isinstance(parent, ast.Assign) else [parent.target]:
                yield from self._bound(value, target, depth)
        elif isinstance(parent, ast.Return):
            yield from self._returned(value, depth)
        elif isinstance(parent, (ast.For, ast.AsyncFor, ast.comprehension)) and node is parent.iter:
            if value.listed:
                yield from self._item(value, parent, parent.target, depth)
        else:
            yield from self._part(value, parent, depth)

    def _part(self, value: Value, parent: ast.AST | None, depth: int) -> Iterator[Read]:
        """The same where the value is a part of a larger expression."""
        node = value.node
        if isinstance(parent, ast.Compare):
            if value.kind in (PAIR, NUMBER) and not all(isinstance(op, (ast.Is, ast.IsNot)) for op in parent.ops):
                yield Read("", ast.unparse(parent))
        elif isinstance(parent, ast.Subscript) and node is parent.value:
            item = value.listed and not isinstance(parent.slice, ast.Slice)
            kind = NUMBER if value.kind == PAIR and not value.listed and not isinstance(parent.slice, ast.Slice) else ""
            found = Value(parent, value.statement, kind or value.kind, value.listed and not item)
            yield from self._follow(found, depth)
        elif isinstance(parent, ast.Starred):
            call = value.statement.digest.parents.get(parent)
            if value.kind == PAIR and isinstance(call, ast.Call) and last_word(call.func) not in _SPREAD:
                yield Read("", ast.unparse(call))
        elif isinstance(parent, (ast.Tuple, ast.List)):
            yield from self._beside(value, parent, depth)
        elif isinstance(parent, COMPREHENSIONS) and node is parent.elt:
            yield from self._follow(Value(parent, value.statement, value.kind, True), depth)
        elif isinstance(parent, ast.JoinedStr) or (isinstance(parent, ast.BinOp) and _computes(parent, node)):
            if value.kind != OBJECT:
                yield from self._follow(Value(parent, value.statement, NUMBER), depth)
        elif isinstance(parent, _WRAPPERS) and node is not getattr(parent, "test", None):
            if isinstance(parent, ast.NamedExpr):
                yield from self._bound(value, parent.target, depth)
            yield from self._follow(value._replace(node=parent), depth)

    def _field(self, value: Value, node: ast.expr, name: str, depth: int) -> Iterator[Read]:
        yield Read(name, ast.unparse(node))
        if name in self._numbers:
            yield from self._follow(Value(node, value.statement, NUMBER), depth)

    def _given(self, value: Value, call: ast.Call, given: int | str, depth: int) -> Iterator[Read]:
        """What a call does with what it is given."""
        word = last_word(call.func)
        asked = call.args[1] if word == "getattr" and given == 0 and len(call.args) > 1 else None
        if isinstance(asked, ast.Constant) and isinstance(asked.value, str):
            yield from self._field(value, call, asked.value, depth)
        elif word in _SAME:
            yield from self._follow(value._replace(node=call, listed=value.listed and word not in _ITEM), depth)
        elif word in _KEEPING and isinstance(call.func, ast.Attribute):
            yield from self._bound(value._replace(listed=True), call.func.value, depth)
        elif word == "enumerate":
            yield from self._follow(value._replace(node=call), depth)
        elif given != -1:
            parameters = Parameters(self._context.facts, self._context.asked)
            name, header = parameters.parameter(call, given, value.statement)
            if name and header is not None:
                yield from self._named(value, name, header.start, depth + 1)

    def _beside(self, value: Value, holder: ast.Tuple | ast.List, depth: int) -> Iterator[Read]:
        """What becomes of a value that stands in a list: `a, b = p.major, p.minor`, `(p.major, p.minor) >= (8, 0)`."""
        outer = value.statement.digest.parents.get(holder)
        for target in outer.targets if isinstance(outer, ast.Assign) and holder is outer.value else ():
            if isinstance(target, (ast.Tuple, ast.List)) and len(target.elts) == len(holder.elts):
                yield from self._bound(value, target.elts[holder.elts.index(value.node)], depth)  # type: ignore[arg-type]
                return
        alone = value.kind == NUMBER and not value.listed
        found = Value(holder, value.statement, PAIR if alone else value.kind, not alone)
        yield from self._follow(found, depth)

    def _item(self, value: Value, loop: ast.AST, target: ast.AST, depth: int) -> Iterator[Read]:
        """What a loop does with each item."""
        counted = isinstance(value.node, ast.Call) and last_word(value.node.func) == "enumerate"
        if counted and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            target = target.elts[1]
        item = value._replace(listed=False)
        if not isinstance(loop, ast.comprehension) or not isinstance(target, ast.Name):
            yield from self._bound(item, target, depth)
            return
        whole = value.statement.digest.parents.get(loop)
        for chain in value.statement.digest.chains:
            if chain.root == target.id and any(o is whole for o in value.statement.digest.ancestors(chain.node)):
                yield from self._follow(item._replace(node=_cut(chain.node, len(chain.parts))), depth)

    def _bound(self, value: Value, target: ast.AST, depth: int) -> Iterator[Read]:
        """What is done with what a name or an attribute is given."""
        if isinstance(target, (ast.Tuple, ast.List)):
            if value.kind == PAIR and not value.listed:
                yield Read("", f"{ast.unparse(target).strip('()')} = …")
            return
        base, parts = chain_of(target)
        if isinstance(base, ast.Name) and len(parts) < 2:
            spelled = ".".join([base.id, *parts])
            role = Role("assignment", target)
            scope = -1 if parts else self._flow.scope(spelled, value.statement.start, role)
            yield from self._named(value, spelled, scope, depth + 1)

    def _named(self, value: Value, spelled: str, scope: int, depth: int) -> Iterator[Read]:
        key = spelled, value.kind, value.listed, scope
        if depth > _DEEP or key in self._seen:
            return
        self._seen.add(key)
        self._context.asked.add(spelled)
        root, *attributes = spelled.split(".")
        for found in self._flow.naming(spelled, scope):
            self._context.facts.work.compare(len(found.digest.chains))
            if not attributes and self._flow.scope(spelled, found.start, Role("assignment", value.node)) != scope:
                continue  # another function's
            for chain in reversed(found.digest.chains):  # they come from the right
                if chain.root == root and list(chain.parts[: len(attributes)]) == attributes:
                    node = _cut(chain.node, len(chain.parts) - len(attributes))
                    yield from self._follow(Value(node, found, value.kind, value.listed), depth)

    def _returned(self, value: Value, depth: int) -> Iterator[Read]:
        """What the text does with what its function returns."""
        name = self._flow.function_of(value.statement)
        key = f"{name}()", value.kind, value.listed, -1
        if not name or depth > _DEEP or key in self._seen:
            return
        self._seen.add(key)
        self._context.asked.add(name)
        called = re.compile(rf"\b{re.escape(name)}(?<!def {re.escape(name)})\(")
        for found in self._flow.statements(called, 0, len(self._context.text)):
            for chain in found.digest.chains:
                call = found.digest.parents.get(chain.node)
                spelled = chain.spelled in (name, f"self.{name}")
                if spelled and isinstance(call, ast.Call) and call.func is chain.node:
                    yield from self._follow(Value(call, found, value.kind, value.listed), depth + 1)


def _cut(node: ast.expr, parts: int) -> ast.expr:
    """A dotted expression without so many of its last parts."""
    for _ in range(parts):
        node = node.value if isinstance(node, ast.Attribute) else node
    return node


def _computes(node: ast.BinOp, operand: ast.AST) -> bool:
    """Whether a number is computed: not so where a text is put together, `"sm_%d" % major`."""
    other = node.right if operand is node.left else node.left
    text = isinstance(other, ast.JoinedStr) or (isinstance(other, ast.Constant) and isinstance(other.value, str))
    return not text
