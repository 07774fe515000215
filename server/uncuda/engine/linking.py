"""Sites that belong together change together or not at all, at the lowest class among them."""

from __future__ import annotations

from collections.abc import Hashable

from ..checks import Hit
from ..edits import Fix, lowest, merge
from ..facts.scopes import IndentScopes


def link_conditions(hits: list[Hit], indents: IndentScopes) -> None:
    """Link the fixable hits in the conditions of one if/elif chain.

    With only one of them changed, the chain would look as if it already served the target.
    """
    for hit in hits:
        if hit.fixes and hit.statement is not None:
            header = indents.header_at(hit.statement.start)
            if header.word in ("if", "elif"):
                first = indents.clauses(header)[0] if header.word == "elif" else header
                hit.links = (*hit.links, ("conditions", first.start))


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
