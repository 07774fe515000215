"""Applies fixes pass by pass until no fix of an allowed class (safe, or also review) is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from ..edits import REVIEW, SAFE, Change, Edit, Fix, apply_edits, changes_of, select
from ..project import Answers
from ..source import Source
from .refusal import refusal
from .results import Fixed, Report
from .selection import Selection, name_of
from .sites import moved

_PASSES = 12
_CHANGED = "changed while it was being fixed; left as it is, run again"

Edited = tuple[str, Collection[Edit]]
"""An earlier text, and the edits that turned it into the current one."""

Chosen = list[tuple[Fix, str]]
"""Fixes that are applied together, each with its rule."""


class Combination(NamedTuple):
    """Two functions for fixes that are applied together. One combines the imports that the fixes add, the other
    reformats the code that the fixes wrote."""

    combined: Callable[[Chosen], Chosen] = list
    """Replaces the imports that the single fixes add by the imports that all fixes need together."""
    laid_out: Callable[[str, str], list[Edit]] = lambda before, after: []
    """Returns edits that reformat the code which the fixes wrote; the arguments are the text before and the text after
    the fixes."""


_ALONE = Combination()

Check = Callable[[Source, "Edited | None", "Answers | None"], Report]
"""A function that returns the report of a text; its arguments are the edits since the last check and the known types of
receivers."""


def fixed(
    source: Source,
    check: Check,
    review: bool,
    rules: Collection[str] | None,
    answers: Answers | None,
    selection: Selection | None = None,
    together: Combination = _ALONE,
) -> Fixed:
    """Return the text after its safe fixes (with `review`, also those that need review) of the given `rules` (None:
    all), or the reason why it was not fixed."""
    if not review:
        return _made(source, check, {SAFE}, rules, answers, selection, together)
    made = _made(source, check, {SAFE, REVIEW}, rules, answers, selection, together)
    classes = [{change.applicability for change in each} for each in made.passes]
    if not any(REVIEW in earlier and SAFE in later for earlier, later in pairwise(classes)):
        return made
    alone = _made(source, check, {SAFE}, rules, answers, selection, together)
    return replace(made, alone=frozenset(change.edit for change in alone.changes))


def _made(
    source: Source,
    check: Check,
    allowed: Collection[str],
    rules: Collection[str] | None,
    answers: Answers | None,
    selection: Selection | None,
    together: Combination,
) -> Fixed:
    text, applied = source.text, Counter[str]()
    passes: list[list[Change]] = []
    first = report = check(source, None, answers)
    if selection is not None:
        if selection.text != name_of(text):
            return Fixed(text, {}, first, _CHANGED, first=first)
        first = report = selection.of(report)
    for _ in range(_PASSES):
        chosen = [
            (f.fixes[0], f.rule)
            for f in report.findings
            if f.fixes and f.fixes[0].applicability in allowed and (rules is None or f.rule in rules)
        ]
        if not chosen:
            quoted = any(quote in change.edit.text for each in passes for change in each for quote in "\"'")
            if laid_out := together.laid_out(source.text, text) if text != source.text else []:
                low = REVIEW if any(change.applicability == REVIEW for each in passes for change in each) else SAFE
                passes.append([Change(edit, tuple(applied), low) for edit in laid_out])
                text = apply_edits(text, laid_out)
                report = check(Source(text, source.path, source.encoding, source.bom), None, None)
                report = selection.moved(laid_out).of(report) if selection is not None else report
            reason = refusal(source.text, text, quoted) if text != source.text else None
            break
        chosen = together.combined(chosen)
        made = {id(fix): fix for fix in select([fix for fix, _ in chosen])}
        passes.append(changes_of((fix, rule) for fix, rule in chosen if id(fix) in made))
        edits = [change.edit for change in passes[-1]]
        before, text = text, apply_edits(text, edits)
        applied.update(rule for fix, rule in chosen if id(fix) in made)
        answers = moved(answers, edits) if answers else None
        result = Source(text, source.path, source.encoding, source.bom)
        report = check(result, (before, edits), answers)
        if selection is not None:
            selection = selection.moved(edits)
            report = selection.of(report)
    else:
        reason = "its fixes do not settle"
    if reason is not None:
        return Fixed(source.text, {}, first, reason, first=first)
    return Fixed(text, dict(applied), report, before=source.text, passes=tuple(passes), first=first)
