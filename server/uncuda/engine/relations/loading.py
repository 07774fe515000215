"""Questions that leave a checkpoint where it was saved: `None if torch.cuda.is_available() else "cpu"`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ...checks import Hit
from ...checks.branches import Branches
from ...facts.read import Statement
from ...facts.scans import plain
from .questions import CONDITIONS, Questions

_WHERE = "map_location"
_LOADS = re.compile(r"\bload\(")


def of_loading(hits: Sequence[Hit], questions: Questions, branches: Branches) -> Iterator[int]:
    """The questions without whose yes a checkpoint is mapped to the CPU, and with it to no device at all.

    What was saved on CUDA loads on the target only by that other way.
    """
    searches = branches.facts.searches
    if not searches.find(("text", _WHERE), plain(_WHERE)):
        return
    for asking in questions.inside.values():
        for index in asking:
            statement = hits[index].statement
            if statement is not None and _leaves(hits[index], statement, questions):
                yield index
    for start, asking in questions.tests.items():
        header = branches.indents.header_at(start)
        if header.word not in CONDITIONS or questions.polarity(header, asking) < 0:
            continue
        end = branches.indents.extent(start)
        clauses = branches.indents.clauses(header)
        branches.work.search(start, branches.indents.extent(clauses[-1].start))
        loads = _LOADS.search(branches.text, header.end, end) is not None
        if loads and branches.text.find(_WHERE, header.end, end) < 0:
            others = (clause for clause in clauses if clause.start > start)
            if any(branches.text.find(_WHERE, one.end, branches.indents.extent(one.start)) >= 0 for one in others):
                yield from asking


def _leaves(hit: Hit, statement: Statement, questions: Questions) -> bool:
    inner = hit.node
    for outer in statement.digest.ancestors(inner) if inner is not None else ():
        if isinstance(outer, ast.IfExp) and inner is outer.test:
            chosen = outer.orelse if questions.denies(outer.test, statement) else outer.body
            return isinstance(chosen, ast.Constant) and chosen.value is None and _is_where(outer, statement)
        inner = outer
    return False


def _is_where(value: ast.AST, statement: Statement) -> bool:
    """Whether a value says where a checkpoint is loaded to."""
    holder = statement.digest.parents.get(value)
    if isinstance(holder, ast.keyword):
        return holder.arg == _WHERE
    targets = holder.targets if isinstance(holder, ast.Assign) else []
    return any(isinstance(target, ast.Name) and target.id == _WHERE for target in targets)
