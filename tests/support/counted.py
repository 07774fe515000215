"""Counts the work of a call, so that a test can compare the work for two sizes of a text: unlike time, the count is the
same on every machine."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import uncuda.engine
from uncuda.limits import Limits, Work


def steps(call: Callable[[], object]) -> Counter[str]:
    """Return how many lines of Python a call executes in each function; a comprehension executes one line for each of
    its elements."""
    counts: Counter[Any] = Counter()

    def traced(frame: FrameType, event: str, argument: object) -> Any:
        counts[frame.f_code] += 1
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        call()
    finally:
        sys.settrace(before)
    named: Counter[str] = Counter()
    for code, count in counts.items():
        named[f"{code.co_filename}:{code.co_firstlineno}:{code.co_name}"] += count
    return named


def growing(small: Callable[[], object], large: Callable[[], object], times: float) -> list[str]:
    """Return the functions that execute more than `times` as many lines in the call `large` as in `small`. Functions
    with few lines are left out, because they may be called once or not at all."""
    few, many = steps(small), steps(large)
    return [f"{name}: {few[name]}, {many[name]}" for name in many if many[name] > times * max(few[name], 100)]


def kept_work(monkeypatch: pytest.MonkeyPatch) -> list[Work]:
    """Return a list to which each analysis from now on adds its counter of work, which also counts the searches of
    texts."""
    kept: list[Work] = []

    class Kept(Work):
        def __init__(self, limits: Limits) -> None:
            super().__init__(limits)
            kept.append(self)

    monkeypatch.setattr(uncuda.engine, "Work", Kept)
    return kept
