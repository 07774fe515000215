"""Decides which conditions that ask for CUDA must stay unchanged. The target never runs the code that an unchanged
condition guards, so safe fixes in this code become fixes that need review."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import chain

from ...checks import Hit
from ...checks.branches import Branches
from ...edits import REVIEW, SAFE, lowest
from .called import Called, OwnMethods, Stretch
from .callees import to_unknown
from .falling import of_falling
from .guarded import before_counts, over_cuda, over_lookups, over_several, over_strings
from .kernels import BUILDER, Libraries
from .loading import beside_loading, of_loading, of_stored
from .makes import of_makes
from .moved import beside_moves
from .named_libraries import beside_own, beside_triton, over_named
from .own_words import BEHIND
from .questions import Questions, hits_in
from .reached import behind_reached, imported_names, over_reached
from .toolkits import over_toolkit
from .unfilled import unfilled

OVER_CUDA, OVER_CUDA_ONLY, OVER_UNKNOWN = "question-over-cuda", "question-over-cuda-only", "question-over-unknown"
OVER_LEFT, OF_MAKE = "question-over-left", "question-of-make"
OF_LOADING, OVER_ENTRY, USED_BEHIND = "question-of-loading", "question-over-entry", "used-behind-a-question"
OVER_NONE, OF_FALLING = "question-over-none", "question-of-falling"
BESIDE_OWN = "question-beside-own"
BESIDE_LOADING, BESIDE_MOVES = "question-beside-loading", "question-beside-moves"
REASONS = frozenset(
    {OVER_CUDA, OVER_CUDA_ONLY, OVER_UNKNOWN, OVER_LEFT, OVER_ENTRY, OVER_NONE}
    | {OF_LOADING, BESIDE_OWN, BESIDE_LOADING, BESIDE_MOVES, OF_FALLING, OF_MAKE, BEHIND, USED_BEHIND}
)
"""Ids of the sentences that say why a fix is not safe."""


class Staying:
    """What follows from conditions that ask for CUDA and stay unchanged: which hits get a lower fix class, and which
    code the target never runs. All numbers are indices in the list of hits."""

    def __init__(self) -> None:
        self.reasons: dict[int, tuple[str, str]] = {}
        """For each hit: the id of the sentence that says why its fix is not safe, or why the target never runs its
        code; and the name that this sentence quotes."""
        self.classes: dict[int, str | None] = {}
        """For a condition that stays unchanged, or for code that it guards: the safest fix class that is allowed."""
        self.pairs: list[tuple[int, int]] = []
        """Pairs of a condition and a hit in code that runs only if this condition finds CUDA."""
        self.idle: set[int] = set()
        """Hits that the target never runs: imports of CUDA libraries, and calls that build an extension, in code that
        runs only if a condition finds CUDA. On a device without CUDA, the program needs no such import or call."""
        self.unused: set[int] = set()
        """Imports of a class that builds extensions, if all uses of the class are in `idle`, i.e. the target never runs
        them."""
        self._behind: dict[Stretch, int] = {}
        """The spans of code that runs only if one of the conditions that stay unchanged finds CUDA, each with this
        condition."""

    def __bool__(self) -> bool:
        return bool(self.classes or self.reasons)

    def explained(self, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits, with the ids of the sentences that say why fixes are not safe, or why the target never runs
        the code."""
        found = list(hits)
        for index, (limit, name) in self.reasons.items():
            hit = hits[index]
            found[index] = hit._replace(limits=(*hit.limits, limit), words={**hit.words, limit: name})
        for index in self.idle:
            found[index] = found[index].as_information(BEHIND)
        for index in self.unused:
            found[index] = found[index].as_information(USED_BEHIND)
        return found

    def hold(self, index: int, applicability: str | None, limit: str, name: str = "") -> None:
        """Store the safest class that the fix of a hit may have, and the reason, unless the stored one is less safe."""
        if index not in self.classes or lowest(applicability, self.classes[index]) != self.classes[index]:
            self.classes[index] = applicability
            self.reasons[index] = limit, name

    def take(self, other: Staying) -> bool:
        """Add what `other` stores. If both objects store a fix class for a hit, the less safe one is kept. Return
        whether the stored fix class of any hit changed."""
        before = dict(self.classes)
        for index, (limit, name) in other.reasons.items():
            self.hold(index, other.classes[index], limit, name)
        self.pairs = list(dict.fromkeys([*self.pairs, *other.pairs]))
        self.idle |= other.idle
        self.unused |= other.unused
        return self.classes != before

    def hold_behind(
        self, asked: Iterable[int], hits: Sequence[Hit], classes: Sequence[str | None], questions: Questions
    ) -> bool:
        """Change safe fixes to fixes that need review in code that runs only if one of the hits `asked`, such as
        `is_available()`, is true, and in functions that only this code calls. No fix changes the hits `asked`: on the
        target they stay false, so the code behind them never runs. Return whether any of the hits `asked` guards
        code."""
        pairs, spans, held = len(self.pairs), len(self._behind), False
        safe = sorted(
            (hit.start, index)
            for index, hit in enumerate(hits)
            if classes[index] == SAFE and hit.rule.check != "missing-import"
        )
        asked = list(asked)
        before, methods = before_counts(hits, asked), OwnMethods(questions.facts)
        for question in asked:
            regions = tuple(questions.regions(question))
            for region in chain(regions, chain.from_iterable(map(methods.called_in, regions))):
                self._behind.setdefault(region, question)
                behind = hits_in(safe, region)
                questions.work.compare(1 + len(behind))
                for _, index in behind:
                    beside = index in before and hits[index].statement is hits[question].statement
                    if index != question and not beside:
                        self.pairs.append((question, index))
                        if index not in self.classes:
                            self.hold(index, REVIEW, BEHIND)
        if len(self._behind) > spans:
            called = Called(list(self._behind), questions.facts, "")
            for start, index in safe:
                if index not in self.classes and index not in before and called.holds(start):
                    self.hold(index, REVIEW, BEHIND)
                    held = True
            self._hold_over_none(classes, questions)
        return held or len(self.pairs) > pairs

    def _hold_over_none(self, classes: Sequence[str | None], questions: Questions) -> None:
        """If a condition guards a use of a name that holds None where a condition that stays unchanged finds no CUDA,
        change its safe fix to one that needs review; the two conditions are fixed together."""
        found = unfilled(self._behind, questions)
        moving = [index for index in questions if classes[index] == SAFE and index not in self.classes] if found else []
        for index in moving:
            for start, end in questions.regions(index):
                questions.work.compare(2)
                at = bisect_left(found, (start,))
                if at < len(found) and found[at].at < end:
                    use = found[at]
                    self.hold(index, lowest(REVIEW, classes[use.question]), OVER_NONE, use.name)
                    self.pairs += [(index, use.question), (use.question, index)]

    def lower(self, classes: list[str | None]) -> None:
        """Replace fix classes in `classes` by those in `self.classes`, where the class in `self.classes` is less safe;
        both are indexed by hit."""
        for index, applicability in self.classes.items():
            classes[index] = lowest(classes[index], applicability)


def staying(
    hits: Sequence[Hit],
    classes: Sequence[str | None],
    questions: Questions,
    branches: Branches,
    libraries: Libraries,
) -> Staying:
    """Find the conditions that ask for CUDA (`if x.is_cuda`) and must stay unchanged, and return their effects on hits.
    A condition stays unchanged if it guards code that works only with CUDA, or also asks for a vendor or something else
    that no fix can translate."""
    result = Staying()
    for held, index in over_lookups(hits, questions, branches, libraries):
        result.pairs.append((held.question, index))
        if classes[index] != SAFE:
            result.hold(held.question, classes[index], OVER_ENTRY)
    imported = imported_names(branches, libraries)
    safe = sorted((hit.start, index) for index, hit in enumerate(hits) if imported and classes[index] == SAFE)
    for region in behind_reached(imported, questions):
        for _, index in hits_in(safe, region):
            result.hold(index, REVIEW, BEHIND)
    for index in over_strings(hits, classes, questions, branches):
        result.hold(index, REVIEW, OVER_LEFT)
    if not any(classes[index] == SAFE for index in questions.asking()):
        return result
    for reached in over_reached(imported, hits, questions, branches, libraries):
        result.hold(reached.question, REVIEW, OVER_LEFT)
    _hold_over_cuda(result, hits, classes, questions, branches, libraries)
    for several in over_several(hits, classes, questions, branches, libraries):
        result.hold(several.question, REVIEW, OVER_LEFT)
    for index in (
        *over_named(hits, questions, branches, libraries),
        *questions.lost,
        *over_toolkit(hits, questions, branches),
        *beside_triton(hits, questions),
    ):
        result.hold(index, REVIEW, OVER_LEFT)
    for index in beside_own(hits, questions, branches):
        result.hold(index, REVIEW, BESIDE_OWN)
    for index in of_makes(hits, questions, branches):
        result.hold(index, REVIEW, OF_MAKE)
    _hold_over_loading_and_callees(result, hits, questions, branches)
    stays = {index for index in questions if classes[index] != SAFE or index in result.classes}
    for index in beside_moves(hits, stays, questions, branches):
        result.hold(index, REVIEW, BESIDE_MOVES)
    return result


def _hold_over_loading_and_callees(
    result: Staying, hits: Sequence[Hit], questions: Questions, branches: Branches
) -> None:
    """Add the conditions that decide how a checkpoint is loaded, that fall back to another device, or that call
    functions of an unknown library."""
    loading = dict(of_loading(hits, questions, branches))
    for index in loading:
        result.hold(index, REVIEW, OF_LOADING)
    for index in of_stored(hits, branches.work):
        result.hold(index, REVIEW, OF_LOADING)
    for index in beside_loading(hits, loading):
        result.hold(index, REVIEW, BESIDE_LOADING)
    for index in of_falling(hits, questions, branches):
        result.hold(index, REVIEW, OF_FALLING)
    for found in to_unknown(hits, questions, branches):
        result.hold(found.question, REVIEW, OVER_UNKNOWN, found.name)


def _hold_over_cuda(
    result: Staying,
    hits: Sequence[Hit],
    classes: Sequence[str | None],
    questions: Questions,
    branches: Branches,
    libraries: Libraries,
) -> None:
    """If a condition guards code that works only with CUDA, its fix needs review, or is removed. If it is removed,
    record the imports of CUDA libraries in the guarded code, because the target never runs this code."""
    positions = {id(hit): index for index, hit in enumerate(hits)}
    built = {index for index, hit in enumerate(hits) if hit.words.get("name") == BUILDER}
    imports = sorted(
        (hit.start, index) for index, hit in enumerate(hits) if hit.rule.check == "module" or index in built
    )
    for found in over_cuda(hits, classes, questions, branches, libraries):
        if found.left:
            result.hold(found.question, REVIEW, OVER_LEFT)
            if found.hit is not None:
                result.pairs.append((found.question, positions[id(found.hit)]))
        else:
            # no fix ports a kernel, so the target must not run code that uses one
            result.hold(found.question, None, OVER_CUDA_ONLY if found.raises else OVER_CUDA, found.name)
            for region in questions.regions(found.question) if imports and not found.raises else ():
                result.idle.update(index for _, index in hits_in(imports, region))
    taken = {index for index in built if hits[index].is_import}
    if result.idle & built and built <= result.idle | taken:
        result.unused = taken - result.idle
