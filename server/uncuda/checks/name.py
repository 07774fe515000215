"""`check = "name"`: a dotted name and what lies below it, fixed where it is spelled."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..catalogue import Row, Rule, Target
from ..edits import Edit, Fix, lowest
from ..facts.read import Name
from .base import Context, Hit, cap, row_class
from .name_imports import import_hits


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say of one dotted name."""

    rule: Rule
    replacement: str
    applicability: str | None
    row: Row | None


class Check:
    """All name rules, by name."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._rules: dict[str, list[Rule]] = {}
        for rule in rules:
            for name in rule.get("names"):
                self._rules.setdefault(name, []).append(rule)
        self._verdicts: dict[str, Verdict | None] = {}
        self.names = frozenset(self._rules)

    def verdict(self, dotted: str) -> Verdict | None:
        """The rule with the longest matching name that takes the name's status, and its replacement."""
        if dotted not in self._verdicts:
            self._verdicts[dotted] = self._verdict(dotted)
        return self._verdicts[dotted]

    def _verdict(self, dotted: str) -> Verdict | None:
        row, name = self._row(dotted), dotted
        status = row.status if row else "unlisted"
        while name:
            for rule in self._rules.get(name, ()):
                if not rule.status or status in rule.status:
                    return self._judge(rule, dotted, name, row)
            name = name.rpartition(".")[0]
        return None

    def _row(self, dotted: str) -> Row | None:
        row = self.target.row(dotted)
        if row is None and dotted == "torch.cuda":
            return Row(dotted, "module", "present", self.target.words["module"], shim=True)
        return row

    def _judge(self, rule: Rule, dotted: str, name: str, row: Row | None) -> Verdict:
        new = ""
        if row is not None and row.replacement and rule.status:
            new = row.replacement + dotted[len(row.name) :]
        elif template := rule.get("replace"):
            new = self.target.fill(template) + dotted[len(name) :]
        if not new:
            return Verdict(rule, "", None, row)
        limits = frozenset(rule.get("review-limits", ())) | self.target.review_limits
        base = row_class(row, limits) if rule.status else "safe"
        return Verdict(rule, new, cap(rule, base), row)

    def run(self, context: Context) -> Iterator[Hit]:
        """Hits at references and at imports."""
        yield from import_hits(context, self.verdict)
        for reference in context.facts.references:
            verdict = self.verdict(reference.dotted)
            if verdict is not None and not (context.shim and _covered_by_shim(verdict)):
                hit = self._reference(context, reference, verdict)
                if hit is not None:
                    yield hit

    def _reference(self, context: Context, reference: Name, verdict: Verdict) -> Hit | None:
        spans = reference.spans()
        spelled = [span for span in spans if span is not None]
        hidden = len(spans) - len(spelled)
        if not spelled:
            spelled = [context_span(reference)]
        rule = verdict.rule
        old_prefix = ".".join(reference.dotted.split(".")[:hidden])
        alias = self.verdict(old_prefix) if hidden and old_prefix else None
        through = alias is not None and bool(alias.replacement)
        if rule.get("uses") == "import" and hidden:
            return None
        applicability = verdict.applicability
        if applicability is not None:
            applicability = lowest(applicability, *_call_classes(context, reference, verdict))
        if self._skipped(context, reference, rule):
            applicability = None
        edits: list[Edit] | None = []
        if alias is not None and through:
            new_prefix = alias.replacement
            if verdict.replacement.startswith(new_prefix + ".") or verdict.replacement == new_prefix:
                edits = _edits(reference.dotted, verdict.replacement, spans, hidden, new_prefix)
                if not edits and applicability == alias.applicability:
                    return None
            elif applicability is not None:
                applicability = None
        elif verdict.replacement:
            edits = _edits(reference.dotted, verdict.replacement, spans, hidden, old_prefix)
        if edits is None:
            applicability = None
        hit = _hit(reference, verdict, (spelled[0][0], spelled[-1][1]))
        if through:
            hit.links = (("alias", reference.chain.root),)
        if applicability is not None and edits is not None and (edits or through):
            start = spelled[0][0]
            needed = context.requires(rule, start)
            hit.fixes = (Fix(f"Replace with `{verdict.replacement}`", applicability, (*edits, *needed)),)
        return hit

    def _skipped(self, context: Context, reference: Name, rule: Rule) -> bool:
        calls = rule.get("skip-calls", ())
        if not calls:
            return False
        digest = reference.statement.digest
        for outer in digest.ancestors(reference.chain.node):
            if isinstance(outer, ast.Call):
                last = outer.func.attr if isinstance(outer.func, ast.Attribute) else getattr(outer.func, "id", "")
                return last in calls
            if isinstance(outer, ast.stmt):
                return False
        return False


def context_span(reference: Name) -> tuple[int, int]:
    """Where a reference whose every segment is hidden stands: the alias itself."""
    start, end = reference.chain.piece.span(reference.chain.node)
    return start + reference.statement.start, end + reference.statement.start


def _covered_by_shim(verdict: Verdict) -> bool:
    if verdict.rule.shim == "table":
        return verdict.row is not None and verdict.row.shim
    return verdict.rule.shim == "silent"


def _hit(reference: Name, verdict: Verdict, span: tuple[int, int]) -> Hit:
    row = verdict.row
    words = {"name": reference.dotted, "replacement": verdict.replacement}
    hit = Hit(verdict.rule, span[0], span[1], words, statement=reference.statement, node=reference.chain.node)
    if row is not None:
        hit.limits = row.limits
        hit.since = row.since if not row.present else ""
    parent = reference.statement.digest.parents.get(reference.chain.node)
    if isinstance(parent, ast.Call) and parent.func is reference.chain.node:
        if isinstance(reference.statement.digest.parents.get(parent), ast.Attribute):
            hit.links = (("call", reference.statement.start, id(parent)),)
    return hit


def _call_classes(context: Context, reference: Name, verdict: Verdict) -> list[str]:
    """What the call around a reference takes away from its class."""
    digest, row = reference.statement.digest, verdict.row
    call = digest.parents.get(reference.chain.node)
    if not isinstance(call, ast.Call) or call.func is not reference.chain.node or row is None:
        return []
    found = []
    for keyword in call.keywords:
        if keyword.arg in row.missing or (keyword.arg is None and row.missing):
            found.append("review")
    if row.positions and call.args:
        found.append("review")
    outer = digest.parents.get(call)
    chained = verdict.rule.get("chained", {}).get(row.name, ())
    if isinstance(outer, ast.Attribute) and outer.attr in chained:
        found.append("review")
    return found


def _edits(
    old: str, new: str, spans: list[tuple[int, int] | None], hidden: int, hidden_new: str
) -> list[Edit] | None:
    """Edits that turn the spelled segments of `old` into those of `new`; None when the hidden ones would have to change."""
    prefix = hidden_new.split(".") if hidden_new else []
    wanted = new.split(".")
    if wanted[: len(prefix)] != prefix:
        return None
    old_parts, new_parts = old.split(".")[hidden:], wanted[len(prefix) :]
    places = [span for span in spans[hidden:] if span is not None]
    if old_parts == new_parts:
        return []
    if len(old_parts) == len(new_parts):
        return [
            Edit(place[0], place[1], now)
            for was, now, place in zip(old_parts, new_parts, places)
            if was != now
        ]
    if not new_parts or not old_parts:
        return None
    same = 0
    while same < min(len(old_parts), len(new_parts)) - 1 and old_parts[same] == new_parts[same]:
        same += 1
    tail = 0
    while tail < min(len(old_parts), len(new_parts)) - same - 1 and old_parts[-1 - tail] == new_parts[-1 - tail]:
        tail += 1
    last = len(old_parts) - tail - 1
    return [Edit(places[same][0], places[last][1], ".".join(new_parts[same : len(new_parts) - tail]))]



