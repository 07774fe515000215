"""Words that exist only under a question: `["cuda"] if torch.cuda.is_available() else []`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...checks import Hit
from ...limits import Work


def questioned(hits: Sequence[Hit], work: Work) -> Iterator[tuple[int, int | None]]:
    """Pairs of positions: a word, and the question under which it exists; None where that one has no finding.

    A word that another place shows to be a device comes only with its question.
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
