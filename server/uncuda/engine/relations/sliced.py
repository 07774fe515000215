"""Finds device strings of which other code takes a fixed number of characters: `device[:4]` is the type of "cuda:0",
but not of "npu:0"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ... import lazy_re
from ...checks import Hit
from ...facts.read import Facts
from ...facts.scans import matches
from .parts import taker

SLICED = "characters-counted"
"""The id in rules/limits.tsv of the sentence "other code takes a fixed number of characters of this string"."""
_SIZE = len("cuda")
# a comparison `x[:4] == "cuda"` is left out: its fix changes the number, too
_SLICE = lazy_re.compile(r"\[(?::[45]|[45]:)\](?![ \t]*(?:[!=]=|in\b|not\b))")
_ENDS = (":4]", ":5]", "4:]", "5:]")
_BEFORE = lazy_re.compile(r"(?:(?P<dot>\.?)\b(?P<name>\w+)|[\"'](?P<key>\w+)[\"']\])(?P<end>\)?)\Z")
_TEXT = lazy_re.compile(r"\bstr\([\w.\[\]\"']*\)\Z")
_FAR = 100  # maximum length of the name before a subscript


def sliced_strings(hits: Sequence[Hit], facts: Facts, device: str) -> frozenset[int]:
    """Return the starts of the hits at such strings. `device`: the target's word for its devices; a word of four
    characters takes the place of "cuda" in any subscript."""
    if len(device) == _SIZE or not any(map(facts.says, _ENDS)):
        return frozenset()
    fields, names = set[str](), set[tuple[str, int]]()
    for at in facts.searches.find(("sliced", ""), matches(_SLICE, "[")):
        before = facts.text[max(facts.layout.line_start(at), at - _FAR) : at]
        match = _BEFORE.search(before)
        if match is None or facts.layout.token_at(at) or (match["end"] and not _TEXT.search(before)):
            continue
        if match["dot"] or match["key"]:
            fields.add(match["name"] or match["key"])
        else:
            names.add((match["name"], facts.indents.scope_start(at)))
    strings = ((hit, taker(hit)) for hit in hits if (fields or names) and hit.rule.check == "string")
    return frozenset(hit.start for hit, name in strings if name in fields or names & {*_scoped(hit, name, facts)})


def _scoped(hit: Hit, name: str, facts: Facts) -> Iterator[tuple[str, int]]:
    """Yield a name with the scopes in which a string may be its value: the scope of the statement and, for the default
    of a parameter, the function."""
    if hit.statement is not None:
        yield name, facts.indents.scope_start(hit.statement.start)
        yield name, hit.statement.start
