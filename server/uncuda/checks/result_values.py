"""The classes `Value` (an expression with the result of a call) and `Read` (code that reads a field of the result),
which `results.py` and `result_names.py` pass to each other."""

from __future__ import annotations

import ast
from typing import NamedTuple

from ..facts.model import Statement

OBJECT, PAIR, NUMBER = "object", "pair", "number"
NUMBERS = (PAIR, NUMBER)


class Value(NamedTuple):
    """An expression whose value is the result of the call whose uses uncuda searches for, or a part of this result.
    `listed`: whether the expression is a list whose items, not the list itself, are the result or parts of the
    result."""

    node: ast.AST
    statement: Statement
    kind: str
    listed: bool = False

    @property
    def parent(self) -> ast.AST | None:
        """The AST node around the expression."""
        return self.statement.digest.parents.get(self.node)

    def at(self, node: ast.AST, statement: Statement) -> Value:
        """Return a copy of the value with another node and statement."""
        return Value(node, statement, self.kind, self.listed)


class Read(NamedTuple):
    """Code that reads a field of a call's result, or that compares or unpacks the numbers in the result. `field`: the
    name of the field that is read; "" if the code compares or unpacks the result. `source`: the source text of the code
    that reads the field, or compares or unpacks the result.

    `lost`: True if uncuda gave up tracing the result here, so that this object stands for all its further uses.
    """

    field: str
    source: str
    lost: bool = False


def cut(node: ast.expr, parts: int) -> ast.expr:
    """Return a dotted expression without its last `parts` attributes."""
    for _ in range(parts):
        node = node.value if isinstance(node, ast.Attribute) else node
    return node


def computes(node: ast.BinOp, operand: ast.AST) -> bool:
    """Whether the operator is arithmetic. The `%` in `"sm_%d" % major` is not arithmetic: it formats a string."""
    other = node.right if operand is node.left else node.left
    text = isinstance(other, ast.JoinedStr) or (isinstance(other, ast.Constant) and isinstance(other.value, str))
    return not text
