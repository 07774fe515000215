"""String literals that a fix writes into a field of an f-string: before Python 3.12 its quotes may not stand there."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from ..edits import Edit, Fix
from ..facts.digest import Digest, Text
from .hit import Hit

_OTHER = {'"': "'", "'": '"'}


def fitted(hit: Hit, text: str) -> Hit:
    """The hit with literals in quotes that the strings around allow; without the fixes that no quotes are left for."""
    statement, node = hit.statement, hit.node
    if statement is None or node is None or not statement.digest.fields:
        return hit
    if not any(_quotes(edit) for fix in hit.fixes for edit in fix.edits):
        return hit
    base, known = statement.start, _texts(statement.digest)
    outer = list(statement.digest.ancestors(node))
    if any(isinstance(one, ast.Constant) for one in outer):
        return hit.with_fixes(())  # an annotation in quotes: what it says is a type
    around = [known[one] for one in outer if one in known]

    def taken(edit: Edit) -> set[str]:
        return {quote for one in around for quote in _taken(one, edit, base, text)}

    fixes = (_fitted(fix, taken) for fix in hit.fixes) if around else hit.fixes
    return hit.with_fixes(tuple(fix for fix in fixes if fix is not None))


def _quotes(edit: Edit) -> set[str]:
    return _OTHER.keys() & set(edit.text)


@lru_cache(maxsize=16)
def _texts(digest: Digest) -> dict[ast.AST, Text]:
    return {text.node: text for text in digest.texts}


def _fitted(fix: Fix, taken: Callable[[Edit], set[str]]) -> Fix | None:
    edits = list(fix.edits)
    for at, edit in enumerate(fix.edits):
        if _quotes(edit) & (wrong := taken(edit)):
            if len(wrong | _quotes(edit)) > 1 or "\\" in edit.text:
                return None
            (quote,) = wrong
            edits[at] = edit._replace(text=edit.text.replace(quote, _OTHER[quote]))
    return replace(fix, edits=tuple(edits))


def _taken(outer: Text, edit: Edit, base: int, text: str) -> str:
    """The quote of a string with a field that holds the place of an edit, unless the field has it already."""
    for token in outer.tokens:
        for start, end in token.fields:
            if base + start <= edit.start and edit.end <= base + end:
                quote = text[base + token.start - 1]
                return "" if quote in text[base + start : base + end] else quote
    return ""
