"""Finds questions for the number of devices in a file that chooses the visible devices by a variable which has no
effect there, as MUSA_VISIBLE_DEVICES below an import of torch. The program would use devices that it did not choose:
`if torch.cuda.device_count() > 1: model = DataParallel(model)`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...checks import Hit
from .questions import COUNT


def counts(hits: Sequence[Hit]) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of hits: a question for the number of devices, and the first place that sets such a
    variable; the number changes only if the fix of this place is safe."""
    late = next((index for index, hit in enumerate(hits) if _is_late(hit)), None)
    if late is not None:
        yield from ((index, late) for index, hit in enumerate(hits) if hit.words.get("name") == COUNT)


def _is_late(hit: Hit) -> bool:
    return hit.rule.check == "environment" and not set(hit.limits).isdisjoint(hit.rule.get("import-limits", ()))
