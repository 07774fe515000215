"""The overview of a project: what is found, by class, rule or folder, and file, while files change.

`Overview` holds what each file has and the sum of it, so that a file that changed costs what that file has.
`Tree` is what is shown of it for one grouping and one filter, made when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

from .counts import CLASSES, Counts, FileCounts, Row, Tally, Totals, is_test

ACCEPTED = "accepted"
KINDS = (*CLASSES, ACCEPTED)
"""What a finding comes to for whoever ports the project, in the order in which it is shown."""
Group = Literal["rule", "folder"]
GROUPS: tuple[Group, ...] = ("rule", "folder")
SEVERITIES = ("error", "warning", "information")
CODE, TESTS = "code", "tests"
PLACES = (CODE, TESTS)
"""Whether a file is one of the project's tests."""


class Extent(NamedTuple):
    """Where a finding is shown: lines and columns from 0, in the units of whoever asked for it."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Listed:
    """A finding as it stands in an overview. `print`: as in prints.py, unique in its file; `document`: the URI of the
    cell that it is in, "" for the file itself."""

    row: Row
    message: str
    print: str
    extent: Extent
    accepted: bool = False
    document: str = ""

    @property
    def kind(self) -> str:
        """One of KINDS."""
        return ACCEPTED if self.accepted else self.row.kind


@dataclass(frozen=True)
class FileListing:
    """What is found in one file. `path`: in the project, with slashes; `file`: of the operating system; `version`: a
    name of its text; `baseline`: the file that says what is accepted, there or not."""

    path: str
    file: str
    uri: str
    version: str
    findings: tuple[Listed, ...] = ()
    baseline: str = ""

    @cached_property
    def left(self) -> FileCounts:
        """How many findings are not accepted."""
        return FileCounts.of_rows(self.path, (one.row for one in self.findings if not one.accepted))

    @cached_property
    def accepted(self) -> FileCounts:
        """How many are."""
        return FileCounts.of_rows(self.path, (one.row for one in self.findings if one.accepted))

    @cached_property
    def place(self) -> str:
        """One of PLACES."""
        return TESTS if is_test(PurePosixPath(self.path).parts) else CODE


@dataclass(frozen=True)
class Filter:
    """What is shown: findings with one of `kinds`, `severities` and `places` each; empty: with any."""

    kinds: frozenset[str] = frozenset()
    severities: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()

    @classmethod
    def of(cls, values: Iterable[str]) -> Filter:
        """From values of all three, in any order; ValueError for another."""
        given = frozenset(values)
        if unknown := given - {*KINDS, *SEVERITIES, *PLACES}:
            raise ValueError(min(unknown))
        return cls(*(given & frozenset(every) for every in (KINDS, SEVERITIES, PLACES)))

    def __bool__(self) -> bool:
        return bool(self.kinds or self.severities or self.places)

    def takes_file(self, file: FileListing) -> bool:
        """Whether something of a file may be shown."""
        return not self.places or file.place in self.places

    def takes(self, one: Listed) -> bool:
        """Whether a finding of such a file is shown."""
        kind = not self.kinds or one.kind in self.kinds
        return kind and (not self.severities or one.row.severity in self.severities)


EVERYTHING = Filter()


class Overview:
    """What is found in the files of one project, by their URIs. `version`: another number whenever something is."""

    def __init__(self) -> None:
        self.version = 1
        self._files: dict[str, FileListing] = {}
        self._left, self._accepted = Totals(), Totals()
        self._trees: dict[tuple[Group, Filter], Tree] = {}

    def put(self, file: FileListing) -> bool:
        """Take in what a file has now; whether that is something else than before."""
        known = self._files.get(file.uri)
        if known == file or (known is None and not file.findings):
            return False
        self._take_out(known)
        if file.findings:
            self._files[file.uri] = file
            self._left.add(file.left)
            self._accepted.add(file.accepted)
        self.touch()
        return True

    def remove(self, uri: str) -> bool:
        """Forget a file; whether it had anything."""
        known = self._files.get(uri)
        self._take_out(known)
        if known is not None:
            self.touch()
        return known is not None

    def touch(self) -> None:
        """Count as changed."""
        self.version += 1
        self._trees.clear()

    @property
    def files(self) -> Iterable[FileListing]:
        """All that have findings, by their paths."""
        return sorted(self._files.values(), key=lambda file: file.path)

    def file(self, uri: str) -> FileListing | None:
        """What a file has, None: nothing."""
        return self._files.get(uri)

    @property
    def counts(self) -> Counts:
        """How many findings are left."""
        return self._left.counts

    @property
    def accepted(self) -> Tally:
        """How many are accepted."""
        return self._accepted.counts.total

    @property
    def baselines(self) -> set[str]:
        """The files that say what is accepted in these."""
        return {file.baseline for file in self._files.values() if file.baseline}

    def tree(self, group: Group = "rule", shown: Filter = EVERYTHING) -> Tree:
        """What is shown of it."""
        known = self._trees.get((group, shown))
        if known is None:
            known = self._trees[group, shown] = Tree(self.files, group, shown)
        return known

    def _take_out(self, file: FileListing | None) -> None:
        if file is not None:
            del self._files[file.uri]
            self._left.subtract(file.left)
            self._accepted.subtract(file.accepted)


class Place(NamedTuple):
    """A finding in its file."""

    file: FileListing
    finding: Listed


@dataclass
class Branch:
    """A node of a tree that has others below it. `id`: stable, unique in its tree; `files`: how many there are below
    it; `places`: all findings below it, in the order of files and of their texts."""

    id: str
    kind: Literal["class", "rule", "folder", "file"]
    name: str
    above: Branch | None = None
    below: list[Branch] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    tests: bool = False

    @property
    def path(self) -> list[Branch]:
        """The nodes from the first level down to this one."""
        return [*(self.above.path if self.above else ()), self]

    @property
    def files(self) -> int:
        """How many files there are below it."""
        return len({place.file.uri for place in self.places})

    @property
    def rules(self) -> list[str]:
        """The rules of what is below it."""
        return sorted({place.finding.row.rule for place in self.places})


class Tree:
    """Class, then rule or folder, then file, then finding."""

    def __init__(self, files: Iterable[FileListing], group: Group, shown: Filter) -> None:
        self._branches: dict[str, Branch] = {}
        self._files: dict[str, list[Branch]] = {}
        self.places = [
            Place(file, one) for file in files if shown.takes_file(file) for one in file.findings if shown.takes(one)
        ]
        folders = _folders(self.places) if group == "folder" else {}
        by_kind = {kind: self._branch(None, kind, "class", kind) for kind in KINDS}
        for place in self.places:
            kind = by_kind[place.finding.kind]
            middle = self._middle(kind, place, folders)
            leaf = self._branch(middle, place.file.path, "file", place.file.path)
            for branch in (kind, middle, leaf):
                branch.places.append(place)
        self.top = [kind for kind in by_kind.values() if kind.places]
        for branch in self._branches.values():
            branch.below.sort(key=_order)
            if branch.kind == "file":
                self._files.setdefault(branch.places[0].file.uri, []).append(branch)

    def branch(self, identifier: str) -> Branch | None:
        """The node with an id; None where there is none any more."""
        found = self._branches.get(identifier)
        return found if found is not None and found.places else None

    def files_at(self, uri: str) -> Sequence[Branch]:
        """The nodes of a file: one for each class and rule."""
        return self._files.get(uri, ())

    def _middle(self, kind: Branch, place: Place, folders: Mapping[str, str]) -> Branch:
        if not folders:
            return self._branch(kind, place.finding.row.rule, "rule", place.finding.row.rule)
        folder, tests = folders[place.file.path], place.file.place == TESTS
        branch = self._branch(kind, f"{place.file.place}:{folder}", "folder", folder)
        branch.tests = tests
        return branch

    def _branch(
        self, above: Branch | None, key: str, kind: Literal["class", "rule", "folder", "file"], name: str
    ) -> Branch:
        identifier = f"{above.id}/{key}" if above else key
        found = self._branches.get(identifier)
        if found is None:
            found = self._branches[identifier] = Branch(identifier, kind, name, above)
            if above is not None:
                above.below.append(found)
        return found


def _order(branch: Branch) -> tuple[bool, int, str]:
    """What has most comes first, tests after all else; files are in the order of their paths."""
    return branch.tests, 0 if branch.kind == "file" else -len(branch.places), branch.name


def _folders(places: Iterable[Place]) -> dict[str, str]:
    """For the path of each file the folder that it is shown in: those of `Counts.folders`."""
    totals = Totals()
    files = {place.file.path: place.file for place in places}
    rows: dict[str, list[Row]] = {}
    for file, finding in places:
        rows.setdefault(file.path, []).append(finding.row)
    for path, found in rows.items():
        totals.add(FileCounts.of_rows(path, found))
    shown = {(one.tests, PurePosixPath(one.folder)) for one in totals.counts.folders()}
    return {path: _shown_in(path, file.place == TESTS, shown) for path, file in files.items()}


def _shown_in(path: str, tests: bool, shown: set[tuple[bool, PurePosixPath]]) -> str:
    return next((str(folder) for folder in PurePosixPath(path).parents if (tests, folder) in shown), ".")
