"""Finds code that TorchScript compiles; there, tensors have only the attributes and methods that its compiler knows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from .. import lazy_re
from ..facts.read import Facts

_COMPILES = lazy_re.compile(r"@[ \t]*(?:[\w.]*\bjit\.)?script(?:_method|_if_tracing)?\b")
_IMPORTED = lazy_re.compile(r"from[ \t]+torch\.jit[ \t]+import\b[^\n]*\bscript\b")
_LEAVES_OUT = lazy_re.compile(r"@[ \t]*[\w.]*\bjit\.(?:ignore|unused)\b")
_GIVEN = lazy_re.compile(r"script(?<=\bjit\.script)[ \t]*\(\s*(?:\w+\.)*(\w+)")
_GIVEN_PLAINLY = lazy_re.compile(r"script(?<![\w.]script)[ \t]*\(\s*(?:\w+\.)*(\w+)")
_NAMED = lazy_re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")


def scripted(facts: Facts, offset: int) -> bool:
    """Return whether code is in a function or class that this file passes to `torch.jit.script`."""
    if not (facts.says("torch.jit") or facts.says("import jit")) or not facts.says("script"):
        return False
    given = _given(facts.text)
    for header in facts.indents.headers(offset):
        match = _NAMED.match(facts.text, header.start)
        above = list(_decorators(facts, header.start)) if match else []
        if any(map(_LEAVES_OUT.match, above)):
            return False
        if match and (match[1] in given or any(map(_COMPILES.match, above))):
            return True
    return False


def _decorators(facts: Facts, start: int) -> Iterator[str]:
    for line in facts.indents.lines_above(start):
        if line.word != "@":
            return
        yield facts.text[line.start : line.end]


@lru_cache(maxsize=1)
def _given(text: str) -> frozenset[str]:
    """Return the last part of each dotted name that the text passes to `torch.jit.script`; for a variable, also the
    name of the class of its object."""
    found = set(_GIVEN.findall(text))
    if _IMPORTED.search(text):
        found.update(_GIVEN_PLAINLY.findall(text))
    made = {name: re.findall(rf"(?<!\w){name}[ \t]*=[ \t]*(?:\w+\.)*(\w+)[ \t]*\(", text) for name in found}
    return frozenset(found.union(*made.values()))
