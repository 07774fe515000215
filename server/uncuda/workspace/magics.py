"""Turns notebook cells into Python of the same length, with everything that only IPython understands blanked.

A shell command that rules search for is kept as an expression: `!nvidia-smi -q` becomes `~nvidia-smi`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from uncuda import lazy_re

_CELL = lazy_re.compile(r"\s*%%(\w*)")
_PYTHON = frozenset({"capture", "prun", "python", "python3", "time", "timeit"})
_CANDIDATE = lazy_re.compile(r"^[ \t]*(?:%|!)|=[ \t]*(?:%|!)|\?[ \t]*$|^[ \t]*\?", re.M)
_MAGIC = lazy_re.compile(
    r"[ \t]*(?:(?P<line>%{1,2}[A-Za-z_]|!(?!=)|\?)|(?P<help>%{0,2}[\w.*]+\?{1,2}[ \t]*(?=[\r\n]|\Z))"
    r"|[\w.,* \t\[\]]+?=[ \t]*(?P<value>%[A-Za-z_]|!(?!=)))"
)
_REST = lazy_re.compile(r"(?:\\\r?\n|[^\r\n])*")
_TOKEN = lazy_re.compile(
    r"\"\"\"(?:[^\\]|\\.)*?(?:\"\"\"|\Z)|'''(?:[^\\]|\\.)*?(?:'''|\Z)|\"(?:[^\"\\\r\n]|\\.)*\"?|'(?:[^'\\\r\n]|\\.)*'?"
    r"|#[^\r\n]*|\\\r?\n|[(\[{]|[)\]}]|\r\n|\n|\r",
    re.S,
)
_WORD = lazy_re.compile(r"[^\r\n]")
_SHELL = lazy_re.compile(r"\s*%(?:%(?:bash|sh|script|system|sx)\b|%!|sh\b)")
_CALL = lazy_re.compile(r"!{1,2}|%(?:sx|system|sh)\b")
_NO_COMMAND = lazy_re.compile(r"(?!)")
_LINE = lazy_re.compile(r"[^\r\n]+")


@lru_cache(maxsize=16)
def _command(words: frozenset[str]) -> re.Pattern[str]:
    """Return a pattern for shell lines that run one of these commands and do not only mention it."""
    if not words:
        return _NO_COMMAND
    before = (
        r"(?:^|[;|&(`]|\$\(|\b(?:sudo|exec|time|then|do|else|which|watch(?:[ \t]+-[^ \t]+(?:[ \t]+[\d.]+)?)*)[ \t])"
    )
    names = "|".join(map(re.escape, sorted(words)))
    return re.compile(rf"{before}[ \t]*(?:[\w.~-]*/[\w./-]*/?)?(?P<name>{names})(?![\w./=-])")


@lru_cache(maxsize=256)
def plain(cell: str, commands: frozenset[str] = frozenset()) -> str:
    """The text of a cell with magics, shell commands and help requests blanked; the length does not change.

    Each magic or shell line is replaced by `0`, so that blocks and assignments stay valid. A cell for another
    interpreter is blanked completely. If a line runs any of the `commands`, the first of them is kept: `!nvidia-smi -q`
    becomes `~nvidia-smi`. In a shell cell (`%%bash`), the line `nvidia-smi -q` becomes `nvidia-smi`, without `~`.
    """
    start = 0
    if magic := _SHELL.match(cell):
        return _shell(cell, magic.end(), commands)
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
            parts.append(_called(cell[kept:end], commands) if commands else _blank(cell[kept:end]))
        start = end
    return "".join(parts)


def _blank(magic: str) -> str:
    return "0" + _WORD.sub(" ", magic[1:])


def _called(magic: str, commands: Collection[str]) -> str:
    """Return a magic or shell line in which everything is blanked except one of `commands`. If backslashes continue the
    line, only its first physical line is searched for a command."""
    call, line = _CALL.match(magic), _LINE.match(magic)
    found = _find(magic[call.end() : line.end()], commands) if call and line else None
    if call is None or found is None:
        return _blank(magic)
    start, end = (call.end() + at for at in found)
    return f"~{' ' * (start - 1)}{magic[start:end]}{_WORD.sub(' ', magic[end:])}"


def _shell(cell: str, start: int, commands: Collection[str]) -> str:
    """Return a shell cell with everything blanked except for one command in each line."""
    parts, done = [], 0
    for line in _LINE.finditer(cell, start):
        if found := _find(line[0], commands):
            first, last = (line.start() + at for at in found)
            kept = _WORD.sub(" ", cell[done:first])
            if margin := re.search(r"[^\r\n]+\Z", kept):
                kept = f"{kept[: margin.start()]}~{kept[margin.start() + 1 :]}"
            parts += [kept, cell[first:last]]
            done = last
    return "".join([*parts, _WORD.sub(" ", cell[done:])])


def _find(line: str, commands: Collection[str]) -> tuple[int, int] | None:
    """The span of a command that a shell line runs, outside of comments and strings; None if there is none."""
    done, quotes = 0, {'"': 0, "'": 0}
    for found in _command(frozenset(commands)).finditer(line):
        start = found.start("name")
        if line.find("#", done, start) >= 0:
            return None
        for quote in quotes:
            quotes[quote] += line.count(quote, done, start)
        done = start
        if not any(count % 2 for count in quotes.values()):
            return found.span("name")
    return None


def _statement(cell: str, start: int) -> tuple[int, int]:
    """The end of the logical line at `start`, and the end of the part of it that is Python."""
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
    """The end of the line at `start`, including lines joined by backslashes."""
    match = _REST.match(cell, start)
    assert match is not None
    return match.end()
