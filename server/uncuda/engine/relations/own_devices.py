"""Finds questions for CUDA whose answer goes to a library with devices of its own, such as `XGBClassifier(device="cuda"
if torch.cuda.is_available() else "cpu")`. No fix changes the library's word for the device, and the library does not
run on the target, so the question stays, too."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property

from ...checks import Context, Hit
from ...facts.role_calls import chain_of
from .questions import is_question

FOR_OWN_DEVICES = "for-own-devices"
"""The id in rules/limits.tsv of the sentence "the answer is for a library with devices of its own"."""
_COUNT = "device_count"


class OwnDevices:
    """Tells which hits of one text are questions for CUDA, or numbers of devices, in an argument of a call of a library
    with devices of its own, or decide whether the library is called: `decord.gpu() if torch.cuda.is_available() else
    decord.cpu()`. The rules name these libraries in `silent-calls`, as functions whose strings are not devices of
    torch."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @cached_property
    def _locals(self) -> frozenset[str]:
        """The local names of these libraries, and of what the file imports from them."""
        rules = (rule for rule in self._context.catalogue.rules.values() if rule.check == "string")
        listed = {name for rule in rules for name in rule.get("silent-calls", ()) if "." not in name}
        if not any(map(self._context.facts.says, sorted(listed))):
            return frozenset()
        imported = {**self._context.foreign_names, **self._context.foreign_modules}
        return frozenset(local for local, dotted in imported.items() if dotted.partition(".")[0] in listed)

    def found(self, hits: Sequence[Hit]) -> frozenset[int]:
        """Return the starts of such questions and numbers among all hits of the text."""
        if not self._locals:
            return frozenset()
        starts: dict[int, list[int]] = {}
        for hit in sorted(hits, key=lambda hit: hit.start):
            if hit.statement is not None:
                starts.setdefault(hit.statement.start, []).append(hit.start)
        return frozenset(hit.start for hit in hits if _asks(hit) and self._is_given(hit, starts))

    def _is_given(self, hit: Hit, starts: Mapping[int, Sequence[int]]) -> bool:
        """`starts`: the starts of all hits, by the start of their statement, sorted. A question is left out if a hit is
        in a value that it selects: the value has a fix of its own, or none."""
        statement, inner = hit.statement, hit.node
        if statement is None or inner is None:
            return False
        for outer in statement.digest.ancestors(inner):
            self._context.facts.work.compare()
            if isinstance(outer, ast.IfExp) and inner is outer.test:
                start, end = (statement.start + at for at in statement.digest.span(outer))
                within = starts[statement.start]
                if bisect_left(within, end) - bisect_left(within, start) > 1:
                    return False
                if self._is_of_library(outer.body):
                    return True
            if isinstance(outer, ast.Call) and inner is not outer.func:
                return self._is_of_library(outer)
            inner = outer
        return False

    def _is_of_library(self, node: ast.AST) -> bool:
        root = chain_of(node.func)[0] if isinstance(node, ast.Call) else None
        return isinstance(root, ast.Name) and root.id in self._locals


def _asks(hit: Hit) -> bool:
    name = hit.words.get("name", "")
    return hit.rule.check == "name" and (is_question(hit) or name.endswith(_COUNT))
