"""Finds comparisons that ask the same device whether it is CUDA's: `self.device.type == "cuda"` in two methods of a
class, `device.type == "cuda"` twice in a function. They change together: a file that asks twice, once for CUDA and once
for the target, would take half of the way that it took on CUDA."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ...checks import Hit
from ...checks.branches import Branches

_OWNERS = frozenset({"self", "cls"})
_SPELLED = 200  # maximum number of characters of the expression that a device is read from


def asked_devices(hits: Sequence[Hit], branches: Branches) -> Iterator[tuple[int, int]]:
    """Yield pairs of hits: comparisons of the `type` of the same device in one function, or, of a device that an object
    holds, in one class."""
    first: dict[tuple[int, str], int] = {}
    for index, hit in enumerate(hits):
        if hit.rule.check == "string" and hit.statement is not None and (device := _asked(hit)) is not None:
            start, end = hit.statement.digest.span(device)
            if end - start <= _SPELLED:
                spelled = hit.statement.digest.text[start:end]
                key = _scope(spelled, hit.statement.start, branches), spelled
                if first.setdefault(key, index) != index:
                    yield first[key], index


def _asked(hit: Hit) -> ast.expr | None:
    """Return the device whose `type` is compared with a string; None if the string is not compared so."""
    compared = hit.parent
    if not isinstance(compared, ast.Compare) or len(compared.ops) > 1:
        return None
    sides = [side for side in (compared.left, *compared.comparators) if side is not hit.node]
    side = sides[0] if len(sides) == 1 else None
    return side.value if isinstance(side, ast.Attribute) and side.attr == "type" else None


def _scope(spelled: str, at: int, branches: Branches) -> int:
    """Return the start of the class or function in which the same expression means the same device; -1 for the
    module."""
    if spelled.partition(".")[0] not in _OWNERS:
        return branches.indents.scope_start(at)
    return next((header.start for header in branches.indents.headers(at) if header.word == "class"), -1)
