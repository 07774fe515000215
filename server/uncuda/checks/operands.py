"""Removes calls such as `torch.backends.cudnn.is_available()` from an `and` with a call that asks for CUDA devices. On
the target, the other call alone says whether the code can use a device."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence

from .. import lazy_re
from ..edits import SAFE, Edit, Fix
from ..facts.model import Name
from ..messages.fixes import titled
from .base import At, Context, Hit
from .hit import OPERANDS
from .name_calls import call_of
from .verdicts import Verdict

_AND = lazy_re.compile(r"[ \t]*\band\b[ \t]*")  # without brackets or line breaks


class Operands:
    """The calls in a text that their rules remove from an `and`: rules with the key `drops-beside`."""

    def __init__(self, spoken: Iterable[tuple[Name, Verdict]], context: Context) -> None:
        self._edits: dict[int, Edit] = {}
        self._tests: set[int] = set()
        removed: dict[int, list[Name]] = {}
        beside: dict[int, Collection[str]] = {}
        for reference, verdict in spoken:
            test = _test_of(reference) if verdict.rule.get("drops-beside") else None
            if test is not None:
                removed.setdefault(id(test), []).append(reference)
                beside[id(test)] = verdict.rule.get("drops-beside")
        for test_id, references in removed.items():
            if edits := _removals(references, beside[test_id], context):
                self._edits.update(edits)
                self._tests.add(test_id)

    def joined(self, hit: Hit, reference: Name) -> Hit:
        """Return a hit with the fix that removes the reference from its `and`, and with the key in `Hit.links` that
        this fix shares with the fixes of the other operands; return other hits unchanged."""
        test = _test_of(reference) if self._tests else None
        if test is None or id(test) not in self._tests:
            return hit
        start = reference.statement.start
        links = (*hit.links, (OPERANDS, At(start), At(start + reference.chain.piece.start(test))))
        if id(reference) not in self._edits:
            return hit._replace(links=links)
        title = titled("remove", f"`{hit.words['name']}()`")
        return hit._replace(links=links, fixes=(Fix(title, SAFE, (self._edits[id(reference)],)),))


def _test_of(reference: Name) -> ast.BoolOp | None:
    """Return the `and` of which a call of the reference is an operand."""
    call = call_of(reference)
    test = reference.statement.digest.parents.get(call) if call is not None else None
    return test if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else None


def _removals(references: Sequence[Name], beside: Collection[str], context: Context) -> dict[int, Edit]:
    """Return, by the id of each reference, the edit that removes its call from an `and`, together with the `and` before
    the call or, if no operand before the call stays, the `and` after it; {} if the `and` has no call of one of the
    names `beside`, or if there is a bracket or a line break beside a removed call.

    `references`: the names whose calls the fixes remove; their calls are operands of the same `and`.
    """
    first = references[0]
    test, statement, piece = _test_of(first), first.statement, first.chain.piece
    values = test.values if test is not None else []
    context.facts.work.compare(2 * len(values))
    called = {id(call_of(reference)): id(reference) for reference in references}
    kept = [value for value in values if id(value) not in called]
    if not any((context.resolve(one.func, statement) or "") in beside for one in kept if isinstance(one, ast.Call)):
        return {}
    spans = [tuple(statement.start + at for at in piece.span(value)) for value in values]
    first_kept = values.index(kept[0])
    edits: dict[int, Edit] = {}
    for index, value in enumerate(values):
        if id(value) in called:
            stays = index > first_kept
            left, right = (index - 1, index) if stays else (index, index + 1)
            if _AND.fullmatch(context.text, spans[left][1], spans[right][0]) is None:
                return {}
            span = (spans[left][1], spans[index][1]) if stays else (spans[index][0], spans[right][0])
            edits[called[id(value)]] = Edit(*span, "")
    return edits
