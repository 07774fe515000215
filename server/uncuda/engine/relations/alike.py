"""Finds hits that must be decided alike, because the program would otherwise ask one device and use another: the
functions that read and set the random state, the conditions that choose the arguments of one call, and the conditions
of one `if` chain that read the same attribute."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Sequence

from ...checks import Hit
from ...checks.branches import Branches
from ...limits import Work
from .parts import in_test
from .questions import is_question

_STATES = frozenset({"get_rng_state", "get_rng_state_all", "set_rng_state", "set_rng_state_all"})


def alike(hits: Sequence[Hit], work: Work) -> Iterator[tuple[int, int]]:
    """Yield pairs of hits that change together: all hits in one file that read or set the random state, because a file
    may store the state under a key and read it again; and two conditions that choose the arguments of one call:
    `Trainer(device="gpu" if torch.cuda.is_available() else "cpu", precision=16 if torch.cuda.is_available() else 32)`.
    """
    first: dict[Hashable, int] = {}
    for index, hit in enumerate(hits):
        key = _key(hit, work)
        if key is not None and first.setdefault(key, index) != index:
            yield first[key], index


def _key(hit: Hit, work: Work) -> Hashable:
    """Return a key that is the same for all hits which must change together with this hit; None if there are none."""
    if hit.rule.check == "name" and hit.words.get("name", "").rpartition(".")[2] in _STATES:
        return "state"
    if hit.rule.check not in ("name", "method") or hit.node is None or hit.statement is None or not is_question(hit):
        return None
    inner, choice = hit.node, None
    for outer in hit.statement.digest.ancestors(hit.node):
        work.compare()
        if isinstance(outer, ast.IfExp) and inner is outer.test and choice is None:
            choice = outer
        elif choice is not None and not isinstance(outer, ast.keyword):
            return (hit.statement.start, outer) if isinstance(outer, ast.Call) and inner is not outer.func else None
        inner = outer
    return None


def chained(hits: Sequence[Hit], branches: Branches) -> Iterator[tuple[int, int]]:
    """Yield pairs of hits that change together: attributes of the same spelling in the conditions of one `if` chain, as
    in `if x.is_cuda == True: … elif x.is_cuda != True: …`."""
    first: dict[tuple[int, str], int] = {}
    for index, hit in enumerate(hits):
        if hit.rule.check != "method" or hit.rule.get("call") or hit.statement is None or hit.node is None:
            continue
        header = branches.indents.header_at(hit.statement.start)
        if header.word in ("if", "elif") and in_test(hit.node, hit.statement, (ast.If,)):
            key = branches.indents.clauses(header)[0].start, ast.unparse(hit.node)
            if first.setdefault(key, index) != index:
                yield first[key], index
