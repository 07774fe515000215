"""Questions that keep the target from what would raise there: `if x.is_cuda:` above `torch.cuda.cudart()`."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from ...checks import Hit
from ...checks.branches import Branches
from ...edits import SAFE
from ...facts.read import Statement
from ...facts.scopes import Header
from .questions import Questions, in_test

_LATER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_ASKING = ("if", "elif")
_NOT_ALWAYS = frozenset({"elif", "else", "except", "finally", "case", "def", "class"})

Pair = tuple[int, int]
Block = tuple[int, int]  # where its header stands, or -1; its indentation


def over_raising(
    hits: Sequence[Hit], classes: Sequence[str | None], questions: Questions, branches: Branches
) -> Iterator[Pair]:
    """Pairs of a safe question and a call that runs, and raises, wherever the question is answered with yes.

    Both as positions in `hits`.
    """
    branches.work.compare(len(hits))
    denied: dict[Block, list[int]] | None = None
    for index, hit in enumerate(hits):
        if classes[index] != SAFE and hit.statement is not None and _raises(hit):
            if denied is None:
                denied = _denied(questions, branches)
            for header in _guards(hit, hit.statement, denied, questions, branches):
                asked = questions.of(header)
                branches.work.compare(4 * len(asked))
                yield from ((question, index) for question in asked if classes[question] == SAFE)


def _raises(hit: Hit) -> bool:
    """Whether a hit is a call, of a name or a method, that fails on the target wherever its statement is run."""
    node, statement = hit.node, hit.statement
    if hit.rule.check not in ("name", "method") or node is None or statement is None:
        return False
    call = statement.digest.parents.get(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return False
    fails = (hit.severity or hit.rule.severity) == "error" or _of_none(hit, node)
    return fails and not _is_perhaps(node, statement)


def _of_none(hit: Hit, node: ast.AST) -> bool:
    """Whether a method of the value is called, where nothing takes the value's place: `torch.version.cuda.split()`."""
    name = hit.words.get("name", "").rpartition(".")[2]
    return not hit.fixes and isinstance(node, ast.Attribute) and node.attr != name


def _is_perhaps(node: ast.AST, statement: Statement) -> bool:
    """Whether a part of a statement is evaluated later, or not always."""
    inner = node
    for outer in statement.digest.ancestors(node):
        if isinstance(outer, ast.IfExp) and inner is not outer.test:
            return True
        if isinstance(outer, ast.BoolOp) and inner is not outer.values[0]:
            return True
        if isinstance(outer, _LATER):
            return True
        inner = outer
    return False


def _denied(questions: Questions, branches: Branches) -> dict[Block, list[int]]:
    """The tests that leave where there is no CUDA, so that they guard what follows in their block, by block."""
    found: dict[Block, list[int]] = {}
    for start in questions.conditions():
        header = branches.indents.header_at(start)
        if header.word == "if" and questions.excludes(header, questions.of(header)) and questions.leaves(header):
            found.setdefault(_block(header, branches), []).append(start)
    return found


def _block(line: Header, branches: Branches) -> Block:
    """The block that a line belongs to."""
    above = branches.indents.header_above(line.start)
    return above.start if above is not None else -1, line.indent


def _guards(
    hit: Hit, statement: Statement, denied: Mapping[Block, Sequence[int]], questions: Questions, branches: Branches
) -> Iterator[Header]:
    """The conditions that let nothing but CUDA reach a statement, and always let CUDA reach it."""
    indents, line = branches.indents, branches.indents.header_at(statement.start)
    if line.word in _ASKING and not in_test(hit.node, statement, (ast.If,)):
        yield line  # `if x.is_cuda: torch.cuda.cudart()`
        return
    if line.word in _NOT_ALWAYS:
        return
    while True:
        leaving = denied.get(_block(line, branches), ()) if denied else ()
        if at := bisect_left(leaving, line.start):
            yield indents.header_at(leaving[at - 1])  # nothing comes past it
            return
        header = indents.header_above(line.start)
        if header is None or header.word not in ("if", "elif", "else", "with"):
            return
        if header.word == "with" and "suppress" in branches.text[header.start : header.end]:
            return
        if header.word != "with":
            yield from _asking(header, questions, branches)
            return
        line = header


def _asking(header: Header, questions: Questions, branches: Branches) -> list[Header]:
    """The conditions of a chain that lead into a block, if these let nothing but CUDA into it."""
    if header.word != "else":
        asked = questions.of(header)
        return [header] if asked and questions.polarity(header, asked) > 0 else []
    clauses = branches.indents.clauses(header)
    found = [clause for clause in clauses if clause.word in _ASKING and questions.of(clause)]
    return found if all(questions.polarity(clause, questions.of(clause)) < 0 for clause in found) else []
