"""Portable fixes of methods and attributes of tensors and modules: `x.cuda()` and `x.is_cuda`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from ... import lazy_re
from ...checks.base import Context
from ...checks.given_device import is_index, names_device
from ...checks.hit import Hit
from ...edits import Edit
from .forms import BY_HAND, OWN_TO, PACKED, Form, Unwritable, filled, first_argument, refuse_unless_expression

_FREE = (
    *(ast.If, ast.While, ast.IfExp, ast.BoolOp, ast.Assert, ast.Assign, ast.AnnAssign, ast.Return, ast.keyword),
    *(ast.Expr, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Lambda, ast.Yield, ast.comprehension, ast.arguments),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
_NAMES_ITSELF = lazy_re.compile(r"[ \t]*=[ \t]*[}!:]")
_PACKED = ("PackedSequence", "pack_padded_sequence", "pack_sequence")


def written(hit: Hit, context: Context, form: Form) -> Sequence[Edit]:
    """Return the edits that replace a method call or an attribute by code for all devices."""
    refuse_unless_expression(hit, context)
    node, statement = hit.node, hit.statement
    assert statement is not None
    if not isinstance(node, ast.Attribute):
        raise Unwritable(BY_HAND)
    call = statement.digest.parents.get(node)
    if isinstance(call, ast.Call) and call.func is node:
        if _is_storage(node, statement.digest.ancestors(node)):
            raise Unwritable(BY_HAND)
        if context.facts.says("def to("):
            form.needs_review(OWN_TO)  # a class of this text may define `to` in another way
        return _called(hit, context, form, node, call)
    if _NAMES_ITSELF.match(context.text, hit.end) and context.facts.layout.token_at(hit.start):
        raise Unwritable(BY_HAND)  # the f-string `{x.is_cuda=}` also prints the text `x.is_cuda=`
    if context.project.packs or any(map(context.facts.says, _PACKED)):
        form.needs_review(PACKED)  # a packed sequence has no attribute `device`
    return _asked(hit, context.text, form, node)


def _is_storage(node: ast.Attribute, around: Iterable[ast.AST]) -> bool:
    """Return whether the object is a storage, which has no method `to`: its name says so, or it is the argument of a
    `map_location` function."""
    value = node.value.func if isinstance(node.value, ast.Call) else node.value
    name = value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", "")
    if "storage" in name.lower():
        return True
    return any(
        isinstance(outer, ast.Lambda) and len(outer.args.args) == 2 and outer.args.args[0].arg == name
        for outer in around
    )


def _asked(hit: Hit, text: str, form: Form, node: ast.Attribute) -> list[Edit]:
    """Return the edits that replace an attribute by a comparison, in parentheses where the comparison needs them."""
    assert hit.statement is not None
    new = form.of(node.attr)
    parent = hit.statement.digest.parents.get(node)
    if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not) and new.count(" == ") == 1:
        around = hit.statement.digest.parents.get(parent)
        first, last = (hit.statement.start + hit.statement.digest.span(one)[0] for one in (parent, node))
        said = text[first:last]
        if isinstance(around, _FREE) and said.removeprefix("not").isspace():
            return [Edit(first, last, ""), Edit(hit.start, hit.end, new.replace(" == ", " != "))]
    alone = isinstance(parent, _FREE) or (isinstance(parent, ast.Call) and parent.func is not node)
    if isinstance(parent, ast.Subscript) and parent.slice is node:
        alone = True
    if alone:
        return [Edit(hit.start, hit.end, new)]
    start = hit.statement.start + hit.statement.digest.span(node)[0]
    return [Edit(start, start, "("), Edit(hit.start, hit.end, new + ")")]


def _called(hit: Hit, context: Context, form: Form, node: ast.Attribute, call: ast.Call) -> list[Edit]:
    """Return the edits that replace `x.cuda(…)` by `x.to(…)` with the same arguments."""
    assert hit.statement is not None
    spelling, base, span = form.spelling, hit.statement.start, hit.statement.digest.span
    if node.attr not in form.templates:
        raise Unwritable(BY_HAND)
    word, _, device = form.templates[node.attr].rstrip(")").partition("(")
    renamed = Edit(hit.start, hit.end, word)
    if any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords):
        raise Unwritable(BY_HAND)
    named = [one for one in call.keywords if one.arg == "device"]
    if len(call.args) > 2 or (call.args and named):
        raise Unwritable(BY_HAND)
    given = call.args[0] if call.args else named[0].value if named else None
    edits = [renamed]
    if len(call.args) == 2:
        at = base + span(call.args[1])[0]
        edits.append(Edit(at, at, "non_blocking="))
    if given is None:
        at = context.text.index("(", hit.end) + 1
        others = [(base + span(one)[0], base + span(one)[1]) for one in call.keywords]
        following = (min(others)[0], max(others)[1]) if others else None
        return [*edits, first_argument(context.text, at, following, filled(device, spelling))]
    if names_device(call):
        return edits
    start, end = (base + offset for offset in span(given))
    said = context.text[start:end]
    if is_index(given):
        call_of_device = filled(device, spelling)
        if '"' in call_of_device or "'" in call_of_device:
            raise Unwritable(BY_HAND)
        return [*edits, Edit(start, end, f'f"{{{call_of_device}}}:{said}"')]
    around = filled("{device}", spelling, "\0").split("\0")
    return [*edits, Edit(start, start, around[0]), Edit(end, end, around[1])]
