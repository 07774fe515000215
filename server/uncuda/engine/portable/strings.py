"""A word in a string: the call in its place, or in a field of what is formatted."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from ...checks.base import Context
from ...checks.hit import Hit
from ...edits import Edit
from ...facts.digest import Text
from ...facts.strings import Token
from .forms import BY_HAND, Form, Unwritable, refuse_unless_expression

_NUMBERED = re.compile(r"\{\d")
_FIELD = re.compile(r"\{[^{}]*\}")


def written(hit: Hit, context: Context, form: Form) -> Sequence[Edit]:
    """The edits that ask for the words of a string."""
    refuse_unless_expression(hit, context)
    assert hit.statement is not None
    text = next((text for text in hit.statement.digest.texts if text.node is hit.node), None)
    if text is None or len(text.tokens) != 1 or hit.rule.get("entry") or _is_key(hit):
        raise Unwritable(BY_HAND)
    token, base = text.tokens[0], hit.statement.start
    start, end = base + token.start, base + token.end
    words = sorted(hit.fixes[0].edits)
    if not words or not all(start <= edit.start and edit.end <= end for edit in words):
        raise Unwritable(BY_HAND)
    calls = [form.of(context.text[edit.start : edit.end]) for edit in words]
    body = context.text[start:end]
    if token.formatted:
        return _fields(words, calls, token)
    quotes = 3 if context.text[start - 3 : start] in ('"""', "'''") else 1
    whole = start - quotes - len(token.prefix), end + quotes
    if token.prefix not in ("", "r"):
        raise Unwritable(BY_HAND)
    if len(words) == 1 and (words[0].start, words[0].end) == (start, end):
        return [Edit(*whole, calls[0])]
    return _formatted(hit, context, text, body, whole, words, calls, token)


def _fields(words: Sequence[Edit], calls: Sequence[str], token: Token) -> list[Edit]:
    """Fields of an f-string that is there."""
    if "t" in token.prefix or any(_quoted(call) for call in calls):
        raise Unwritable(BY_HAND)
    return [Edit(edit.start, edit.end, f"{{{call}}}") for edit, call in zip(words, calls, strict=True)]


def _formatted(
    hit: Hit,
    context: Context,
    text: Text,
    body: str,
    whole: tuple[int, int],
    words: Sequence[Edit],
    calls: Sequence[str],
    token: Token,
) -> list[Edit]:
    """What a string becomes of which a word is a part: it may be filled in, or added to."""
    assert hit.statement is not None
    parent = hit.statement.digest.parents.get(text.node)
    if isinstance(parent, ast.Attribute) and parent.attr == "format":
        return _format_call(hit, context, parent, body, words, calls)
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add) and parent.left is text.node:
        (word, call), quote = (words[0], calls[0]), context.text[whole[1] - 1]
        if len(words) == 1 and word.start == whole[0] + 1 and body[word.end - word.start :] == ":":
            return [Edit(*whole, f"{call} + {quote}:{quote}")]
    if "{" in body or "}" in body or any(_quoted(call) for call in calls):
        raise Unwritable(BY_HAND)
    fields = [Edit(edit.start, edit.end, f"{{{call}}}") for edit, call in zip(words, calls, strict=True)]
    return [Edit(whole[0], whole[0], "f"), *fields]


def _format_call(
    hit: Hit, context: Context, method: ast.Attribute, body: str, words: Sequence[Edit], calls: Sequence[str]
) -> list[Edit]:
    """`"{}:{}".format(CALL, i)`: the word comes first, so that what fills the other fields stays in its order."""
    assert hit.statement is not None
    call = hit.statement.digest.parents.get(method)
    first = _FIELD.search(body)
    if not isinstance(call, ast.Call) or len(words) != 1 or _NUMBERED.search(body) or first is None:
        raise Unwritable(BY_HAND)
    base = hit.statement.start
    at = context.text.index("(", base + hit.statement.digest.span(method)[1]) + 1
    more = ", " if call.args or call.keywords else ""
    return [Edit(words[0].start, words[0].end, "{}"), Edit(at, at, calls[0] + more)]


def _is_key(hit: Hit) -> bool:
    """Whether a string is the key of a dictionary: who reads it says the same word."""
    assert hit.statement is not None
    assert hit.node is not None
    parent = hit.statement.digest.parents.get(hit.node)
    if isinstance(parent, ast.Dict):
        return any(key is hit.node for key in parent.keys)
    if isinstance(parent, ast.Compare) and any(isinstance(op, (ast.Is, ast.IsNot)) for op in parent.ops):
        return True
    return isinstance(parent, ast.Subscript) and parent.slice is hit.node


def _quoted(call: str) -> bool:
    return '"' in call or "'" in call or "\\" in call
