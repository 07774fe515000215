"""Finds device strings that are used only if a condition finds CUDA, `["cuda"] if torch.cuda.is_available() else []`.

Also finds comparisons with `device.type`, if the same function makes `device` from a string.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ...checks import Hit
from ...checks.branches import Branches
from ...checks.unpacking import target_of
from ...facts.read import Statement
from ...facts.role_calls import last_word
from ...limits import Work


def questioned(hits: Sequence[Hit], work: Work) -> Iterator[tuple[int, int | None]]:
    """Yield, for each device string whose use depends on a condition: the index of the string's hit, and the index of
    the condition's hit (None if the condition has no hit).

    A device string whose condition has no hit is yielded only if nothing else in the file shows that the string is a
    device.
    """
    asking = [index for index, hit in enumerate(hits) if hit.question is not None]
    if not asking:
        return
    work.compare(len(hits))
    starts = {hit.start: index for index, hit in enumerate(hits) if hit.question is None and hit.rule.check != "string"}
    for index in asking:
        question = hits[index].question
        found = starts.get(question[0]) if question is not None else None
        if question is not None and (found is not None or question[1]):
            yield index, found


def compared(hits: Sequence[Hit], branches: Branches) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of hits about the same device variable in one function. The hits are strings with which
    the device's type is compared (`device.type == "cuda"`), and strings from which the device is made
    (`device = torch.device("cuda:1")`). If a function has both, the pairs connect all these hits."""
    tests: dict[tuple[int, str], list[int]] = {}
    values: dict[tuple[int, str], list[int]] = {}
    branches.work.compare(len(hits))
    for index, hit in enumerate(hits):
        if hit.rule.check != "string" or hit.statement is None or hit.node is None:
            continue
        name, found = _tested(hit.node, hit.statement), tests
        if not name:
            name, found = _made(hit.node, hit.statement), values
        if name:
            scope = branches.indents.scope_of(hit.statement.start)
            found.setdefault((scope[0] if scope is not None else -1, name), []).append(index)
    for key, (first, *others) in tests.items():
        # to pair each comparison with each value would take time that grows with the square of their number
        found_values = values.get(key, [])
        yield from ((first, value) for value in found_values)
        yield from ((index, first) for index in others if found_values)


def _tested(node: ast.AST, statement: Statement) -> str:
    """The variable `x` if a string is compared with `x.type`."""
    compare = statement.digest.parents.get(node)
    if not isinstance(compare, ast.Compare) or len(compare.ops) != 1:
        return ""
    other = compare.comparators[0] if node is compare.left else compare.left
    device = other.value if isinstance(other, ast.Attribute) and other.attr == "type" else None
    return device.id if isinstance(device, ast.Name) else ""


def _made(node: ast.AST, statement: Statement) -> str:
    """The variable to which a device is assigned that `torch.device` makes from a string."""
    call = statement.digest.parents.get(node)
    if not isinstance(call, ast.Call) or last_word(call.func) != "device" or call.args[:1] != [node]:
        return ""
    target = target_of(statement.digest.parents.get(call), call)
    return target.id if isinstance(target, ast.Name) else ""
