"""Tells which statements choose a device by a condition that asks for CUDA."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from ...checks import Hit
from ...facts.read import Facts, Statement
from .questions import is_question

_CLAUSES = frozenset({"if", "elif", "else"})


class ChosenDevices:
    """Tells which statements choose a device by a question for CUDA. `hits`: all hits of the text."""

    def __init__(self, hits: Sequence[Hit], facts: Facts) -> None:
        self._indents = facts.indents
        devices = (hit for hit in hits if hit.rule.check == "string" or hit.words.get("old") == "cuda")
        self._devices = sorted(hit.start for hit in devices)
        asking = (hit for hit in hits if hit.rule.check == "name" and is_question(hit))
        self._asking = {hit.statement.start for hit in asking if hit.statement is not None}

    def chooses(self, statement: Statement) -> bool:
        """Return whether a statement that asks for CUDA contains a device, guards one or a call of `.cuda()`, or stores
        the answer in a variable."""
        return self.names_device(statement) or any(one.kind == "assign" for one in statement.digest.bindings)

    def names_device(self, statement: Statement) -> bool:
        """Return whether a statement contains a device, or guards one or a call of `.cuda()`."""
        end = statement.end
        if self._indents.header_at(statement.start).word in _CLAUSES:
            end = max(end, self._indents.extent(statement.start))
        return bisect_left(self._devices, end) > bisect_left(self._devices, statement.start)

    def is_guarded(self, statement: Statement) -> bool:
        """Return whether a statement is in the block of a condition that asks for CUDA, or of its `else`."""
        above = self._indents.header_above(statement.start)
        if above is None or above.word not in _CLAUSES:
            return False
        return self._indents.clauses(above)[0].start in self._asking
