"""Tests that a half-typed line does not affect findings in other lines: none disappears, and none is added."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from corpus.common import PACKAGES, engine, sources
from uncuda.engine import Finding
from uncuda.source import Source

pytestmark = [pytest.mark.corpus, pytest.mark.slow]
EDITS = 1500
KINDS = ("quote", "apostrophe", "open bracket", "closing bracket", "half", "triple", "indent")


def damaged(text: str, chance: random.Random) -> tuple[str, int, str]:
    """Return (kind, edited line, text) after one edit that a user could make while typing."""
    lines = text.split("\n")
    number, kind = chance.randrange(len(lines)), chance.choice(KINDS)
    line = lines[number]
    at = chance.randrange(len(line) + 1)
    lines[number] = {
        "quote": line[:at] + '"' + line[at:],
        "apostrophe": line[:at] + "'" + line[at:],
        "open bracket": line[:at] + chance.choice("([{") + line[at:],
        "closing bracket": line[:at] + chance.choice(")]}") + line[at:],
        "half": line[:at],
        "triple": line[:at] + chance.choice(['"""', "'''"]) + line[at:],
        "indent": " " * chance.randrange(9) + line.lstrip(),
    }[kind]
    return kind, number + 1, "\n".join(lines)


def places(source: Source) -> set[tuple[object, ...]]:
    """Return the findings by position and message."""

    def place(finding: Finding) -> tuple[object, ...]:
        return (*source.position(finding.span.start), finding.rule, finding.message)

    return {place(finding) for finding in engine("npu").check(source).findings}


def away_from(line: int, found: set[tuple[object, ...]]) -> set[tuple[object, ...]]:
    """Return the findings that are not on the given line."""
    return {place for place in found if place[0] != line}


def test_damage_stays_where_it_is(corpus: Callable[[str], Path]) -> None:
    texts = [
        source.text
        for package in PACKAGES
        for source in sources(corpus(package), "npu")
        if len(engine("npu").check(source).findings) >= 3
    ]
    whole = cache(lambda text: places(Source(text)))
    chance = random.Random(20)
    total, lost, fresh = Counter[str](), Counter[str](), Counter[str]()
    for _ in range(EDITS):
        text = chance.choice(texts)
        kind, line, after = damaged(text, chance)
        before_findings, after_findings = away_from(line, whole(text)), away_from(line, places(Source(after)))
        total[kind] += len(before_findings)
        lost[kind] += len(before_findings - after_findings)
        fresh[kind] += len(after_findings - before_findings)
    for kind in KINDS:
        print(f"\n{kind}: {lost[kind]} lost, {fresh[kind]} new of {total[kind]}", end="")
    print(f"\nall: {lost.total() / total.total():.3%} lost, {fresh.total() / total.total():.3%} new, {EDITS} edits")
    assert lost.total() <= 0.01 * total.total()
    assert fresh.total() <= 0.01 * total.total()
