"""Tests of random typing in real files: after every keystroke, findings, hits (raw findings) and the places of
receivers equal those of a new analysis of the text."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from corpus.common import TARGETS, engine, sources
from engine.typist import Typist, prepared

pytestmark = pytest.mark.corpus
LONGEST = 12_000


@pytest.mark.parametrize("target", TARGETS)
def test_typed_findings_are_those_of_a_fresh_look(corpus: Callable[[str], Path], target: str) -> None:
    files = [source for source in sources(corpus("timm"), target) if len(source.text) < LONGEST]
    chance = random.Random(8)
    chance.shuffle(files)
    texts = (source.text for source in files if len(engine(target).check(source).findings) > 3)
    for text in islice(texts, 2):
        Typist(text, prepared(target), answering=chance.random() < 0.5).wander(chance, 20)
