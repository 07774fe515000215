"""Finds expressions whose value is the environment of the process, or a copy of it for another process."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..facts.bindings import Binding
from ..facts.read import Statement
from ..facts.role_calls import last_word, spelled
from ..facts.roles import Role
from .base import Context
from .string_flow import Flow

_MOST = 16  # maximum number of variables between a variable and the environment
_COPIES = frozenset({"copy", "deepcopy", "dict"})


class Environments:
    """Tells which expressions and local variables of one source file hold the environment or a copy of it."""

    def __init__(self, context: Context) -> None:
        self._flow = Flow(context)
        self._known: dict[tuple[str, int], bool] = {}
        self._hops = 0  # how many variables the present search has passed through

    def holds(self, node: ast.AST | None, statement: Statement, mappings: Sequence[str]) -> bool:
        """Return whether the value of an expression is the environment or a copy of it: `os.environ.copy()`,
        `{**os.environ, "NAME": "1"}`, or a variable to which only such values are assigned. `mappings`: the dotted
        names of the environment, such as `os.environ`."""
        if isinstance(node, ast.Dict):
            merged = (value for key, value in zip(node.keys, node.values, strict=True) if key is None)
            return any(self.holds(value, statement, mappings) for value in merged)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return any(self.holds(value, statement, mappings) for value in (node.left, node.right))
        if isinstance(node, ast.Call) and last_word(node.func) in _COPIES:
            owner = node.func.value if isinstance(node.func, ast.Attribute) else None
            if node.args and owner is not None and last_word(owner) != "copy":
                return False
            return self.holds(next(iter(node.args), owner), statement, mappings)
        if is_one_of(spelled(node), mappings):
            return True
        return isinstance(node, ast.Name) and self._is_copy(node, statement, mappings)

    def _is_copy(self, name: ast.Name, statement: Statement, mappings: Sequence[str]) -> bool:
        """Return whether all values of a variable are the environment or copies of it."""
        scope = self._scope(name, statement)
        key = name.id, scope
        if key not in self._known and self._hops < _MOST:
            self._known[key] = False  # if the variable is assigned from itself
            self._hops += 1
            self._flow.context.asked.add(name.id)
            bindings = list(self._bindings(name, scope))
            self._known[key] = bool(bindings) and all(
                binding.kind == "assign" and self.holds(binding.value, where, mappings) for binding, where in bindings
            )
            self._hops -= 1
        return self._known.get(key, False)

    def _bindings(self, name: ast.Name, scope: int) -> Iterator[tuple[Binding, Statement]]:
        for found in self._flow.naming(name.id, scope):
            if found.start == scope or self._scope(name, found) == scope:
                yield from ((binding, found) for binding in found.digest.bindings if binding.name == name.id)

    def _scope(self, name: ast.Name, statement: Statement) -> int:
        return self._flow.scope(name.id, statement.start, Role("comparison", name, name=name.id))


def is_one_of(name: str, names: Sequence[str]) -> bool:
    """Whether a dotted name in the code is one of `names` or the end of one: `environ.get` after `from os import
    environ`."""
    return bool(name) and any(one == name or one.endswith("." + name) for one in names)
