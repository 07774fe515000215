"""Judges fixes that replace a name by a string literal: a fix is safe where a change of a string literal at the same
place would be safe."""

from __future__ import annotations

from ..catalogue import Rule, lacking
from ..edits import REVIEW, SAFE
from ..facts.model import Name
from .base import Context, Links
from .string_evidence import compared, complete, holds_truth, is_prose, weigh
from .string_flow import TESTS, Flow
from .string_members import MemberIndex

_HARMLESS = frozenset({"statement", "other", "receiver", "concatenation"})


class Literals:
    """Decides whether fixes that replace a name by a string literal are safe, in one source file."""

    def __init__(self, context: Context) -> None:
        self._context, self._flow = context, Flow(context)
        self._members = MemberIndex(self._flow)
        self._parameters = context.parameters

    def of(self, reference: Name, new: str) -> tuple[str, Links]:
        """Return the class of a fix that replaces a name by the literal `new`, and the keys for `Hit.links` that
        connect this fix with the code that must change together with the name."""
        flow, statement, chain = self._flow, reference.statement, reference.chain
        found = flow.role_at(chain.node, chain.piece.start(chain.node), statement)
        role = complete(found, statement, flow)
        if role.kind in _HARMLESS or is_prose(role):
            return SAFE, ()
        passed = self._parameters.of(role, statement) or (role, statement)
        allowed = [weigh(rule, *passed, flow, self._members) for rule in self._rules(new, passed[0].kind)]
        links = (*flow.links(role, statement), *(flow.links(*passed) if passed[0] is not role else ()))
        if SAFE not in allowed:
            return REVIEW, links
        # with the runtime patch, the name may be compared with a value that is still a string for CUDA, such as "nccl"
        tested = self._context.shim and role.kind in TESTS
        rules = self._rules(new, role.kind) if tested else []
        sure = any(compared(rule, role) or holds_truth(rule, role, statement, flow) for rule in rules)
        return REVIEW if tested and not sure else SAFE, links

    def _rules(self, new: str, kind: str) -> list[Rule]:
        """Return the rules that replace strings by `new` where the code uses a string as `kind`, such as "argument"."""
        fill, word = self._context.target.fill, new.strip("\"'")
        words = self._context.target.words
        rules = (
            rule
            for rule in self._context.catalogue.rules.values()
            if rule.check == "string" and not lacking(rule, words)
        )
        return [
            rule
            for rule in rules
            if kind in rule.get("roles", ()) and not rule.get("own") and not rule.get("entry")
            if any(fill(said) == word for said in rule.get("words", {}).values())
        ]
