"""Links a call that receives a function, such as `torch.cuda._lazy_call(callback)`, with the hits in this function: if
only one of them were fixed, the function would run for another device, or not at all."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ... import lazy_re
from ...checks import Hit
from ...checks.branches import Branches
from ...facts.read import Statement
from ...facts.scans import plain, uses
from .questions import Stretch, hits_in

_DEFINED = lazy_re.compile(r"(?:async[ \t]+)?def[ \t]+(\w+)")


def handed(hits: Sequence[Hit], branches: Branches) -> Iterator[tuple[int, int | None]]:
    """Yield, for each hit of a rule with the key `takes-function`: the index of this hit, and the index of a hit in the
    code of the function that a call passes; None in place of the second index if this file does not define the
    function. A hit in this code that is only information, and has no fix, does not count."""
    asked = [index for index, hit in enumerate(hits) if hit.fixes and hit.rule.get("takes-function")]
    starts = sorted((hit.start, index) for index, hit in enumerate(hits)) if asked else []
    for index in asked:
        for statement, call in _calls(hits[index], branches):
            spans = _spans(call.args[0], statement, branches) if call.args else []
            if not spans:
                yield index, None
            for span in spans:
                behind = hits_in(starts, span)
                branches.work.compare(1 + len(behind))
                yield from ((index, other) for _, other in behind if other != index and _counts(hits[other]))


def _counts(hit: Hit) -> bool:
    return bool(hit.fixes) or (hit.severity or hit.rule.severity) != "information"


def _calls(hit: Hit, branches: Branches) -> Iterator[tuple[Statement, ast.Call]]:
    """Yield the call at a hit; for a hit at an import, the calls of the name that the import binds."""
    statement = hit.statement
    if statement is None:
        return
    call = hit.parent
    if isinstance(call, ast.Call) and call.func is hit.node:
        yield statement, call
    for binding in statement.digest.bindings:
        if binding.kind == "from" and binding.dotted == hit.words.get("name"):
            yield from _calls_of(binding.name, branches)


def _calls_of(name: str, branches: Branches) -> Iterator[tuple[Statement, ast.Call]]:
    facts = branches.facts
    for _, statement in facts.statements_at(facts.searches.find(("flag", name), uses(name, True))):
        branches.work.compare(len(statement.digest.chains))
        for chain in statement.digest.chains:
            call = statement.digest.parents.get(chain.node)
            if chain.spelled == name and isinstance(call, ast.Call) and call.func is chain.node:
                yield statement, call


def _spans(given: ast.expr, statement: Statement, branches: Branches) -> list[Stretch]:
    """Return the spans of the code that an argument names: a lambda, or the definitions of a function in the function
    that contains the call, or in one around it; empty if there are none."""
    if isinstance(given, ast.Lambda):
        start, end = statement.digest.span(given)
        return [(statement.start + start, statement.start + end)]
    if not isinstance(given, ast.Name):
        return []
    word = f"def {given.id}"
    places = list(branches.facts.searches.find(("text", word), plain(word)))
    lines = dict.fromkeys(branches.indents.header_at(at).start for at in places)
    defined = [start for start in lines if _defines(given.id, start, branches)]
    scope = branches.indents.scope_of(statement.start)
    while True:
        branches.work.compare(1 + len(defined))
        found = [start for start in defined if branches.indents.scope_of(start) == scope]
        if found or scope is None:
            return [(start, branches.indents.extent(start)) for start in found]
        scope = branches.indents.scope_of(scope[0])


def _defines(name: str, start: int, branches: Branches) -> bool:
    match = _DEFINED.match(branches.text, start)
    return match is not None and match[1] == name
