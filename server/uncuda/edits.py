"""Edits of a text: their types, functions that combine them, and a few helpers for checks."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

SAFE, REVIEW = "safe", "review"


class Edit(NamedTuple):
    """Replaces the characters in the half-open range [start, end) by `text`."""

    start: int
    end: int
    text: str


class Fix(NamedTuple):
    """Edits of one finding's fix, which are applied together or not at all. `applicability`: the fix class, "safe" or
    "review"."""

    title: str
    applicability: str
    edits: tuple[Edit, ...]


class Change(NamedTuple):
    """An edit, the rules whose fixes contain it, and its fix class: "safe" if a safe fix contains it, else "review"."""

    edit: Edit
    rules: tuple[str, ...]
    applicability: str


class OverlapError(ValueError):
    """Raised if two edits change the same characters."""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text after all edits; OverlapError if two of them change the same characters."""
    parts, end = [], 0
    for edit in sorted(edits, key=_order):
        if edit.start < end:
            raise OverlapError(f"edit at {edit.start} overlaps the one before it")
        parts += [text[end : edit.start], edit.text]
        end = edit.end
    return "".join(parts) + text[end:]


def _order(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end


def overlaps(edit: Edit, other: Edit) -> bool:
    """Whether two different edits conflict: they change a common character, or both insert at the same offset."""
    same_place = edit.start == edit.end and (edit.start, edit.end) == (other.start, other.end)
    return same_place or (edit.start < other.end and other.start < edit.end)


def select(fixes: Sequence[Fix]) -> list[Fix]:
    """Return the fixes that can be applied in one pass: all except those that conflict with an earlier one; a fix is
    applied as a whole or not at all."""
    taken: set[Edit] = set()
    ordered: list[Edit] = []  # the edits do not overlap, so their ends are sorted like their starts
    chosen = []
    for fix in fixes:
        fresh = [edit for edit in fix.edits if edit not in taken]
        if any(overlaps(edit, other) for edit in fresh for other in _near(ordered, edit)):
            continue
        chosen.append(fix)
        taken.update(fresh)
        for edit in fresh:
            insort(ordered, edit)
    return chosen


def _near(edits: list[Edit], edit: Edit) -> Iterator[Edit]:
    """The edits in a sorted list that touch `edit`."""
    at = bisect_right(edits, edit.end, key=lambda other: other.start)
    while at and edits[at - 1].end >= edit.start:
        at -= 1
        yield edits[at]


def merge(fixes: Iterable[Fix]) -> list[Edit]:
    """Return the edits of several fixes; an edit that several fixes contain is returned once."""
    return sorted({edit for fix in fixes for edit in fix.edits}, key=_order)


def in_cell(edit: Edit, program: str, starts: Sequence[int]) -> tuple[int, Edit]:
    """Return the index of the notebook cell that contains an edit of the joined text, and the edit with its offsets in
    this cell. `starts`: the offsets in the joined text at which cells begin."""
    index = max(0, bisect_right(starts, edit.start) - 1)
    if edit.start == edit.end == starts[index] and index and edit.text.endswith("\n"):
        before = program[starts[index - 1] : starts[index] - 1]
        if before.strip():  # a line that is inserted after the last line of a cell belongs to this cell
            end = starts[index - 1] + len(before.rstrip("\r\n"))
            return index - 1, Edit(end, end, "\n" + edit.text.rstrip("\r\n"))
    return index, edit


def lowest(*applicabilities: str | None) -> str | None:
    """Return the lowest of several fix classes: None (no fix) is below "review", which is below "safe"."""
    if any(item is None for item in applicabilities):
        return None
    return REVIEW if REVIEW in applicabilities else SAFE


def changes_of(fixes: Iterable[tuple[Fix, str]]) -> list[Change]:
    """Return the edits of fixes that are applied together, each with the rules whose fixes contain it, sorted by
    offset."""
    found: dict[Edit, Change] = {}
    for fix, rule in fixes:
        for edit in fix.edits:
            before = found.get(edit, Change(edit, (), fix.applicability))
            rules = before.rules if rule in before.rules else (*before.rules, rule)
            safe = SAFE in (before.applicability, fix.applicability)
            found[edit] = Change(edit, rules, SAFE if safe else REVIEW)
    return sorted(found.values(), key=lambda change: _order(change.edit))


def compose(text: str, passes: Iterable[Sequence[Change]]) -> list[Change]:
    """Combine the changes of several passes into edits of `text`; each pass was applied to the result of the pass
    before it.

    The returned edits are sorted by offset. Two returned edits are adjacent only if the order in which they are
    applied makes no difference.
    """
    done: list[Change] = []
    for later in passes:
        done = _over(text, done, later)
    return [change for change in done if text[change.edit.start : change.edit.end] != change.edit.text]


class _Place(NamedTuple):
    """A change, with its offsets in the text between two passes. `grown`: the number of characters by which the change
    made this text longer."""

    start: int
    end: int
    later: bool
    grown: int
    change: Change

    @property
    def inserts(self) -> bool:
        """Return whether the range is empty before or after the change; its order among adjacent changes then
        matters."""
        return self.start == self.end or self.change.edit.start == self.change.edit.end


def _over(text: str, earlier: Sequence[Change], later: Sequence[Change]) -> list[Change]:
    """Combine two passes into one: `earlier` are changes of `text`, and `later` are changes of the result."""
    between = apply_edits(text, [change.edit for change in earlier])
    places = [_Place(change.edit.start, change.edit.end, True, 0, change) for change in later]
    grown = 0
    for change in earlier:
        start, end, new = change.edit
        more = len(new) - (end - start)
        places.append(_Place(start + grown, end + grown + more, False, more, change))
        grown += more
    joined, grown = [], 0
    for group in _joining(sorted(places)):
        start, end = group[0].start, max(place.end for place in group)
        first = start - grown
        grown += sum(place.grown for place in group)
        joined.append(_join(group, Edit(first, end - grown, _text(between, start, end, group))))
    return joined


def _joining(places: Iterable[_Place]) -> Iterator[list[_Place]]:
    """Yield groups of ranges that become one edit: ranges that overlap, or that touch if one of them is empty."""
    group: list[_Place] = []
    end = 0
    for place in places:
        meets = place.start == end and any(p.inserts for p in (place, *group) if place.start in (p.start, p.end))
        if group and (place.start < end or meets):
            group.append(place)
            end = max(end, place.end)
            continue
        if group:
            yield group
        group, end = [place], place.end
    if group:
        yield group


def _text(between: str, start: int, end: int, group: list[_Place]) -> str:
    edits = [Edit(p.start - start, p.end - start, p.change.edit.text) for p in group if p.later]
    return apply_edits(between[start:end], edits)


def _join(group: list[_Place], edit: Edit) -> Change:
    if len(group) == 1:
        return group[0].change._replace(edit=edit)
    rules = tuple(dict.fromkeys(rule for place in group for rule in place.change.rules))
    applicability = lowest(*(place.change.applicability for place in group))
    return Change(edit, rules, applicability or REVIEW)
