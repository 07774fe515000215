"""Tests that all data read from a text is freed together with it, because the command line runs without a garbage
collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from uncuda.catalogue import load
from uncuda.engine import Engine
from uncuda.facts.model import Facts
from uncuda.source import Source

BRANCHES = """\
import torch

def place(kind):
    if kind == "npu":
        return torch.device("npu")
    elif kind == "cuda":
        return torch.device("cuda")

def other():
    return torch.zeros(1).cuda()
"""


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("fix", [False, True])
def test_facts_are_in_no_cycle(fix: bool) -> None:
    engine = Engine(load(), "npu")

    def read() -> int:
        return sum(isinstance(item, Facts) for item in gc.get_objects())

    before = read()
    for number in range(5):
        source = Source(BRANCHES + f"x = {number}\n", f"m{number}.py")
        assert engine.check(source).findings
        if fix:
            engine.fix(source)
    assert read() - before <= 1  # the last text stays in the engine's cache
