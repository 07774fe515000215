"""Finds out whether every way through a function calls one of certain functions of the same file."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from ...checks.branches import Branches
from ...facts.scans import uses
from ...facts.scopes import Header

_MANY = 60  # maximum number of calls that are checked


def callers(names: Collection[str], branches: Branches) -> Iterator[tuple[Header, list[int]]]:
    """Yield the module-level functions that call one of the named functions, each with the offsets of these calls."""
    facts, found = branches.facts, dict[Header, list[int]]()
    for name in names:
        for at in islice(facts.searches.find(("apart", name), uses(name, True)), _MANY):
            outermost = list(branches.indents.headers(at))[-1:]
            if outermost and outermost[0].word == "def" and facts.text.startswith("(", at + len(name)):
                found.setdefault(outermost[0], []).append(at)
    yield from found.items()


def always_calls(function: Header, calls: Collection[int], branches: Branches) -> bool:
    """Return whether every way through a function leads through one of these calls.

    One of them must be unconditional, and each earlier `if` that returns must contain another one.
    """
    return any(_is_reached(function, call, calls, branches) for call in calls)


def _is_reached(function: Header, call: int, calls: Collection[int], branches: Branches) -> bool:
    indents = branches.indents
    around = [header for header in indents.headers(call) if header != function]
    if any(header.word != "with" for header in around):
        return False
    for block in (call, *(header.start for header in around)):
        for line in islice(indents.lines_above(indents.header_at(block).start, "if"), _MANY):
            end = indents.extent(line.start)
            branches.work.compare(1 + len(calls))
            if branches.leaves(line) and not any(line.start <= other < end for other in calls):
                return False
    return True
