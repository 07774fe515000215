"""Sites that belong together change together or not at all, at the lowest class among them."""

from __future__ import annotations

from collections.abc import Hashable

from ..checks import Hit
from ..edits import Fix, lowest, merge
from ..facts.scopes import IndentScopes


def without_kept(hits: list[Hit]) -> list[Hit]:
    """Hits without those in a stretch that another hit says stays CUDA's: `{"cuda": torch.cuda.synchronize}`."""
    kept = [hit.keeps for hit in hits if hit.keeps[1]]
    if not kept:
        return hits
    stays = {id(hit) for hit in hits if any(start <= hit.start and hit.end <= end for start, end in kept)}
    links = {key for hit in hits if id(hit) in stays for key in hit.links}
    left = [hit for hit in hits if id(hit) not in stays]
    for hit in left:
        if links.intersection(hit.links):
            hit.fixes = ()
    return left


def without_idle(hits: list[Hit]) -> list[Hit]:
    """Hits without names that only have to change with another, where that other does not change."""
    return [hit for hit in hits if hit.fixes or not hit.rule.get("beside") or _is_its_own(hit)]


def _is_its_own(hit: Hit) -> bool:
    name = hit.words.get("name", "")
    return not name or name in hit.rule.get("beside")


def link_conditions(hits: list[Hit], indents: IndentScopes) -> None:
    """Link the fixable hits of one class in the conditions of one if/elif chain.

    With only one of them changed, the chain would look as if it already served the target. That lasts while another
    fix of the same class is left in the text: so what is safe need not wait for what needs review.
    """
    for hit in hits:
        if hit.fixes and hit.statement is not None:
            header = indents.header_at(hit.statement.start)
            if header.word in ("if", "elif"):
                first = indents.clauses(header)[0] if header.word == "elif" else header
                hit.links = (*hit.links, ("conditions", first.start, hit.fixes[0].applicability))


def link(hits: list[Hit]) -> None:
    """Give every hit of a group the edits of all of them, and the lowest class."""
    owner: dict[Hashable, int] = {}
    group = list(range(len(hits)))

    def root(index: int) -> int:
        while group[index] != index:
            group[index] = group[group[index]]
            index = group[index]
        return index

    for index, hit in enumerate(hits):
        for key in hit.links:
            if key in owner:
                group[root(index)] = root(owner[key])
            else:
                owner[key] = index
    members: dict[int, list[Hit]] = {}
    for index, hit in enumerate(hits):
        if hit.links:
            members.setdefault(root(index), []).append(hit)
    for linked in members.values():
        if len(linked) > 1:
            _share(linked)


def _share(linked: list[Hit]) -> None:
    firsts = [hit.fixes[0] if hit.fixes else None for hit in linked]
    applicability = lowest(*(fix.applicability if fix else None for fix in firsts))
    if applicability is None:
        for hit in linked:
            hit.fixes = ()
        return
    edits = tuple(merge(fix for fix in firsts if fix))
    for hit, fix in zip(linked, firsts):
        assert fix is not None
        hit.fixes = (Fix(fix.title, applicability, edits), *hit.fixes[1:])
