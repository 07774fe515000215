"""`check = "integer-device"`: an integer as a device, where the target takes it for a CUDA device."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..catalogue import Rule, Target
from ..edits import Edit, Fix
from ..facts.piece import Piece
from ..facts.read import Statement
from .base import Context, Hit, cap


class Check:
    """The rules about integer devices."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._rules = list(rules)

    def run(self, context: Context) -> Iterator[Hit]:
        """Hits at literal integers given as a device."""
        if not context.imports_root("torch"):
            return
        for rule in self._rules:
            for statement in context.facts.statements.values():
                for call in _calls(statement):
                    for value in self._devices(call, rule):
                        yield self._hit(context, statement, value, rule)

    def _devices(self, call: ast.Call, rule: Rule) -> Iterator[ast.Constant]:
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        values: list[ast.AST] = [k.value for k in call.keywords if k.arg in rule.get("arguments", ())]
        if method in rule.get("methods", ()) and call.args:
            values.append(call.args[0])
        for value in values:
            if isinstance(value, ast.Constant) and type(value.value) is int:
                yield value

    def _hit(self, context: Context, statement: Statement, value: ast.Constant, rule: Rule) -> Hit:
        piece: Piece = statement.digest.piece
        start, end = (statement.start + offset for offset in piece.span(value))
        new = f'"{self.target.words["device"]}:{value.value}"'
        hit = Hit(rule, start, end, {"old": str(value.value), "new": new}, statement=statement, node=value)
        applicability = cap(rule, "safe")
        if applicability:
            edits = (Edit(start, end, new), *context.requires(rule, start))
            hit.fixes = (Fix(f"Replace with `{new}`", applicability, edits),)
        return hit


def _calls(statement: Statement) -> Iterator[ast.Call]:
    seen = set()
    for node in statement.digest.parents.values():
        if isinstance(node, ast.Call) and id(node) not in seen:
            seen.add(id(node))
            yield node
