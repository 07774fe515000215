"""Private functions of a text that only certain stretches of it call: they run only where those do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...facts.read import Facts
from ...facts.scans import uses

Stretch = tuple[int, int]

_PRIVATE = re.compile(r"^(?:async[ \t]+)?def[ \t]+(_[A-Za-z]\w*)", re.M)
_PLAIN = re.compile(r"@(?:contextlib\.)?contextmanager\b|@(?:functools\.)?(?:lru_)?cache\b")
"""Decorators that hand a function to nobody else."""
_MANY = 60  # uses of a name


def called_only_in(stretches: Sequence[Stretch], facts: Facts) -> list[Stretch]:
    """The functions at the top of a text whose names begin with `_` and stand only in these stretches, or in what
    these call."""
    if not stretches:
        return []
    waiting, known = [*_private(facts)], [*stretches]
    grown = True
    while grown:
        grown = False
        for function in [*waiting]:
            own, places = function
            facts.work.compare(len(places) * len(known))
            if all(any(start <= at < end for start, end in known) for at in places):
                known.append(own)
                waiting.remove(function)
                grown = True
    return known[len(stretches) :]


def _private(facts: Facts) -> Iterator[tuple[Stretch, list[int]]]:
    """What each private function spans, and where else its name stands; none that may be called from elsewhere."""
    text, layout = facts.text, facts.layout
    facts.work.search(0, len(text))
    for match in _PRIVATE.finditer(text):
        if layout.token_at(match.start()):
            continue
        name, start, end = match[1], match.start(), facts.indents.extent(match.start())
        places = [at for at in facts.searches.find((name, True), uses(name, True)) if not start <= at < end]
        if 0 < len(places) <= _MANY and _is_plain(start, facts):
            yield (start, end), places


def _is_plain(start: int, facts: Facts) -> bool:
    """Whether no decorator above a function hands it to somebody else."""
    text = facts.text
    above = text[:start].rstrip().rpartition("\n")[2]
    return not above.startswith(("@", ")")) or _PLAIN.match(above) is not None
