"""Finds questions for CUDA whose answer goes to a library with devices of its own, such as `XGBClassifier(device="cuda"
if torch.cuda.is_available() else "cpu")`. No fix changes the library's word for the device, and the library does not
run on the target, so the question stays, too. Also finds devices in dictionaries that such a library receives."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from ...checks import Context, Hit
from ...facts.read import Statement
from ...facts.role_calls import chain_of, option_name
from ...facts.roles import keys_of_values
from ...module_names import module_at
from .questions import is_question

FOR_OWN_DEVICES = "for-own-devices"
"""The id in rules/limits.tsv of the sentence "the answer is for a library with devices of its own, which no fix
changes"."""
OPTION = "option-for-own-devices"
"""The id in rules/limits.tsv of the sentence "the program also gives this option to a library with devices of its
own"."""
ENTRY = "entry-for-own-devices"
"""The id in rules/limits.tsv of the sentence "the dictionary is for a library with devices of its own"."""


class OwnDevices:
    """The libraries with devices of their own that one text imports. The rules name these libraries in `silent-calls`,
    as functions whose strings are not devices of torch."""

    def __init__(self, context: Context) -> None:
        self._context = context
        listed = context.catalogue.with_own_devices
        found = context.imported_roots & listed if context.imports_from(listed) else frozenset[str]()
        self._libraries = frozenset(name for name in found if not context.project.owns(name, context.path))

    def answers(self, hits: Sequence[Hit]) -> frozenset[int]:
        """Return the starts of the hits that are questions for CUDA, or numbers of devices, in an argument of a call of
        such a library, or that decide whether the library is called: `decord.gpu() if torch.cuda.is_available() else
        decord.cpu()`. `hits`: all hits of the text."""
        if not self._libraries:
            return frozenset()
        starts: dict[int, list[int]] = {}
        for hit in sorted(hits, key=lambda hit: hit.start):
            if hit.statement is not None:
                starts.setdefault(hit.statement.start, []).append(hit.start)
        asking = (hit for hit in hits if hit.rule.check == "name" and is_question(hit))
        return frozenset(hit.start for hit in asking if self._is_given(hit, starts))

    def entries(self, hits: Sequence[Hit]) -> frozenset[int]:
        """Return the starts of the hits at device strings in a dictionary that a call of such a library contains:
        `xgboost.train({"device": "cuda"}, data)`. `hits`: all hits of the text."""
        strings = ((hit, hit.statement) for hit in hits if hit.rule.check == "string") if self._libraries else ()
        return frozenset(hit.start for hit, statement in strings if statement and self._is_entry(hit, statement))

    def options(self, hits: Sequence[Hit]) -> frozenset[int]:
        """Return the starts of the hits in the default of a command-line option for a device, if a module that the file
        may use gives such a library a device which it got from elsewhere: a module of its own package or of one around
        or below it, or of a package that it imports."""
        if not any(map(self._may_use, self._context.project.devices_given)):
            return frozenset()
        chosen = (hit for hit in hits if hit.rule.check == "string" or is_question(hit))
        return frozenset(hit.start for hit in chosen if hit.statement and self._is_default(hit, hit.statement))

    def _may_use(self, given: tuple[str, str]) -> bool:
        """Return whether the file may use a module that gives a library a device, an item of
        `Project.devices_given`."""
        (module, library), context = given, self._context
        if context.project.owns(library, context.path):
            return False
        theirs, ours = (f"{name.rpartition('.')[0]}." for name in (module, module_at(context.path)))
        if len(min(theirs, ours, key=len)) > 1 and (theirs.startswith(ours) or ours.startswith(theirs)):
            return True
        return theirs == ours or not context.imported_roots.isdisjoint(module.split("."))

    def _is_default(self, hit: Hit, statement: Statement) -> bool:
        for outer in statement.digest.ancestors(hit.node) if hit.node is not None else ():
            self._context.facts.work.compare()
            if isinstance(outer, ast.keyword) and outer.arg == "default":
                call = statement.digest.parents.get(outer)
                return isinstance(call, ast.Call) and option_name(call).endswith("device")
        return False

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

    def _is_entry(self, hit: Hit, statement: Statement) -> bool:
        """Return whether a hit is in a value of a dictionary, and the innermost call around the dictionary is one of
        such a library."""
        inner, held = hit.node, False
        for outer in statement.digest.ancestors(inner) if inner is not None else ():
            self._context.facts.work.compare()
            if isinstance(outer, ast.Call):
                return held and inner is not outer.func and self._is_of_library(outer)
            held = held or (isinstance(outer, ast.Dict) and inner in keys_of_values(outer))
            inner = outer
        return False

    def _is_of_library(self, node: ast.AST) -> bool:
        root = chain_of(node.func)[0] if isinstance(node, ast.Call) else None
        dotted = self._context.foreign_name(root.id) if isinstance(root, ast.Name) else ""
        return dotted.partition(".")[0] in self._libraries
