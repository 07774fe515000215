"""Portable fixes of strings that name a device or a backend: a call of the helper module replaces the string, or
becomes a field of an f-string."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import NamedTuple

from ... import lazy_re
from ...checks.base import Context
from ...checks.hit import Hit
from ...edits import Edit, apply_edits
from ...facts.digest import Text
from ...facts.role_calls import parameter_of
from ...facts.strings import Token
from .forms import BY_HAND, Form, Unwritable, first_argument, refuse_unless_expression

_NUMBERED = lazy_re.compile(r"\{\d")
_KEY = lazy_re.compile(r"(cuda)(:\d+)?")
_FIELD = lazy_re.compile(r"\{[^{}]*\}")


def written(hit: Hit, context: Context, form: Form) -> Sequence[Edit]:
    """Return the edits that replace the device names in a string by calls of the helper module."""
    refuse_unless_expression(hit, context)
    assert hit.statement is not None
    text = next((text for text in hit.statement.digest.texts if text.node is hit.node), None)
    if text is None or len(text.tokens) != 1 or hit.rule.get("entry") or _is_key(hit) or _registers(hit, context):
        raise Unwritable(BY_HAND)
    if (annotation := _annotation(hit)) is not None and _is_literal(annotation, context.text):
        raise Unwritable(BY_HAND)
    token, base = text.tokens[0], hit.statement.start
    start, end = base + token.start, base + token.end
    words = sorted(hit.fixes[0].edits)
    added = [words.pop()] if words and words[-1].start == words[-1].end >= end else []
    if not words or not all(start <= edit.start and edit.end <= end for edit in words):
        raise Unwritable(BY_HAND)
    calls = [form.of(context.text[edit.start : edit.end]) for edit in words]
    said = _Said(hit, context, text, token, [*zip(words, calls, strict=True)])
    edits = said.in_fields() if token.formatted else said.written()
    return [*edits, *(_entry(hit, context, form, edits, edit.start) for edit in added)]


def _entry(hit: Hit, context: Context, form: Form, edits: Sequence[Edit], at: int) -> Edit:
    """Return the edit that adds a second entry to the dictionary of a `map_location`: the key names the device of the
    accelerator, and the value is that of the first entry."""
    assert hit.statement is not None
    inner: ast.AST | None = hit.node
    for outer in hit.statement.digest.ancestors(hit.node) if hit.node is not None else ():
        if isinstance(outer, ast.Dict) and inner in outer.values:
            if any(isinstance(part, ast.Call) for part in ast.walk(inner)):
                raise Unwritable(BY_HAND)  # the added entry would make the call in the value a second time
            key = outer.keys[outer.values.index(inner)]
            found = _KEY.fullmatch(key.value) if isinstance(key, ast.Constant) and isinstance(key.value, str) else None
            if key is not None and found is not None:
                start, end = (hit.statement.start + place for place in hit.statement.digest.span(inner))
                call = form.of(found[1])
                quote = "'" if context.text[hit.statement.start + hit.statement.digest.span(key)[0]] == "'" else '"'
                name = f"f{quote}{{{call}}}{found[2]}{quote}" if found[2] else call
                shifted = (Edit(one.start - start, one.end - start, one.text) for one in edits)
                value = apply_edits(context.text[start:end], shifted)
                return Edit(at, at, f", {name}: {value}")
        inner = outer
    raise Unwritable(BY_HAND)


class _Said(NamedTuple):
    """A string that is a single literal; `words`: the edits of the device names in it, each with the call that replaces
    the name."""

    hit: Hit
    context: Context
    text: Text
    token: Token
    words: Sequence[tuple[Edit, str]]

    def in_fields(self) -> list[Edit]:
        """Return the edits that replace each device name in an f-string by a field, `{CALL}`; `words` contains the call
        for each name."""
        if "t" in self.token.prefix or any(_quoted(call) for _, call in self.words):
            raise Unwritable(BY_HAND)
        return [Edit(word.start, word.end, f"{{{call}}}") for word, call in self.words]

    def written(self) -> list[Edit]:
        """Return the edits for a plain string: a call if the string is only a device name; otherwise an f-string, a sum
        with `+`, or an argument of `.format`."""
        assert self.hit.statement is not None
        if self.token.prefix not in ("", "r"):
            raise Unwritable(BY_HAND)
        (start, end), (first, call) = self._body, self.words[0]
        quotes = 3 if self.context.text[start - 3 : start] in ('"""', "'''") else 1
        whole = start - quotes - len(self.token.prefix), end + quotes
        if (first.start, first.end) == (start, end):
            return [Edit(*whole, call)]
        parent = self.hit.statement.digest.parents.get(self.text.node)
        if isinstance(parent, ast.Attribute) and parent.attr == "format":
            return self._format_call(parent)
        if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add) and parent.left is self.text.node:
            if first.start == start and self.context.text[first.end : end] == ":":
                quote = self.context.text[end]
                return [Edit(*whole, f"{call} + {quote}:{quote}")]
        body = self.context.text[start:end]
        if "{" in body or "}" in body:
            raise Unwritable(BY_HAND)
        return [Edit(whole[0], whole[0], "f"), *self.in_fields()]

    @property
    def _body(self) -> tuple[int, int]:
        assert self.hit.statement is not None
        base = self.hit.statement.start
        return base + self.token.start, base + self.token.end

    def _format_call(self, method: ast.Attribute) -> list[Edit]:
        """Return the edits that change `"cuda:{}".format(i)` to `"{}:{}".format(CALL, i)`. `CALL`, a call of the helper
        module, is inserted as the first argument, so that it fills the first field."""
        assert self.hit.statement is not None
        digest, body = self.hit.statement.digest, self.context.text[slice(*self._body)]
        call = digest.parents.get(method)
        if not isinstance(call, ast.Call) or len(self.words) != 1 or _NUMBERED.search(body) or not _FIELD.search(body):
            raise Unwritable(BY_HAND)
        at = self.context.text.index("(", self.hit.statement.start + digest.span(method)[1]) + 1
        spans = [digest.span(one) for one in (*call.args, *call.keywords)]
        base = self.hit.statement.start
        following = (base + min(spans)[0], base + max(spans)[1]) if spans else None
        ((word, asked),) = self.words
        return [Edit(word.start, word.end, "{}"), first_argument(self.context.text, at, following, asked)]


def _annotation(hit: Hit) -> ast.expr | None:
    """Return the annotation of the variable or parameter to which the string is assigned as a value or default."""
    assert hit.statement is not None
    assert hit.node is not None
    parents = hit.statement.digest.parents
    inner, outer = hit.node, parents.get(hit.node)
    while isinstance(outer, (ast.IfExp, ast.BoolOp)):
        inner, outer = outer, parents.get(outer)
    if isinstance(outer, ast.AnnAssign):
        return outer.annotation
    if not isinstance(outer, ast.arguments):
        return None
    parameter = parameter_of(outer, inner)
    return parameter.annotation if parameter is not None else None


def _is_literal(annotation: ast.expr, text: str) -> bool:
    """Return whether an annotation is a `Literal` type, directly or by way of an alias that the text defines."""
    names = {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(annotation) if isinstance(node, ast.Attribute)}
    if "Literal" in names:
        return True
    return any(re.search(rf"^{name}\b[^=\n]*=[^\n]*\bLiteral\[", text, re.M) for name in names)


def _registers(hit: Hit, context: Context) -> bool:
    """Return whether a string is the device type for which the code registers a kernel; the kernel works only on this
    device."""
    assert hit.statement is not None
    assert hit.node is not None
    for outer in hit.statement.digest.ancestors(hit.node):
        if isinstance(outer, ast.keyword) and outer.arg == "device_types":
            return True
        if isinstance(outer, ast.Call):
            return (context.resolve(outer.func, hit.statement) or "").startswith("torch.library.")
    return False


def _is_key(hit: Hit) -> bool:
    """Return whether a string is a key of a dictionary or compared with `is`; other code uses the same string, so a fix
    must not change this string alone."""
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
