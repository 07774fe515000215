"""Cells of notebooks as Python: what only IPython understands is blanked, and no offset moves."""

from __future__ import annotations

import re
from functools import lru_cache

_CELL = re.compile(r"\s*%%(\w*)")
_PYTHON = frozenset({"capture", "prun", "python", "python3", "time", "timeit"})
_CANDIDATE = re.compile(r"^[ \t]*(?:%|!)|=[ \t]*(?:%|!)|\?[ \t]*$|^[ \t]*\?", re.M)
_MAGIC = re.compile(
    r"[ \t]*(?:(?P<line>%{1,2}[A-Za-z_]|!(?!=)|\?)|(?P<help>%{0,2}[\w.*]+\?{1,2}[ \t]*(?=[\r\n]|\Z))"
    r"|[\w.,* \t\[\]]+?=[ \t]*(?P<value>%[A-Za-z_]|!(?!=)))"
)
_REST = re.compile(r"(?:\\\r?\n|[^\r\n])*")
_TOKEN = re.compile(
    r"\"\"\"(?:[^\\]|\\.)*?(?:\"\"\"|\Z)|'''(?:[^\\]|\\.)*?(?:'''|\Z)|\"(?:[^\"\\\r\n]|\\.)*\"?|'(?:[^'\\\r\n]|\\.)*'?"
    r"|#[^\r\n]*|\\\r?\n|[(\[{]|[)\]}]|\r\n|\n|\r",
    re.S,
)
_WORD = re.compile(r"[^\r\n]")


@lru_cache(maxsize=256)
def plain(cell: str) -> str:
    """The text of a cell, as long as it is, without magics, shell commands and questions.

    `0` takes the place of each, so that a block or an assignment keeps something. A cell for another program is blank.
    """
    start = 0
    if magic := _CELL.match(cell):
        if magic[1] not in _PYTHON:
            return _WORD.sub(" ", cell)
        start = _end(cell, magic.start(1))
        cell = _WORD.sub(" ", cell[:start]) + cell[start:]
    if not _CANDIDATE.search(cell, start):
        return cell
    parts = [cell[:start]]
    while start < len(cell):
        end, kept = _statement(cell, start)
        parts.append(cell[start:kept])
        if kept < end:
            parts.append("0" + _WORD.sub(" ", cell[kept + 1 : end]))
        start = end
    return "".join(parts)


def _statement(cell: str, start: int) -> tuple[int, int]:
    """Where the logical line at `start` ends, and up to where it is Python."""
    if magic := _MAGIC.match(cell, start):
        place = magic.lastgroup or "line"
        end = _end(cell, start)
        return end, magic.start(place)
    depth = 0
    for token in _TOKEN.finditer(cell, start):
        word = token[0]
        if word in "([{":
            depth += 1
        elif word in ")]}":
            depth = max(0, depth - 1)
        elif word in ("\n", "\r", "\r\n") and not depth:
            return token.end(), token.end()
    return len(cell), len(cell)


def _end(cell: str, start: int) -> int:
    """Where the line at `start` ends, with those that a backslash joins to it."""
    match = _REST.match(cell, start)
    assert match is not None
    return match.end()
