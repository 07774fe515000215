"""Chooses quotes for string literals that a fix writes inside a field of an f-string; before Python 3.12, such a field
must not contain the quotes of the f-string."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ..edits import Edit, Fix
from ..facts.digest import Digest, Text
from ..facts.read import Statement
from .hit import Hit

_OTHER = {'"': "'", "'": '"'}


class _Field(NamedTuple):
    """A field of an f-string, and the quote character that must not occur in it; "" if the field already contains that
    character."""

    start: int
    end: int
    quote: str


def fitted(hit: Hit, text: str) -> Hit:
    """Return the hit whose fixes write literals in quotes that the enclosing strings allow; a fix is removed if no such
    quotes exist."""
    statement, node = hit.statement, hit.node
    if statement is None or node is None or not statement.digest.fields:
        return hit
    if not any(_quotes(edit) for fix in hit.fixes for edit in fix.edits):
        return hit
    known = _texts(statement.digest)
    if any(isinstance(outer, ast.Constant) and outer not in known for outer in statement.digest.ancestors(node)):
        return hit.with_fixes(())  # a string in a quoted annotation names a type
    around = list(_around(node, statement, text))
    fixes = (_fitted(fix, around) for fix in hit.fixes) if around else hit.fixes
    return hit.with_fixes(tuple(fix for fix in fixes if fix is not None))


def _quotes(edit: Edit) -> set[str]:
    return _OTHER.keys() & set(edit.text)


@lru_cache(maxsize=16)
def _texts(digest: Digest) -> dict[ast.AST, Text]:
    return {text.node: text for text in digest.texts}


def _around(node: ast.AST, statement: Statement, text: str) -> Iterator[_Field]:
    """The fields of f-strings around a node, the innermost field first."""
    digest, inner = statement.digest, node
    for outer in digest.ancestors(node):
        held, piece = _texts(digest).get(outer), digest.fields.get(inner)
        if held is not None and piece is not None:
            token = held.tokens[bisect_right(held.tokens, piece.base, key=lambda one: one.start) - 1]
            quote = text[statement.start + token.start - 1]
            start = statement.start + piece.base
            yield _Field(start, start + len(piece.text), "" if quote in piece.text else quote)
        inner = outer


def _fitted(fix: Fix, around: list[_Field]) -> Fix | None:
    edits = list(fix.edits)
    for at, edit in enumerate(fix.edits):
        wrong = {field.quote for field in around if field.start <= edit.start and edit.end <= field.end} - {""}
        if _quotes(edit) & wrong:
            if len(wrong | _quotes(edit)) > 1 or "\\" in edit.text:
                return None
            (quote,) = wrong
            edits[at] = edit._replace(text=edit.text.replace(quote, _OTHER[quote]))
    return fix._replace(edits=tuple(edits))
