"""Finds conditions that decide whether a checkpoint is mapped to the CPU: `None if torch.cuda.is_available() else
"cpu"`."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from ... import lazy_re
from ...checks import Hit
from ...checks.branches import Branches
from ...facts.layout import without_comments
from ...facts.read import Statement
from ...facts.role_calls import last_word
from ...facts.scans import plain
from ...facts.scopes import Header
from ...limits import Work
from .questions import Questions, is_question

_WHERE = "map_location"
_MOVES = lazy_re.compile(r"\.to\([ \t]*(?:device=)?(?:[\w.]*device\b|[\"']cuda)")
_LOADS = lazy_re.compile(r"(?<![\w.])(?:torch|th)(?:\.jit)?\.load\(")
_LOADERS = frozenset({"torch.load", "th.load", "torch.jit.load", "th.jit.load"})
_MAPS = lazy_re.compile(r"\bmap_location[ \t]*=(?!=)[ \t]*(None\b)?")


def of_loading(hits: Sequence[Hit], questions: Questions, branches: Branches) -> Iterator[tuple[int, bool]]:
    """Yield the indices of conditions that decide where a checkpoint is loaded: to the devices where it was saved if
    the condition finds CUDA, otherwise to the CPU; each with whether the block of the condition also moves something to
    CUDA, such as the model.

    A checkpoint that was saved on CUDA can only be loaded on the target if it is mapped to the CPU.
    """
    searches = branches.facts.searches
    if not searches.find(("text", _WHERE), plain(_WHERE)):
        return
    for asking in questions.inside.values():
        for index in asking:
            statement = hits[index].statement
            if statement is not None and _leaves(hits[index], statement, questions, branches):
                yield index, False
    moves = sorted(hit.start for hit in hits if hit.rule.check == "method")
    for start in questions.conditions:
        header = branches.indents.header_at(start)
        clauses = branches.indents.clauses(header) if header.word == "if" else []
        if len(clauses) != 2 or clauses[1].word != "else":
            continue
        asking = questions.of(header)
        loading, other = clauses if questions.polarity(header, asking) > 0 else reversed(clauses)
        yes, no = _body(loading, branches), _body(other, branches)
        mapped = _MAPS.search(yes)
        unmapped = _LOADS.search(yes) is not None if mapped is None else mapped[1] is not None
        if unmapped and (elsewhere := _MAPS.search(no)) is not None and elsewhere[1] is None:
            end = branches.indents.extent(loading.start)
            moved = bisect_left(moves, end) > bisect_left(moves, loading.end) or _MOVES.search(yes) is not None
            yield from ((index, moved) for index in asking)


def beside_loading(hits: Sequence[Hit], loading: Mapping[int, bool]) -> Iterator[int]:
    """Yield the indices of the other conditions of a file that moves its model to CUDA only behind a condition of
    `loading`: an input moves with the model, `if torch.cuda.is_available(): x = x.cuda()`. `loading`: see
    `of_loading`."""
    if any(loading.values()):
        yield from (
            index
            for index, hit in enumerate(hits)
            if hit.rule.check == "name" and is_question(hit) and index not in loading
        )


def of_stored(hits: Sequence[Hit], work: Work) -> Iterator[int]:
    """Yield the indices of conditions that ask whether the device of an object from a checkpoint exists on this
    machine: `not torch.cuda.is_available() and metric.device.type != "cpu"`. The checkpoint may name CUDA."""
    for index, hit in enumerate(hits):
        if hit.rule.check != "name" or not is_question(hit) or hit.node is None or hit.statement is None:
            continue
        denied = False
        for outer in hit.statement.digest.ancestors(hit.node):
            work.compare()
            if isinstance(outer, ast.BoolOp):
                if denied and isinstance(outer.op, ast.And) and any(map(_is_elsewhere, outer.values)):
                    yield index
                break
            if not isinstance(outer, (ast.Call, ast.UnaryOp)):
                break
            denied = denied or (isinstance(outer, ast.UnaryOp) and isinstance(outer.op, ast.Not))


def _is_elsewhere(test: ast.expr) -> bool:
    """Return whether a test is `x.device.type != "cpu"`."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.NotEq) or len(test.ops) > 1:
        return False
    left, right = test.left, test.comparators[0]
    typed = isinstance(left, ast.Attribute) and left.attr == "type" and last_word(left.value) == "device"
    return typed and isinstance(right, ast.Constant) and right.value == "cpu"


def _body(header: Header, branches: Branches) -> str:
    """Return the text of the block below a header, without comments."""
    end = branches.indents.extent(header.start)
    branches.work.search(header.start, header.start + 16 * (end - header.start))
    branches.facts.layout.reads(header.end, end)
    return without_comments(branches.text[header.end : end])


def _leaves(hit: Hit, statement: Statement, questions: Questions, branches: Branches) -> bool:
    inner = hit.node
    for outer in statement.digest.ancestors(inner) if inner is not None else ():
        if isinstance(outer, ast.IfExp) and inner is outer.test:
            arms = outer.body, outer.orelse
            chosen, other = reversed(arms) if questions.denies(outer.test, statement) else arms
            if _is_load(chosen) and _is_load(other):
                return not _maps(chosen) and _maps(other)
            return isinstance(chosen, ast.Constant) and chosen.value is None and _is_where(outer, statement, branches)
        inner = outer
    return False


def _is_load(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in _LOADERS


def _maps(load: ast.AST) -> bool:
    """Return whether a call of `torch.load` says to which device it maps a checkpoint."""
    named = isinstance(load, ast.Call) and any(one.arg == _WHERE for one in load.keywords)
    return named or (isinstance(load, ast.Call) and len(load.args) > 1)


def _is_where(value: ast.AST, statement: Statement, branches: Branches) -> bool:
    """Return whether a value is the argument `map_location` of a call, or assigned to a variable of this name or one
    that the file passes as this argument."""
    holder = statement.digest.parents.get(value)
    if isinstance(holder, ast.keyword):
        return holder.arg == _WHERE
    targets = holder.targets if isinstance(holder, ast.Assign) else [getattr(holder, "target", None)]
    names = [last_word(target) for target in targets]
    passed = (f"{_WHERE}{sign}{name}" for name in names if name for sign in ("=", " = "))
    return _WHERE in names or any(map(branches.says, passed))
