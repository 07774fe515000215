"""Finds the oldest later version of a plugin with which some findings without a fix get a fix or disappear.

The later versions are tried from the oldest on, by checking the files again. A file is skipped for a version if the
version's tables have the same entries for every name in that file as the version tried before.
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
"""Checks files for a plugin version and yields paths and spans of findings without a fix, except of failed files."""


@dataclass(frozen=True)
class Plugin:
    """The plugin of a target (such as torch_npu) and its version, or range of versions, that files are checked for."""

    target: str
    package: str
    version: str
    assumed: bool  # True if neither the project nor a setting states the version


@dataclass(frozen=True)
class Upgrade:
    """The oldest later version of a plugin with which some findings without a fix get a fix or disappear.

    `version`: that version; empty if there is none. `later`: number of known versions later than the present one.
    """

    plugin: Plugin
    later: int
    version: str = ""
    gained: tuple[tuple[Decision, int], ...] = ()  # findings that get a fix or disappear, by decision; most first
    lost: int = 0  # number of findings without a fix that appear only with that version


@dataclass
class Candidate:
    """A file with findings without a fix. `places`: the decision of each such finding, by span.

    `target`: the target and version that the file was last checked for; `lost`: number of findings without a fix in
    that check that the first check did not have.
    """

    file: File
    text: str
    target: Target
    places: dict[Span, Decision]
    lost: int = 0
    _words: frozenset[str] = field(default=frozenset())

    def says(self, words: frozenset[str]) -> bool:
        """Return True if the file contains one of these words."""
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
    """Return the oldest version of `later` with which some findings without a fix get a fix or disappear.

    `files`: the files with such findings. `later`: the versions, oldest first, each with the target's data.
    """
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
    """Return the words whose meaning differs between two versions of a target.

    A file without any of them has the same findings for both. None: any file may have different ones.
    """
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
    """Yield names of `torch.accelerator` APIs, and of CUDA APIs they replace, whose support differs."""
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
