"""Edits to text: what they are, how they combine, and the few that every rule needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

SAFE, REVIEW = "safe", "review"


class Edit(NamedTuple):
    """Replace the half-open range [start, end) of characters by `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that belong together. `applicability`: "safe" or "review"."""

    title: str
    applicability: str
    edits: tuple[Edit, ...]


class OverlapError(ValueError):
    """Two edits touch the same characters."""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text after all edits; OverlapError when two of them touch the same characters."""
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
    """Whether two different edits cannot both be made: shared characters, or two insertions at one place."""
    same_place = edit.start == edit.end and (edit.start, edit.end) == (other.start, other.end)
    return same_place or (edit.start < other.end and other.start < edit.end)


def select(fixes: Sequence[Fix]) -> list[Fix]:
    """The fixes that can be made in one pass: in order, each whole, none that collides with one taken before."""
    taken: set[Edit] = set()
    ordered: list[Edit] = []
    chosen = []
    for fix in fixes:
        fresh = [edit for edit in fix.edits if edit not in taken]
        if any(overlaps(edit, other) for edit in fresh for other in _near(ordered, edit)):
            continue
        chosen.append(fix)
        taken.update(fresh)
        ordered += fresh
    return chosen


def _near(edits: list[Edit], edit: Edit) -> list[Edit]:
    return [other for other in edits if other.start <= edit.end and edit.start <= other.end]


def merge(fixes: Iterable[Fix]) -> list[Edit]:
    """The edits of several fixes, those they share once."""
    return sorted({edit for fix in fixes for edit in fix.edits}, key=_order)


def lowest(*applicabilities: str | None) -> str | None:
    """The lowest of several classes: None (manual) below "review" below "safe"."""
    if any(item is None for item in applicabilities):
        return None
    return REVIEW if REVIEW in applicabilities else SAFE
