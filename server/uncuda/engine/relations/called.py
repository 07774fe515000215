"""Functions and constants of a text that only certain stretches of it name: they count only where those run."""

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
"""Decorators that hand a function to nobody else."""
_TESTS = re.compile(r"(?:.*[/\\])?test_\w*\.py|.*_test\.py")
_TEST = "test"
_QUOTES = "\"'"  # a name that is looked up: `globals()["_run"]`
_MANY = 60  # uses of a name


class Called:
    """Answers for one text, and some stretches of it.

    Of a function or constant at the top of the text whose name stands only in the stretches, or in what these call,
    nobody else may say the name: it is private, or the text is a module of tests.
    """

    def __init__(self, stretches: Sequence[Stretch], facts: Facts, path: str) -> None:
        self._stretches, self._facts = stretches, facts
        self._tests = _TESTS.fullmatch(path) is not None
        self._known: dict[int, bool] = {}
        """By where a function or constant begins, whether only the stretches name it."""

    def holds(self, at: int) -> bool:
        """Whether a place is in a stretch, or in what only the stretches call."""
        self._facts.work.compare(1 + len(self._stretches))
        if any(start <= at < end for start, end in self._stretches):
            return True
        headers = list(self._facts.indents.headers(at))
        start = (headers[-1] if headers else self._facts.indents.header_at(at)).start
        if start not in self._known:
            self._known[start] = False  # what calls itself by way of others shows nothing
            self._known[start] = self._is_called(start)
        return self._known[start]

    def _is_called(self, start: int) -> bool:
        """Whether only the stretches name what begins here."""
        facts = self._facts
        match = _DEFINED.match(facts.text, start)
        name = (match["def"] or match["constant"]) if match is not None else ""
        if match is None or not (self._tests or name.startswith("_")) or name.startswith(_TEST):
            return False
        end = facts.indents.extent(start) if match["def"] else facts.layout.logical_line(start)[1]
        places = [at for at in facts.searches.find((name, True), uses(name, True)) if not start <= at < end]
        if not 0 < len(places) <= _MANY or not self._is_plain(start):
            return False
        return any(map(self.holds, places)) and all(self.holds(at) or self._is_prose(at) for at in places)

    def _is_prose(self, at: int) -> bool:
        """Whether a name stands in a comment, or among other words of a string."""
        return bool(self._facts.layout.token_at(at)) and self._facts.text[at - 1] not in _QUOTES

    def _is_plain(self, start: int) -> bool:
        """Whether no decorator above a function hands it to somebody else."""
        above = self._facts.text[:start].rstrip("\n").rpartition("\n")[2]
        return not above.startswith(("@", ")")) or _PLAIN.match(above) is not None
