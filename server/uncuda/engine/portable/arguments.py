"""Portable fixes of arguments: where the fix for one target writes a device name, the portable fix writes a call of the
helper module."""

from __future__ import annotations

from collections.abc import Sequence

from ...checks.base import Context
from ...checks.hit import Hit
from ...edits import Edit
from .forms import BY_HAND, Form, Unwritable, refuse_unless_expression


def written(hit: Hit, context: Context, form: Form) -> Sequence[Edit]:
    """Return the edits of a hit's first fix; where they write a name of the target in quotes, such as `"npu"`, a call
    of the helper module takes its place."""
    refuse_unless_expression(hit, context)
    return [edit._replace(text=_asking(edit.text, context, form)) for edit in hit.fixes[0].edits]


def _asking(text: str, context: Context, form: Form) -> str:
    words = context.target.words
    for name in form.templates:
        text = text.replace(f'"{words.get(name, "")}"', form.of(name))
    if any(word in text for word in (words["module"], words["package"], f'"{words["device"]}')):
        raise Unwritable(BY_HAND)
    return text
