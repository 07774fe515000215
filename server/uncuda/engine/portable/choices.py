"""Replaces the whole expression `"cuda" if torch.cuda.is_available() else "cpu"` by one call of the helper module."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ...checks.base import Context
from ...checks.hit import At, Hit
from ...facts.read import Statement

_WORD, _OTHER, _QUESTION = "cuda", "cpu", "torch.cuda.is_available"
Span = tuple[int, int]


class Choices:
    """Finds the expressions `"cuda" if torch.cuda.is_available() else "cpu"` of a text in which both the string and the
    condition have a fix."""

    def __init__(self, hits: Sequence[Hit], context: Context) -> None:
        self._context = context
        self._words = dict(self._whole(hits, "string"))
        self._questions = dict(self._whole(hits, "name"))

    def around(self, hit: Hit) -> Span | None:
        """Return the span of the conditional expression that contains a hit; None if the hit is in no such
        expression."""
        span = self._words.get(id(hit)) or self._questions.get(id(hit))
        both = span in self._words.values() and span in self._questions.values()
        return span if both else None

    def link(self, span: Span) -> tuple[str, At]:
        """Return the key for `Hit.links` that all hits of one conditional expression share, so that they are fixed
        together."""
        return "choice", At(span[0])

    def _whole(self, hits: Sequence[Hit], check: str) -> Iterator[tuple[int, Span]]:
        for hit in hits:
            if hit.fixes and hit.rule.check == check and hit.statement is not None and hit.node is not None:
                choice = self._choice(hit.node, hit.statement, check == "name")
                if choice is not None:
                    start, end = hit.statement.digest.span(choice)
                    yield id(hit), (hit.statement.start + start, hit.statement.start + end)

    def _choice(self, node: ast.AST, statement: Statement, asks: bool) -> ast.IfExp | None:
        parents = statement.digest.parents
        if asks:
            call = parents.get(node)
            test = parents.get(call) if isinstance(call, ast.Call) and call.func is node else None
            around = parents.get(test) if isinstance(test, ast.UnaryOp) else test
        else:
            around = parents.get(node)
        if not isinstance(around, ast.IfExp) or not self._is_choice(around, statement):
            return None
        parts = [around.test] if asks else [around.body, around.orelse]
        known = any(part is node or (asks and _holds(part, node)) for part in parts)
        return around if known else None

    def _is_choice(self, node: ast.IfExp, statement: Statement) -> bool:
        test, word, other = node.test, node.body, node.orelse
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, word, other = test.operand, other, word
        if not isinstance(test, ast.Call) or test.args or test.keywords:
            return False
        asked = self._context.resolve(test.func, statement)
        return asked == _QUESTION and _says(word, _WORD) and _says(other, _OTHER)


def _says(node: ast.AST, word: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == word


def _holds(tree: ast.AST, node: ast.AST) -> bool:
    return any(inner is node for inner in ast.walk(tree))
