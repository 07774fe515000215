"""Counts the work of a call, so that a test can compare the work for two sizes of a text: unlike time, the count is the
same on every machine."""

from __future__ import annotations

import ctypes  # noqa: F401 (`uncuda.byte_search` imports it during one of the counted calls)
import re
import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

import pytest

import uncuda.engine
from uncuda.lazy_re import LazyPattern
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


class Spans:
    """Counts the bytes that a module searches and copies: the patterns of the module count what they search, and a text
    made by `of` counts what is searched in it and copied from it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, module: ModuleType) -> None:
        self.count = 0
        for name, pattern in list(vars(module).items()):
            if isinstance(pattern, (re.Pattern, LazyPattern)):
                monkeypatch.setattr(module, name, _Pattern(pattern, self))

    def of(self, data: bytes) -> bytes:
        """Return the same bytes, whose uses are counted."""
        spans = self

        class Counted(bytes):
            def __getitem__(self, at: Any) -> Any:
                found = super().__getitem__(at)
                if not isinstance(found, bytes):
                    return found
                spans.count += len(found)
                return Counted(found)

            def find(self, *arguments: Any) -> int:
                spans.count += len(range(len(self))[slice(*arguments[1:])]) if arguments[1:] else len(self)
                return super().find(*arguments)

            def rfind(self, *arguments: Any) -> int:
                spans.count += len(range(len(self))[slice(*arguments[1:])]) if arguments[1:] else len(self)
                return super().rfind(*arguments)

        return Counted(data)


class _Pattern:
    """A pattern that counts the bytes from the begin of each search to the end of what it found, or of the text."""

    def __init__(self, pattern: re.Pattern[Any] | LazyPattern, spans: Spans) -> None:
        self._pattern, self._spans = pattern, spans

    def _one(self, found: re.Match[Any] | None, text: Any, begin: int = 0, end: int | None = None) -> Any:
        self._spans.count += (found.end() if found else len(text) if end is None else end) - begin
        return found

    def search(self, text: Any, *span: int) -> Any:
        return self._one(self._pattern.search(text, *span), text, *span)

    def match(self, text: Any, *span: int) -> Any:
        found = self._pattern.match(text, *span)
        return self._one(found, text, *span) if found else None

    def __getattr__(self, name: str) -> Any:
        """Return a method that goes through all of a text: finditer, findall, split or sub."""
        found = getattr(self._pattern, name)

        def whole(*arguments: Any) -> Any:
            (text, *span) = (one for one in arguments if not isinstance(one, str))
            self._spans.count += (span[1] if span[1:] else len(text)) - (span[0] if span else 0)
            return found(*arguments)

        return whole
