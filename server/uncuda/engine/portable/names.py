"""Portable fixes of dotted names: `torch.cuda` becomes a call of the helper module, such as `device_module()`, which
returns `torch.cuda`, `torch.npu` or `torch.musa`; some functions are replaced by other functions."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ... import lazy_re
from ...checks.base import Context
from ...checks.hit import Hit
from ...edits import Edit
from .forms import ALIASED, ANY, BY_HAND, DECORATOR, MODULE, RENAMED, Form, Unwritable, refuse_unless_expression

_EMPTY = lazy_re.compile(r"\(\s*\)")
_KEYWORD = lazy_re.compile(r"\w+=\Z")


def written(hit: Hit, context: Context, form: Form) -> Sequence[Edit]:
    """Return the edits that replace a dotted name by a call of the helper module."""
    refuse_unless_expression(hit, context)
    node, statement = hit.node, hit.statement
    if not isinstance(node, (ast.Attribute, ast.Name)) or statement is None or not isinstance(node.ctx, ast.Load):
        raise Unwritable(BY_HAND)
    base = statement.start
    if context.text[base] == "@":
        form.needs_review(DECORATOR)  # in a decorator, Python 3.8 accepts only a dotted name with one call at its end
    start, end = (base + offset for offset in statement.digest.span(node))
    inside = [edit for edit in hit.fixes[0].edits if not (start <= edit.start and edit.end <= end)]
    if any(edit.start != edit.end or not _KEYWORD.match(edit.text) for edit in inside):
        raise Unwritable(BY_HAND)  # outside of the replaced name, the fix may only insert keywords
    if f"{hit.words.get('name')}()" in form.templates:
        return [*_called(hit, context, form, node, end), *inside]
    if form.accelerators is not None and context.text[start:end] == hit.words.get("name"):
        if new := form.accelerators.name_for(context.text[start:end], _call(hit, node)):
            form.needs_review(ANY)  # `torch.accelerator` uses any accelerator, and raises an error without one
            return [Edit(start, end, new), *inside]
    key, part, hidden = _keyed(node, hit, context, form)
    if part is not node or hidden:
        _refuse_renamed(hit, context, key)
    else:
        form.needs_review(MODULE)  # the name is the module itself, and a module cannot be pickled
    first, last = (base + offset for offset in statement.digest.span(part))
    return [Edit(first, last, form.of(key) + hidden), *inside]


def _call(hit: Hit, node: ast.expr) -> ast.AST | None:
    """Return the call whose function is the name at `node`; None if the name is not called."""
    assert hit.statement is not None
    call = hit.statement.digest.parents.get(node)
    return call if isinstance(call, ast.Call) and call.func is node else None


def _keyed(node: ast.expr, hit: Hit, context: Context, form: Form) -> tuple[str, ast.expr, str]:
    """Return (key, part, rest) for the expression `node`. `key`: the dotted name for which the rule declares a
    replacement, such as `torch.cuda`. `part`: the part of `node` to replace. `rest`: "", unless `part` is an imported
    name that stands for a longer name than `key`: if `amp` stands for `torch.cuda.amp`, and `key` is `torch.cuda`,
    `rest` is `.amp`."""
    assert hit.statement is not None
    part: ast.expr = node
    while True:
        dotted = context.resolve(part, hit.statement)
        if dotted is not None and dotted in form.templates:
            if not isinstance(part, ast.Name) and not _spelled(part, dotted):
                raise Unwritable(ALIASED)
            return dotted, part, ""
        if not isinstance(part, ast.Attribute):
            return _of_alias(part, dotted, form)
        part = part.value


def _of_alias(part: ast.expr, dotted: str | None, form: Form) -> tuple[str, ast.expr, str]:
    """Return (key, part, rest) as `_keyed` describes them, for an imported name whose import will be removed."""
    key = next((key for key in form.templates if dotted is not None and dotted.startswith(key + ".")), None)
    if key is None or dotted is None or not isinstance(part, ast.Name):
        raise Unwritable(ALIASED)
    return key, part, dotted[len(key) :]


def _spelled(part: ast.expr, dotted: str) -> bool:
    return isinstance(part, ast.Attribute) and part.attr == dotted.rpartition(".")[2]


def _refuse_renamed(hit: Hit, context: Context, key: str) -> None:
    """Raise Unwritable if the API has another name, or is in another module, on the target."""
    name, new = hit.words.get("name", ""), hit.words.get("replacement", "")
    if new != context.target.words["module"] + name.removeprefix(key):
        raise Unwritable(RENAMED)


def _called(hit: Hit, context: Context, form: Form, node: ast.expr, end: int) -> list[Edit]:
    """Return the edits that replace a call without arguments by a call of another function in the same module."""
    assert hit.statement is not None
    name = hit.words["name"]
    empty = _EMPTY.match(context.text, end)
    call = hit.statement.digest.parents.get(node)
    if not isinstance(node, ast.Attribute) or not isinstance(call, ast.Call) or call.func is not node or not empty:
        raise Unwritable(BY_HAND)
    new = form.of(f"{name}()")
    module = name.rpartition(".")[0]
    if context.resolve(node.value, hit.statement) != module or not new.startswith(module + "."):
        raise Unwritable(ALIASED)
    return [Edit(end - len(node.attr), empty.end(), new[len(module) + 1 :])]
