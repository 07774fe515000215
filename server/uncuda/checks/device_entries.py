"""Entries of a dictionary whose keys are devices: their spans with parentheses, and edits that add the target's
entry."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import NamedTuple

from .. import lazy_re
from ..edits import Edit
from ..facts.digest import Digest
from ..facts.read import Statement
from ..facts.roles import Role, keys_of_values
from .base import Context

Span = tuple[int, int]
_GAP = r"#[^\r\n]*[\r\n]"
_CLOSING = lazy_re.compile(rf"(?:(?:[\s\\]|{_GAP})*\))*")
_OPENING = lazy_re.compile(rf"(?:[^(#]|{_GAP})*\(")
_LITERAL = lazy_re.compile(r"""[(\s]*[A-Za-z]{0,2}["']+[^{"']""")
_NUMBERED = lazy_re.compile(r"""[(\s]*[A-Za-z]{0,2}["']+[a-z]+:""")
_DEVICE = lazy_re.compile(r"[a-z]+(?::\d+)?")
_PLAIN = (ast.Constant, ast.JoinedStr, ast.FormattedValue, ast.Name, ast.Attribute, ast.BinOp, ast.Tuple, ast.Subscript,
          ast.operator, ast.expr_context)  # fmt: skip


class Entry(NamedTuple):
    """The spans of a dictionary entry's key and value in the statement, with their parentheses; `node`: the value."""

    key: Span
    value: Span
    node: ast.expr


class Entries(NamedTuple):
    """The entries of a dictionary display, by the nodes of their keys and by the nodes of their values. `keys`: the
    source text of each key, with double quotes in place of single quotes."""

    by_key: dict[ast.AST, Entry]
    by_value: dict[ast.AST, Entry]
    keys: frozenset[str]


@lru_cache(maxsize=8)
def entries_of(mapping: ast.Dict, digest: Digest) -> Entries:
    """The entries of a dictionary; cached, because a caller needs them once for each entry."""
    text, by_key = digest.text, dict[ast.AST, Entry]()
    done = digest.span(mapping)[0] + 1
    for key, value in zip(mapping.keys, mapping.values, strict=True):
        first = _bracketed(text, done, digest.span(key)) if key is not None else (done, done)
        last = _bracketed(text, first[1], digest.span(value))
        done = last[1]
        if key is not None:
            by_key[key] = Entry(first, last, value)
    by_value: dict[ast.AST, Entry] = {entry.node: entry for entry in by_key.values()}
    return Entries(by_key, by_value, frozenset(_quoted(text[slice(*entry.key)]) for entry in by_key.values()))


def _bracketed(text: str, floor: int, span: Span) -> Span:
    """The span of an expression, extended by the parentheses around it. `floor`: an offset before the expression; only
    commas, whitespace, comments and parentheses are between this offset and the expression."""
    start, end = span
    closing = _CLOSING.match(text, end)
    if closing is None or closing.end() == end:
        return span
    opening = _OPENING.match(text, floor, start)
    return (opening.end() - 1 if opening else start), closing.end()


def _quoted(source: str) -> str:
    return source.replace("'", '"')


def entry_of(role: Role, statement: Statement) -> Entry | None:
    """Return the dictionary entry whose value is the string that `role` describes; None if this string is not the value
    of an entry."""
    if role.kind != "value" or not isinstance(role.subject, ast.Dict):
        return None
    return entries_of(role.subject, statement.digest).by_value.get(role.node)


def key_of(role: Role) -> ast.expr | None:
    """Return the key of the dictionary entry whose value is the string that `role` describes; None if this string is
    not the value of an entry."""
    mapping = role.subject
    if role.kind != "value" or not isinstance(mapping, (ast.Dict, ast.DictComp)):
        return None
    return keys_of_values(mapping).get(role.node)


def said(source: str, words: dict[str, str]) -> str:
    """Return a source text in which each CUDA word in string literals is replaced by the target's word."""
    for old, new in words.items():
        source = re.sub(rf"(?<=[\"']){re.escape(old)}(?=[\"':])", new, source)
    return source


def moved(role: Role, statement: Statement, context: Context, words: dict[str, str]) -> list[Edit]:
    """Return the edit that adds an entry for the target beside an entry whose key is the device on which a checkpoint
    was saved: `{"cuda:0": "cuda:1"}`.

    `role`: the value of the existing entry, and the dictionary that contains it. The result is empty if the key names
    no device, or if the dictionary has an entry for the target already.
    """
    entry, digest = entry_of(role, statement), statement.digest
    if entry is None or not isinstance(role.subject, ast.Dict):
        return []
    text = digest.text
    old = text[slice(*entry.key)]
    key = key_of(role)
    value = key.value if isinstance(key, ast.Constant) else None
    if isinstance(value, bytes):
        return []  # device names are strings, never bytes
    new = said(old, words)
    if new == old and isinstance(value, str) and _DEVICE.fullmatch(value):  # two literals form the key: `"cu" "da:1"`
        old = f'"{value}"'
        new = said(old, words)
    if new == old or _quoted(new) in entries_of(role.subject, digest).keys:
        return []
    return [below(entry, statement, context, new, said(text[slice(*entry.value)], words))]


def below(entry: Entry, statement: Statement, context: Context, new_key: str, new_value: str) -> Edit:
    """Return the edit that adds an entry after another entry of a dictionary, in the same layout: on a new line, or on
    the same line."""
    base, text, layout = statement.start, context.text, context.facts.layout
    start, end = base + entry.key[0], base + entry.value[1]
    line = layout.line_start(start)
    before, between = text[line:start], text[base + entry.key[1] : base + entry.value[0]]
    separator = f",{layout.newline_at(line)}{before}" if not before.strip() and line else ", "
    return Edit(end, end, f"{separator}{new_key}{between}{new_value}")


def doubled(role: Role, statement: Statement, words: dict[str, str]) -> list[Edit]:
    """The edits that merge a dictionary comprehension with a copy whose keys name the target: `{**{…}, **{…}}`."""
    mapping, key, digest = role.subject, key_of(role), statement.digest
    if not isinstance(mapping, ast.DictComp) or key is None:
        return []
    text = digest.text
    old, whole = text[slice(*digest.span(key))], digest.span(mapping)
    if said(old, words) == old:
        return []
    start, end = (statement.start + at for at in whole)
    return [Edit(start, start, "{**"), Edit(end, end, f", **{said(text[slice(*whole)], words)}}}")]


def is_plain(*nodes: ast.AST | None, made: ast.AST | None = None) -> bool:
    """Return whether expressions can be evaluated twice: they contain no calls except `format` and the call `made`."""
    return all(
        isinstance(part, _PLAIN)
        or (isinstance(part, ast.Call) and (part is made or getattr(part.func, "attr", "") == "format"))
        or (made is not None and isinstance(part, ast.keyword))
        for node in nodes
        for part in (ast.walk(node) if node is not None else ())
    )


def is_literal(role: Role) -> bool:
    """Return whether a string with this role (its use in the code) is a value in a dictionary, and whether the key of
    this value begins with a literal."""
    key = key_of(role)
    return key is not None and _LITERAL.match(ast.unparse(key)) is not None


def says_index(role: Role) -> bool:
    """Return whether a string with this role (its use in the code) is a value in a dictionary, and whether the key of
    this value is a device with an index, such as `"cuda:0"`."""
    key = key_of(role)
    return key is not None and _NUMBERED.match(ast.unparse(key)) is not None
