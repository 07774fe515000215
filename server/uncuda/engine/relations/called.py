"""Functions and constants of a text that only certain stretches of it name: they count only where those run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...facts.read import Facts
from ...facts.scans import uses

Stretch = tuple[int, int]

_DEFINED = re.compile(
    r"^(?:(?:async[ \t]+)?def[ \t]+(?P<def>[A-Za-z_]\w*)|(?P<constant>[A-Z_]\w*)[ \t]*(?::[^=\n]+)?=(?!=))", re.M
)
_PLAIN = re.compile(r"@(?:contextlib\.)?contextmanager\b|@(?:functools\.)?(?:lru_)?cache\b")
"""Decorators that hand a function to nobody else."""
_TESTS = re.compile(r"(?:.*[/\\])?test_\w*\.py|.*_test\.py")
_TEST = "test"
_QUOTES = "\"'"  # a name that is looked up: `globals()["_run"]`
_MANY = 60  # uses of a name


def called_only_in(stretches: Sequence[Stretch], facts: Facts, path: str) -> list[Stretch]:
    """The functions and constants at the top of a text that stand only in these stretches, or in what these call.

    Nobody else may name them: they are private, or the text is a module of tests.
    """
    if not stretches:
        return []
    waiting, known = [*_own(facts, _TESTS.fullmatch(path) is not None)], [*stretches]
    grown = True
    while grown:
        grown = False
        for each in [*waiting]:
            own, places = each
            facts.work.compare(len(places) * len(known))
            if all(any(start <= at < end for start, end in known) for at in places):
                known.append(own)
                waiting.remove(each)
                grown = True
    return known[len(stretches) :]


def _own(facts: Facts, tests: bool) -> Iterator[tuple[Stretch, list[int]]]:
    """What each function or constant spans that only this text names, and where else its name stands."""
    text, layout = facts.text, facts.layout
    facts.work.search(0, len(text))
    for match in _DEFINED.finditer(text):
        name, start = match["def"] or match["constant"], match.start()
        if not (tests or name.startswith("_")) or name.startswith(_TEST) or layout.token_at(start):
            continue
        end = facts.indents.extent(start) if match["def"] else layout.logical_line(start)[1]
        found = [at for at in facts.searches.find((name, True), uses(name, True)) if not start <= at < end]
        places = [at for at in found if not layout.token_at(at) or text[at - 1] in _QUOTES]
        if 0 < len(places) <= _MANY and _is_plain(start, facts):
            yield (start, end), places


def _is_plain(start: int, facts: Facts) -> bool:
    """Whether no decorator above a function hands it to somebody else."""
    above = facts.text[:start].rstrip("\n").rpartition("\n")[2]
    return not above.startswith(("@", ")")) or _PLAIN.match(above) is not None
