"""Finds models that move to CUDA only behind a condition that stays unchanged. Other conditions must then choose no
device of the target: the model stays where it is, and so must the data that it receives."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from ... import lazy_re
from ...checks import Hit
from ...checks.branches import Branches
from ...facts.read import Statement
from ...facts.role_calls import last_word, spelled
from ...facts.scans import uses
from ...module_names import is_test
from .chosen_devices import ChosenDevices
from .questions import Questions, Stretch, hits_in, is_question

_WRAPPER = "DataParallel"
_WRAPS = lazy_re.compile(rf"{_WRAPPER}\([ \t\r\n]*(\w+)")
_FAR = 1000  # maximum number of characters between the move of a model and its wrapper
_MOVERS = frozenset({"cuda", "prepare", "to"})  # `accelerator.prepare(model)` moves the model, too
# at most this many models, and uses of one model's variable, are read; another model counts as moved elsewhere
_FEW, _MANY = 20, 200


def beside_moves(
    hits: Sequence[Hit], staying: Collection[int], questions: Questions, branches: Branches
) -> Iterator[int]:
    """Yield the indices of the conditions that choose a device or move a value, beside a model that moves only behind
    another condition, one of `staying`: `if torch.cuda.is_available(): model = DataParallel(model).cuda()`.

    The conditions are those in the same function and at module level; all of the file, if the model moves at module
    level or with its wrapper, because it is the model that other functions train; and those of a class that keeps the
    answer of the other condition as the device of its model. The tests in a file of tests each have their own model.
    """
    if is_test(branches.path):
        return
    asking = [index for index in questions if index not in staying] if staying else []
    if asking:
        kept = set(_beside_kept(asking, hits, staying, branches))
        yield from sorted(kept)
        yield from _beside_models([index for index in asking if index not in kept], hits, staying, questions, branches)


def _beside_kept(
    asking: Sequence[int], hits: Sequence[Hit], staying: Collection[int], branches: Branches
) -> Iterator[int]:
    """Yield those of the conditions `asking` that choose a device in a class which keeps the answer of another
    condition, one of `staying`, as the device of its model: `self.device = "cuda" if fast else "cpu"`, with
    `.to(self.device)`."""
    classes = {found for index in staying if (found := _keeper(hits[index], branches)) is not None}
    if not classes:
        return
    choices = ChosenDevices(hits, branches.facts)
    for index in asking:
        hit = hits[index]
        if hit.rule.check == "name" and is_question(hit) and hit.statement is not None:
            if _class_of(hit.statement, branches) in classes and choices.chooses(hit.statement):
                yield index


def _keeper(hit: Hit, branches: Branches) -> int | None:
    """Return the start of the class that keeps a condition's answer as the device of its model; None if there is
    none."""
    names = (spelled(target) for target in _targets(hit) if isinstance(target, ast.Attribute))
    given = (f".to({key}{name}{end}" for name in names if "device" in name for key in ("", "device=") for end in ",)")
    return _class_of(hit.statement, branches) if hit.statement is not None and any(map(branches.says, given)) else None


def _targets(hit: Hit) -> Sequence[ast.expr]:
    """Return what is assigned a value that the condition of a hit chooses."""
    inner, chosen = hit.node, False
    for outer in hit.statement.digest.ancestors(inner) if hit.statement is not None and inner is not None else ():
        chosen = chosen or (isinstance(outer, ast.IfExp) and inner is outer.test)
        if isinstance(outer, (ast.Assign, ast.AnnAssign)) and chosen:
            return outer.targets if isinstance(outer, ast.Assign) else [outer.target]
        inner = outer
    return ()


def _class_of(statement: Statement, branches: Branches) -> int | None:
    return next((line.start for line in branches.indents.headers(statement.start) if line.word == "class"), None)


def _beside_models(
    asking: Sequence[int],
    hits: Sequence[Hit],
    staying: Collection[int],
    questions: Questions,
    branches: Branches,
) -> Iterator[int]:
    """Yield those of the conditions `asking` that are beside a model which `.cuda()` moves."""
    moves = [(hit.start, index) for index, hit in enumerate(hits) if hit.words.get("old") == "cuda"]
    if not moves or not asking:
        return
    moves.sort()
    regions = _joined(region for index in staying for region in questions.regions(index))
    behind = [hits[index] for region in regions for _, index in hits_in(moves, region)]
    models = dict.fromkeys(model for hit in behind if (model := _model(hit, branches)) is not None)
    scopes = {
        -1 if model.wrapped else model.scope
        for model in list(models)[:_FEW]
        if all(_stays(name, model.scope, regions, branches) for name in model.names)
    }
    if not scopes:
        return
    choices = ChosenDevices(hits, branches.facts)
    for index in asking:
        statement = hits[index].statement
        if hits[index].rule.check == "name" and is_question(hits[index]) and statement is not None:
            scope = branches.indents.scope_start(statement.start)
            if (scope < 0 or not scopes.isdisjoint({-1, scope})) and choices.chooses(statement):
                yield index


class _Model(NamedTuple):
    """A model that a call of `.cuda()` moves: the variables that hold it, the start of the function, -1 for the module,
    and whether the call moves it with its wrapper, `wrapper = DataParallel(model).cuda()`, or the block of the call
    also wraps it."""

    names: tuple[str, ...]
    scope: int
    wrapped: bool


def _model(hit: Hit, branches: Branches) -> _Model | None:
    """Return the model that a call of `.cuda()` moves beside or with its wrapper, or in place, `model.cuda()`, which
    moves no tensor. Otherwise return None."""
    statement, node = hit.statement, hit.node
    call = statement.digest.parents.get(node) if statement is not None and node is not None else None
    if statement is None or not isinstance(call, ast.Call) or not isinstance(node, ast.Attribute):
        return None
    scope = branches.indents.scope_start(statement.start)
    outer, moved = statement.digest.parents.get(call), node.value
    target = outer.targets[0] if isinstance(outer, ast.Assign) and len(outer.targets) == 1 else None
    if isinstance(moved, ast.Name):
        in_place = isinstance(outer, ast.Expr)
        if not in_place and (not isinstance(target, ast.Name) or target.id != moved.id):
            return None
        wrapped = _is_wrapped(moved.id, statement, branches)
        return _Model((moved.id,), scope, wrapped) if in_place or wrapped else None
    if not isinstance(target, ast.Name) or not isinstance(moved, ast.Call) or last_word(moved.func) != _WRAPPER:
        return None
    given = (one.id for one in moved.args[:1] if isinstance(one, ast.Name))
    return _Model((target.id, *given), scope, True)


def _is_wrapped(name: str, statement: Statement, branches: Branches) -> bool:
    """Return whether the block of a statement also passes the variable to `DataParallel`, near the statement."""
    text, header = branches.text, branches.indents.header_above(statement.start)
    first, last = (header.end, branches.indents.extent(header.start)) if header is not None else (0, len(text))
    first, last = max(first, statement.start - _FAR), min(last, statement.end + _FAR)
    branches.facts.layout.reads(first, last)
    branches.work.search(first, last)
    return any(match[1] == name for match in _WRAPS.finditer(text, first, last))


def _joined(spans: Iterable[Stretch]) -> list[Stretch]:
    """Return the spans in order, those that overlap as one."""
    found: list[Stretch] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def _stays(name: str, scope: int, regions: Sequence[Stretch], branches: Branches) -> bool:
    """Return whether no statement of a function outside of these spans moves the model that a variable holds. The spans
    are sorted and disjoint. `scope`: the start of the function, -1 for the module. A parameter counts as moved by the
    caller."""
    indents, facts = branches.indents, branches.facts
    first, last = (scope, indents.extent(scope)) if scope >= 0 else (0, len(branches.text))
    body = indents.header_at(scope).end if scope >= 0 else 0
    places = facts.searches.find(("moved", name), uses(name, True))
    places = places[bisect_right(places, first - 1) : bisect_right(places, last - 1)]
    if len(places) > _MANY:
        return False
    for at in places:
        branches.work.compare()
        before = bisect_right(regions, (at, len(branches.text))) - 1
        if at < body:
            return False
        if (before >= 0 and at < regions[before][1]) or indents.scope_start(at) != scope:
            continue
        statement = facts.peek(at)
        if statement is not None and _moves(name, statement):
            return False
    return True


def _moves(name: str, statement: Statement) -> bool:
    """Return whether a statement moves what a variable holds, or stores something in it that was moved or made on a
    device."""
    for node in statement.digest.parents:
        if isinstance(node, ast.Call) and _is_move(node) and _root(node) == name:
            return True
    for node in statement.digest.piece.nodes:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                pairs = zip(_items(target), _items(node.value), strict=False)
                if any(isinstance(one, ast.Name) and one.id == name and _is_on_device(value) for one, value in pairs):
                    return True
    return False


def _items(node: ast.expr) -> Sequence[ast.expr]:
    return node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node]


def _is_on_device(value: ast.expr) -> bool:
    """Return whether the value of an expression was moved, as in `build().to(device)`, or made on a device, as in
    `build(device=device)`."""
    if isinstance(value, ast.Call) and any(keyword.arg == "device" for keyword in value.keywords):
        return True
    return any(isinstance(node, ast.Call) and _is_move(node) for node in _links(value))


def _is_move(call: ast.Call) -> bool:
    """Return whether a call may move an object to a device other than the CPU: `model.to(device)`, but not
    `model.to("cpu")` and `model.to(torch.half)`."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _MOVERS:
        return False
    given = call.args[0] if call.args else None
    return not isinstance(given, ast.Attribute) and not (isinstance(given, ast.Constant) and given.value == "cpu")


def _root(node: ast.AST) -> str:
    """Return the variable at the beginning of a chain of attributes and calls, such as `model` of
    `model.half().to(device)`; "" if there is none."""
    return next((one.id for one in _links(node) if isinstance(one, ast.Name)), "")


def _links(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the attributes and calls of a chain, the last first, and the expression at its beginning."""
    yield node
    while isinstance(node, (ast.Attribute, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
        yield node
