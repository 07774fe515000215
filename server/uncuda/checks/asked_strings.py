"""Finds strings that are shown to be devices by a condition that asks for them together with CUDA: `if requested ==
"cuda" and torch.cuda.is_available():`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .. import lazy_re
from ..catalogue import Rule
from ..facts.model import Statement
from ..facts.roles import Role
from .string_flow import TESTS, Flow

_OF_DEVICE = lazy_re.compile(r"(?:\w*_)?device")  # the name of a function that returns one device


def is_asked_for(rule: Rule, role: Role, statement: Statement, flow: Flow) -> bool:
    """Return whether the string is compared with a variable of a function that is named for a device, and a condition
    of the function joins such a comparison and one of the rule's `questions` by `and`."""
    questions = rule.get("questions", ())
    if not questions or role.kind not in TESTS or not isinstance(role.subject, ast.Name):
        return False
    if not _OF_DEVICE.fullmatch(flow.function_of(statement)):
        return False
    place = flow.place(role, statement)
    found = flow.naming(*place) if place is not None else ()
    return any(_asks_both(role.subject.id, questions, one, flow) for one in found)


def _asks_both(name: str, questions: Sequence[str], statement: Statement, flow: Flow) -> bool:
    node = next(iter(statement.digest.piece.nodes), None)
    test = node.test if isinstance(node, (ast.If, ast.While, ast.Assert)) else None
    if not isinstance(test, ast.BoolOp) or not isinstance(test.op, ast.And):
        return False
    values = [value.operand if isinstance(value, ast.UnaryOp) else value for value in test.values]
    calls = (value.func for value in values if isinstance(value, ast.Call))
    compared = (value.left for value in values if isinstance(value, ast.Compare))
    return any(isinstance(left, ast.Name) and left.id == name for left in compared) and any(
        flow.context.resolve(function, statement) in questions for function in calls
    )
