"""Removes calls such as `torch.backends.cudnn.is_available()` from an `and` with a call that asks for CUDA devices. On
the target, the other call alone says whether the code can use a device."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable
from dataclasses import replace

from ..edits import SAFE, Edit, Fix
from ..facts.model import Name
from ..messages.fixes import titled
from .base import At, Context, Hit
from .name_calls import call_of
from .verdicts import Verdict

_AND = re.compile(r"[ \t]*\band\b[ \t]*")  # without brackets or line breaks


class Operands:
    """The calls in a text that their rules remove from an `and`: rules with the key `drops-beside`."""

    def __init__(self, spoken: Iterable[tuple[Name, Verdict]], context: Context) -> None:
        self._edits: dict[int, Edit] = {}
        self._tests: set[int] = set()
        for reference, verdict in spoken:
            if (beside := verdict.rule.get("drops-beside")) and (edit := _removal(reference, beside, context)):
                self._edits[id(reference)] = edit
                self._tests.add(id(_test_of(reference)))

    def joined(self, hit: Hit, reference: Name) -> Hit:
        """Return a hit with the fix that removes the reference from its `and`, and with the key in `Hit.links` that
        this fix shares with the fixes of the other operands; return other hits unchanged."""
        test = _test_of(reference) if self._tests else None
        if test is None or id(test) not in self._tests:
            return hit
        start = reference.statement.start
        links = (*hit.links, ("operands", At(start), At(start + reference.chain.piece.start(test))))
        if id(reference) not in self._edits:
            return replace(hit, links=links)
        title = titled("remove", f"`{hit.words['name']}()`")
        return replace(hit, links=links, fixes=(Fix(title, SAFE, (self._edits[id(reference)],)),))


def _test_of(reference: Name) -> ast.BoolOp | None:
    """Return the `and` of which a call of the reference is an operand."""
    call = call_of(reference)
    test = reference.statement.digest.parents.get(call) if call is not None else None
    return test if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else None


def _removal(reference: Name, beside: Collection[str], context: Context) -> Edit | None:
    """Return the edit that removes the call of a reference, and the `and` before or after it; None if no other operand
    is a call of one of the names `beside`."""
    test, statement, piece = _test_of(reference), reference.statement, reference.chain.piece
    if test is None:
        return None
    context.facts.work.compare(len(test.values))
    index = next(at for at, value in enumerate(test.values) if value is call_of(reference))
    others = (value.func for value in test.values if isinstance(value, ast.Call) and value is not test.values[index])
    if not any((context.resolve(function, statement) or "") in beside for function in others):
        return None
    first, second = (index - 1, index) if index else (0, 1)
    gap = tuple(statement.start + at for at in (piece.end(test.values[first]), piece.start(test.values[second])))
    if _AND.fullmatch(context.text, *gap) is None:
        return None
    start, end = (statement.start + at for at in piece.span(test.values[index]))
    return Edit(gap[0], end, "") if index else Edit(start, gap[1], "")
