"""Finds the oldest later version of a plugin with which some findings without a fix get a fix or disappear.

All files are checked again with the newest version of the plugin. A finding improves with a version if it gets a fix or
disappears. Next, the files with findings that improve with the newest version of the plugin are checked with each
plugin version later than the current one, oldest first, until one of these findings improves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from uncuda.source import Span

from .counts import Decision
from .discover import File

ByHand = Callable[[Sequence[File], str], Iterable[tuple[str, frozenset[Span]]]]
"""A function that checks files for a plugin version, and yields the path and span of each finding without a fix; files
with errors are left out."""


@dataclass(frozen=True)
class Plugin:
    """The plugin of a target (such as torch_npu) and its version, or range of versions, that files are checked for."""

    target: str
    package: str
    version: str
    assumed: bool  # whether the version is only assumed, because neither the project nor a setting states one


@dataclass(frozen=True)
class Upgrade:
    """What a later version of a plugin improves: with it, some findings that have no fix now get a fix or disappear.

    `version`: a version later than the current one. Of the findings that the newest version improves, it improves at
    least one; it is the oldest such version. Empty if there is none. `later`: number of known versions later than the
    current one.
    """

    plugin: Plugin
    later: int
    version: str = ""
    # each `Decision` (a rule and a subject, such as a library) with the number of its findings that get a fix or
    # disappear; the decisions with the largest numbers come first
    gained: tuple[tuple[Decision, int], ...] = ()
    lost: int = 0  # number of findings without a fix that exist only with `version`


class Candidate(NamedTuple):
    """A file with findings without a fix. `places` maps the span of each finding without a fix to its `Decision`, i.e.
    to its rule and its subject (such as the library that the finding is about)."""

    file: File
    places: Mapping[Span, Decision]


def upgrade(plugin: Plugin, files: Sequence[Candidate], later: Sequence[str], by_hand: ByHand) -> Upgrade:
    """Return the oldest of the `later` versions with which some findings get a fix or disappear.

    `files`: the files with findings without a fix. `later`: the versions to try, oldest first.
    """
    gains = _gains(files, later[-1], by_hand) if files and later else []
    for version in later if gains else ():
        gained = Counter(decision for one in _gains(gains, version, by_hand) for decision in one.places.values())
        if gained:
            ranked = sorted(gained.items(), key=lambda item: (-item[1], item[0]))
            return Upgrade(plugin, len(later), version, tuple(ranked), _lost(files, version, by_hand))
    return Upgrade(plugin, len(later))


def _gains(files: Sequence[Candidate], version: str, by_hand: ByHand) -> list[Candidate]:
    """Return the findings that get a fix or disappear if files are checked for this version of the plugin, grouped by
    file."""
    left = dict(by_hand([one.file for one in files], version))
    found = []
    for file, places in files:
        after = left.get(file.path)
        gone = {place: decision for place, decision in places.items() if after is not None and place not in after}
        if gone:
            found.append(Candidate(file, gone))
    return found


def _lost(files: Sequence[Candidate], version: str, by_hand: ByHand) -> int:
    """Return the number of findings without a fix that the files would have with a version of the plugin, but do not
    have now."""
    now = {one.file.path: one.places for one in files}
    left = by_hand([one.file for one in files], version)
    return sum(len(after - now[path].keys()) for path, after in left)
