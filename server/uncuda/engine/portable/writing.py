"""Replaces fixes for one accelerator by fixes that work on all accelerators; a hit for which there is
no such fix gets a sentence that says why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...catalogue import Versions
from ...checks.base import Context
from ...checks.hit import Hit
from ...checks.quotes import fitted
from ...edits import SAFE, Edit, Fix
from ...messages.fixes import titled
from ..relations.kernels import Libraries
from .accelerators import Accelerators
from .arguments import written as argument_written
from .choices import Choices
from .compiled import Compiled
from .corners import Corners
from .forms import BY_HAND, COMPILED, FILE, LATE, NO_FORM, OLD, REFUSES, UNSURE, Form, Unwritable, filled
from .halves import Halves, says_accelerator
from .imports import is_import, is_plain
from .imports import written as import_written
from .methods import written as method_written
from .names import written as name_written
from .spelling import Spelling
from .strings import written as string_written
from .variables import written as variable_written

_WRITERS: dict[str, Callable[[Hit, Context, Form], Sequence[Edit]]] = {
    "string": string_written,
    "name": name_written,
    "method": method_written,
    "environment": variable_written,
    "argument": argument_written,
}


class Writer:
    """Writes the portable fixes of one text."""

    def __init__(
        self, context: Context, spelling: Spelling, accelerators: Accelerators, libraries: Libraries, style: str
    ) -> None:
        self._context, self._spelling, self._libraries = context, spelling, libraries
        continued = says_accelerator(context) and not spelling.imports
        self._accelerators = accelerators if style == "accelerator" or continued else None

    def written(self, hits: Sequence[Hit]) -> list[Hit | None]:
        """Return the hits in their order, each with a portable fix or the reason why it has none; None for a hit whose
        code needs no change."""
        choices = Choices(hits, self._context)
        corners = Corners(self._context, self._spelling)
        staying = [corners.holds(hit) for hit in hits]

        def each() -> list[Hit | None]:
            pairs = zip(hits, staying, strict=True)
            return [None if stays else self._written(hit, choices, hits) for hit, stays in pairs]

        written = each()
        edits = [edit for hit in written if hit is not None and hit.fixes for edit in hit.fixes[0].edits]
        if self._spelling.prefixes(edits):  # all fixes import the helper module in the same way
            written = each()
        halves, compiled = Halves(self._context, hits, written, self._libraries), Compiled(self._context)
        alone = [hit and self._in_reach(_apart(hit, halves, compiled)) for hit in written]
        left = next((hit for hit in alone if hit is not None and _is_left(hit)), None)
        if left is None:
            return alone
        shown = left.words.get("name") or left.words.get("old", "")
        return [hit and _for_review(hit, FILE, shown) for hit in alone]

    def _in_reach(self, hit: Hit) -> Hit:
        """Return the hit; its fix needs review if the file may not find the helper module at run time. The fix is
        removed if the existing import of the helper module is below the code."""
        if not hit.fixes:
            return hit
        first = self._spelling.first_use(hit.fixes[0].edits)
        if self._spelling.is_late_for(first):
            return _by_hand(hit, LATE)
        return hit if self._spelling.allowed_at(first) == SAFE else _for_review(hit, UNSURE)

    def _written(self, hit: Hit, choices: Choices, hits: Sequence[Hit]) -> Hit | None:
        if not hit.fixes:
            return hit
        templates: Mapping[str, str] | None = hit.rule.get("portable")
        writer = _WRITERS.get(hit.rule.check)
        if not templates or writer is None:
            return _by_hand(hit, NO_FORM)
        form = Form(templates, self._spelling, self._accelerators)
        if self._is_too_new(hit.rule.get("portable-since")):
            form.needs_review(OLD)
        try:
            if (around := choices.around(hit)) is not None:
                edits: Sequence[Edit] = [Edit(*around, filled("{device_type}", self._spelling))]
                hit = hit._replace(links=(*hit.links, choices.link(around)))
            elif is_import(hit):
                if is_plain(hit):
                    return None
                edits = import_written(hit, self._context, form, hits)
            else:
                edits = writer(hit, self._context, form)
        except Unwritable as why:
            return _by_hand(hit, str(why))
        new = _shown(edits)
        fix = Fix(titled("replace", f"`{new}`"), hit.fixes[0].applicability, tuple(edits))
        words = {**hit.words, "portable": new}
        made = fitted(hit._replace(fixes=(fix,), words=words), self._context.text)
        if not made.fixes:
            return _by_hand(hit, BY_HAND)
        return _for_review(made, form.review) if form.review else made

    def _is_too_new(self, since: str | None) -> bool:
        """Return whether the project declares that it runs on PyTorch versions older than `since`."""
        helper = self._context.project.helper
        declared = Versions.of(helper.torch if helper else "")
        return since is not None and declared != Versions() and declared.may("<", since)

    def imported(self, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits, with the import of the helper module added to their fixes."""
        return [self._imported(hit) for hit in hits]

    def _imported(self, hit: Hit) -> Hit:
        if not hit.fixes:
            return hit
        fix = hit.fixes[0]
        added = self._spelling.import_edits(fix.edits)
        if not added:
            return hit
        return hit.with_fixes((fix._replace(edits=(*fix.edits, *added)),))

    def combined(self, chosen: Sequence[tuple[Fix, str]]) -> list[tuple[Fix, str]]:
        """Return fixes that are applied together, with one shared import of the helper module's functions."""
        every = self._spelling.import_edits([edit for fix, _ in chosen for edit in fix.edits])
        found = []
        for fix, rule in chosen:
            own = set(self._spelling.import_edits(fix.edits))
            kept = [edit for edit in fix.edits if edit not in own]
            found.append((fix._replace(edits=(*kept, *every)) if own else fix, rule))
        return found


def _shown(edits: Sequence[Edit]) -> str:
    """Return the longest replacement text of the edits, for the title of the fix."""
    new = max((edit.text for edit in edits), key=len).strip("., ")
    if new.startswith("{") and new.endswith("}"):
        new = new[1:-1]
    while new.endswith(")") and new.count("(") < new.count(")"):
        new = new[:-1]
    return new if new.count("(") == new.count(")") else new.rstrip("(")


def _apart(hit: Hit, halves: Halves, compiled: Compiled) -> Hit:
    """Return the given hit, without its fix if an error message in the code says that only CUDA is supported. The fix
    needs review if it would port only a part of code that belongs together, or if TorchScript may compile the code."""
    if halves.refuses_others(hit):
        return _by_hand(hit, REFUSES)
    reason = halves.reason(hit) or (COMPILED if compiled.may_hold(hit) else "")
    return _for_review(hit, reason) if reason else hit


def _for_review(hit: Hit, limit: str, shown: str = "") -> Hit:
    """Return the hit; its safe fix becomes a fix that needs review. `limit`: the id of the sentence that says why
    the fix needs review; `shown`: the code that this sentence quotes."""
    if not hit.is_safe:
        return hit
    return hit.for_review(limit)._replace(words={**hit.words, limit: shown})


def _by_hand(hit: Hit, limit: str) -> Hit:
    return hit._replace(fixes=(), limits=(*hit.limits, limit))


def _is_left(hit: Hit) -> bool:
    """Return whether the code of a hit stays on CUDA if only safe fixes are applied. If the code of one hit stays on
    CUDA, no fix of its file is safe, because the functions of a file pass objects such as streams and tensors to each
    other."""
    severity = hit.severity or hit.rule.severity
    return severity != "information" and not hit.is_safe
