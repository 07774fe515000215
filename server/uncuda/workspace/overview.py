"""The overview of a project: its findings as a tree of fix classes, rules or folders, and files.

`Overview` stores the findings of each file and their counts; after a change, only the findings of one file are counted
again. `Tree` is the tree of findings for one grouping and one filter, built on request.
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
"""The kinds of findings, in the order in which they are shown: the fix classes, and "accepted"."""
Group = Literal["rule", "folder"]
GROUPS: tuple[Group, ...] = ("rule", "folder")
SEVERITIES = ("error", "warning", "information")
CODE, TESTS = "code", "tests"
PLACES = (CODE, TESTS)
"""The values of the filter that separates test files from all other files."""


class Extent(NamedTuple):
    """The range of a finding: lines and columns from 0, columns in the client's position encoding."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Listed:
    """A finding in an overview.

    `print`: identifies the finding in its file (prints.py); `document`: the URI of its notebook cell, "" outside of
    notebooks.
    """

    row: Row
    message: str
    print: str
    extent: Extent
    accepted: bool = False
    document: str = ""

    @property
    def kind(self) -> str:
        """Return the kind of the finding, one of KINDS."""
        return ACCEPTED if self.accepted else self.row.kind


@dataclass(frozen=True)
class FileListing:
    """The findings of one file.

    `path`: the path relative to the project, with slashes. `file`: the absolute path. `version`: a digest of the file's
    text. `baseline`: the path of the baseline that can accept findings of the file; the baseline need not exist.
    """

    path: str
    file: str
    uri: str
    version: str
    findings: tuple[Listed, ...] = ()
    baseline: str = ""

    @cached_property
    def left(self) -> FileCounts:
        """Counts of the findings that are not accepted."""
        return FileCounts.of_rows(self.path, (one.row for one in self.findings if not one.accepted))

    @cached_property
    def accepted(self) -> FileCounts:
        """Counts of the accepted findings."""
        return FileCounts.of_rows(self.path, (one.row for one in self.findings if one.accepted))

    @cached_property
    def place(self) -> str:
        """Return "tests" for a test file and "code" for any other file: one of PLACES."""
        return TESTS if is_test(PurePosixPath(self.path).parts) else CODE


@dataclass(frozen=True)
class Filter:
    """Selects the findings that a tree shows: those whose kind is in `kinds`, whose severity is in `severities`, and
    whose file's place (one of PLACES) is in `places`. If one of these sets is empty, it excludes no finding."""

    kinds: frozenset[str] = frozenset()
    severities: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()

    @classmethod
    def of(cls, values: Iterable[str]) -> Filter:
        """Return the filter for values of KINDS, SEVERITIES and PLACES; raise ValueError for any other value."""
        given = frozenset(values)
        if unknown := given - {*KINDS, *SEVERITIES, *PLACES}:
            raise ValueError(min(unknown))
        return cls(*(given & frozenset(every) for every in (KINDS, SEVERITIES, PLACES)))

    def __bool__(self) -> bool:
        return bool(self.kinds or self.severities or self.places)

    def takes_file(self, file: FileListing) -> bool:
        """Return True if findings of a file may match the filter."""
        return not self.places or file.place in self.places

    def takes(self, one: Listed) -> bool:
        """Return True if a finding matches the filter; its file must match, too (`takes_file`)."""
        kind = not self.kinds or one.kind in self.kinds
        return kind and (not self.severities or one.row.severity in self.severities)


EVERYTHING = Filter()


class Overview:
    """The findings of one project, by file URI. `version`: a number that grows with every change."""

    def __init__(self) -> None:
        self.version = 1
        self._files: dict[str, FileListing] = {}
        self._left, self._accepted = Totals(), Totals()
        self._trees: dict[tuple[Group, Filter], Tree] = {}

    def put(self, file: FileListing) -> bool:
        """Set the findings of a file; return True if anything changed."""
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
        """Remove a file; return True if it had findings."""
        known = self._files.get(uri)
        self._take_out(known)
        if known is not None:
            self.touch()
        return known is not None

    def touch(self) -> None:
        """Increase `version` and drop the cached trees."""
        self.version += 1
        self._trees.clear()

    @property
    def files(self) -> Iterable[FileListing]:
        """The files with findings, sorted by path."""
        return sorted(self._files.values(), key=lambda file: file.path)

    def file(self, uri: str) -> FileListing | None:
        """Return the findings of a file; None if it has none."""
        return self._files.get(uri)

    @property
    def counts(self) -> Counts:
        """Counts of all findings that are not accepted."""
        return self._left.counts

    @property
    def accepted(self) -> Tally:
        """The number of accepted findings by fix class."""
        return self._accepted.counts.total

    @property
    def baselines(self) -> set[str]:
        """Paths of the baselines of the files with findings."""
        return {file.baseline for file in self._files.values() if file.baseline}

    def tree(self, group: Group = "rule", shown: Filter = EVERYTHING) -> Tree:
        """Return the tree for a grouping and a filter; it is cached until the next change."""
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
    """A finding with its file."""

    file: FileListing
    finding: Listed


@dataclass
class Branch:
    """An inner node of a tree.

    `id` does not change, and is unique in its tree. `above` is the parent. `below` lists the children. `places` holds
    all findings below the node, by file and position. `tests` is True for a folder node that contains test files.
    """

    id: str
    kind: Literal["class", "rule", "folder", "file"]
    name: str
    above: Branch | None = None
    below: list[Branch] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    tests: bool = False

    @property
    def path(self) -> list[Branch]:
        """The nodes from the first level down to this node."""
        return [*(self.above.path if self.above else ()), self]

    @property
    def files(self) -> int:
        """The files with findings below the node."""
        return len({place.file.uri for place in self.places})

    @property
    def rules(self) -> list[str]:
        """Names of the rules of the findings below the node, sorted."""
        return sorted({place.finding.row.rule for place in self.places})


class Tree:
    """A tree of findings with four levels: fix class; rule or folder; file; finding."""

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
        """Return the node with this id; None if it no longer exists."""
        found = self._branches.get(identifier)
        return found if found is not None and found.places else None

    def files_at(self, uri: str) -> Sequence[Branch]:
        """Return the nodes of a file: there is one in each branch of the tree that contains findings of the file."""
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
    """Return the sort key of a node: nodes with the most findings come first, test folders last; files are sorted by
    path."""
    return branch.tests, 0 if branch.kind == "file" else -len(branch.places), branch.name


def _folders(places: Iterable[Place]) -> dict[str, str]:
    """Map the path of each file to its folder node; the folders are those of `Counts.folders`."""
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
