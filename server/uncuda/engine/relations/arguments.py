"""Links conditions that are written several times in the arguments of one call: `f(devices=-1 if has() else 1,
accelerator="gpu" if has() else "cpu")`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ...checks import Hit
from ...facts.read import Statement
from ...limits import Work


def asked_alike(hits: Sequence[Hit], work: Work) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of hits in conditions of the same text, each of which chooses an argument of one call. If
    only one of them were fixed, the function would receive one argument for the target, and another for a machine
    without it."""
    first: dict[tuple[int, int, str], int] = {}
    texts: dict[int, str] = {}  # by the id of the condition
    work.compare(len(hits))
    for index, hit in enumerate(hits):
        if hit.statement is None or hit.node is None:
            continue
        for call, test in _chosen(hit.node, hit.statement, work):
            if id(test) not in texts:
                texts[id(test)] = ast.unparse(test)
            key = hit.statement.start, id(call), texts[id(test)]
            if first.setdefault(key, index) != index:
                yield first[key], index


def _chosen(node: ast.AST, statement: Statement, work: Work) -> Iterator[tuple[ast.Call, ast.expr]]:
    """Yield the call of which a conditional expression is an argument, and the condition, if the condition contains the
    node."""
    inner, choice = node, None  # `choice`: the conditional expression
    for outer in statement.digest.ancestors(node):
        work.compare()
        if isinstance(outer, ast.IfExp) and inner is outer.test and choice is None:
            choice = outer
        elif choice is not None and not isinstance(outer, ast.keyword):
            if isinstance(outer, ast.Call) and inner is not outer.func:
                yield outer, choice.test
            return
        inner = outer
