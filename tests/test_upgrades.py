"""A version of a plugin is tried only on texts that it may say something else of: on all others nothing changes."""

from __future__ import annotations

from functools import cache

import pytest

from uncuda.catalogue import load, read_page
from uncuda.engine import Engine
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source, Span
from uncuda.workspace import MANUAL, File, fix_class
from uncuda.workspace.upgrades import Candidate, Plugin, differing, upgrade

CATALOGUE = load()
TARGET = "npu"
VERSIONS = CATALOGUE.target(TARGET).versions
TEXTS = [
    example.text
    for rule in CATALOGUE.rules.values()
    if rule.path
    for example in read_page(rule.path)[1]
    if not example.only or TARGET in example.only
]
PLUGIN = Plugin(TARGET, "plugin", VERSIONS[0], assumed=False)


@cache
def engine(version: str) -> Engine:
    return Engine(CATALOGUE, TARGET, Settings(target_version=version), Project())


def by_hand(text: str, version: str) -> frozenset[Span]:
    found = engine(version).check(Source(text, "a.py")).findings
    return frozenset(finding.span for finding in found if fix_class(finding) == MANUAL)


def candidate(text: str, path: str = "a.py", version: str = VERSIONS[0]) -> Candidate:
    places = dict.fromkeys(by_hand(text, version), ("rule", "subject"))
    return Candidate(File(path, Settings(), True), text, engine(version).target, places)


@pytest.mark.parametrize(("now", "then"), [*zip(VERSIONS, VERSIONS[1:], strict=False), (VERSIONS[1], VERSIONS[-1])])
def test_what_is_left_out_finds_the_same_by_hand(now: str, then: str) -> None:
    words = differing(engine(now).target, engine(then).target, CATALOGUE, Project())
    if words is None:
        return
    start = VERSIONS.index(now)
    rows, others = engine(now).target.rows, engine(then).target.rows
    moved = [
        f"import torch\n\n{name}(x)\n" for name in rows.keys() | others.keys() if rows.get(name) != others.get(name)
    ]
    texts = [text for text in (*moved, *TEXTS[start % 3 :: 3]) if not candidate(text, version=now).says(words)]
    assert len(texts) > 20
    for text in texts:
        assert by_hand(text, now) == by_hand(text, then), text


def test_most_versions_leave_most_texts_out() -> None:
    pairs = list(zip(VERSIONS, VERSIONS[1:], strict=False))
    words = [differing(engine(now).target, engine(then).target, CATALOGUE, Project()) for now, then in pairs]
    assert sum(one is not None for one in words) >= len(pairs) - 2


def test_a_word_that_the_project_relies_on_leaves_nothing_out() -> None:
    pairs = zip(VERSIONS, VERSIONS[1:], strict=False)
    now, then = next(
        (engine(now).target, engine(then).target)
        for now, then in pairs
        if engine(now).target.words != engine(then).target.words
        and engine(now).target.features == engine(then).target.features
    )
    assert differing(now, then, CATALOGUE, Project()) is not None
    assert differing(now, then, CATALOGUE, Project(switched=frozenset({TARGET}))) is None


def test_gains_and_losses_of_the_first_version_that_brings_something() -> None:
    files = [candidate("import torch\nd = torch.accelerator.current_accelerator()\n", f"{n}.py") for n in range(2)]
    span = next(iter(files[0].places))
    asked: list[tuple[int, str]] = []

    def left(some: object, version: str) -> list[tuple[str, frozenset[Span]]]:
        asked.append((len(list(some)), version))  # type: ignore[call-overload]
        if version == VERSIONS[1]:
            return [("0.py", frozenset({span})), ("1.py", frozenset({span, Span(0, 1)}))]
        return [("0.py", frozenset())]  # the other one could not be checked

    later = [(version, engine(version).target) for version in VERSIONS[1:3]]
    found = upgrade(PLUGIN, files, later, CATALOGUE, Project(), left)
    assert (found.version, found.gained, found.lost) == (VERSIONS[2], ((("rule", "subject"), 1),), 1)
    assert asked == [(2, VERSIONS[1]), (2, VERSIONS[2])]
