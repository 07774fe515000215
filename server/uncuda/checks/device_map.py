"""A dictionary by device (`{"cuda": "nccl", "cpu": "gloo"}`): the entry that the target needs beside CUDA's."""

from __future__ import annotations

import ast
import re

from ..catalogue import Target
from ..edits import Edit
from ..facts.read import Statement
from ..facts.roles import Role
from .base import Context, row_class

_MODULE = re.compile(r"\btorch\.cuda(?:\.\w+)+")
_LEFT = re.compile(r"cuda|nccl", re.I)


def entry(role: Role, statement: Statement, context: Context, key: str, words: dict[str, str]) -> Edit | None:
    """The edit that adds an entry `key` after the one that `role` is the key of; None where its value is not sure."""
    mapping = role.subject
    if not isinstance(mapping, ast.Dict) or kept(role, statement) == (0, 0):
        return None
    at = next(index for index, node in enumerate(mapping.keys) if node is role.node)
    piece, text, base = statement.digest.piece, context.text, statement.start
    first, value = mapping.keys[at], mapping.values[at]
    assert first is not None
    start, end = base + piece.start(first), base + piece.end(value)
    if context.target.words["device"] in text[base + piece.start(value) : end]:
        return None  # a fix has been here: the value is no longer CUDA's
    spelled = _translated(text[base + piece.start(value) : end], words, context.target)
    if spelled is None:
        return None
    quote = text[start]
    between = text[base + piece.end(first) : base + piece.start(value)]
    line = context.facts.layout.line_start(start)
    alone = not text[line:start].strip() and at + 1 < len(mapping.keys)
    newline = context.facts.layout.newline_at(line)
    separator = f",{newline}{text[line:start]}" if alone or (not text[line:start].strip() and line) else ", "
    return Edit(end, end, f"{separator}{quote}{key}{quote}{between}{spelled}")


def kept(role: Role, statement: Statement) -> tuple[int, int]:
    """Where the value of CUDA's entry stands, which stays CUDA's; (0, 0) where making the dictionary calls CUDA."""
    mapping = role.subject
    if not isinstance(mapping, ast.Dict):
        return 0, 0
    value = next(value for key, value in zip(mapping.keys, mapping.values, strict=True) if key is role.node)
    nodes = [] if isinstance(value, ast.Lambda) else list(ast.walk(value))
    if any(isinstance(node, ast.Call) for node in nodes) and any(getattr(node, "attr", "") == "cuda" for node in nodes):
        return 0, 0
    start, end = statement.digest.piece.span(value)
    return statement.start + start, statement.start + end


def _translated(value: str, words: dict[str, str], target: Target) -> str | None:
    """The source of CUDA's value, said for the target; None when some of it has no sure counterpart."""

    def named(match: re.Match[str]) -> str:
        row = target.row(match[0])
        sure = row is not None and row.name == match[0] and row_class(row, target.review_limits) == "safe"
        return row.replacement if row is not None and sure else match[0]

    value = _MODULE.sub(named, value)
    for old, new in words.items():
        value = re.sub(rf"(?<=[\"']){re.escape(old)}(?=[\"':])", new, value)
    return None if _LEFT.search(value) else value
