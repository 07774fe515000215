"""Finds what a test expects of a device, if no safe fix changes what the test gives to the code under test. A test
changes whole or not at all."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from ... import lazy_re
from ...checks import Hit
from ...checks.branches import Branches
from ...checks.name_strings import PATCHED
from ...facts.read import Statement
from ...facts.role_calls import last_word
from ...facts.scans import matches, plain
from .parts import is_within
from .questions import Stretch, is_question

_TEST = "def test"
_LITERAL = lazy_re.compile(r"[\"']cuda(?::\d+)?[\"']")
_MEMBER = lazy_re.compile(r"(?:attr|object)\([\w.\s]+,\s*\Z")  # the code before the name of an attribute
_FAR = 80  # maximum length of this code


def expectations(hits: Sequence[Hit], branches: Branches) -> Iterator[tuple[int, int | None]]:
    """Yield pairs of indices of hits in a test that expects something of a device: a device string, a name of
    `torch.cuda` that the test replaces, or a condition that asks for CUDA; and what the test gives to the code under
    test, of which the first depends: a device string, `to_device(batch, "cuda")`, or a replaced name,
    `patch("app.torch.cuda.is_available")`. The second is None if the test gives a string that has no hit; a string with
    an index, `"cuda:0"`, can only be a device, whatever the test expects."""
    regions = _tests(branches) if branches.says(_TEST) else []
    if not regions:
        return
    starts = [start for start, _ in regions]
    own: dict[int, list[int]] = {}
    given: dict[int, list[int]] = {}
    expecting, known = set[int](), set[int]()
    for index, hit in enumerate(hits):
        known.add(hit.start)
        at = bisect_right(starts, hit.start) - 1
        replaces = _replaces(hit)
        if at < 0 or hit.start >= regions[at][1] or hit.statement is None:
            continue
        if not (hit.rule.check == "string" or replaces or is_question(hit)):
            continue
        own.setdefault(at, []).append(index)
        expected = _is_expected(hit, hit.statement)
        if replaces or expected:
            expecting.add(at)
        if replaces or (hit.rule.check == "string" and not expected):
            given.setdefault(at, []).append(index)
    for at in sorted(own):
        literals = list(_literals(regions[at], known, branches))
        if any(at in expecting or ":" in literal for literal in literals):
            yield from ((index, None) for index in own[at])
        elif at in expecting and (first := given.get(at, [])[:1]):
            # to pair each hit with each of `given` would take time that grows with the square of their number
            yield from ((first[0], index) for index in given[at][1:])
            yield from ((index, first[0]) for index in own[at] if index != first[0])


def _tests(branches: Branches) -> list[Stretch]:
    """Return the spans of the functions `test_…` with their decorators, sorted."""
    indents, layout = branches.indents, branches.facts.layout
    found: list[Stretch] = []
    for at in branches.facts.searches.find(("text", _TEST), plain(_TEST)):
        header = indents.header_at(at)
        if header.word in ("def", "async") and not layout.token_at(at) and (not found or at >= found[-1][1]):
            first = min((line.start for line in indents.decorators(header.start)), default=header.start)
            found.append((first, indents.extent(header.start)))
    return found


def _literals(region: Stretch, known: set[int], branches: Branches) -> Iterator[str]:
    """Yield the strings "cuda" and "cuda:0" in a span that have no hit, with their quotes. `known`: the starts of all
    hits."""
    searches, layout = branches.facts.searches, branches.facts.layout
    places = searches.find(("test", "literal"), matches(_LITERAL, "cuda"))
    for at in places[bisect_right(places, region[0] - 1) : bisect_right(places, region[1] - 1)]:
        branches.work.compare()
        before = branches.text[max(region[0], at - _FAR) : at]
        if at not in known and not layout.token_at(at - 1) and not _MEMBER.search(before):
            match = _LITERAL.match(branches.text, at)
            yield match[0] if match is not None else ""


def _is_expected(hit: Hit, statement: Statement) -> bool:
    """Return whether a device string is compared or asserted, or a condition of an `if` asks for CUDA."""
    if hit.rule.check != "string":
        return is_within(hit.node, statement, (ast.If,))
    around = statement.digest.ancestors(hit.node) if hit.node is not None else ()
    return any(isinstance(outer, ast.Compare) or _is_assertion(outer) for outer in around)


def _replaces(hit: Hit) -> bool:
    """Return whether a test replaces a name of `torch.cuda` by `setattr`, or names it in a string for `patch`."""
    return hit.rule.check == "name" and any(key[0] == PATCHED for key in hit.links)


def _is_assertion(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_word(node.func).startswith("assert")
