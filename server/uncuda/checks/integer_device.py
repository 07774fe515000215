"""`check = "integer-device"`: an integer used as a device, which in older PyTorch versions means a CUDA device."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..catalogue import Rule, Target
from ..edits import REVIEW, SAFE, Edit, Fix
from ..facts.read import Statement
from ..messages.fixes import titled
from .base import Context, Hit, cap
from .string_flow import Flow


class Check:
    """The rules about integers used as devices."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._rules = list(rules)

    def run(self, context: Context) -> Iterator[Hit]:
        """Yield hits at integer literals that are passed as a device."""
        if not context.imports_root("torch"):
            return
        flow = Flow(context)
        for rule in self._rules:
            for statement in context.statements:
                for call in _calls(statement):
                    callee = flow.resolve(call.func, statement) or ""
                    for value in _devices(call, callee, rule):
                        applicability = SAFE if callee.partition(".")[0] == "torch" else REVIEW
                        yield self._hit(context, statement, value, rule, applicability)

    def _hit(self, context: Context, statement: Statement, value: ast.Constant, rule: Rule, applicability: str) -> Hit:
        start, end = (statement.start + offset for offset in statement.digest.span(value))
        old = context.text[start:end]
        new = f'"{self.target.words["device"]}:{old}"'
        words = {"old": old, "new": new}
        limits = context.feature_limits(rule)
        fixes: tuple[Fix, ...] = ()
        if allowed := cap(rule, applicability):
            edits = (Edit(start, end, new), *context.requires(rule, start))
            fixes = (Fix(titled("replace", f"`{new}`"), allowed, edits),)
        return Hit(rule, start, end, words, fixes, limits=limits, statement=statement, node=value)


def _devices(call: ast.Call, callee: str, rule: Rule) -> Iterator[ast.Constant]:
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    values: list[ast.AST] = [keyword.value for keyword in call.keywords if keyword.arg in rule.get("arguments", ())]
    if call.args and (callee in rule.get("calls", ()) or (not callee and method in rule.get("methods", ()))):
        values.append(call.args[0])
    for value in values:
        if isinstance(value, ast.Constant) and type(value.value) is int and value.value >= 0:
            yield value


def _calls(statement: Statement) -> Iterator[ast.Call]:
    """The calls in a statement, without those inside fields of f-strings."""
    fields = {text.node for text in statement.digest.texts if text.formatted}
    calls = dict.fromkeys(node for node in statement.digest.parents.values() if isinstance(node, ast.Call))
    for call in calls:
        if not fields.intersection(statement.digest.ancestors(call)):
            yield call
