"""Finds questions for the number of devices in a file that chooses the visible devices by a variable which has no
effect there, as MUSA_VISIBLE_DEVICES below an import of torch. The program would use devices that it did not choose:
`if torch.cuda.device_count() > 1: model = DataParallel(model)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ...checks import Hit
from .questions import COUNT


def counts(hits: Sequence[Hit]) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of hits: a question for several devices, and the first place that sets such a
    variable; the number changes only if the fix of this place is safe."""
    late = next((index for index, hit in enumerate(hits) if _is_late(hit)), None)
    if late is not None:
        yield from ((index, late) for index, hit in enumerate(hits) if _asks_for_several(hit))


def _asks_for_several(hit: Hit) -> bool:
    """Return whether a hit is the number of devices in `device_count() > 1`."""
    if hit.words.get("name") != COUNT or hit.statement is None:
        return False
    call = hit.parent
    test = hit.statement.digest.parents.get(call) if isinstance(call, ast.Call) else None
    if not isinstance(test, ast.Compare) or test.left is not call or not isinstance(test.ops[0], ast.Gt):
        return False
    few = test.comparators[0]
    return isinstance(few, ast.Constant) and few.value == 1


def _is_late(hit: Hit) -> bool:
    return hit.rule.check == "environment" and not set(hit.limits).isdisjoint(hit.rule.get("import-limits", ()))
