"""Tests of properties that hold on randomly changed real files: no crash, no overlapping edits, and repeated fixes
reach a stable text and change no line without a finding."""

from __future__ import annotations

import ast
import difflib
import random
import re
import warnings
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.common import PACKAGES, TARGETS, engine, sources
from corpus.fetch import tree
from uncuda.edits import apply_edits
from uncuda.source import Source

pytestmark = [pytest.mark.corpus, pytest.mark.slow]
WORD = re.compile(r"cuda|nccl|gpu|apex|amp_C|channels_last|nvtx|torch|profile|multi_tensor|[\"']", re.I)
ORDERS = 4
SCRAPS = ('"', "'", '"""', "(", ")", "[", "\n", "\r\n", "\\\n", "#", "\t", "    ", "é", "𝛼", "\f", "torch.cuda.", "f'{",
          "import torch as t\n", "cuda", ":", "=", ",", "def torch():\n", "lambda torch: ",
          "from torch.cuda import *\n")  # fmt: skip


@lru_cache
def texts(target: str) -> tuple[str, ...]:
    chosen = []
    for package in PACKAGES:
        found = [s.text for s in sources(tree(package), target) if engine(target).check(s).findings]
        chosen += random.Random(package).sample(found, min(12, len(found)))
    return tuple(text for text in chosen if len(text) < 60_000)


@pytest.fixture(autouse=True)
def _packages(corpus: Callable[[str], Path]) -> None:
    for package in PACKAGES:
        corpus(package)


@given(st.data(), st.sampled_from(TARGETS))
@settings(max_examples=150)
def test_random_edits(data: st.DataObject, target: str) -> None:
    text = data.draw(st.sampled_from(texts(target)))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 30)))
        text = text[:start] + data.draw(st.sampled_from(SCRAPS)) + text[end:]
    source = Source(text)
    made = engine(target)
    for finding in made.check(source).findings:
        assert 0 <= finding.span.start <= finding.span.end <= len(text)
        for fix in finding.fixes:
            apply_edits(text, fix.edits)  # raises an error if the edits overlap
    fixed = made.fix(source, review=True)
    if fixed.refused is None and parses(text):
        assert parses(fixed.text)
        assert made.fix(Source(fixed.text), review=True).text == fixed.text


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("review", [False, True], ids=["safe", "review"])
def test_fixes_settle_and_leave_the_rest(target: str, review: bool) -> None:
    for text in texts(target):
        made = engine(target)
        fixed = made.fix(Source(text), review=review)
        assert fixed.refused is None, fixed.refused
        assert made.fix(Source(fixed.text), review=review).text == fixed.text
        assert untouched(text, fixed.text)


@pytest.mark.parametrize("target", TARGETS)
def test_one_at_a_time_ends_in_the_same_text(target: str) -> None:
    """Applying fixes one by one, in any order, gives the same text as applying all fixes."""
    made, different = engine(target), []
    for number, text in enumerate(texts(target)):
        due = made.fix(Source(text)).text
        for order in range(ORDERS):
            current = one_at_a_time(text, target, random.Random(ORDERS * number + order))
            if current != due:
                lines = difflib.unified_diff(due.splitlines(), current.splitlines(), n=0, lineterm="")
                different.append("\n".join(lines))
    print(f"\n{target}: {len(different)} of {ORDERS * len(texts(target))} ways end differently", *different, sep="\n")
    assert not different


def one_at_a_time(text: str, target: str, chance: random.Random) -> str:
    for _ in range(400):
        findings = engine(target).check(Source(text)).findings
        safe = [f for f in findings if f.fixes and f.fixes[0].applicability == "safe"]
        if not safe:
            break
        text = apply_edits(text, chance.choice(safe).fixes[0].edits)
    return text


def untouched(before: str, after: str) -> bool:
    """Return whether every removed or changed line is one that a rule may have a finding on."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    opcodes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    changed = [line for tag, start, end, _, _ in opcodes if tag != "equal" for line in old[start:end]]
    return all(WORD.search(line) for line in changed)


def parses(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return False
    return True
