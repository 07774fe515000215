"""Finds functions that load a traced model onto the devices where it was traced, for all devices but the CPU: `if
device == "cpu": return None` above `torch.jit.load(path)`. The model was traced on CUDA, and cannot be loaded on the
target."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ... import lazy_re
from ...checks import Hit
from ...checks.branch_words import leaves
from ...facts.read import Facts
from ...facts.role_calls import last_word
from ...facts.scans import matches, plain, whole_word
from ...facts.scopes import FUNCTION
from .questions import is_question

OF_TRACED = "traced-on-cuda"
"""The id in rules/limits.tsv of the sentence "this code loads a model that was traced on CUDA for every device but the
CPU"."""
_LOADS = "torch.jit.load("
_HOST = lazy_re.compile(r"[ \t]*(?:el)?if\b[^\n]*\bdevice\b[^\n]{0,40}[!=]=[ \t]*[\"']cpu[\"']")
_MOST = 20  # the maximum number of functions that load a model so


def beside_traced(hits: Sequence[Hit], facts: Facts) -> frozenset[int]:
    """Return the starts of the hits that choose the device in such a function, in its header, and in the functions that
    name it: device strings and questions for CUDA. `hits`: all hits of the text."""
    places = facts.searches.find(("text", _LOADS), plain(_LOADS)) if facts.says(_LOADS) else ()
    functions = set(_loaders(places, facts)) if places else set[int]()
    if not functions or len(functions) > _MOST:
        return frozenset()
    scopes = set(functions)
    for start in functions:
        name = FUNCTION.match(facts.text, start)
        for at in facts.searches.find(("whole", name[1]), whole_word(name[1])) if name is not None else ():
            facts.work.compare()
            scopes.add(facts.indents.scope_start(at))
    scopes.discard(-1)
    chosen = (hit for hit in hits if hit.statement is not None and (hit.rule.check == "string" or is_question(hit)))
    return frozenset(hit.start for hit in chosen if not scopes.isdisjoint(_scopes(hit, facts)))


def _scopes(hit: Hit, facts: Facts) -> tuple[int, ...]:
    """Return the starts of the function around a hit, and of the function in whose header it is."""
    start = hit.statement.start if hit.statement is not None else -1
    return facts.indents.scope_start(start), start


def _loaders(places: Sequence[int], facts: Facts) -> Iterator[int]:
    """Yield the starts of the functions that load a model without a map, where a condition tells the CPU from the other
    devices."""
    hosts = facts.searches.find(("host", _LOADS), matches(_HOST, "cpu"))
    asking = {
        facts.indents.scope_start(at): facts.indents.header_at(at) for at in hosts if not facts.layout.token_at(at)
    }
    for at, statement in facts.statements_at(places) if asking else ():
        header = asking.get(facts.indents.scope_start(at))
        if header is not None and header.start < at and not facts.layout.token_at(at):
            inside = at < facts.indents.extent(header.start)
            if inside or leaves(header, facts):
                facts.work.compare(len(statement.digest.parents))
                if any(map(_is_unmapped, statement.digest.parents)):
                    yield facts.indents.scope_start(at)


def _is_unmapped(node: ast.AST) -> bool:
    loads = isinstance(node, ast.Call) and last_word(node.func) == "load"
    return (
        isinstance(node, ast.Call)
        and loads
        and len(node.args) < 2
        and all(one.arg != "map_location" for one in node.keywords)
    )
