"""Links a condition that asks for CUDA to the code that it guards in the same expression, `x.is_cuda and
torch.cuda.f()`; the condition is fixed only if this code is fixed."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ..checks import Hit
from ..checks.branches import Branches
from ..facts.names import from_imports, plain_imports
from ..facts.read import Statement
from ..facts.role_calls import last_word
from ..facts.scopes import FUNCTION
from ..limits import Work
from .relations.guarded import before_counts
from .relations.parts import guarded_parts, taken_as
from .relations.questions import COUNT

_DRIVEN = frozenset({"lstsq", "svd", "svdvals"})  # these functions can select a routine of cuSOLVER

_DRIVER = "driver"
_GPUS = "num_gpus"  # Ray's name for the number of GPUs
# Lightning's names for it; it counts the devices of CUDA only. An old Lightning has the third: `"ddp" if … else None`.
# The dtype must be one of the device that Lightning chooses, which is the CPU on the target.
_NUMBERS = ("gpus", "devices", "distributed_backend", "strategy", "precision")
_LIGHTNING = ("lightning", "import lightning", "from lightning", "pytorch_lightning")
_OF_RAY = (_GPUS, "use_gpu", "gpus")  # for its resource "GPU", which is CUDA's; an NPU is the resource "NPU"
_SKIPPED = ('importorskip("ray"', "importorskip('ray'")  # pytest imports Ray
_AVAILABLE = "torch.cuda.is_available"
_SERVED, _NUMBER = "system_properties", "gpu_id"  # TorchServe gives its handlers the number of a GPU of CUDA, or None

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


def choosing(hits: Sequence[Hit], branches: Branches) -> Iterator[int]:
    """Yield the indices of hits in a value that only CUDA's libraries, Ray, Lightning or TorchServe know: in a
    condition that selects it (`driver="gesvd" if …`, `{"num_gpus": 1 if …}`, `"cuda:" + str(properties["gpu_id"]) if
    …`), or the number of devices, `gpus=device_count()`."""
    if branches.says(_SERVED):
        yield from (index for index, hit in enumerate(hits) if _is_of_server(hit))
    if not any(map(branches.says, (_DRIVER, "gpu", _LIGHTNING[0]))):
        return
    names = _names_of_libraries(branches)
    for index, hit in enumerate(hits):
        if _is_known_to_cuda(hit, names, branches):
            yield index


def _is_of_server(hit: Hit) -> bool:
    """Return whether a hit is the condition of an expression that uses the number that TorchServe gives: `f"cuda:{x}"`
    with `x = properties.get("gpu_id")`. The number is None on a machine without GPUs that TorchServe knows."""
    statement = hit.statement
    if statement is None or hit.words.get("name") != _AVAILABLE or hit.node is None:
        return False
    call = statement.digest.parents.get(hit.node)
    outer = statement.digest.parents.get(call) if call is not None else None
    if not isinstance(outer, ast.IfExp) or outer.test is not call:
        return False
    return any(isinstance(node, ast.Constant) and node.value == _NUMBER for node in ast.walk(outer.body))


def _names_of_libraries(branches: Branches) -> tuple[str, ...]:
    """Return the names by which the libraries that the file imports take a number of CUDA's devices; empty if it
    imports none of these libraries. A file that only names Lightning may hold its settings, with the number `gpus`."""
    one = _NUMBERS[:1] if branches.says(_LIGHTNING[0]) else ()
    names: tuple[str, ...] = _NUMBERS if any(map(branches.says, _LIGHTNING[1:])) else one
    return (*names, *_OF_RAY) if any(map(branches.says, _OF_RAY)) and _imports_ray(branches) else names


def _imports_ray(branches: Branches) -> bool:
    searches = branches.facts.searches
    imported = (*plain_imports(searches), *from_imports(searches)) if branches.says(" ray") else ()
    return any(name.partition(".")[0] == "ray" for _, name in imported) or any(map(branches.says, _SKIPPED))


def _is_known_to_cuda(hit: Hit, names: Sequence[str], branches: Branches) -> bool:
    """See `choosing`. `names`: the result of `_names_of_libraries`. Ray also takes whether there is a GPU."""
    counted = hit.words.get("name") in (COUNT, _AVAILABLE if _GPUS in names else COUNT)
    tested, inner, statement = False, hit.node, hit.statement
    if inner is None or statement is None:
        return False
    for outer in statement.digest.ancestors(inner):
        branches.work.compare()
        name = taken_as(outer, inner)
        if name == _DRIVER:
            call = statement.digest.parents.get(outer)
            return tested and isinstance(call, ast.Call) and last_word(call.func) in _DRIVEN
        if (tested and name == _GPUS) or ((tested or counted) and name in names):
            return True
        if names and isinstance(outer, (ast.Assign, ast.Return)) and (tested or counted):
            return _is_number(outer, statement, names, branches)
        tested = tested or (isinstance(outer, ast.IfExp) and inner is outer.test)
        inner = outer
    return False


def _is_number(outer: ast.Assign | ast.Return, statement: Statement, names: Sequence[str], branches: Branches) -> bool:
    """Return whether a variable or function is named for a number of devices: `devices = …`, `def parse_devices(…)`."""
    if isinstance(outer, ast.Assign):
        return last_word(outer.targets[0]) in names
    scope = branches.indents.scope_of(statement.start)
    function = FUNCTION.match(branches.text, scope[0]) if scope is not None else None
    return function is not None and any(word in function[1] for word in names)
