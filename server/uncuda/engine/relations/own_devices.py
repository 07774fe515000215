"""Finds questions for CUDA whose answer goes to a library with devices of its own, such as `XGBClassifier(device="cuda"
if torch.cuda.is_available() else "cpu")`. No fix changes the library's word for the device, and the library does not
run on the target, so the question stays, too. Also finds dictionaries with arguments that may be for such a library."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from ...checks import Context, Hit
from ...facts.read import Statement
from ...facts.role_calls import chain_of
from ...facts.scans import whole_word
from .questions import is_question

FOR_OWN_DEVICES = "for-own-devices"
"""The id in rules/limits.tsv of the sentence "the answer is for a library with devices of its own"."""

ENTRY = "entry-for-own-devices"
"""The id in rules/limits.tsv of the sentence "the dictionary may be for a library with devices of its own"."""


def answers(hits: Sequence[Hit], context: Context) -> frozenset[int]:
    """Return the starts of the hits that are questions for CUDA, or numbers of devices, in an argument of a call of a
    library with devices of its own, or that decide whether the library is called: `decord.gpu() if
    torch.cuda.is_available() else decord.cpu()`. The rules name these libraries in `silent-calls`, as functions whose
    strings are not devices of torch. `hits`: all hits of the text."""
    if not context.imports_from(context.catalogue.with_own_devices):
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


def entries(hits: Sequence[Hit], context: Context) -> frozenset[int]:
    """Return the starts of the hits at device strings in a dictionary, if a call of a library with devices of its own
    contains the dictionary, or the same class or function at module level uses the library: `args = {"device": "cuda"}`
    above `ctranslate2.Translator(path, **args)`."""
    libraries = context.catalogue.with_own_devices
    if not context.imports_from(libraries):
        return frozenset()
    strings = ((hit, hit.statement) for hit in hits if hit.rule.check == "string" and hit.statement is not None)
    found = [(hit.start, statement) for hit, statement in strings if _is_entry(hit, statement)]
    imported = {**context.foreign_names, **context.foreign_modules} if found else {}
    local = [name for name, dotted in sorted(imported.items()) if dotted.partition(".")[0] in libraries]
    find = context.facts.searches.find
    uses = sorted(at for name in local for at in find(("whole", name), whole_word(name)))
    return frozenset(start for start, statement in found if _is_used(uses, statement, context))


def _is_used(uses: Sequence[int], statement: Statement, context: Context) -> bool:
    """Return whether one of these offsets is in the same class or function at module level as a statement, or anywhere
    in the file if the statement is at module level."""
    indents = context.facts.indents
    blocks = [header for header in indents.headers(statement.start) if header.word in ("def", "class")]
    if not blocks:
        return bool(uses)
    start = blocks[-1].start
    return bisect_left(uses, indents.extent(start)) > bisect_left(uses, start)


def _is_entry(hit: Hit, statement: Statement) -> bool:
    inner = hit.node
    for outer in statement.digest.ancestors(inner) if inner is not None else ():
        if isinstance(outer, ast.Dict):
            return inner in outer.values
        if not isinstance(outer, ast.IfExp) or inner is outer.test:
            return False
        inner = outer
    return False
