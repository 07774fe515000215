"""Finds device strings of which other code takes a fixed number of characters: `device[:4]` is the type of "cuda:0",
but not of "npu:0"."""

from __future__ import annotations

from collections.abc import Sequence

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
_BEFORE = lazy_re.compile(r"(?:\b(\w+)|[\"'](\w+)[\"']\])\)?\Z")
_FAR = 100  # maximum length of the name before a subscript


def cut(hits: Sequence[Hit], facts: Facts, device: str) -> frozenset[int]:
    """Return the starts of the hits at such strings. `device`: the target's word for its devices; a word of four
    characters takes the place of "cuda" in any subscript."""
    if len(device) == _SIZE or not any(map(facts.says, _ENDS)):
        return frozenset()
    names = set[str]()
    for at in facts.searches.find(("sliced", ""), matches(_SLICE, "[")):
        start = max(facts.layout.line_start(at), at - _FAR)
        if not facts.layout.token_at(at) and (match := _BEFORE.search(facts.text[start:at])):
            names.add(match[1] or match[2])
    strings = (hit for hit in hits if names and hit.rule.check == "string")
    return frozenset(hit.start for hit in strings if taker(hit) in names)
