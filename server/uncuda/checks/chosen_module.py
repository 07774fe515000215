"""Finds modules that a conditional expression chooses for a variable, if the file reads an attribute of the variable
that the target's module lacks: `backend = torch.cuda if has_cuda else torch.xpu` above `backend._get_device(0)`."""

from __future__ import annotations

import ast
from bisect import bisect_left

from .. import lazy_re
from ..facts.model import Name
from ..facts.scans import uses
from .base import Context
from .verdicts import Judge

MODULE_LACKS = "module-lacks"
"""The id in rules/limits.tsv of the sentence "the target's module lacks what the code reads of the variable"."""
_ATTRIBUTE = lazy_re.compile(r"[ \t]*\.[ \t]*(\w+)")


def lacking(context: Context, reference: Name, judge: Judge) -> str:
    """Return the first such attribute as the file spells it, `backend._get_device`; "" if there is none, or if the
    reference is not chosen for a variable."""
    name = _holder(reference)
    if not name:
        return ""
    start = context.facts.indents.scope_start(reference.statement.start)
    key = name, reference.dotted, start
    if key not in context.lacking:
        context.lacking[key] = _missing(context, name, reference.dotted, start, judge)
    return context.lacking[key]


def _missing(context: Context, name: str, module: str, scope: int, judge: Judge) -> str:
    """Return the first attribute that a scope reads of a variable and that the target's counterpart of a module lacks;
    "" if there is none. `scope`: the offset of the function that assigns the variable, -1 for the module, whose
    variables every function may read."""
    context.asked.add(name)
    facts = context.facts
    first, last = (scope, facts.indents.extent(scope)) if scope >= 0 else (0, len(facts.text))
    places = facts.searches.find(("called", name), uses(name, True))
    places = places[bisect_left(places, first) : bisect_left(places, last)]
    facts.work.compare(len(places))
    for at in places:
        match = _ATTRIBUTE.match(facts.text, at + len(name))
        verdict = judge(f"{module}.{match[1]}") if match is not None else None
        if match is not None and verdict is not None and verdict.applicability is None:
            if not facts.layout.token_at(at):
                return f"{name}.{match[1]}"
    return ""


def _holder(reference: Name) -> str:
    """Return the variable to which a conditional expression that may have the reference as its value is assigned."""
    inner, parents = reference.chain.node, reference.statement.digest.parents
    outer = parents.get(inner)
    if not isinstance(outer, ast.IfExp) or inner is outer.test:
        return ""
    assignment = parents.get(outer)
    target = assignment.targets[0] if isinstance(assignment, ast.Assign) else getattr(assignment, "target", None)
    return target.id if isinstance(target, ast.Name) and getattr(assignment, "value", None) is outer else ""
