"""The results of checks that are reused after an edit, and their offsets in the edited text."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from ..checks import Hit
from ..checks.hit import moved
from ..facts.changes import Region
from ..facts.read import Facts, Statement
from ..project import Project
from ..source import Span
from .results import Movable
from .unread import Reads

Row = Sequence[tuple[Hit, "bool | None"]]
"""The hits of one check; each has a flag that tells whether a sibling branch handles the target, None if that is
unknown."""


class Results(NamedTuple):
    """The results of all checks of one text. `rows`: the hits of each check; each hit has a flag that tells whether a
    sibling branch handles the target. `linked`: the hits; the fix of each hit also has the edits of other places
    that must change with it. `linked` is None if these hits cannot be reused, for example because they depend on the
    types of objects on which methods are called. `report`: the report on the text; None if the report depends not only
    on `linked`, but for example also on comments that suppress findings.

    `since`: the lines that were edited after the offsets in the results were computed; None if there was no edit. The
    earlier text differs from the present one only in these lines, and no result is in them. So the offsets in the
    results are updated only when a result is read, not at each typed character.
    """

    rows: Sequence[Row]
    linked: Sequence[Hit] | None = None
    report: Movable | None = None
    since: Region | None = None

    def placed(self, facts: Facts) -> Results:
        """Return the results with their offsets in the text of `facts`."""
        region, statements = self.since, facts.statements
        if region is None:
            return self

        def here(hit: Hit) -> Hit:
            assert hit.statement is not None
            return moved(hit, statements[region.place(hit.statement.start)], region)

        rows = [[(here(hit), served) for hit, served in row] for row in self.rows]
        linked = None if self.linked is None else [here(hit) for hit in self.linked]
        return Results(rows, linked, self.report and Movable(self.report.at(region)))

    def stay(self, facts: Facts, whole: Region) -> bool:
        """Return whether the edits affect none of the results. `whole`: all lines that were edited since the offsets of
        the results were computed. `facts`: the facts of the edited text."""
        if self.since is not None and self.since[:2] == whole[:2]:
            return True
        hits = chain((hit for row in self.rows for hit, _ in row), self.linked or ())
        return all(statement_of(hit, facts, whole) is not None for hit in hits)


def statement_of(hit: Hit, facts: Facts, region: Region) -> Statement | None:
    """The statement of a hit after an edit; None if the edit affects the hit."""
    if hit.statement is None or region.old <= hit.statement.start < region.old_end or reaches(hit, region):
        return None
    now = facts.statements.get(region.place(hit.statement.start))
    return now if now is not None and now.digest is hit.statement.digest else None


class Found(NamedTuple):
    """The results of all checks of one text, and what they depend on. `asked` and `absent`: the values of the Context's
    fields of the same name. `keys`: the keys of all text searches that the checks used; `placed`: the keys of the
    searches whose match offsets were used; of all other searches, only whether there is a match was used.
    `certain`: whether no result depended on words that earlier fixes may have written. `reads`: the lines that the
    checks read. `bare`: the span of the function around the edited lines, if no search whose matches affect the hits of
    a whole function matches in this function; None if one of these searches matches there, or if it is unknown whether
    one matches."""

    facts: Facts
    project: Project
    results: Results
    asked: set[str]
    absent: Collection[str]
    keys: frozenset[Hashable]
    placed: frozenset[Hashable]
    certain: bool
    reads: Reads
    bare: tuple[int, int] | None = None

    @property
    def hits(self) -> Sequence[Row]:
        """The hits of each check, with their offsets in the text of `facts`."""
        return self.results.placed(self.facts).rows

    @property
    def linked(self) -> Sequence[Hit] | None:
        """The hits, each with all edits that must be made together with its fix, and with its offsets in the text of
        `facts`."""
        return self.results.placed(self.facts).linked


class Kept:
    """Results of an earlier check that are still valid after an edit. `line`: the only line that must be checked again;
    `bare`: the span of the function around this line, or None, as described in `Found`.

    `results.linked` is None if a hit is in `line`, or if a fix changes `line`.
    """

    def __init__(self, results: Results, facts: Facts, line: Span, bare: tuple[int, int] | None = None) -> None:
        self.results, self.line, self.bare = results, line, bare
        self._facts = facts

    @cached_property
    def placed(self) -> Results:
        """The results of the earlier check, with their offsets in the text after the edit."""
        return self.results.placed(self._facts)

    @property
    def hits(self) -> Sequence[Row]:
        """The hits of each check, with their offsets in the text after the edit."""
        return self.placed.rows

    def are_all(self, found: Sequence[Row], whole: Sequence[bool]) -> bool:
        """Return whether a check of the line finds the same hits as before the edit, and no fix touches the line.
        `whole`: for each check, whether it searches the whole text or only the line. `found`: the hits of each check,
        from the whole text or from the line, as `whole` says."""
        rows = self.results.rows
        if self.results.linked is None or any(row for row, every in zip(found, whole, strict=True) if not every):
            return False
        return not any(
            every and (row or rows[number]) and not _same(self.hits[number], row)
            for number, (row, every) in enumerate(zip(found, whole, strict=True))
        )


def _same(kept: Row, found: Row) -> bool:
    """Whether the check of the line found the same hits as before the edit."""
    return [hit for hit, _ in kept] == [hit for hit, _ in found]


def reaches(hit: Hit, region: Region) -> bool:
    """Whether a fix of the hit touches the edited lines, or the edit inserts lines directly after the code for CUDA
    that the hit's fixes leave unchanged."""
    if hit.keeps[1] == region.old == region.old_end:
        return True
    return any(edit.start <= region.old_end and region.old <= edit.end for fix in hit.fixes for edit in fix.edits)
