"""Which questions stay CUDA's, with all that runs only where they are answered with yes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ...checks import Hit
from ...checks.branches import Branches
from ...edits import REVIEW, SAFE
from .callees import to_unknown
from .guarded import over_kernels
from .kernels import Libraries
from .makes import of_makes
from .questions import Questions, hits_in

_ORDER = {SAFE: 0, REVIEW: 1, None: 2}


@dataclass
class Staying:
    """What questions that stay do to the hits of a text."""

    reasons: dict[int, tuple[str, str]] = field(default_factory=dict)
    """By position: the sentence of the tables that says why, and what it names."""
    classes: dict[int, str | None] = field(default_factory=dict)
    """By position: the class of a question that stays."""
    pairs: list[tuple[int, int]] = field(default_factory=list)
    """A hit, and the question without which it never runs."""

    def explained(self, hits: Sequence[Hit]) -> list[Hit]:
        """The hits, those that stay with the reason."""
        found = list(hits)
        for index, (limit, name) in self.reasons.items():
            hit = hits[index]
            found[index] = replace(hit, limits=(*hit.limits, limit), words={**hit.words, "kernel": name})
        return found


def staying(
    hits: Sequence[Hit], classes: Sequence[str | None], branches: Branches, libraries: Libraries
) -> Staying:
    """The questions over what runs on CUDA alone, or that also ask for the make of a GPU."""
    result, questions = Staying(), Questions(hits, classes, branches)
    if not questions:
        return result
    for held in over_kernels(hits, questions, branches, libraries):
        limit = "question-over-cuda-only" if held.raises else "question-over-cuda"
        _hold(result, held.question, None if held.raises else REVIEW, limit, held.name)
    for index in of_makes(hits, questions, branches):
        _hold(result, index, REVIEW, "question-of-make", "")
    for held in to_unknown(hits, questions, branches):
        _hold(result, held.question, REVIEW, "question-over-unknown", held.name)
    take_along(result, list(result.classes), hits, classes, questions, branches)
    return result


def _hold(result: Staying, index: int, applicability: str | None, limit: str, name: str) -> None:
    if index not in result.classes or _ORDER[applicability] > _ORDER[result.classes[index]]:
        result.classes[index] = applicability
        result.reasons[index] = limit, name


def take_along(
    result: Staying,
    held: Iterable[int],
    hits: Sequence[Hit],
    classes: Sequence[str | None],
    questions: Questions,
    branches: Branches,
) -> None:
    """Add what runs only where these questions are answered with yes."""
    starts = sorted((hit.start, index) for index, hit in enumerate(hits) if classes[index] == SAFE)
    for question in held:
        for region in questions.regions(question):
            found = hits_in(starts, region)
            branches.work.compare(1 + len(found))
            for _, index in found:
                if index != question and hits[index].rule.check != "missing-import":
                    result.pairs.append((index, question))
                    if index not in result.classes:
                        result.reasons.setdefault(index, ("behind-a-question", ""))
