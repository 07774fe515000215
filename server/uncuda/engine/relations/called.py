"""Finds functions and constants that only certain spans of a file use, so that they run only if those spans run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...facts.read import Facts
from ...facts.scans import uses

Stretch = tuple[int, int]

_DEFINED = re.compile(
    r"(?:(?:async[ \t]+)?def[ \t]+(?P<def>[A-Za-z_]\w*)|(?P<constant>[A-Z_]\w*)[ \t]*(?::[^=\n]+)?=(?!=))"
)
_PLAIN = re.compile(r"@(?:contextlib\.)?contextmanager\b|@(?:functools\.)?(?:lru_)?cache\b")
"""Decorators that do not register the function anywhere, so that only its callers run it."""
_TESTS = re.compile(r"(?:.*[/\\])?test_\w*\.py|.*_test\.py")
_TEST = "test"
_QUOTES = "\"'"  # a name in a string right after its quote is a use: `globals()["_run"]`
_MANY = 60  # the largest number of uses of a name that are checked


class Called:
    """Tells which code of a file runs only from the given spans: the spans, and functions and constants that only they
    use.

    Only module-level functions and constants that other files do not use are considered: those with a leading
    underscore, and all of a test module except the tests.
    """

    def __init__(self, stretches: Sequence[Stretch], facts: Facts, path: str) -> None:
        self._stretches, self._facts = stretches, facts
        self._tests = _TESTS.fullmatch(path) is not None
        self._known: dict[int, bool] = {}
        """By start offset of a function or constant: whether only the spans use it."""

    def holds(self, at: int) -> bool:
        """Return True if the offset `at` is in one of the spans, or in code that only the spans use."""
        self._facts.work.compare(1 + len(self._stretches))
        if any(start <= at < end for start, end in self._stretches):
            return True
        headers = list(self._facts.indents.headers(at))
        start = (headers[-1] if headers else self._facts.indents.header_at(at)).start
        if start not in self._known:
            self._known[start] = False  # ends the recursion: a use within a cycle of functions does not count
            self._known[start] = self._is_called(start)
        return self._known[start]

    def _is_called(self, start: int) -> bool:
        """Return True if only the spans use the function or constant that starts at this offset."""
        facts = self._facts
        match = _DEFINED.match(facts.text, start)
        name = (match["def"] or match["constant"]) if match is not None else ""
        if match is None or not (self._tests or name.startswith("_")) or name.startswith(_TEST):
            return False
        end = facts.indents.extent(start) if match["def"] else facts.layout.logical_line(start)[1]
        places = [at for at in facts.searches.find(("apart", name), uses(name, True)) if not start <= at < end]
        if not 0 < len(places) <= _MANY or not self._is_plain(start):
            return False
        return any(map(self.holds, places)) and all(self.holds(at) or self._is_prose(at) for at in places)

    def _is_prose(self, at: int) -> bool:
        """Return True if the name at an offset is in a comment, or in a string but not right after the string's opening
        quote."""
        return bool(self._facts.layout.token_at(at)) and self._facts.text[at - 1] not in _QUOTES

    def _is_plain(self, start: int) -> bool:
        """Return True if no decorator above the function registers it elsewhere."""
        above = self._facts.text[:start].rstrip("\n").rpartition("\n")[2]
        return not above.startswith(("@", ")")) or _PLAIN.match(above) is not None
