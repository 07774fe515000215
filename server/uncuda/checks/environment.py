"""`check = "environment"`: an environment variable of CUDA or NCCL, read or set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from ..catalogue import Row, Rule, Target
from ..edits import REVIEW, Edit, Fix
from ..facts.digest import Text
from ..facts.read import Statement
from ..facts.roles import Role
from .base import Context, Hit, cap


class Check:
    """All environment rules, by the status that the target's table gives a variable."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._by_status = {status: rule for rule in rules for status in rule.status}
        self._patterns = [row for name, row in target.environment.items() if "*" in name]

    def _row(self, name: str) -> Row | None:
        row = self.target.environment.get(name)
        if row is not None:
            return row
        return next((row for row in self._patterns if fnmatchcase(name, row.name)), None)

    def run(self, context: Context) -> Iterator[Hit]:
        """Hits at names of variables."""
        for statement in context.facts.statements.values():
            for text in statement.digest.texts:
                row = None if text.formatted else self._row(text.value)
                if row is None or row.status not in self._by_status:
                    continue
                rule = self._by_status[row.status]
                certain = _certain(context.role(text, statement), rule)
                if certain is not None:
                    yield self._hit(context, statement, text, rule, row, certain)

    def _hit(self, context: Context, statement: Statement, text: Text, rule: Rule, row: Row, certain: bool) -> Hit:
        start, end = (statement.start + offset for offset in text.piece.span(text.node))
        words = {"old": text.value, "new": row.replacement}
        hit = Hit(rule, start, end, words, limits=row.limits, statement=statement, node=text.node)
        applicability = cap(rule, "safe" if certain else REVIEW)
        token = text.tokens[0]
        body = (statement.start + token.start, statement.start + token.end)
        if row.replacement and applicability and context.text[body[0] : body[1]] == text.value:
            hit.fixes = (Fix(f"Replace with `{row.replacement}`", applicability, (Edit(*body, row.replacement),)),)
        return hit


def _certain(role: Role, rule: Rule) -> bool | None:
    """True: it is an environment variable; False: it may be; None: nothing says so."""
    calls, mappings, names = rule.get("calls", ()), rule.get("mappings", ()), rule.get("names", ())
    if role.kind == "argument" and role.parameter in (0, "key"):
        if role.callee in calls:
            return True
        return False if role.method in ("setenv", "delenv", "unset_environ", "set_env") else None
    if role.kind == "subscript":
        return True if role.callee in mappings else (False if any(fnmatchcase(role.name.lower(), n) for n in names) else None)
    if role.kind == "membership":
        return True if role.callee in mappings else None
    if role.kind == "key":
        return False
    return None
