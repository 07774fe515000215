"""Portable fixes of the environment variable that limits the visible devices."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...checks.base import Context
from ...checks.hit import Hit
from ...edits import Edit
from .forms import BY_HAND, EARLY, Form, Unwritable, refuse_unless_expression


def written(hit: Hit, context: Context, form: Form) -> Sequence[Edit]:
    """Return the edit that writes a call of a function of the helper module in place of a string: the name of the
    environment variable."""
    refuse_unless_expression(hit, context)
    form.needs_review(EARLY)  # the driver may have read the variable already, when the helper module was imported
    node, statement = hit.node, hit.statement
    if not isinstance(node, ast.Constant) or statement is None:
        raise Unwritable(BY_HAND)
    start, end = (statement.start + offset for offset in statement.digest.span(node))
    if context.text[start + 1 : end - 1] != hit.words["old"]:
        raise Unwritable(BY_HAND)
    return [Edit(start, end, form.of(hit.words["old"]))]
