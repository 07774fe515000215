"""Links a condition that asks for CUDA to the code that it guards in the same expression, `x.is_cuda and
torch.cuda.f()`; the condition is fixed only if this code is fixed."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ..checks import Hit
from ..checks.branches import Branches
from ..facts.read import Statement
from ..limits import Work
from .relations.guarded import before_counts
from .relations.parts import guarded_parts

Numbered = Iterable[tuple[int, Hit]]
"""Hits, each with its index in the list of all hits of the text."""
Parts = dict[ast.AST, list[int]]
"""The indices of the hits in each part of an expression."""


def parts_of(
    hits: Numbered, kinds: tuple[type[ast.AST], ...], work: Work
) -> Iterator[tuple[Statement, ast.AST, Parts]]:
    """Yield each expression with hits in several of its parts, with its statement, and the hits of each part."""
    found: dict[tuple[int, ast.AST], tuple[Statement, Parts]] = {}
    placed = [(index, hit) for index, hit in hits if hit.node is not None]
    several = Counter(hit.statement.start for _, hit in placed if hit.statement)
    for index, hit in placed:
        inner, statement = hit.node, hit.statement
        if inner is None or statement is None or several[statement.start] < 2:
            continue
        for outer in statement.digest.ancestors(inner):
            work.compare()
            if isinstance(outer, (ast.stmt, ast.Lambda)):
                break
            if isinstance(outer, kinds):
                found.setdefault((statement.start, outer), (statement, {}))[1].setdefault(inner, []).append(index)
            inner = outer
    yield from ((statement, outer, parts) for (_, outer), (statement, parts) in found.items() if len(parts) > 1)


def guarded(hits: Sequence[Hit], branches: Branches) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of hits inside one expression: a hit in a condition that asks for CUDA, and a hit in the
    part that is evaluated only if CUDA is found.

    A variable that is compared with a device string before the condition asks for the number of devices is left out
    if the file has code for several devices that stays (see `before_counts`).
    """
    several = any(hit.rule.get("keeps-counts") and not hit.fixes for hit in hits)
    alone = before_counts(hits, range(len(hits)) if several else ())
    for statement, outer, parts in parts_of(enumerate(hits), (ast.BoolOp, ast.IfExp, ast.Subscript), branches.work):
        denied = {part: _denies(statement, part, branches) for part in parts}
        if isinstance(outer, ast.BoolOp):
            pairs = _in_chain(outer, parts, denied, branches.work)
            yield from (pair for pair in pairs if pair[0] not in alone)
            continue
        for question, asking in parts.items():
            for part in _behind(outer, question, denied[question]):
                others = parts.get(part, ())
                branches.work.compare(2 * len(asking) * len(others))
                yield from ((one, other) for one in asking for other in others)


def _denies(statement: Statement, part: ast.AST, branches: Branches) -> bool:
    start, end = (statement.start + offset for offset in statement.digest.span(part))
    return branches.asks_cuda(start, end) < 0


def _in_chain(outer: ast.BoolOp, parts: Parts, denied: dict[ast.AST, bool], work: Work) -> Iterator[tuple[int, int]]:
    """Yield the pairs for `a and b and …`: each operand that asks for CUDA is paired with the operands after it, up to
    and including the next one that asks for CUDA.

    The pairs of the last operand that asks for CUDA come first: whether an operand is fixed depends on the operands
    after it.
    """
    wanted = isinstance(outer.op, ast.Or)
    behind: list[int] = []
    work.compare(len(outer.values))
    for value in reversed(outer.values):
        asking = parts.get(value, [])
        if not asking:
            continue
        if denied[value] is wanted:
            work.compare(2 * len(asking) * len(behind))
            yield from ((one, other) for one in asking for other in behind)
            behind = []
        behind = [*asking, *behind]


def _behind(outer: ast.AST, question: ast.AST, denied: bool) -> Sequence[ast.AST]:
    """Return the parts of an expression that are evaluated only if a condition finds CUDA."""
    if isinstance(outer, ast.Subscript) and isinstance(outer.value, (ast.List, ast.Tuple, ast.Dict)):
        return [outer.value] if question is outer.slice else []
    return guarded_parts(outer, question, lambda _: denied)


def filled(hits: Sequence[Hit], work: Work) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of hits: a hit at a string, and a hit in a value that is formatted into this string:
    `"cuda:{}".format(torch.cuda.current_device())`."""
    heads = {
        (hit.statement.start, hit.node): index
        for index, hit in enumerate(hits)
        if hit.rule.check == "string" and hit.statement
    }
    starts = {start for start, _ in heads}
    for index, hit in enumerate(hits) if heads else ():
        statement, node = hit.statement, hit.node
        if statement is None or node is None or statement.start not in starts:
            continue
        for outer in statement.digest.ancestors(node):
            work.compare()
            if isinstance(outer, ast.stmt):
                break
            head = heads.get((statement.start, _head(outer)))
            if head is not None and head != index:
                yield head, index


def _head(outer: ast.AST) -> ast.AST:
    """The string at the beginning of an expression with `.format()`, `%` or `+`."""
    if isinstance(outer, ast.Call) and isinstance(outer.func, ast.Attribute) and outer.func.attr == "format":
        return outer.func.value
    return outer.left if isinstance(outer, ast.BinOp) and isinstance(outer.op, (ast.Add, ast.Mod)) else outer
