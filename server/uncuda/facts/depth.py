"""Computes how deeply a text is nested. libcst recurses for every level of nesting, and crashes the process if the
stack overflows.

The unit of the nesting depth is one pair of brackets. A level of any other construct counts according to the stack
that libcst needs for it: a lambda, for example, counts as half a pair. If it is uncertain where an f-string ends,
libcst must parse the f-string first (see `readable` in `new_syntax.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .. import lazy_re
from .strings import formatted_end, plain_end

_QUOTES = lazy_re.compile(r"#[^\n\r]*|(?<!\w)(?P<prefix>[A-Za-z]{0,2})(?P<quotes>\"\"\"|'''|\"|')|\"|'")
_TOKEN = lazy_re.compile(
    r"(?P<line>^[ \t]*(?=\S))|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<end>[,;])"
    r"|\b(?P<lambda>lambda)\b|(?P<step>\b(?:not|and|or|if|else|elif|await|yield|for|in|is|async)\b|[.+*/%@&|^~<>:-])",
    re.M,
)
_CONTINUES = lazy_re.compile(r"(?:elif|else|except|finally|case)\b")
# How much stack a parser needs for one level of brackets, of lambdas, of operators and of blocks, as relative weights.
_BRACKET, _LAMBDA, _STEP, _BLOCK = 6, 3, 1, 6
_PATTERN = 96  # libcst parses each bracket in a `case` pattern several times: each level at least doubles the time


def nesting(text: str, enough: int = 1_000_000) -> int:
    """Return an upper bound for the nesting, counted in pairs of brackets, of a text without f-strings; the count stops
    beyond `enough`."""
    most = done = 0
    levels = [[0, 0]]  # for each open bracket: the number of operators since the last comma, and the number of lambdas
    # for each enclosing block: its indentation, and the number of clauses of its statement so far
    blocks: list[list[int]] = []
    total = 0  # how much stack all open brackets need, in the unit of `_BRACKET`
    bracket = _BRACKET
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        here = levels[-1]
        if kind == "line":
            if len(levels) == 1:
                levels[0] = here = [0, 0]
                done = _block(blocks, text, match)
                bracket = _PATTERN if text.startswith("case", match.end()) else _BRACKET
        elif kind == "open":
            total += bracket + _weight(here)
            levels.append([0, 0])
        elif kind == "close":
            if len(levels) > 1:
                levels.pop()
                total -= bracket + _weight(levels[-1])
                levels[-1][0] += 1
        elif kind == "end":
            here[0] = 0
        elif kind == "lambda":
            here[1] += 1
        else:
            here[0] += 1
        most = max(most, done + total + _weight(levels[-1]))
        if most > _BRACKET * enough:
            break
    return -(-most // _BRACKET)


def _weight(level: Sequence[int]) -> int:
    return _STEP * level[0] + _LAMBDA * level[1]


def _block(blocks: list[list[int]], text: str, line: re.Match[str]) -> int:
    """Return how much stack the blocks around a line need, in the unit of `_BRACKET`."""
    indent = len(line[0].expandtabs(8))
    while blocks and blocks[-1][0] > indent:
        blocks.pop()
    if not blocks or blocks[-1][0] < indent:
        blocks.append([indent, 0])
    blocks[-1][1] = blocks[-1][1] + 1 if _CONTINUES.match(text, line.end()) else 0
    return _BLOCK * (sum(1 + clauses for _, clauses in blocks) - 1)


def split_strings(text: str) -> tuple[str, list[str]] | None:
    """Return the text with each string replaced by `_` and without comments, and a list of its f-strings and t-strings;
    None if a string is not closed."""
    parts: list[str] = []
    fields: list[str] = []
    position = 0
    while match := _QUOTES.search(text, position):
        parts.append(text[position : match.start()])
        position = match.end()
        if match[0][0] == "#":
            continue
        quotes = match["quotes"] or match[0]
        prefix = (match["prefix"] or "").lower()
        formatted = "f" in prefix or "t" in prefix
        end = formatted_end(text, position, quotes)[0] if formatted else plain_end(text, position, quotes)
        if end < 0:
            return None
        position = end + len(quotes)
        parts.append("_")
        if formatted:
            fields.append(text[match.start() : position])
    return "".join(parts) + text[position:], fields
