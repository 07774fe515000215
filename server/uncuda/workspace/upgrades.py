"""What a later version of a plugin would bring: which findings by hand could be fixed with it, or would be none.

The oldest version that brings something is looked for, by checking files with one version after the other. What the
newest version has lost again is no reason for an upgrade: only files that gain with the newest are tried with others.
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
"""Where the findings by hand of files are with a version, by path; without files that could not be checked."""


@dataclass(frozen=True)
class Plugin:
    """The plugin of a target, in the versions that files are checked for."""

    target: str
    package: str
    version: str
    assumed: bool  # nothing says which version it is


@dataclass(frozen=True)
class Upgrade:
    """The oldest later version of a plugin with which findings by hand can be fixed, or are none any more, as they are
    with the newest.

    `version`: empty where no later one brings that; `later`: how many are known.
    """

    plugin: Plugin
    later: int
    version: str = ""
    gained: tuple[tuple[Decision, int], ...] = ()  # most findings first
    lost: int = 0  # findings by hand that there are with it alone


class Candidate(NamedTuple):
    """A file with findings by hand: what is decided, by place."""

    file: File
    places: Mapping[Span, Decision]


def upgrade(plugin: Plugin, files: Sequence[Candidate], later: Sequence[str], by_hand: ByHand) -> Upgrade:
    """What the oldest of some `later` versions, which are in order, brings that brings something."""
    gains = _gains(files, later[-1], by_hand) if files and later else []
    for version in later if gains else ():
        gained = Counter(decision for one in _gains(gains, version, by_hand) for decision in one.places.values())
        if gained:
            ranked = sorted(gained.items(), key=lambda item: (-item[1], item[0]))
            return Upgrade(plugin, len(later), version, tuple(ranked), _lost(files, version, by_hand))
    return Upgrade(plugin, len(later))


def _gains(files: Sequence[Candidate], version: str, by_hand: ByHand) -> list[Candidate]:
    """The files of which findings are not by hand with a version, with those only."""
    left = dict(by_hand([one.file for one in files], version))
    found = []
    for file, places in files:
        after = left.get(file.path)
        gone = {place: decision for place, decision in places.items() if after is not None and place not in after}
        if gone:
            found.append(Candidate(file, gone))
    return found


def _lost(files: Sequence[Candidate], version: str, by_hand: ByHand) -> int:
    """How many findings of files are by hand with a version, and are not now."""
    now = {one.file.path: one.places for one in files}
    left = by_hand([one.file for one in files], version)
    return sum(len(after - now[path].keys()) for path, after in left)
