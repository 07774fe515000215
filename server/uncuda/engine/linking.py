"""Links hits whose fixes must be applied together: the fix of each hit gets the edits of all, and the lowest of their
fix classes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from ..checks import Hit
from ..checks.branches import Branches
from ..checks.hit import SEARCHED, VARIABLE
from ..edits import REVIEW, SAFE, Edit, lowest, merge
from ..facts.read import Facts
from ..limits import Work
from .guards import filled, guarded
from .linked_branches import LinkedBranches
from .relations.alike import alike, answering, asserted, chained, wrapping
from .relations.autocast import dtypes_of_autocast, unscaled
from .relations.expectations import Expectations
from .relations.given_answers import given_answers
from .relations.handed import handed
from .relations.kernels import Libraries
from .relations.looked_up import defaults
from .relations.numbers import left_elsewhere
from .relations.questions import Questions
from .relations.raising import raising
from .relations.refused_devices import refusing
from .relations.staying import OVER_LEFT, Staying, staying
from .relations.together import Together
from .relations.words import (
    chosen,
    compared,
    conjoined,
    expected,
    keyed,
    offered,
    parametrized,
    patched,
    questioned,
    typed,
)

_ROUNDS = 8  # how often linking is repeated at most: a condition that stays unchanged may force another to stay, too
_SHARED = frozenset({SEARCHED, VARIABLE})  # the keys in `Hit.sources` that connect all hits which have them
_MOST = 200  # maximum number of hits that one fix may change


def without_kept(hits: Sequence[Hit], work: Work) -> Sequence[Hit]:
    """Return the hits that are not in code which another hit keeps unchanged for CUDA, such as the value in `{"cuda":
    torch.cuda.synchronize}`."""
    kept = [hit.keeps for hit in hits if hit.keeps[1]]
    if not kept:
        return hits
    work.compare(len(hits) * len(kept))
    stays = [any(start <= hit.start and hit.end <= end for start, end in kept) for hit in hits]
    links = {key for hit, stay in zip(hits, stays) if stay for key in hit.links}
    left = [hit for hit, stay in zip(hits, stays) if not stay]
    return [hit.lowered(None) if links.intersection(hit.links) else hit for hit in left]


def without_idle(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits; a hit is left out if its name can change only together with another name, and the other name
    does not change."""
    return [hit for hit in hits if hit.fixes or not hit.rule.get("only-with") or _is_its_own(hit)]


def _is_its_own(hit: Hit) -> bool:
    name = hit.words.get("name", "")
    return not name or name in hit.rule.get("only-with")


def _keep_imports(hits: Sequence[Hit], package: str, work: Work) -> Sequence[Hit]:
    """Return the hits. If some fixes insert the line that imports the plugin, such as `import torch_npu`, each fix that
    changes an import statement into an import from the plugin inserts this line, too.

    After a fix has imported the plugin, later fixes do not import it again, although the existing import may be under a
    condition.
    """
    plain = f"import {package}"
    asked: dict[str, set[Edit]] = {SAFE: set(), REVIEW: set()}
    for hit in hits:
        work.compare(len(hit.fixes[0].edits) if hit.fixes else 0)
        for edit in hit.fixes[0].edits if hit.fixes else ():
            if plain in edit.text and edit.text.strip("; \t\r\n") == plain:
                asked[hit.fixes[0].applicability].add(edit)
    if not asked[SAFE] and not asked[REVIEW]:
        return hits
    found, importing = list(hits), dict[int, bool]()
    for index, hit in enumerate(hits):
        if hit.statement is not None and hit.statement.start not in importing:
            bindings = hit.statement.digest.bindings
            work.compare(len(bindings) // 2)
            importing[hit.statement.start] = any(one.kind in ("import", "from", "star") for one in bindings)
        if hit.statement is not None and importing[hit.statement.start] and _imports(hit, package):
            first = hit.fixes[0]
            work.compare(4 * (len(asked[SAFE]) + len(asked[REVIEW])))
            more = asked[SAFE] if first.applicability == SAFE else asked[SAFE] | asked[REVIEW]
            found[index] = _with_edits(hit, tuple(merge([first, first._replace(edits=tuple(more))])))
    return found


def _with_edits(hit: Hit, edits: tuple[Edit, ...]) -> Hit:
    first, *others = hit.fixes
    return hit if edits == first.edits else hit.with_fixes((first._replace(edits=edits), *others))


def _imports(hit: Hit, package: str) -> bool:
    """Return whether a fix changes the import statement of its hit to import the plugin, or names from the plugin."""
    if not hit.fixes or hit.statement is None or hit.rule.check == "missing-import":
        return False
    start, end = hit.statement.start, hit.statement.end
    return any(start <= edit.start < edit.end <= end and package in edit.text for edit in hit.fixes[0].edits)


def safe_of(hits: Sequence[Hit], libraries: Libraries, branches: Branches) -> list[Hit]:
    """Return the hits whose fix is still safe when it is applied together with the fixes of the linked hits."""
    _, _, classes, _ = _linked(hits, branches, libraries)
    return [hit for hit, applicability in zip(hits, classes) if applicability == SAFE]


def link(hits: Sequence[Hit], facts: Facts, branches: Branches, package: str, libraries: Libraries) -> list[Hit]:
    """Return the hits in their order. The fix of each hit in a group has all edits of the group, and is safe only if
    all fixes of the group are safe.

    A condition that asks for CUDA is fixed only if the code that it guards is fixed, and never if a call in its block
    would raise an exception on the target. In sibling branches, such as those of `if` and `else`, each safe fix has the
    edits of all safe fixes in these branches. A fix that needs review has the edits of all fixes in these branches.
    Hits in a group of more than `_MOST` hits have no fix, and neither have hits that depend on such hits. `package`:
    the package of the plugin; `libraries`: tells which modules are compiled for CUDA.
    """
    hits = [hit.lowered(REVIEW) if hit.by_hand else hit for hit in _keep_imports(hits, package, facts.work)]
    for _ in range(_ROUNDS):
        found, crowded = _link(hits, facts, branches, libraries)
        if not crowded:
            return found
        hits = [hit.lowered(None) if index in crowded else hit for index, hit in enumerate(hits)]
    return [hit.lowered(None) for hit in hits]


def _link(hits: Sequence[Hit], facts: Facts, branches: Branches, libraries: Libraries) -> tuple[list[Hit], set[int]]:
    """Return the hits, each with the edits of all hits that change together with it; and the indices of hits that
    change together with too many others."""
    sets, pairs, classes, stays = _linked(hits, branches, libraries)
    hits = stays.explained([hit.lowered(applicability) for hit, applicability in zip(hits, classes)])
    along = [(one, other) for one, other in pairs if hits[one].fixes]
    for group in LinkedBranches(hits, facts, branches).groups():
        first: dict[str, int] = {}
        for index in group:
            sets.join(index, first.setdefault(hits[index].fixes[0].applicability, index))
        if len(first) > 1:
            along.append((first[REVIEW], first[SAFE]))
    return _shared(hits, sets, along, facts.work)


def _linked(
    hits: Sequence[Hit], branches: Branches, libraries: Libraries
) -> tuple[_Sets, list[tuple[int, int]], list[str | None], Staying]:
    """Return four results: the groups of hits that share a key in `Hit.links`, the pairs of a condition that asks for
    CUDA and a hit in the code that this condition guards, the fix class of each hit, and the conditions that stay
    unchanged."""
    sets = _Sets(len(hits))
    owner: dict[Hashable, int] = {}
    for index, hit in enumerate(hits):
        for key in hit.links:
            sets.join(index, owner.setdefault(key, index))
    functions = list(handed(hits, branches))
    known = ((head, index) for head, index in functions if index is not None)
    joined = [*filled(hits, branches.work), *alike(hits, branches.work), *chained(hits, branches)]
    joined += asserted(hits, branches)
    joined += answering(hits, branches.work)
    joined += wrapping(hits, branches)
    joined += Together(hits, branches).pairs()
    for head, index in (*joined, *known):
        sets.join(head, index)
    groups = list(sets.members().values())
    pairs = [*guarded(hits, branches), *dtypes_of_autocast(hits, branches.text), *compared(hits, branches)]
    pairs += [
        *conjoined(hits, branches.work),
        *expected(hits, branches.work),
        *chosen(hits, branches),
        *typed(hits, branches.facts),
    ]
    classes = [hit.fixes[0].applicability if hit.fixes else None for hit in hits]
    given = given_answers(hits, branches, libraries)
    elsewhere = [one for one in (*left_elsewhere(hits, branches, libraries), *given) if classes[one[0]] == SAFE]
    for index, _ in elsewhere:
        classes[index] = REVIEW
    unknown = ((head, index) for head, index in functions if index is None)
    for index, question in (
        *questioned(hits, branches.work),
        *keyed(hits, branches.work),
        *unscaled(hits, branches.facts, libraries.project),
        *patched(hits, branches),
        *unknown,
    ):
        if question is None:
            classes[index] = lowest(classes[index], REVIEW)
        else:
            pairs.append((index, question))
    made = list(_made(hits, owner))
    looked_up = defaults(hits, branches.facts)
    both = [
        *pairs,
        *_given(hits, owner),
        *looked_up,
        *offered(hits, branches),
        *parametrized(hits, branches),
        *refusing(hits, branches),
        *((test, device) for device, test in made),
    ]
    _settle(classes, groups, [*both, *made], branches.work)
    held = [one for one, _ in pairs if hits[one].lowered(classes[one]) is not hits[one]]
    questions = Questions(hits, classes, branches)
    stays = staying(hits, classes, questions, branches, libraries)
    for index, reason in elsewhere:
        stays.hold(index, REVIEW, reason)
    for one in held:
        stays.hold(one, REVIEW, OVER_LEFT)
    seen: set[int] = set()
    expecting = Expectations(hits, branches)
    for _ in range(_ROUNDS):
        before = list(classes)
        _lower(hits, classes, groups, both, questions, stays, seen)
        holds = expecting.hold(classes, stays)
        if not holds and not _left(hits, before, classes, stays):
            break
        if not stays.take(staying(hits, classes, questions, branches, libraries)) and not holds:
            break
    else:
        for index in questions:
            stays.hold(index, REVIEW, OVER_LEFT)
        _lower(hits, classes, groups, both, questions, stays, seen)
    return sets, [*both, *stays.pairs], classes, stays


def _given(hits: Sequence[Hit], owner: dict[Hashable, int]) -> Iterator[tuple[int, int]]:
    """Yield pairs of hits, in both orders: a comparison and the code that computes the compared value; two pieces of
    code that read or set the same environment variable; a regular expression and a comparison in the same statement.
    `owner`: for each key in `Hit.links`, the first hit that has it; keys that only `Hit.sources` has are added.

    A pair is needed in both orders: if the comparison or the code that computes the value has no fix, the other one
    must stay unchanged, too.
    """
    for index, hit in enumerate(hits):
        for key in hit.sources:
            other = owner.setdefault(key, index) if key[0] in _SHARED else owner.get(key, index)
            if other != index:
                yield from ((index, other), (other, index))


def _made(hits: Sequence[Hit], owner: dict[Hashable, int]) -> Iterator[tuple[int, int]]:
    """Yield each string from which a device is made, with a string that the device's text is compared with. `owner`:
    for each key in `Hit.links`, the first hit that has it.

    If no safe fix changes the comparison, the device stays. It moves if the comparison could change, but guards code
    that works only with CUDA.
    """
    for index, hit in enumerate(hits):
        for key in hit.makes:
            if (other := owner.get(key, index)) != index:
                yield index, other


def _left(hits: Sequence[Hit], before: list[str | None], classes: list[str | None], stays: Staying) -> bool:
    """Return whether a fix that was safe in `before` is not safe in `classes`, and the code fails on the target without
    this fix. Fixes of code that is guarded by a condition that is known to stay unchanged are ignored. If the result is
    True, the conditions that guard the failing code must stay unchanged, too."""
    fresh = [
        index
        for index, (was, now) in enumerate(zip(before, classes, strict=True))
        if was == SAFE != now and index not in stays.classes
    ]
    return any(raising([hits[index] for index in fresh], [classes[index] for index in fresh]))


def _lower(
    hits: Sequence[Hit],
    classes: list[str | None],
    groups: list[list[int]],
    pairs: list[tuple[int, int]],
    questions: Questions,
    stays: Staying,
    seen: set[int],
) -> None:
    """Make the fix class lower (review in place of safe, or no fix) for conditions that stay unchanged, for the code
    that these conditions guard, and for all hits that are linked to one of these conditions or to this code. `seen`:
    the indexes of the conditions whose guarded code was already given a lower fix class."""
    if stays:
        stays.lower(classes)
        _settle(classes, groups, pairs, questions.work)
    while fresh := [index for index in questions if classes[index] != SAFE and index not in seen]:
        seen.update(fresh)
        if not stays.hold_behind(fresh, hits, classes, questions):
            break
        stays.lower(classes)
        _settle(classes, groups, pairs, questions.work)


def _settle(classes: list[str | None], groups: list[list[int]], pairs: list[tuple[int, int]], work: Work) -> None:
    """Lower the fix class of each hit to the lowest fix class in its group, and the fix class of a condition to the
    lowest fix class in the code that it guards. No fix is lower than "review", and "review" is lower than "safe"."""
    before: list[str | None] = []
    size = sum(map(len, groups)) + len(pairs)
    while classes != before:
        work.compare(size)
        before = list(classes)
        for group in groups:
            low = lowest(*(classes[index] for index in group))
            for index in group:
                classes[index] = low
        for one, other in pairs:
            classes[one] = lowest(classes[one], classes[other])


def _shared(hits: Sequence[Hit], sets: _Sets, along: list[tuple[int, int]], work: Work) -> tuple[list[Hit], set[int]]:
    """Return the hits with shared edits: the first fix of each hit also contains the edits of all hits that must
    be fixed together with this hit. If more than `_MOST` hits must be fixed together, return no hits, and as second
    value the indices of those hits among them that have a fix; otherwise the second value is empty.

    `along`: pairs of indices of hits; all hits linked to the first hit of a pair also get the edits of all hits linked
    to the second hit.
    """
    taken: dict[int, set[int]] = {}
    for one, other in along:
        taken.setdefault(sets.root(one), set()).add(sets.root(other))
    members = sets.members()
    edits: dict[int, tuple[Edit, ...]] = {}
    crowded: set[int] = set()
    for root in {*members, *taken}:
        every = _reached(root, taken, members)
        work.compare(4 * len(every))
        if len(every) > _MOST:
            crowded.update(index for index in members.get(root, [root]) if hits[index].fixes)
        else:
            edits[root] = tuple(merge(hits[index].fixes[0] for index in every if hits[index].fixes))
    if crowded:
        return [], crowded
    found = list(hits)
    for root, shared in edits.items():  # the edits of a set of linked hits are added to each hit of the set
        work.compare(len(shared) * len(members.get(root, [root])) // 16)
        for index in members.get(root, [root]):
            if hits[index].fixes:
                found[index] = _with_edits(hits[index], shared)
    return found, crowded


def _reached(root: int, taken: dict[int, set[int]], members: dict[int, list[int]]) -> list[int]:
    """Return the indices of all hits that change together with the set of hits `root`. After `_MOST` hits, the search
    for more stops."""
    reached, waiting = {root}, [root]
    every = list(members.get(root, [root]))
    while waiting and len(every) <= _MOST:
        for item in taken.get(waiting.pop(), ()):
            if item not in reached:
                reached.add(item)
                waiting.append(item)
                every += members.get(item, [item])
            if len(every) > _MOST:
                break
    return every


class _Sets:
    """Disjoint sets of integers (union-find)."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))
        self._joined: set[int] = set()

    def root(self, item: int) -> int:
        """The representative of the set that contains `item`."""
        parent = self._parent
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    def join(self, item: int, other: int) -> None:
        """Unite the sets that contain these two integers."""
        if item != other:
            self._parent[self.root(item)] = self.root(other)
            self._joined |= {item, other}

    def members(self) -> dict[int, list[int]]:
        """The sets with more than one member, by their representative."""
        found: dict[int, list[int]] = {}
        for item in sorted(self._joined):
            found.setdefault(self.root(item), []).append(item)
        return found
