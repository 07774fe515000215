"""The values and reads that `results.py` and `result_names.py` exchange."""

from __future__ import annotations

import ast
from typing import NamedTuple

from ..facts.model import Statement

OBJECT, PAIR, NUMBER = "object", "pair", "number"
NUMBERS = (PAIR, NUMBER)


class Value(NamedTuple):
    """An expression that holds the result of a call or a part of it. `listed`: the result or part is in the items of
    the expression."""

    node: ast.AST
    statement: Statement
    kind: str
    listed: bool = False

    @property
    def parent(self) -> ast.AST | None:
        """The AST node around the expression."""
        return self.statement.digest.parents.get(self.node)

    def at(self, node: ast.AST, statement: Statement) -> Value:
        """Return the same value at another node."""
        return Value(node, statement, self.kind, self.listed)


class Read(NamedTuple):
    """A read of a field, or (if the field is "") a comparison or unpacking of numbers, with its source.

    `lost`: the value reaches code that cannot be traced, so it may be read there.
    """

    field: str
    source: str
    lost: bool = False


def cut(node: ast.expr, parts: int) -> ast.expr:
    """A dotted expression without its last `parts` attributes."""
    for _ in range(parts):
        node = node.value if isinstance(node, ast.Attribute) else node
    return node


def computes(node: ast.BinOp, operand: ast.AST) -> bool:
    """Whether the operator does arithmetic with a number, and does not format a string, as `"sm_%d" % major` does."""
    other = node.right if operand is node.left else node.left
    text = isinstance(other, ast.JoinedStr) or (isinstance(other, ast.Constant) and isinstance(other.value, str))
    return not text
