"""Finds lists of devices of which a file refuses all others: `TYPES = ("cuda", "xpu")`, and `if device.type not in
TYPES: raise ValueError`. If such a list stays, the file would refuse its own device on the target, so all that the file
makes of this device waits for the list."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import islice

from ... import lazy_re
from ...checks import Hit, leaving
from ...checks.branch_words import last_of
from ...checks.branches import Branches
from ...facts.scans import uses

_LISTS = 8  # maximum number of such lists of a file
_PLACES = 64  # maximum number of uses of a list that are looked at
_NOT_IN = lazy_re.compile(r"\bnot[ \t]+in[ \t]+$")
_BEFORE = 20  # maximum number of characters of `not in` before the name of a list


def refusing(hits: Sequence[Hit], branches: Branches) -> Iterator[tuple[int, int]]:
    """Yield pairs of hits, of which the first is fixed only if the second is: any hit of the file, and CUDA's name in
    such a list of the module."""
    named = dict(islice(((name, index) for index, hit in enumerate(hits) if (name := _list_of(hit, branches))), _LISTS))
    for name, one in named.items():
        if _refuses(name, branches):
            branches.work.compare(len(hits))
            yield from ((index, one) for index in range(len(hits)) if index != one)


def _list_of(hit: Hit, branches: Branches) -> str:
    """Return the variable to which a statement without indentation assigns a list of devices that contains the hit, a
    string; "" if there is none."""
    listed = hit.parent
    if hit.rule.check != "string" or not isinstance(listed, (ast.List, ast.Set, ast.Tuple)) or hit.statement is None:
        return ""
    devices = hit.rule.get("suggesting-items", ())
    if not all(one is hit.node or (isinstance(one, ast.Constant) and one.value in devices) for one in listed.elts):
        return ""
    outer = hit.statement.digest.parents.get(listed)
    if isinstance(outer, ast.Call):  # `frozenset({"cuda", "xpu"})`
        outer = hit.statement.digest.parents.get(outer)
    target = outer.targets[0] if isinstance(outer, ast.Assign) else getattr(outer, "target", None)
    indented = branches.facts.layout.line_start(hit.statement.start) < hit.statement.start
    return target.id if isinstance(target, ast.Name) and not indented else ""


def _refuses(name: str, branches: Branches) -> bool:
    """Return whether the block of an `if` ends by raising an exception where something is not in a list."""
    facts, done = branches.facts, -1
    for at in islice(facts.searches.find(("flag", name), uses(name, True)), _PLACES):
        facts.work.compare()
        if at >= done and _NOT_IN.search(branches.text, max(0, at - _BEFORE), at) and not facts.layout.token_at(at):
            header = branches.indents.header_at(at)
            done = header.end
            if header.word in ("if", "elif") and leaving.raises(last_of(header, facts)):
                return True
    return False
