"""What is followed of the result of a call, and what is found."""

from __future__ import annotations

import ast
from typing import NamedTuple

from ..facts.model import Statement

OBJECT, PAIR, NUMBER, TENSOR = "object", "pair", "number", "tensor"
NUMBERS = (PAIR, NUMBER)


class Value(NamedTuple):
    """An expression that has the result, or a part of it. `listed`: its items have it."""

    node: ast.AST
    statement: Statement
    kind: str
    listed: bool = False

    @property
    def parent(self) -> ast.AST | None:
        """What the expression is a part of."""
        return self.statement.digest.parents.get(self.node)

    def at(self, node: ast.AST, statement: Statement) -> Value:
        """The same in another place."""
        return Value(node, statement, self.kind, self.listed)


class Read(NamedTuple):
    """A place where a field is read, or numbers are compared or unpacked (field ""), and its source.

    `lost`: where that may be done by somebody who is not seen.
    """

    field: str
    source: str
    lost: bool = False


def cut(node: ast.expr, parts: int) -> ast.expr:
    """A dotted expression without so many of its last parts."""
    for _ in range(parts):
        node = node.value if isinstance(node, ast.Attribute) else node
    return node


def is_host(keyword: ast.keyword) -> bool:
    """Whether a tensor is made on the host: `device="cpu"`."""
    return keyword.arg == "device" and isinstance(keyword.value, ast.Constant) and keyword.value.value == "cpu"


def computes(node: ast.BinOp, operand: ast.AST) -> bool:
    """Whether a number is computed: not so where a text is put together, `"sm_%d" % major`."""
    other = node.right if operand is node.left else node.left
    text = isinstance(other, ast.JoinedStr) or (isinstance(other, ast.Constant) and isinstance(other.value, str))
    return not text
