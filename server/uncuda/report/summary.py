"""The report that fits on one screen: the number of findings, their folders, the decisions that are needed, and what to
do first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from uncuda.engine import Finding
from uncuda.printable import printable
from uncuda.source import Source
from uncuda.workspace import CLASSES, MANUAL, Counts, Tally

from .base import Reporter
from .order import Step, steps
from .text import hidden_line, none_found, paint, width
from .words import Words

_WIDE = 80
_ROW = 78  # width of a row in columns
_NUMBER = 9
_LONGEST = 28  # maximum width in columns of the name of a rule, library or API in the recommended steps
_RULES, _FOLDERS, _DECISIONS = 5, 3, 3

RowT = TypeVar("RowT")


class SummaryReporter(Reporter):
    """Prints counts of findings and recommended steps, but not the single findings. The lists of rules, folders
    and subjects (such as libraries) are shortened to a few rows, except with `--statistics`."""

    def write(self, source: Source, findings: Sequence[Finding]) -> None:
        """Write nothing: `add` has counted the findings."""

    def end(self) -> None:
        """Write the whole report."""
        frame, counts = self.frame, self.counts
        if not counts.rows:
            lines = none_found(self) if self.checked or not self.problems else []
        else:
            every = frame.statistics
            tables = [
                *_rules(counts, frame.words, None if every else _RULES),
                *_folders(counts, frame.words, None if every else _FOLDERS),
                *_decisions(counts, frame.words, None if every else _DECISIONS),
            ]
            if any(line.is_cut for line in tables):
                tables.append(_Line(frame.words("all rows", frame.check("--summary", "--statistics"))))
            order = steps(counts, frame.catalogue.rules, frame.command)
            shown = [*_head(counts, frame.words), _Line(""), *tables, _Line(""), *_order(order, frame.words)]
            lines = [paint(line.text, "1", frame.color and line.is_heading) for line in shown]
            lines += hidden_line(self)
        frame.out.writelines(f"{line}\n" for line in lines)


@dataclass(frozen=True)
class _Line:
    """A line of the report. `is_cut`: whether the line gives the sum of table rows that are not shown one by one."""

    text: str
    is_heading: bool = False
    is_cut: bool = False


def _head(counts: Counts, words: Words) -> Iterator[_Line]:
    total = counts.total
    found = words("summary found", words.count(total.count, "finding"), words.count(total.files, "file"))
    yield _Line(found, is_heading=True)
    for kind, number in total.by_class.items():
        decisions = words.count(counts.decisions_by_hand, "decision")
        said = words(f"summary {kind}", decisions) if kind == MANUAL else words(f"summary {kind}")
        yield _Line(f"{number:{_NUMBER},}  {said}")


def _rules(counts: Counts, words: Words, most: int | None) -> Iterator[_Line]:
    rows = counts.by_rule
    yield _columns(words("summary rules"), [words("all"), *(words(f"column {kind}") for kind in CLASSES)], True)
    shown, more = _parted(rows, most)
    for rule, tally in shown:
        yield _tally(rule, tally)
    if more:
        yield _tally(words("more rules", f"{len(more):,}"), _sum(tally for _, tally in more), is_cut=True)


def _folders(counts: Counts, words: Words, most: int | None) -> Iterator[_Line]:
    every = counts.folders()
    rows = [row for row in every if not row.tests]
    tests = [row for row in every if row.tests]
    yield _columns(words("summary folders"), [], True)
    shown, more = _parted(rows, most)
    for row in shown:
        yield _tally(printable(row.folder), row.tally)
    if more:
        yield _tally(words("more folders", f"{len(more):,}"), _sum(row.tally for row in more), is_cut=True)
    if tests:
        said = words("tests", words.count(len(tests), "folder"))
        yield _tally(said, _sum(row.tally for row in tests), is_cut=most is not None)
    for row in tests if most is None else ():
        yield _tally("  " + printable(row.folder), row.tally)


def _decisions(counts: Counts, words: Words, most: int | None) -> Iterator[_Line]:
    rows = [(subject, rule, tally) for (rule, subject), tally in counts.by_decision if subject and tally.manual]
    rows.sort(key=lambda row: -row[2].manual)
    if not rows:
        return
    yield _columns(words("summary decisions"), [words(key) for key in ("all", "column manual", "column files")], True)
    shown, more = _parted(rows, most)
    for subject, rule, tally in shown:
        name = words("of rule", printable(subject), rule)
        yield _columns("  " + name, [f"{tally.count:,}", f"{tally.manual:,}", f"{tally.files:,}"])
    if more:
        every, manual = (f"{sum(numbers):,}" for numbers in zip(*((row[2].count, row[2].manual) for row in more)))
        yield _columns("  " + words("more decisions", f"{len(more):,}"), [every, manual, ""], is_cut=True)


def _order(order: Iterable[Step], words: Words) -> Iterator[_Line]:
    yield _Line(words("order"), is_heading=True)
    for number, step in enumerate(order, 1):
        said = words(f"step {step.name}", step.count)
        names = step.rules if step.name == "review" else () if step.name == "safe" else step.subjects
        yield _Line(_with_names(f" {number}. {said}", [_fitted(printable(name), _LONGEST) for name in names], words))
        yield _Line(f"    {step.command}")


def _with_names(said: str, names: Sequence[str], words: Words) -> str:
    """Return a line of at most `_WIDE` columns: the text `said`, as many of the names as fit, and the number of the
    names that do not fit."""
    for shown in range(len(names), 0, -1):
        more = [words("more names", len(names) - shown)] if shown < len(names) else []
        line = words("named", said, words.join([*names[:shown], *more]))
        if width(line) <= _WIDE:
            return line
    return said


def _tally(name: str, tally: Tally, is_cut: bool = False) -> _Line:
    numbers = [tally.count, *tally.by_class.values()]
    return _columns("  " + name, [f"{number:,}" for number in numbers], is_cut=is_cut)


def _columns(name: str, numbers: Sequence[str], is_heading: bool = False, is_cut: bool = False) -> _Line:
    """A table row: a name, and right-aligned numbers."""
    room = _ROW - _NUMBER * len(numbers)
    fitted = _fitted(name, room)
    columns = "".join(" " * (_NUMBER - width(number)) + number for number in numbers)
    return _Line(f"{fitted}{' ' * (room - width(fitted))}{columns}".rstrip(), is_heading, is_cut)


def _parted(rows: Sequence[RowT], most: int | None) -> tuple[Sequence[RowT], Sequence[RowT]]:
    """Return the first `most` rows, and separately the remaining rows; if only one row remains, it is added to the
    first ones."""
    number = len(rows) if most is None or len(rows) <= most + 1 else most
    return rows[:number], rows[number:]


def _fitted(text: str, columns: int) -> str:
    """Return the text shortened to a number of columns: a longer text keeps its beginning and its end, with … between
    them."""
    if width(text) <= columns:
        return text
    head, tail = text[: columns // 3], text[columns // 3 :]
    while width(head) + 1 + width(tail) > columns:
        tail = tail[1:]
    return f"{head}…{tail}"


def _sum(tallies: Iterable[Tally]) -> Tally:
    total = Tally()
    for tally in tallies:
        total = total.plus(tally)
    return total
