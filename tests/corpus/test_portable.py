"""Tests of portable fixes on real files: the result parses, fixing it again changes nothing, it names no accelerator,
and code without a fix is reported."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from corpus.common import PACKAGES, TARGETS, engine, sources
from support.portable import portable_engine
from uncuda.facts.layout import Layout
from uncuda.source import Source

pytestmark = [pytest.mark.corpus, pytest.mark.slow]
FILES = 12
LEFT = re.compile(r"\btorch\.cuda\b(?!\.amp\b.*import)")
NAMED = re.compile(r"\b(?:torch\.npu|torch\.musa|torch_npu|torch_musa|hccl|mccl)\b")


@pytest.mark.parametrize("package", PACKAGES)
def test_files(corpus: Callable[[str], Path], package: str) -> None:
    every = [source for source in sources(corpus(package), "npu") if "torch.cuda" in source.text]
    for source in random.Random(package).sample(every, min(FILES, len(every))):
        text = Source(source.text)
        for review in (False, True):
            fixed = portable_engine().fix(text, review)
            assert fixed.refused is None, source.path
            ast.parse(fixed.text)
            assert portable_engine().fix(Source(fixed.text), review).text == fixed.text, source.path
            assert set(NAMED.findall(fixed.text)) <= set(NAMED.findall(source.text)), source.path
            unsaid = _unsaid(fixed.text)
            assert not unsaid, f"{source.path}: {unsaid}"


def _unsaid(text: str) -> list[str]:
    """Return the lines that use `torch.cuda` for which the portable strategy reports nothing, although the strategy
    "rewrite" reports them for each accelerator."""
    source, layout = Source(text), Layout(text)
    said = {source.position(finding.span.start)[0] for finding in portable_engine().check(source).findings}
    every = [{source.position(f.span.start)[0] for f in engine(name).check(source).findings} for name in TARGETS]
    found = []
    for match in LEFT.finditer(text):
        row = source.position(match.start())[0]
        line = text.splitlines()[row - 1]
        silent = any(row not in rows for rows in every) or layout.token_at(match.start())
        if row not in said and not silent and not line.strip().startswith("import torch"):
            found.append(f"{row}: {line.strip()}")
    return found
