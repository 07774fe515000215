"""Finds device strings whose use depends on a condition that asks for an available device: `["cuda"] if
torch.cuda.is_available() else []`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...checks import Hit
from ...limits import Work


def questioned(hits: Sequence[Hit], work: Work) -> Iterator[tuple[int, int | None]]:
    """Yield, for each device string whose use depends on a condition: the index of the string's hit, and the index of
    the condition's hit (None if the condition has no hit).

    If the condition has no hit, the string is yielded only if nothing else in the file shows that the string is a
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
