"""Counts findings, file by file, for all reports and overviews.

`FileCounts` contains the counts of one file. `Totals` adds and subtracts `FileCounts`, so that after a change of one
file, the findings of the other files need not be counted again; `Totals.counts` is the current sum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import PurePath
from typing import NamedTuple, TypeVar

from uncuda.edits import REVIEW, SAFE
from uncuda.engine import Finding

MANUAL = "manual"
CLASSES = (SAFE, REVIEW, MANUAL)
"""The fix classes, in the order in which reports show them; each is a field of `Tally`. A finding has the fix class of
its safest fix."""

_TEST_FOLDERS = frozenset({"test", "tests"})
_SETUP = "conftest"
_SPLIT = 2
"""A folder with more than 1/_SPLIT of all findings is replaced by its subfolders."""

Decision = tuple[str, str]
"""(rule, subject): a developer needs to decide only once for all findings that have both in common; see
docs/json-output.md."""

KeyT = TypeVar("KeyT", bound=Hashable)
OrderedT = TypeVar("OrderedT", str, Decision)


def fix_class(finding: Finding) -> str:
    """The fix class of a finding, which is that of its safest fix: "safe", "review", or "manual" if the finding has no
    fix."""
    return finding.fixes[0].applicability if finding.fixes else MANUAL


class Row(NamedTuple):
    """The fields that findings must share to be counted together: all except position and message."""

    rule: str
    subject: str
    severity: str
    target: str
    kind: str  # one of CLASSES


def row_of(finding: Finding) -> Row:
    """Return the Row of a finding: the fields that it shares with the findings that are counted together with it."""
    return Row(finding.rule, finding.subject, finding.severity, finding.target, fix_class(finding))


@dataclass(frozen=True, slots=True)
class Tally:
    """The number of findings of each fix class, and the number of files with findings."""

    safe: int = 0
    review: int = 0
    manual: int = 0
    files: int = 0

    @classmethod
    def of(cls, kinds: Iterable[tuple[str, int]], files: int = 0) -> Tally:
        """A tally from (fix class, number) pairs."""
        numbers = dict.fromkeys(CLASSES, 0)
        for kind, number in kinds:
            numbers[kind] += number
        return cls(**numbers, files=files)

    @property
    def count(self) -> int:
        """The number of all findings."""
        return sum(self.by_class.values())

    @property
    def by_class(self) -> dict[str, int]:
        """The number of findings by fix class."""
        return {kind: getattr(self, kind) for kind in CLASSES}

    def plus(self, other: Tally) -> Tally:
        """The sum of the tallies of different files."""
        kinds = [*self.by_class.items(), *other.by_class.items()]
        return Tally.of(kinds, self.files + other.files)


class FileCounts(NamedTuple):
    """The numbers of findings in one file."""

    path: str
    rows: Mapping[Row, int]

    @classmethod
    def of(cls, path: str, findings: Iterable[Finding]) -> FileCounts:
        """Count the findings of a file."""
        return cls.of_rows(path, map(row_of, findings))

    @classmethod
    def of_rows(cls, path: str, rows: Iterable[Row]) -> FileCounts:
        """Count a file's findings, given the Row of each finding."""
        return cls(path, Counter(rows))

    @property
    def tally(self) -> Tally:
        """The number of findings of each fix class."""
        return Tally.of(((row.kind, number) for row, number in self.rows.items()), files=1)


class FolderTally(NamedTuple):
    """The number of findings in a folder and its subfolders, except subfolders that have a FolderTally of their own.
    `tests`: whether only the folder's test files are counted; otherwise only the other files are counted."""

    folder: str
    tests: bool
    tally: Tally


@dataclass(frozen=True)
class Counts:
    """The numbers of findings, and of files with findings. `rows` maps each Row to the number of findings that have its
    fields; the tallies in the other fields count files, too."""

    rows: Mapping[Row, int]
    rules: Mapping[str, Tally]
    decisions: Mapping[Decision, Tally]
    files: Mapping[str, Tally]

    @cached_property
    def total(self) -> Tally:
        """Return the tally of all findings in all files."""
        return Tally.of(((row.kind, number) for row, number in self.rows.items()), len(self.files))

    @property
    def severities(self) -> Mapping[str, int]:
        """The number of findings by severity."""
        numbers = Counter[str]()
        for row, number in self.rows.items():
            numbers[row.severity] += number
        return numbers

    @property
    def targets(self) -> Mapping[str, Tally]:
        """Return the tally of each target. The tally of a target does not count files: its field `files` is 0."""
        return _tallies(self.rows, lambda row: row.target, {})

    @property
    def decisions_by_hand(self) -> int:
        """The number of decisions needed for findings without a fix. All findings with the same rule and subject (the
        library, API or variable that the message names) need one decision; each finding without a subject needs its
        own."""
        by_hand = ((subject, tally.manual) for (_, subject), tally in self.decisions.items())
        return sum(min(number, 1) if subject else number for subject, number in by_hand)

    @property
    def by_rule(self) -> list[tuple[str, Tally]]:
        """(rule, tally) pairs, those with the most findings first."""
        return sorted(self.rules.items(), key=_most_first)

    @property
    def by_decision(self) -> list[tuple[Decision, Tally]]:
        """(decision, tally) pairs, those with the most findings first. A decision is a pair of a rule and a subject;
        its tally counts the findings with this rule and this subject."""
        return sorted(self.decisions.items(), key=_most_first)

    def folders(self) -> list[FolderTally]:
        """The tallies by folder, separately for test files; the tallies with the most findings come first."""
        paths = {PurePath(path): tally for path, tally in self.files.items()}
        given = _given(paths)
        found = []
        for tests in (False, True):
            some = {path: tally for path, tally in paths.items() if is_test(path.parts[given:]) == tests}
            found += [FolderTally(path.as_posix(), tests, tally) for path, tally in _folders(some)]
        return sorted(found, key=lambda one: (-one.tally.count, one.folder, one.tests))


class Totals:
    """The sum of the counts of files; the counts of a file can be added and subtracted."""

    def __init__(self) -> None:
        self._rows: dict[Row, int] = {}
        self._in_files: dict[Decision, int] = {}
        self._rule_files: dict[str, int] = {}
        self._files: dict[str, Tally] = {}

    def add(self, file: FileCounts) -> None:
        """Add the counts of a file that was not added before."""
        if file.rows:
            self._change(file, 1)
            self._files[file.path] = file.tally

    def subtract(self, file: FileCounts) -> None:
        """Subtract the counts of a file that were added before, for example because the file changed."""
        if file.rows:
            self._change(file, -1)
            del self._files[file.path]

    @property
    def counts(self) -> Counts:
        """Return the current sum of all added counts."""
        return Counts(
            dict(self._rows),
            _tallies(self._rows, lambda row: row.rule, self._rule_files),
            _tallies(self._rows, lambda row: (row.rule, row.subject), self._in_files),
            dict(self._files),
        )

    def _change(self, file: FileCounts, sign: int) -> None:
        for row, number in file.rows.items():
            _count(self._rows, row, sign * number)
        for decision in {(row.rule, row.subject) for row in file.rows}:
            _count(self._in_files, decision, sign)
        for rule in {row.rule for row in file.rows}:
            _count(self._rule_files, rule, sign)


def _count(numbers: MutableMapping[KeyT, int], key: KeyT, number: int) -> None:
    now = numbers.get(key, 0) + number
    if now:
        numbers[key] = now
    else:
        del numbers[key]


def _most_first(item: tuple[OrderedT, Tally]) -> tuple[int, OrderedT]:
    return -item[1].count, item[0]


def _tallies(rows: Mapping[Row, int], key_of: Callable[[Row], KeyT], files: Mapping[KeyT, int]) -> dict[KeyT, Tally]:
    """Return a tally for each key. `key_of` returns the key of a row; the tally of a key contains the number of
    findings of each fix class in all rows with this key. `files`: for each key, the number of files with these
    findings."""
    kinds: dict[KeyT, list[tuple[str, int]]] = {}
    for row, number in rows.items():
        kinds.setdefault(key_of(row), []).append((row.kind, number))
    return {key: Tally.of(each, files.get(key, 0)) for key, each in kinds.items()}


class _Folder:
    """A folder with findings: tallies of the files directly in it and of all files below it, and its subfolders."""

    def __init__(self) -> None:
        self.own = self.all = Tally()
        self.folders: dict[str, _Folder] = {}


def _folders(files: Mapping[PurePath, Tally]) -> Iterator[tuple[PurePath, Tally]]:
    """Yield (folder, tally) for files; each tally leaves out subfolders that have a separate tally."""
    top = _Folder()
    for path, tally in files.items():
        folder = top
        folder.all = folder.all.plus(tally)
        for name in path.parts[:-1]:
            folder = folder.folders.setdefault(name, _Folder())
            folder.all = folder.all.plus(tally)
        folder.own = folder.own.plus(tally)
    opened = [(PurePath(), top)]
    while opened:
        path, folder = opened.pop()
        split = folder.folders and folder.all.count > top.all.count / _SPLIT
        if split:
            opened += [(path / name, below) for name, below in folder.folders.items()]
        shown = folder.own if split else folder.all
        if shown.count:
            yield path, shown


def _given(paths: Iterable[PurePath]) -> int:
    """Return how many leading folders all absolute paths share; these folders are above the project."""
    folders = [path.parts[:-1] if path.is_absolute() else () for path in paths]
    first, last = min(folders, default=()), max(folders, default=())
    same = (one == other for one, other in zip(first, last, strict=False))
    return sum(takewhile(bool, same))


def is_test(parts: Sequence[str]) -> bool:
    """Return True if a file is a test, according to its name or the name of a folder around it. `parts`: the parts of
    the file's path relative to the project."""
    *folders, name = parts
    stem = name.rpartition(".")[0]
    return not _TEST_FOLDERS.isdisjoint(folders) or stem.startswith("test_") or stem.endswith("_test") or stem == _SETUP
