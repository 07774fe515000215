"""Finds questions for CUDA whose answer goes to a library with devices of its own, such as `XGBClassifier(device="cuda"
if torch.cuda.is_available() else "cpu")`. No fix changes the library's word for the device, and the library does not
run on the target, so the question stays, too."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from ...checks import Context, Hit
from ...facts.role_calls import chain_of
from .questions import is_question

FOR_OWN_DEVICES = "for-own-devices"
"""The id in rules/limits.tsv of the sentence "the answer is for a library with devices of its own"."""


def answers(hits: Sequence[Hit], context: Context) -> frozenset[int]:
    """Return the starts of the hits that are questions for CUDA, or numbers of devices, in an argument of a call of a
    library with devices of its own, or that decide whether the library is called: `decord.gpu() if
    torch.cuda.is_available() else decord.cpu()`. The rules name these libraries in `silent-calls`, as functions whose
    strings are not devices of torch. `hits`: all hits of the text."""
    if not any(map(context.facts.says, context.catalogue.with_own_devices)):
        return frozenset()
    starts: dict[int, list[int]] = {}
    for hit in sorted(hits, key=lambda hit: hit.start):
        if hit.statement is not None:
            starts.setdefault(hit.statement.start, []).append(hit.start)
    asking = (hit for hit in hits if hit.rule.check == "name" and is_question(hit))
    return frozenset(hit.start for hit in asking if _is_given(hit, starts, context))


def _is_given(hit: Hit, starts: Mapping[int, Sequence[int]], context: Context) -> bool:
    """`starts`: the starts of all hits, by the start of their statement, sorted. A question is left out if a hit is in
    a value that it selects: the value has a fix of its own, or none."""
    statement, inner = hit.statement, hit.node
    if statement is None or inner is None:
        return False
    for outer in statement.digest.ancestors(inner):
        context.facts.work.compare()
        if isinstance(outer, ast.IfExp) and inner is outer.test:
            start, end = (statement.start + at for at in statement.digest.span(outer))
            within = starts[statement.start]
            if bisect_left(within, end) - bisect_left(within, start) > 1:
                return False
            if _is_of_library(outer.body, context):
                return True
        if isinstance(outer, ast.Call) and inner is not outer.func:
            return _is_of_library(outer, context)
        inner = outer
    return False


def _is_of_library(node: ast.AST, context: Context) -> bool:
    root = chain_of(node.func)[0] if isinstance(node, ast.Call) else None
    dotted = context.foreign_name(root.id) if isinstance(root, ast.Name) else ""
    return dotted.partition(".")[0] in context.catalogue.with_own_devices
