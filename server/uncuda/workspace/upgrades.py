"""What a later version of a plugin would bring: which findings by hand could be fixed with it, or would be none.

The oldest version that brings something is looked for: files are checked with one version after the other. A version
that says of all that is in a file what the one before it says need not be tried on it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from uncuda.catalogue import Accelerator, Catalogue, Target, before, beyond
from uncuda.project import Project
from uncuda.source import Span

from .counts import Decision
from .discover import File

_WORD = re.compile(r"\w+")
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
    """The oldest later version of a plugin with which findings by hand can be fixed, or are none any more.

    `version`: empty where no later one brings that; `later`: how many are known.
    """

    plugin: Plugin
    later: int
    version: str = ""
    gained: tuple[tuple[Decision, int], ...] = ()  # most findings first
    lost: int = 0  # findings by hand that there are with it alone


@dataclass
class Candidate:
    """A file with findings by hand: what is decided, by place. `target`: for which it was checked last; `lost`: how
    many findings by hand there were then that there were not at first."""

    file: File
    text: str
    target: Target
    places: dict[Span, Decision]
    lost: int = 0
    _words: frozenset[str] = field(default=frozenset())

    def says(self, words: frozenset[str]) -> bool:
        """Whether the text has one of these words."""
        self._words = self._words or frozenset(_WORD.findall(self.text))
        return not words.isdisjoint(self._words)


def upgrade(
    plugin: Plugin,
    files: Sequence[Candidate],
    later: Sequence[tuple[str, Target]],
    catalogue: Catalogue,
    project: Project,
    by_hand: ByHand,
) -> Upgrade:
    """What the oldest of some later versions brings that brings something; `later`: these, each with what is known of
    the target then."""
    for version, target in later:
        differs = {id(one.target): differing(one.target, target, catalogue, project) for one in files}
        asked = [one for one in files if (words := differs[id(one.target)]) is None or one.says(words)]
        gained = Counter[Decision]()
        left = dict(by_hand([one.file for one in asked], version)) if asked else {}
        for one in asked:
            one.target = target
            if (after := left.get(one.file.path)) is not None:
                gained.update(decision for place, decision in one.places.items() if place not in after)
                one.lost = len(after - one.places.keys())
        if gained:
            ranked = sorted(gained.items(), key=lambda item: (-item[1], item[0]))
            return Upgrade(plugin, len(later), version, tuple(ranked), sum(one.lost for one in files))
    return Upgrade(plugin, len(later))


def differing(now: Target, then: Target, catalogue: Catalogue, project: Project) -> frozenset[str] | None:
    """Words without which a text says the same to two versions of a target; None: any text of a project may not."""
    accelerator = catalogue.accelerator(now.id)
    words = {name for name in now.words.keys() | then.words.keys() if now.words.get(name) != then.words.get(name)}
    spoken = any(not words.isdisjoint(rule.filled) for rule in catalogue.rules.values())
    if now.features != then.features or (words and (spoken or now.id in project.switched)):
        return None
    if _is_beyond(now, accelerator) != _is_beyond(then, accelerator):
        return None
    names = {name for name in now.rows.keys() | then.rows.keys() if now.rows.get(name) != then.rows.get(name)}
    names.update(_moved(now, then, accelerator))
    names.update(name for name in now.fields if now.fields[name] != then.fields[name])
    names.update(target.words[name] for target in (now, then) for name in words & target.words.keys())
    return frozenset(_WORD.findall(name)[-1] for name in names)


def _is_beyond(target: Target, accelerator: Accelerator) -> bool:
    return bool(target.torch) and beyond(target.torch, accelerator.newest)


def _moved(now: Target, then: Target, accelerator: Accelerator) -> Iterator[str]:
    """The names of `torch.accelerator` and beside it that only one of two versions has, or serves."""
    for api in accelerator.apis.values():
        since = {api.since, *(parameter.since for one in api.signatures for parameter in one)} - {""}
        served = {api.served, api.never} - {""}
        if any(_is_before(now.torch, at) != _is_before(then.torch, at) for at in since) or any(
            (_is_before(now.stated, at), _beyond(now.stated, at))
            != (_is_before(then.stated, at), _beyond(then.stated, at))
            for at in served
        ):
            yield api.name
            yield from filter(None, (api.cuda, api.instead))


def _is_before(version: str, other: str) -> bool:
    return bool(version) and before(version, other)


def _beyond(version: str, other: str) -> bool:
    return bool(version) and beyond(version, other)
