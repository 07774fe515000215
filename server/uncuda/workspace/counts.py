"""How many findings there are: counted file by file, in one place, for every report and every overview.

`FileCounts` is a value: what one file has. `Totals` adds and subtracts such values, so that a file that changed costs
what that file has; `Totals.counts` is what all of them come to at that time.
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
"""What a finding comes to, as reports name it and in their order; a field of `Tally` each."""

_TEST_FOLDERS = frozenset({"test", "tests"})
_SETUP = "conftest"
_SPLIT = 2
"""A folder is shown as the folders in it, where it has more than this part of all findings: the half."""

Decision = tuple[str, str]
"""Rule and subject: what is decided once for all places (docs/json-output.md)."""

KeyT = TypeVar("KeyT", bound=Hashable)
OrderedT = TypeVar("OrderedT", str, Decision)


def fix_class(finding: Finding) -> str:
    """The class of the finding's best fix: "safe", "review", or "manual" if it has none."""
    return finding.fixes[0].applicability if finding.fixes else MANUAL


class Row(NamedTuple):
    """What findings that are counted together have in common: all but the place and the words."""

    rule: str
    subject: str
    severity: str
    target: str
    kind: str  # one of CLASSES


def row_of(finding: Finding) -> Row:
    """The row that a finding is counted in."""
    return Row(finding.rule, finding.subject, finding.severity, finding.target, fix_class(finding))


@dataclass(frozen=True, slots=True)
class Tally:
    """How many findings there are of each class, and in how many files."""

    safe: int = 0
    review: int = 0
    manual: int = 0
    files: int = 0

    @classmethod
    def of(cls, kinds: Iterable[tuple[str, int]], files: int = 0) -> Tally:
        """From numbers of findings, each with its class."""
        numbers = dict.fromkeys(CLASSES, 0)
        for kind, number in kinds:
            numbers[kind] += number
        return cls(**numbers, files=files)

    @property
    def count(self) -> int:
        """All of them."""
        return sum(self.by_class.values())

    @property
    def by_class(self) -> dict[str, int]:
        """How many there are of each class."""
        return {kind: getattr(self, kind) for kind in CLASSES}

    def plus(self, other: Tally) -> Tally:
        """Both together, of files that are not the same."""
        kinds = [*self.by_class.items(), *other.by_class.items()]
        return Tally.of(kinds, self.files + other.files)


@dataclass(frozen=True, slots=True)
class FileCounts:
    """What one file has."""

    path: str
    rows: Mapping[Row, int]

    @classmethod
    def of(cls, path: str, findings: Iterable[Finding]) -> FileCounts:
        """Count the findings of a file."""
        return cls.of_rows(path, map(row_of, findings))

    @classmethod
    def of_rows(cls, path: str, rows: Iterable[Row]) -> FileCounts:
        """Count the findings of a file by the rows that they belong to."""
        return cls(path, Counter(rows))

    @property
    def tally(self) -> Tally:
        """How many of each class."""
        return Tally.of(((row.kind, number) for row, number in self.rows.items()), files=1)


class FolderTally(NamedTuple):
    """What is in a folder and in those below it that have no tally of their own. `tests`: only its tests, or none."""

    folder: str
    tests: bool
    tally: Tally


@dataclass(frozen=True)
class Counts:
    """What files have together. `rows`: findings by all that they have in common; the others have numbers of files."""

    rows: Mapping[Row, int]
    rules: Mapping[str, Tally]
    decisions: Mapping[Decision, Tally]
    files: Mapping[str, Tally]

    @cached_property
    def total(self) -> Tally:
        """All of them."""
        return Tally.of(((row.kind, number) for row, number in self.rows.items()), len(self.files))

    @property
    def severities(self) -> Mapping[str, int]:
        """How many findings there are of each severity that there is."""
        numbers = Counter[str]()
        for row, number in self.rows.items():
            numbers[row.severity] += number
        return numbers

    @property
    def targets(self) -> Mapping[str, Tally]:
        """How many there are of each target, without numbers of files."""
        return _tallies(self.rows, lambda row: row.target, {})

    @property
    def decisions_by_hand(self) -> int:
        """To how many decisions the findings by hand come; one without a subject is a decision of its own."""
        by_hand = ((subject, tally.manual) for (_, subject), tally in self.decisions.items())
        return sum(min(number, 1) if subject else number for subject, number in by_hand)

    @property
    def by_rule(self) -> list[tuple[str, Tally]]:
        """The rules, the one with most findings first."""
        return sorted(self.rules.items(), key=_most_first)

    @property
    def by_decision(self) -> list[tuple[Decision, Tally]]:
        """The decisions, the one with most findings first."""
        return sorted(self.decisions.items(), key=_most_first)

    def folders(self) -> list[FolderTally]:
        """Where they are, tests apart, the folder with most findings first."""
        paths = {PurePath(path): tally for path, tally in self.files.items()}
        given = _given(paths)
        found = []
        for tests in (False, True):
            some = {path: tally for path, tally in paths.items() if is_test(path.parts[given:]) == tests}
            found += [FolderTally(path.as_posix(), tests, tally) for path, tally in _folders(some)]
        return sorted(found, key=lambda one: (-one.tally.count, one.folder, one.tests))


class Totals:
    """The sum of what files have, while it changes."""

    def __init__(self) -> None:
        self._rows: dict[Row, int] = {}
        self._in_files: dict[Decision, int] = {}
        self._rule_files: dict[str, int] = {}
        self._files: dict[str, Tally] = {}

    def add(self, file: FileCounts) -> None:
        """Count a file, which is not among them."""
        if file.rows:
            self._change(file, 1)
            self._files[file.path] = file.tally

    def subtract(self, file: FileCounts) -> None:
        """Take a file away that was added as it is."""
        if file.rows:
            self._change(file, -1)
            del self._files[file.path]

    @property
    def counts(self) -> Counts:
        """What there is now."""
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
    """The rows put together by a key, with the numbers of files by that key."""
    kinds: dict[KeyT, list[tuple[str, int]]] = {}
    for row, number in rows.items():
        kinds.setdefault(key_of(row), []).append((row.kind, number))
    return {key: Tally.of(each, files.get(key, 0)) for key, each in kinds.items()}


class _Folder:
    """A folder with findings: those of its own files, those below it too, and the folders in it."""

    def __init__(self) -> None:
        self.own = self.all = Tally()
        self.folders: dict[str, _Folder] = {}


def _folders(files: Mapping[PurePath, Tally]) -> Iterator[tuple[PurePath, Tally]]:
    """The folders of files, each with what is in it and not in one of the others."""
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
    """How many folders absolute paths have in common: they are the user's, and say nothing of the project."""
    folders = [path.parts[:-1] if path.is_absolute() else () for path in paths]
    first, last = min(folders, default=()), max(folders, default=())
    same = (one == other for one, other in zip(first, last, strict=False))
    return sum(takewhile(bool, same))


def is_test(parts: Sequence[str]) -> bool:
    """Whether a file is one of tests, by its name or that of a folder: the parts of its path in the project."""
    *folders, name = parts
    stem = name.rpartition(".")[0]
    return not _TEST_FOLDERS.isdisjoint(folders) or stem.startswith("test_") or stem.endswith("_test") or stem == _SETUP
