"""Finds code that runs only on CUDA because it is behind a comparison of the helper module's result: `if
accelerator_type() == "cuda":`."""

from __future__ import annotations

import ast
import re
from functools import cached_property

from ...checks.base import Context
from ...checks.hit import Hit
from ...facts.read import Statement
from ...facts.scopes import Header
from .spelling import Spelling

_CUDA = r"[\"']cuda[\"']"
_KINDS = ("accelerator_type", "device_type")


class Corners:
    """Finds the code of one text that runs only on CUDA."""

    def __init__(self, context: Context, spelling: Spelling) -> None:
        self._context = context
        self._calls = [spelling.call(name) for name in _KINDS if spelling.has(name)]

    def holds(self, hit: Hit) -> bool:
        """Return whether a hit is in code that runs only on CUDA, or in the comparison on which this code depends."""
        if hit.statement is None or not self._asks:
            return False
        if hit.node is not None and self._in_expression(hit.node, hit.statement):
            return True
        return any(self._is_cudas(header) for header in self._context.facts.indents.headers(hit.statement.start))

    @cached_property
    def _asks(self) -> bool:
        """Whether the text compares a result of the helper module with the string "cuda"."""
        return self._pattern is not None and self._pattern.search(self._context.text) is not None

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        either = "|".join(map(re.escape, self._calls))
        return re.compile(rf"(?<![\w.])(?:{either})[ \t]*(?P<how>==|!=)[ \t]*{_CUDA}") if either else None

    def _is_cudas(self, header: Header) -> bool:
        """Return whether a clause runs only on CUDA: its condition compares a result of the helper module with "cuda"
        by `==`, or the clause is the `else` of an `if` that compares a result of the helper module with "cuda" by
        `!=`."""
        if header.word in ("if", "elif", "while"):
            return self._says(header, "==", "or")
        if header.word != "else":
            return False
        first = self._context.facts.indents.clauses(header)[0]
        return first.word == "if" and self._says(first, "!=", "and")

    def _says(self, header: Header, how: str, unless: str) -> bool:
        """Return whether the condition of a clause compares a call of the helper module, such as `accelerator_type()`,
        with "cuda" by the operator `how`. Return False if the condition also contains `not`, or the operator given as
        `unless` ("and" or "or"), because the condition may then have another result than the comparison with "cuda"."""
        condition = self._context.text[header.start : header.end]
        match = self._pattern.search(condition) if self._pattern is not None else None
        return match is not None and match["how"] == how and not re.search(rf"\b(?:{unless}|not)\b", condition)

    def _in_expression(self, node: ast.AST, statement: Statement) -> bool:
        inner = node
        for outer in statement.digest.ancestors(node):
            if isinstance(outer, ast.Compare) and self._asked(outer, statement):
                return True
            if isinstance(outer, ast.IfExp) and inner is not outer.test:
                if self._asked(outer.test, statement) == ("==" if inner is outer.body else "!="):
                    return True
            if isinstance(outer, ast.BoolOp) and inner in outer.values:
                how = "==" if isinstance(outer.op, ast.And) else "!="
                before = outer.values[: outer.values.index(inner)]
                if any(self._asked(value, statement) == how for value in before):
                    return True
            inner = outer
        return False

    def _asked(self, node: ast.AST, statement: Statement) -> str:
        """Return the operator, "==" or "!=", of a node that compares the helper module's result with "cuda"; "" for any
        other node."""
        if not isinstance(node, ast.Compare) or len(node.ops) != 1 or self._pattern is None:
            return ""
        start, end = (statement.start + offset for offset in statement.digest.span(node))
        match = self._pattern.fullmatch(self._context.text, start, end)
        return match["how"] if match else ""
