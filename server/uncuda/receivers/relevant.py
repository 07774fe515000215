"""Finds the parts of a text on which the type of a receiver depends: while these parts do not change, the cached answer
about the receiver stays valid."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from uncuda import lazy_re
from uncuda.project import Site

# A line without indentation begins a new part of the text (see `Relevant`), unless it can only continue the statement
# before it.
_MARGIN = lazy_re.compile(r"\n(?![\s#)\]}\"'])")
_GOES_ON = ("else", "elif", "except", "finally")
_WORD = lazy_re.compile(r"[^\W\d]\w*")
_NAMED = lazy_re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")
_STAR = lazy_re.compile(r"from\b[^\n]*\bimport[ \t(]+\*")
_QUOTES = ('"""', "'''")


class _Part(NamedTuple):
    text: str
    words: frozenset[str]
    names: frozenset[str]


class Relevant:
    """One text, split into parts: functions, classes and other statements at module level."""

    def __init__(self, text: str) -> None:
        self._parts = _parts(text)
        self._starts = list(accumulate((len(part.text) for part in self._parts[:-1]), initial=0))
        self._owners: dict[str, list[int]] = {}
        for index, part in enumerate(self._parts):
            for name in part.names:
                self._owners.setdefault(name, []).append(index)
        self._named: dict[int, set[int]] = {}
        self._known: dict[int, int] = {}

    def key(self, site: Site) -> Hashable:
        """Return the cache key of a site (the place of a receiver). The key depends on the text of the part (a
        function, class or other statement at module level) around the site, and on the texts of the parts that define
        the names used in that part, directly or indirectly."""
        index = bisect_right(self._starts, site.at) - 1
        if index not in self._known:
            reached = self._reached(index)
            self._known[index] = hash((reached.index(index), *(self._parts[other].text for other in reached)))
        start = self._starts[index]
        return self._known[index], site.at - start, site.argument, site.lacking

    def _reached(self, index: int) -> list[int]:
        found = {index, *self._owners.get("*", ())}
        waiting = list(found)
        while waiting:
            new = self._directly(waiting.pop()) - found
            found |= new
            waiting += new
        return sorted(found)

    def _directly(self, index: int) -> set[int]:
        """Return the indices of the parts of the text (functions, classes and other statements at module level) that
        define a name used in the part at `index`."""
        if index not in self._named:
            words = self._parts[index].words & self._owners.keys()
            self._named[index] = {part for word in words for part in self._owners[word]}
        return self._named[index]


def _parts(text: str) -> list[_Part]:
    parts, begin = [], 0
    for end in (*(match.end() for match in _MARGIN.finditer(text)), len(text)):
        if text.startswith(_GOES_ON, end):
            continue
        piece = text[begin:end]
        if end < len(text) and ((piece.startswith("@") and not _NAMED.search(piece)) or _open(piece)):
            continue  # a decorator belongs to its function, and a long string may contain lines without indentation
        parts.append(_part(piece))
        begin = end
    return parts


def _open(piece: str) -> bool:
    return sum(piece.count(quotes) for quotes in _QUOTES) % 2 == 1


@lru_cache(maxsize=4096)
def _part(piece: str) -> _Part:
    words = frozenset(_WORD.findall(piece))
    named = _NAMED.match(piece) or (_NAMED.search(piece) if piece.startswith("@") else None)
    if named is not None:
        return _Part(piece, words, frozenset({named[1]}))
    return _Part(piece, words, words | {"*"} if _STAR.match(piece) else words)
