"""Traces a value through variables, attributes, loops and functions of one source file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from ..facts.role_calls import chain_of, last_word
from ..facts.roles import Role
from . import result_words as words
from .base import Context
from .parameters import Parameters
from .result_places import Function, Places, fields_of
from .result_values import NUMBER, NUMBERS, PAIR, Read, Value, cut
from .string_flow import Flow

_ANY = "*"  # in place of a field's name: any field may be read, because the object is not traced further
_DEEP = 8  # maximum number of variables through which one value is traced


class Followed:
    """Traces values from variable to variable, through one source file. Subclasses define `_follow`, which yields a
    `Read` for each place in the code that reads the value of one expression."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._seen: set[tuple[str, str, bool, int]] = set()
        self._strict = False  # if true, every use that is not known to be harmless counts as a read

    @cached_property
    def _flow(self) -> Flow:
        return Flow(self._context)

    @cached_property
    def _parameters(self) -> Parameters:
        return self._context.parameters

    @cached_property
    def _places(self) -> Places:
        return Places(self._context)

    def _follow(self, value: Value, depth: int) -> Iterator[Read]:
        raise NotImplementedError

    def _in_class(self, value: Value) -> bool:
        scope = self._context.facts.indents.scope_of(value.statement.start)
        return scope is not None and scope[1] == "class"

    def _lost(self, value: Value, node: ast.AST | None = None) -> Iterator[Read]:
        """Give up tracing a value; if `_strict` is set, yield one `Read` that stands for all its further uses."""
        if self._strict:
            number = value.kind in NUMBERS
            yield Read("" if number else _ANY, ast.unparse(node or value.node), True)

    def _named_function(self, value: Value, depth: int) -> Iterator[Read]:
        """Yield the reads of a function's result; `value`: a reference to the function, such as `f` in `f()` or in
        `map(f, items)`."""
        node, parent = value.node, value.parent
        mapped = isinstance(parent, ast.Call) and last_word(parent.func) == "map" and node is parent.args[0]
        if isinstance(parent, ast.Call) and parent.func is node:
            yield from self._follow(value._replace(node=parent), depth)
        elif mapped:
            yield from self._follow(Value(parent, value.statement, value.kind, True), depth)  # type: ignore[arg-type]
        elif isinstance(parent, ast.Assign) and all(isinstance(target, ast.Name) for target in parent.targets):
            if isinstance(node, ast.Call) or self._in_class(value):
                yield from self._lost(value)
            return  # the assigned variable is an alias; its uses are references, which are checked separately
        elif not isinstance(getattr(node, "ctx", None), ast.Load) or isinstance(parent, (ast.Expr, ast.Compare)):
            return
        elif not isinstance(parent, ast.Call) or not words.shows(parent, value.statement.digest):
            yield from self._lost(value, parent if isinstance(parent, ast.expr) else None)

    def _item(self, value: Value, loop: ast.AST, target: ast.AST, depth: int) -> Iterator[Read]:
        """For a loop over the value: yield a `Read` for each place in the code that reads the loop's variable."""
        if not value.listed and value.kind not in NUMBERS:
            yield from self._lost(value)
            return
        if not value.listed:
            value = value._replace(kind=NUMBER)
        word = last_word(value.node.func) if isinstance(value.node, ast.Call) else ""
        if word in ("enumerate", "items") and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            target = target.elts[1]
        item = value._replace(listed=False)
        if not isinstance(loop, ast.comprehension) or not isinstance(target, ast.Name):
            yield from self._bound(item, target, depth, kept=False)
            return
        whole = value.statement.digest.parents.get(loop)
        for chain in value.statement.digest.chains:
            if chain.root == target.id and any(o is whole for o in value.statement.digest.ancestors(chain.node)):
                yield from self._follow(item._replace(node=cut(chain.node, len(chain.parts))), depth)
        for text in value.statement.digest.texts if value.kind in NUMBERS else ():
            inside = any(o is whole for o in value.statement.digest.ancestors(text.node))
            if inside and target.id in fields_of(text, self._context.text, value.statement):
                yield from self._follow(item._replace(node=text.node), depth)

    def _bound(self, value: Value, target: ast.AST, depth: int, kept: bool = True) -> Iterator[Read]:
        """Yield the reads of a value after it is assigned to a variable or attribute. `kept`: whether code outside of
        this file may read the variable, too."""
        if isinstance(target, (ast.Tuple, ast.List)):
            if value.kind == PAIR and not value.listed:
                yield Read("", f"{ast.unparse(target).strip('()')} = …")
            for one in target.elts if self._strict and (value.kind != PAIR or value.listed) else ():
                yield from self._bound(value._replace(listed=False), one, depth, False)
            return
        if isinstance(target, ast.Subscript):
            yield from self._bound(value._replace(listed=True), target.value, depth, kept)
            return
        base, parts = chain_of(target)
        if not isinstance(base, ast.Name) or (parts and not self._strict and len(parts) > 1):
            yield from self._lost(value, target)
        elif self._strict and base.id in self._context.imported:
            yield from self._lost(value, target)
        elif parts:
            yield from self._attributes(value, parts[-1], base.id, depth + 1)
        else:
            scope = self._flow.scope(base.id, value.statement.start, Role("assignment", target))
            yield from self._named(value, base.id, scope, depth + 1, kept)

    def _is_new(self, value: Value, spelled: str, scope: int) -> bool:
        key = spelled, value.kind, value.listed, scope
        new = key not in self._seen
        self._seen.add(key)
        return new

    def _named(self, value: Value, name: str, scope: int, depth: int, kept: bool = False) -> Iterator[Read]:
        if depth > _DEEP:
            yield from self._lost(value)
            return
        if not self._is_new(value, name, scope):
            return
        used, indents = False, self._context.facts.indents
        end = indents.extent(scope) if scope >= 0 else len(self._context.text)
        for found in self._places.names(name, max(scope, 0), end):
            if found is None:
                yield from self._lost(value)
                break
            if self._flow.scope(name, found.start, Role("assignment", value.node)) != scope:
                continue  # this variable is of the same name, but of another function
            for chain in reversed(found.digest.chains):  # `chains` begins with the statement's last dotted name
                if chain.root == name:
                    used = True
                    yield from self._follow(value.at(cut(chain.node, len(chain.parts)), found), depth)
            for text in found.digest.texts:
                if name in fields_of(text, self._context.text, found):
                    used = True
                    yield from self._follow(value.at(text.node, found), depth) if value.kind in NUMBERS else ()
        if self._strict and scope < 0 and kept and self._in_class(value):
            yield from self._attributes(value, name, "self", depth)
        elif self._strict and kept and scope < 0 and not used:
            yield from self._lost(value)

    def _attributes(self, value: Value, name: str, root: str, depth: int) -> Iterator[Read]:
        """Yield the reads of a value after it is assigned to an attribute. `name`: the name of the attribute; `root`:
        the object, such as "self". If `_strict` is set, also yield the reads of attributes `name` of objects other than
        `root`."""
        if depth > _DEEP:
            yield from self._lost(value)
            return
        if not self._is_new(value, f"{'' if self._strict else root}.{name}", -1):
            return
        used = False
        for place in self._places.attributes(name, root, value.statement):
            if place.node is None:
                yield from self._lost(value)
            elif self._strict or getattr(chain_of(place.node)[0], "id", "") == root:
                used = True
                yield from self._follow(value.at(place.node, place.statement), depth)
        if not used:
            yield from self._lost(value)

    def _returned(self, value: Value, depth: int) -> Iterator[Read]:
        """Yield the code of this file that reads `value` after a function has returned it."""
        function = self._places.function(value.statement)
        if function is None or depth > _DEEP:
            yield from self._lost(value)
        elif not function.name.startswith("__") or not function.name.endswith(("repr__", "str__")):
            yield from self._given_back(value, function, depth)

    def _given_back(self, value: Value, function: Function, depth: int) -> Iterator[Read]:
        if function.attribute:
            yield from self._attributes(value, function.name, "self", depth + 1)
            return
        if not self._is_new(value, f"{function.name}()", -1):
            return
        used = False
        for place in self._places.calls(function, value.statement):
            if place.node is None:
                yield from self._lost(value)
                continue
            used = True
            found = value.at(place.node, place.statement)
            call = found.parent
            if (isinstance(call, ast.Call) and call.func is place.node) or self._strict:
                yield from self._named_function(found, depth + 1)
        if not used:
            yield from self._lost(value)
