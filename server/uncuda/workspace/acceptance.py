"""Matches the findings of a run with a baseline: which findings are accepted, which entries are unused, and what the
baseline file will contain."""

# Paths are strings here, as in discover.py.
# ruff: noqa: PTH100, PTH118, PTH120
from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from uncuda.engine import Finding, LeftAlone
from uncuda.facts.model import Facts
from uncuda.limits import LimitExceeded, Limits
from uncuda.source import Source, SourceError

from .baseline import Baseline, Entry, Key, baseline_bytes, relative
from .counts import CLASSES, fix_class
from .files import FileProblem, Stamp, read_file, stamp_of
from .notebooks import source_of
from .prints import Prints, numbered, scope_of

Place = tuple[Key, str]
"""(key, target): the part of a baseline entry that concerns one target."""

_Looks = tuple[str, str, str]
"""The rule, the fingerprint and the target of a finding, by which entries and findings are matched."""

LooksFor = Callable[[str, str], bool]
"""A function that returns whether the run checks a file for a given rule and target."""


class Doubted(NamedTuple):
    """An accepted finding for which the baseline gives two different reasons, and the lines with these reasons."""

    key: Key
    lines: tuple[int, int]


@dataclass
class _Matched:
    """The matches of one file: the entries that its findings use, the entries whose code moved to this file, newly
    accepted findings with their fix class, and the number of findings of each fix class."""

    used: dict[Place, None] = field(default_factory=dict)
    moved: dict[Place, Key] = field(default_factory=dict)
    new: dict[Place, str] = field(default_factory=dict)
    found: Counter[str] = field(default_factory=Counter)


class Acceptance:
    """A baseline, and the findings of files matched with it; matching a file again replaces its matches."""

    def __init__(self, baseline: Baseline) -> None:
        self.baseline = baseline
        self.folder = os.path.dirname(os.path.abspath(baseline.file))
        self.doubted: list[Doubted] = []
        self._reasons: dict[Place, list[str]] = {}
        self._lines: dict[Place, int] = {}
        for entry in baseline.entries:
            self._take(entry)
        self._paths = {key.path for key, _ in self._reasons}
        self._rules = {(key.rule, target) for key, target in self._reasons}
        self._same: dict[_Looks, list[Place]] = {}
        # like `_same`, but the fingerprints lack the number that tells equal findings apart
        self._alike: dict[_Looks, list[Place]] = {}
        for place in self._reasons:
            self._same.setdefault(_looks(place), []).append(place)
            self._alike.setdefault(_looks(place, is_numbered=False), []).append(place)
        self._files: dict[str, _Matched] = {}
        self._users: dict[Place, str] = {}
        self._scopes: dict[str, tuple[Stamp | None, Collection[str] | None]] = {}

    def __bool__(self) -> bool:
        """Whether the baseline has any entry."""
        return bool(self._reasons)

    @property
    def matched(self) -> bool:
        """Whether any finding is accepted, in the files that were compared with the baseline so far."""
        return any(file.used or file.new for file in self._files.values())

    def accepted(
        self,
        source: Source,
        findings: Sequence[Finding],
        accept: Callable[[Finding], bool] | None = None,
        facts: Facts | None = None,
    ) -> list[LeftAlone]:
        """The accepted findings among all findings of a file. `accept`: a function that returns whether to accept a
        finding that no entry accepts yet; `facts`: the `Facts` of the text; None if they must be computed from the
        text."""
        path = relative(source.path, self.folder)
        self._drop(path)
        file = self._files[path] = _Matched()
        found = list(zip(findings, Prints(source.text, facts).of(findings), strict=True))
        places = [(Key(path, finding.rule, printed.print), finding.target) for finding, printed in found]
        known = self._matched(places, path, file)
        left = []
        for (finding, printed), place in zip(found, places, strict=True):
            kind = fix_class(finding)
            file.found[kind] += 1
            if place not in known and accept is not None and accept(finding):
                file.new[place] = kind
            if place in known or place in file.new:
                left.append(LeftAlone(finding.rule, finding.span, printed.statement))
        return left

    def forget(self, path: str) -> None:
        """Forget which entries the findings of a file used, because the file has no accepted findings any more."""
        self._drop(relative(path, self.folder))

    def concerns(self, findings: Iterable[Finding]) -> bool:
        """Return whether an entry of the baseline may accept one of these findings."""
        return bool(self._rules) and any((finding.rule, finding.target) in self._rules for finding in findings)

    def add(self, places: Mapping[Place, str]) -> None:
        """Add entries to the baseline; `places` maps each new entry to the fix class of its finding."""
        fresh = {place: kind for place, kind in places.items() if place not in self._reasons}
        self._files.setdefault("", _Matched()).new |= fresh

    @property
    def new(self) -> dict[Place, str]:
        """The newly accepted entries with the fix class of each finding."""
        return {place: kind for file in self._files.values() for place, kind in file.new.items()}

    def tells_of(self, paths: Iterable[str]) -> bool:
        """Return whether the baseline has an entry for one of these files."""
        return any(relative(path, self.folder) in self._paths for path in paths)

    @property
    def places(self) -> Collection[Place]:
        """All entries of the baseline, for each target."""
        return self._reasons.keys()

    def unused(self, looked: Mapping[str, LooksFor], given: Sequence[str], elsewhere: LooksFor | None) -> list[Place]:
        """The entries whose findings no longer exist, in the order of their lines.

        `looked` maps the path of each checked file to a function that returns which rules checked it. `given`: the
        absolute paths of the files and folders that the user named, each with a separator at its end. `elsewhere`: a
        function that returns whether a given rule would have checked a deleted file. Pass None for `elsewhere` if not
        all files were checked: code that is missing from its file may then have moved to an unchecked file.
        """
        left = [place for place in self._reasons if place not in self._users]
        return sorted(
            (place for place in left if self._is_unused(place, looked, given, elsewhere)),
            key=lambda place: self._lines[place],
        )

    def line(self, place: Place) -> int:
        """The line of an entry, from 1."""
        return self._lines[place]

    def bytes(self, reason: str = "", without: Collection[Place] = (), counted: bool = True) -> bytes:
        """The new contents of the baseline: moved entries get their new path, and new entries the `reason`. `counted`:
        whether all files were checked; only then the numbers of findings are written, too."""
        moved = {place: key for file in self._files.values() for place, key in file.moved.items()}
        kept: dict[Place, list[str]] = {}
        for place, said in self._reasons.items():
            if place not in without:
                there = moved.get(place, place[0]), place[1]
                kept[there] = list(dict.fromkeys([*kept.get(there, ()), *said]))
        for place in self.new:
            kept.setdefault(place, [reason])
        counts = self.baseline.counts
        if counted:
            found = sum((file.found for file in self._files.values()), Counter[str]())
            counts = {kind: max(found[kind], counts.get(kind, 0)) for kind in CLASSES}
        return baseline_bytes(_entries(kept), counts)

    def _drop(self, path: str) -> None:
        if (known := self._files.pop(path, None)) is not None:
            for place in known.used:
                if self._users[place] == path:
                    del self._users[place]

    def _take(self, entry: Entry) -> None:
        for target in entry.targets:
            place = entry.key, target
            known = self._reasons.setdefault(place, [])
            self._lines.setdefault(place, entry.line)
            if not entry.reason or entry.reason in known:
                continue
            if known:
                self.doubted.append(Doubted(entry.key, (self._lines[place], entry.line)))
            known.append(entry.reason)

    def _matched(self, places: Sequence[Place], path: str, file: _Matched) -> set[Place]:
        """Return the findings of a file that baseline entries accept.

        An entry accepts the finding that has the entry's path and fingerprint. If no finding has this path and this
        fingerprint, the entry accepts a finding with this fingerprint in another file, to which the code has moved. An
        entry that accepts no finding in these two ways accepts a finding whose fingerprint differs from the entry's
        only in the number at the end. Equal findings are numbered, so a fix of one of them gives the following ones a
        lower number.
        """
        known = {place for place in places if place in self._reasons}
        for place in known:
            self._use(place, path, file)
        rest: dict[_Looks, list[Place]] = {}
        for place in places:
            if place in known:
                continue
            moved = (other for other in self._same.get(_looks(place), ()) if self._may_be_of(other, path))
            if (other := next(moved, None)) is not None:
                self._move(other, place, file)
                known.add(place)
            elif (looks := _looks(place, is_numbered=False)) in self._alike:
                rest.setdefault(looks, []).append(place)
        # Equal findings are numbered, and each fingerprint ends in this number. If some of several equal findings
        # are fixed, the numbers of the others can only become lower. Therefore the entries with the highest numbers are
        # matched first.
        for looks, without in rest.items():
            left = [other for other in self._alike[looks] if self._may_be_of(other, path)]
            left.sort(key=lambda other: (other[0].path == path, numbered(other[0].print)))
            for place, other in zip(reversed(without), reversed(left), strict=False):
                self._move(other, place, file)
                known.add(place)
        return known

    def _may_be_of(self, place: Place, path: str) -> bool:
        """Return True if an entry may match a finding of this file, although the finding has another path or
        fingerprint than the entry."""
        return self._is_free(place, path) and (place[0].path == path or self._has_left(place[0], path))

    def _move(self, place: Place, to: Place, file: _Matched) -> None:
        self._use(place, to[0].path, file)
        file.moved[place] = to[0]

    def _use(self, place: Place, path: str, file: _Matched) -> None:
        self._users[place] = path
        file.used[place] = None

    def _is_free(self, place: Place, path: str) -> bool:
        """Return whether a baseline entry may accept a finding of the file `path`. An entry that accepts no finding yet
        may accept it. An entry that accepts a finding of another file may accept this one instead only if that file
        was deleted, or is the file that the entry names."""
        user = self._users.get(place)
        if user is None or user == path:
            return user is None
        return user == place[0].path or not os.path.lexists(os.path.join(self.folder, user))

    def _has_left(self, key: Key, path: str) -> bool:
        """Return whether the code of a baseline entry may have moved to the file `path`: the file that the entry names
        no longer exists, or no longer contains the entry's function.

        An entry for module-level code names no function, so this method returns True for such an entry only if
        the baseline has no entry for `path`.
        """
        scope = scope_of(key.print)
        return (scope != "" or path not in self._paths) and self._may_have_moved(key)

    def _scopes_of(self, file: str) -> Collection[str] | None:
        """The functions and classes in the current version of a file; None if it cannot be read."""
        known, stamp = self._scopes.get(file), stamp_of(file)
        if known is None or known[0] != stamp:
            known = self._scopes[file] = stamp, _scopes_in(file)
        return known[1]

    def _is_unused(
        self, place: Place, looked: Mapping[str, LooksFor], given: Sequence[str], elsewhere: LooksFor | None
    ) -> bool:
        key, target = place
        if elsewhere is None and self._may_have_moved(key):
            return False
        if key.path in looked:
            return looked[key.path](key.rule, target)
        full = os.path.abspath(os.path.join(self.folder, key.path))
        gone = any(map(full.startswith, given)) and not os.path.lexists(full)
        return gone and elsewhere is not None and elsewhere(key.rule, target)

    def _may_have_moved(self, key: Key) -> bool:
        """Return True if the code of an entry may have moved to another file: its own file no longer exists, or no
        longer contains its function."""
        file, scope = os.path.join(self.folder, key.path), scope_of(key.print)
        if not os.path.lexists(file):
            return True
        there = self._scopes_of(file) if scope else None
        return there is not None and scope not in there


def _looks(place: Place, is_numbered: bool = True) -> _Looks:
    key, target = place
    return key.rule, key.print if is_numbered else numbered(key.print)[0], target


def _entries(reasons: Mapping[Place, Sequence[str]]) -> Iterator[Entry]:
    """Yield one entry for each finding and reason, with all targets of the finding."""
    together: dict[tuple[Key, str], list[str]] = {}
    for (key, target), said in reasons.items():
        for reason in said or [""]:
            together.setdefault((key, reason), []).append(target)
    for (key, reason), targets in together.items():
        yield Entry(key, tuple(targets), reason)


def _scopes_in(path: str) -> Collection[str] | None:
    """The functions and classes in a file; None if it cannot be read."""
    try:
        return Prints(source_of(read_file(path, Limits.bytes), path).text).scopes()
    except (FileProblem, LimitExceeded, SourceError):
        return None
