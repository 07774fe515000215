"""Finds where a variable that is compared with a string gets its value: an option, a field, or another variable."""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Iterator

from ..facts.read import Statement
from ..facts.role_calls import STRING_METHODS, last_word
from ..facts.roles import Role, unwrapped
from .hit import At, Links
from .parameters import Parameters
from .string_flow import TESTS, Flow, field_key


class Sources:
    """Finds where variables that the code compares with strings get their values from, in one source file."""

    def __init__(self, flow: Flow, parameters: Parameters) -> None:
        self._flow, self._facts, self._parameters = flow, flow.context.facts, parameters
        self._known: dict[tuple[str, int], Links] = {}
        self._depth = 0

    def of(self, role: Role, statement: Statement) -> Links:
        """For a string that is compared with a variable, return where the variable gets its value from, as keys for
        `Hit.links`. For a string in the list of a variable, return this for the variables that are looked for in the
        list: `kind not in valid_devices`."""
        if role.kind == "assignment" and role.containers:
            return tuple(dict.fromkeys(self._of_list(role, statement)))
        if role.kind not in TESTS or not isinstance(role.subject, ast.Name):
            return ()
        place = self._flow.place(role, statement)
        return self._of_name(*place) if place is not None else ()

    def _of_list(self, role: Role, statement: Statement) -> Iterator[tuple[Hashable, ...]]:
        place = self._flow.place(role, statement)
        if place is None or not self._facts.says(f" in {place[0]}"):
            return
        for found in self._flow.naming(*place):
            self._facts.work.compare(len(found.digest.parents))
            for node in found.digest.parents:
                if isinstance(node, ast.Compare) and isinstance(node.ops[-1], (ast.In, ast.NotIn)):
                    if ast.unparse(node.comparators[-1]) == place[0]:
                        yield from self._keys(unwrapped(node.left)[0], found)

    def _of_name(self, name: str, scope: int) -> Links:
        if (name, scope) not in self._known:
            self._known[name, scope] = ()  # no sources if the variable is assigned from itself
            if self._depth <= self._facts.work.limits.depth:
                self._depth += 1
                found = (self._keys(node, statement) for node, statement in self._values(name, scope))
                keys = dict.fromkeys(key for keys in (*found, self._looped(name, scope)) for key in keys)
                self._known[name, scope] = tuple(keys)
                self._depth -= 1
        return self._known[name, scope]

    def _looped(self, name: str, scope: int) -> Iterator[tuple[Hashable, ...]]:
        """Yield keys of the lists over which a variable loops: `for kind in kinds`."""
        for statement in self._flow.naming(name, scope):
            node = next(iter(statement.digest.piece.nodes), None)
            if isinstance(node, (ast.For, ast.AsyncFor)) and isinstance(node.iter, ast.Name):
                if isinstance(node.target, ast.Name) and node.target.id == name:
                    used = Role("comparison", node.iter, name=node.iter.id)
                    yield "name", node.iter.id, At(self._flow.scope(node.iter.id, statement.start, used))

    def _values(self, name: str, scope: int) -> Iterator[tuple[ast.AST, Statement]]:
        """Yield the values assigned to a variable; for a parameter, also the arguments that calls pass to it."""
        self._flow.context.asked.add(name)
        for statement in self._flow.naming(name, scope):
            self._facts.work.compare(len(statement.digest.bindings))
            for binding in statement.digest.bindings:
                if binding.name == name and binding.kind == "assign" and binding.value is not None:
                    yield binding.value, statement
        header = self._facts.peek(scope) if scope >= 0 else None
        function = next(iter(header.digest.piece.nodes), None) if header is not None else None
        if header is not None and isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from self._given(name, header, self._called(function.name, header))

    def _called(self, function: str, header: Statement) -> str:
        """The name by which code calls a function: that of the class for `__init__`, otherwise its own."""
        above = self._facts.indents.header_above(header.start) if function == "__init__" else None
        named = re.match(r"class[ \t]+(\w+)", self._facts.text[above.start : above.end]) if above is not None else None
        return named[1] if named is not None else function

    def _given(self, name: str, header: Statement, called: str) -> Iterator[tuple[ast.AST, Statement]]:
        word = re.escape(called)
        self._flow.context.asked.add(called)
        pattern = re.compile(rf"{word}(?<!\w{word})(?<!def {word})[ \t]*\(")
        for statement in self._flow.statements(pattern, 0, len(self._facts.text), called):
            self._facts.work.compare(len(statement.digest.chains))
            for chain in statement.digest.chains:
                call = statement.digest.parents.get(chain.node)
                if (chain.parts or (chain.root,))[-1] != called or not isinstance(call, ast.Call):
                    continue
                arguments: list[tuple[str | int, ast.expr]] = [*enumerate(call.args)]
                arguments += [(name, one.value) for one in call.keywords if one.arg == name]
                for given, value in arguments if call.func is chain.node else ():
                    self._facts.work.compare()
                    taken, function = self._parameters.parameter(call, given, statement)
                    if taken == name and function is not None and function.start == header.start:
                        yield value, statement

    def _keys(self, node: ast.AST, statement: Statement) -> Iterator[tuple[Hashable, ...]]:
        if isinstance(node, ast.IfExp):
            yield from (*self._keys(node.body, statement), *self._keys(node.orelse, statement))
        elif isinstance(node, ast.BoolOp):
            for value in node.values:
                yield from self._keys(value, statement)
        elif isinstance(node, ast.Name):
            scope = self._flow.scope(node.id, statement.start, Role("comparison", node, name=node.id))
            yield "name", node.id, At(scope)
            yield from self._of_name(node.id, scope)
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call):
            yield from self._keys(node.value, statement)  # such as the call in `kind.split(":")[0]`
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            if (name := last_word(node)) not in ("", "type"):
                yield field_key(name)
        elif isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Attribute) and function.attr in STRING_METHODS:
                yield from self._keys(function.value, statement)
            elif last_word(function) == "getattr" and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
                yield field_key(str(node.args[1].value))
            elif last_word(function) == "get" and node.args and isinstance(node.args[0], ast.Constant):
                yield field_key(str(node.args[0].value))
            elif last_word(function) == "str" and len(node.args) == 1:
                yield from self._keys(node.args[0], statement)
