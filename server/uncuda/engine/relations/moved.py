"""Finds models that move to CUDA only behind a condition that stays unchanged. Other conditions of the file must then
choose no device of the target: the model stays where it is, and so must the data that it receives."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence

from ...checks import Hit
from ...checks.branches import Branches
from ...facts.role_calls import last_word
from ...facts.scans import uses
from ...module_names import is_test
from .chosen_devices import ChosenDevices
from .questions import Questions, Stretch, hits_in, is_question

_WRAPPER = "DataParallel"
_FEW = 20  # of more models than this, one is assumed to stay
_MANY = 200  # a variable with more uses than this counts as moved elsewhere


def beside_moves(
    hits: Sequence[Hit], staying: Collection[int], questions: Questions, branches: Branches
) -> Iterator[int]:
    """Yield the indices of the conditions that choose a device or move a value, in a file that moves a model only
    behind another condition, one of `staying`: `if torch.cuda.is_available(): model = DataParallel(model).cuda()`. The
    tests in a file of tests each have their own model."""
    if is_test(branches.path):
        return
    moves = [(hit.start, index) for index, hit in enumerate(hits) if hit.words.get("old") == "cuda"]
    asking = [index for index in questions if index not in staying] if moves and staying else []
    if not asking:
        return
    moves.sort()
    regions = _joined(region for index in staying for region in questions.regions(index))
    models = {names for region in regions for _, index in hits_in(moves, region) if (names := _model(hits[index]))}
    if len(models) > _FEW or any(all(_stays(name, regions, branches) for name in names) for names in sorted(models)):
        choices = ChosenDevices(hits, branches.facts)
        for index in asking:
            statement = hits[index].statement
            if hits[index].rule.check == "name" and is_question(hits[index]) and statement is not None:
                if choices.by(statement):
                    yield index


def _model(hit: Hit) -> tuple[str, ...]:
    """Return the variables that hold the model that a call of `.cuda()` moves: in place, `model.cuda()`, which moves no
    tensor, or together with its wrapper, `wrapper = DataParallel(model).cuda()`. Otherwise return ()."""
    statement, node = hit.statement, hit.node
    call = statement.digest.parents.get(node) if statement is not None and node is not None else None
    if statement is None or not isinstance(call, ast.Call) or not isinstance(node, ast.Attribute):
        return ()
    outer, moved = statement.digest.parents.get(call), node.value
    if isinstance(outer, ast.Expr):
        return (moved.id,) if isinstance(moved, ast.Name) else ()
    target = outer.targets[0] if isinstance(outer, ast.Assign) and len(outer.targets) == 1 else None
    if not isinstance(target, ast.Name) or not isinstance(moved, ast.Call) or last_word(moved.func) != _WRAPPER:
        return ()
    return (target.id, *(given.id for given in moved.args[:1] if isinstance(given, ast.Name)))


def _joined(spans: Iterable[Stretch]) -> list[Stretch]:
    """Return the spans in order, those that overlap as one."""
    found: list[Stretch] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def _stays(name: str, regions: Sequence[Stretch], branches: Branches) -> bool:
    """Return whether no statement outside of these spans moves the model that a variable holds. The spans are sorted
    and disjoint."""
    places = branches.facts.searches.find(("moved", name), uses(name, True))
    if len(places) > _MANY:
        return False
    moving = re.compile(
        rf"{re.escape(name)}(?:\.module)?\.(?:to|cuda)\(|{re.escape(name)}[ \t]*=(?!=).*\.(?:to|cuda)\(", re.S
    )
    for at in places:
        branches.work.compare()
        before = bisect_right(regions, (at, len(branches.text))) - 1
        statement = branches.facts.peek(at) if before < 0 or at >= regions[before][1] else None
        if statement is not None:
            branches.work.search(at, statement.end)
            if moving.match(branches.text, at, statement.end):
                return False
    return True
