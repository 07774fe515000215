"""Compiles regular expressions when they are first used. A run on one small file uses 150 of the 490 that the modules
of uncuda name; compiling the others would take a sixth of its time (decision 0065)."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


class LazyPattern:
    """A regular expression with the methods of `re.Pattern`. The first use of a method compiles it. From then on, its
    methods are those of the compiled `re.Pattern`, so that a call takes no longer."""

    __slots__ = (*_METHODS, "flags", "pattern")

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern, self.flags = pattern, flags

    def __getattr__(self, name: str) -> Any:  # Python calls it for slots without a value
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self.flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def compile(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:  # noqa: A001 (the name in `re`)
    """Return a stand-in for `re.compile(pattern, flags)`, for patterns of modules and classes. A mistake in the pattern
    raises `re.error` at the first use; tests/test_lazy_re.py compiles the patterns of all modules."""
    return cast("re.Pattern[AnyStr]", LazyPattern(pattern, flags))
