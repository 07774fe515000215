"""Finds files that load a traced model onto the devices where it was traced, for all devices but the CPU: `if device ==
"cpu": return None` above `torch.jit.load(path)`. The model was traced on CUDA, and cannot be loaded on the target."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ... import lazy_re
from ...checks import Hit
from ...facts.read import Facts
from ...facts.role_calls import last_word
from ...facts.scans import plain
from .questions import is_question

OF_TRACED = "traced-on-cuda"
"""The id in rules/limits.tsv of the sentence "this file loads a model that was traced on CUDA for every device but the
CPU"."""
_LOADS = "torch.jit.load("
_HOST = lazy_re.compile(r"\bdevice\b[^\n]{0,40}[!=]=[ \t]*[\"']cpu[\"']")


def beside_traced(hits: Sequence[Hit], facts: Facts) -> frozenset[int]:
    """Return the starts of the hits that choose the device in such a file: device strings and questions for CUDA.
    `hits`: all hits of the text."""
    places = facts.searches.find(("text", _LOADS), plain(_LOADS)) if facts.says(_LOADS) else ()
    if not any(_is_for_others(at, facts) for at in places):
        return frozenset()
    return frozenset(hit.start for hit in hits if hit.rule.check == "string" or is_question(hit))


def _is_for_others(at: int, facts: Facts) -> bool:
    """Return whether the call at an offset maps nothing, and a line above it in its function tells the CPU from the
    other devices."""
    statement = None if facts.layout.token_at(at) else facts.peek(at)
    calls = [node for node in statement.digest.parents if isinstance(node, ast.Call)] if statement is not None else []
    mapped = any(
        last_word(call.func) == "load"
        and (len(call.args) > 1 or any(one.arg == "map_location" for one in call.keywords))
        for call in calls
    )
    scope = facts.indents.scope_of(at)
    if statement is None or mapped or scope is None or scope[1] != "def":
        return False
    facts.work.search(scope[0], at)
    facts.layout.reads(scope[0], at)
    return any(not facts.layout.token_at(match.start()) for match in _HOST.finditer(facts.text, scope[0], at))
