"""Tests that the findings of a rule that settings switch off are not reported, but that other findings keep their fix
class."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest

from corpus.common import engine, sources
from uncuda.catalogue import load
from uncuda.engine import Engine, Finding
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source

# The fix of `x.is_cuda` needs review because of the call that this condition guards. If only the rule is-cuda is
# selected, the fix must not become safe, because it would port the file only in part.
LINKED = """import torch


def f(x):
    if x.is_cuda:
        kernel(x, torch.cuda.get_device_properties(x.device).major)
"""


@lru_cache
def selecting(*rules: str) -> Engine:
    return Engine(load(), "npu", Settings(locale="en", select=rules), Project())


def said(findings: tuple[Finding, ...], rule: str) -> list[tuple[object, ...]]:
    return [(each.span, each.message, each.fixes) for each in findings if each.rule == rule]


def test_a_rule_alone_says_what_it_says_beside_all_others() -> None:
    source = Source(LINKED)
    every = engine("npu").check(source).findings
    assert len({each.rule for each in every}) > 1
    for rule in {each.rule for each in every}:
        alone = selecting(rule).check(source).findings
        assert said(alone, rule) == said(every, rule) and {each.rule for each in alone} == {rule}
    assert selecting("is-cuda").fix(source).text == LINKED


def test_a_fix_changes_nothing_that_is_ignored() -> None:
    """A fix may change code that only a rule outside of `select` reports, but no code that an ignored rule reports."""
    code = "import torch\n\ndevice = 'cuda' if torch.cuda.is_available() else 'cpu'\n"
    ignoring = Engine(load(), "npu", Settings(locale="en", ignore=("cuda-api",)), Project())
    (finding,) = ignoring.check(Source(code)).findings
    assert finding.rule == "device-string" and not finding.fixes
    assert ignoring.fix(Source(code), review=True).text == code
    assert "'npu' if torch.npu.is_available()" in selecting("device-string").fix(Source(code)).text


def test_a_file_without_a_word_of_an_active_rule_is_not_read() -> None:
    assert not selecting("cudnn-flags").concerns(LINKED.encode())


@pytest.mark.corpus
@pytest.mark.slow
def test_on_a_package(corpus: Callable[[str], Path]) -> None:
    compared = 0
    for source in sources(corpus("fairseq"), "npu"):
        every = engine("npu").check(source).findings
        for rule in {each.rule for each in every}:
            assert said(selecting(rule).check(source).findings, rule) == said(every, rule), (source.path, rule)
            compared += len(said(every, rule))
    assert compared > 200
