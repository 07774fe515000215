"""`check = "name"`: a dotted name and what lies below it, fixed where it is spelled."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..catalogue import Rule, Target
from ..edits import Edit, Fix, lowest
from ..facts.model import Name
from .base import Context, Hit
from .name_imports import import_hits
from .verdicts import Judge, Verdict, Verdicts

Place = tuple[int, int]


class Check:
    """All name rules."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.verdicts = Verdicts(rules, target)
        self.names = self.verdicts.names

    def run(self, context: Context) -> Iterator[Hit]:
        """Hits at references and at imports."""
        judge = self.verdicts.judge(context)
        yield from import_hits(context, judge)
        for reference in context.facts.references:
            verdict = judge(reference.dotted)
            if verdict is not None and not verdict.covered(context.shim):
                hit = _reference(context, reference, verdict, judge)
                if hit is not None:
                    yield hit


def _reference(context: Context, reference: Name, verdict: Verdict, judge: Judge) -> Hit | None:
    """The hit at a reference; None where a fixed alias already says it all."""
    rule, new = verdict.rule, verdict.replacement
    if rule.get("called") and _call(reference) is None:
        return None
    if verdict.applicability is None and _assigned(context, reference):
        return None
    around = _nearest_call(reference)
    if around in rule.get("silent-calls", ()):
        return None
    spans = reference.spans()
    hidden = spans.count(None)
    prefix = ".".join(reference.dotted.split(".")[:hidden])
    alias = judge(prefix) if prefix else None
    through = alias is not None and alias.applicability is not None
    base = alias.replacement if through and alias is not None else prefix
    applicability = verdict.applicability
    if applicability is not None:
        applicability = lowest(applicability, *_call_classes(reference, verdict))
    if around in rule.get("skip-calls", ()):
        applicability = None
    edits = _edits(reference.dotted, new, spans, hidden, base) if new else []
    if through and alias is not None and edits == [] and new and applicability == alias.applicability:
        return None
    hit = _hit(reference, verdict, spans)
    if edits is None:
        edits = _spelled_anew(context, reference, new, rule)
        through = through and edits is None
    if through:
        hit.links = (*hit.links, ("alias", reference.chain.root))
    if applicability is not None and edits is not None and (edits or through):
        needed = context.requires(rule, hit.start, new)
        hit.fixes = (Fix(f"Replace with `{hit.words['replacement']}`", applicability, (*edits, *needed)),)
    return hit


def _assigned(context: Context, reference: Name) -> bool:
    """Whether the reference is a variable that holds the name: it is reported where the name is spelled."""
    bounds = context.facts.names.bindings(reference.chain.root)
    return not reference.chain.parts and any(bound.dotted and bound.binding.kind == "assign" for bound in bounds)


def _call(reference: Name) -> ast.Call | None:
    """The call of the reference itself, if it is called."""
    parent = reference.statement.digest.parents.get(reference.chain.node)
    return parent if isinstance(parent, ast.Call) and parent.func is reference.chain.node else None


def _nearest_call(reference: Name) -> str:
    """The last word of the call whose argument the reference is, if it is one."""
    inner: ast.AST = reference.chain.node
    for outer in reference.statement.digest.ancestors(inner):
        if isinstance(outer, ast.Call) and inner is not outer.func:
            return outer.func.attr if isinstance(outer.func, ast.Attribute) else getattr(outer.func, "id", "")
        if isinstance(outer, ast.stmt):
            break
        inner = outer
    return ""


def _hit(reference: Name, verdict: Verdict, spans: list[Place | None]) -> Hit:
    statement, node = reference.statement, reference.chain.node
    spelled = [span for span in spans if span is not None] or [_alias_place(reference)]
    words = verdict.words(reference.dotted)
    hit = Hit(verdict.rule, spelled[0][0], spelled[-1][1], words, statement=statement, node=node)
    hit.limits, hit.since = verdict.limits, verdict.since
    call = _call(reference)
    if call is not None and isinstance(statement.digest.parents.get(call), ast.Attribute):
        hit.links = (("call", statement.start, id(call)),)
    if group := verdict.rule.get("group"):
        hit.links = (*hit.links, ("group", group))
    return hit


def _alias_place(reference: Name) -> Place:
    """Where a reference whose every segment is hidden stands: the alias itself."""
    start, end = reference.chain.piece.span(reference.chain.node)
    return start + reference.statement.start, end + reference.statement.start


def _call_classes(reference: Name, verdict: Verdict) -> list[str]:
    """What the call around a reference takes away from its class."""
    call, row = _call(reference), verdict.row
    if call is None or row is None:
        return []
    found = []
    for keyword in call.keywords:
        if keyword.arg in row.missing or (keyword.arg is None and row.missing):
            found.append("review")
    if row.positions and call.args:
        found.append("review")
    outer = reference.statement.digest.parents.get(call)
    chained = verdict.rule.get("chained", {}).get(row.name, ())
    if isinstance(outer, ast.Attribute) and outer.attr in chained:
        found.append("review")
    return found


def _spelled_anew(context: Context, reference: Name, new: str, rule: Rule) -> list[Edit] | None:
    """The whole reference replaced, where its alias cannot carry the new name; None where the new root is not known."""
    root, statement = new.partition(".")[0], reference.statement
    packages = [context.target.fill(template).partition(".")[0] for template in rule.imports]
    if root.isidentifier() and root not in packages:
        inside = statement.digest.scopes.get(reference.chain.node, -1)
        if context.facts.names.resolve(root, statement.start, inside) != root:
            return None
    segments = reference.chain.segments()
    return [Edit(segments[0][0] + statement.start, segments[-1][1] + statement.start, new)]


def _edits(old: str, new: str, spans: list[Place | None], hidden: int, hidden_new: str) -> list[Edit] | None:
    """Edits that turn the spelled segments of `old` into those of `new`; None when hidden ones would have to change."""
    prefix = hidden_new.split(".") if hidden_new else []
    wanted = new.split(".")
    if wanted[: len(prefix)] != prefix:
        return None
    old_parts, new_parts = old.split(".")[hidden:], wanted[len(prefix) :]
    places = [span for span in spans[hidden:] if span is not None]
    if old_parts == new_parts:
        return []
    if len(old_parts) == len(new_parts):
        return [Edit(*place, now) for was, now, place in zip(old_parts, new_parts, places) if was != now]
    if not new_parts or not old_parts:
        return None
    shorter = min(len(old_parts), len(new_parts))
    same = 0
    while same < shorter - 1 and old_parts[same] == new_parts[same]:
        same += 1
    tail = 0
    while tail < shorter - same - 1 and old_parts[-1 - tail] == new_parts[-1 - tail]:
        tail += 1
    last = len(old_parts) - tail - 1
    return [Edit(places[same][0], places[last][1], ".".join(new_parts[same : len(new_parts) - tail]))]
