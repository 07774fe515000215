"""`check = "environment"`: an environment variable of CUDA or NCCL, read, set or passed on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from ..catalogue import Row, Rule, Target
from ..edits import REVIEW, SAFE, Edit, Fix
from ..facts.digest import Text
from ..facts.read import Statement
from ..facts.roles import Role
from .base import Context, Hit, cap
from .string_evidence import is_prose, named

_SETTING = re.compile(r"(?:(?:env|export) +)?([A-Z][A-Z0-9_]*)=[^\n]*\Z")
_NAME = re.compile(r"[A-Z][A-Z0-9_]*\Z")
_SILENT_KINDS = frozenset({"statement", "other", "receiver", "concatenation"})


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
        """Hits at names of variables, and at `NAME=value` in a command."""
        for statement in context.facts.statements.values():
            for text in statement.digest.texts:
                match = _SETTING.match(text.value) or (None if text.formatted else _NAME.match(text.value))
                row = self._row(match[match.lastindex or 0]) if match else None
                if match is None or row is None or row.status not in self._by_status:
                    continue
                rule = self._by_status[row.status]
                role = context.role(text, statement)
                applicability = REVIEW if match.lastindex and not is_prose(role) else _class(role, rule)
                if applicability is not None:
                    yield _hit(context, statement, text, rule, row, match, applicability)


def _hit(
    context: Context,
    statement: Statement,
    text: Text,
    rule: Rule,
    row: Row,
    match: re.Match[str],
    applicability: str,
) -> Hit:
    start, end = (statement.start + offset for offset in text.piece.span(text.node))
    name = match[match.lastindex or 0]
    words = {"old": name, "new": row.replacement}
    hit = Hit(rule, start, end, words, limits=row.limits, statement=statement, node=text.node)
    allowed = cap(rule, applicability)
    at = statement.start + text.tokens[0].start + match.start(match.lastindex or 0)
    if row.replacement and allowed and context.text[at : at + len(name)] == name:
        edit = Edit(at, at + len(name), row.replacement)
        hit.fixes = (Fix(f"Replace with `{row.replacement}`", allowed, (edit,)),)
    return hit


def _class(role: Role, rule: Rule) -> str | None:
    """safe: the environment itself is asked; review: a name like these is hardly anything else; None: prose."""
    if role.kind in _SILENT_KINDS or is_prose(role):
        return None
    if role.kind == "default" and role.call is not None:
        return REVIEW
    call = role.call
    if role.kind == "argument" and call is not None:
        return SAFE if _is(_spelled(call.func), rule.get("calls", ())) and role.parameter in (0, "key") else REVIEW
    if role.kind in ("subscript", "membership"):
        holder = role.subject.value if isinstance(role.subject, ast.Subscript) else role.subject
        if _is(_spelled(holder), rule.get("mappings", ())):
            return SAFE
        return REVIEW if role.kind == "membership" or named(role.name, rule.get("names", ())) else None
    return REVIEW


def _spelled(node: ast.AST | None) -> str:
    """`os.environ.get` as the code spells it; "" for anything but names and attributes."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _is(spelled: str, names: Sequence[str]) -> bool:
    """Whether a spelled name is one of `names`, or what `from os import environ` leaves of it."""
    return bool(spelled) and any(name == spelled or name.endswith("." + spelled) for name in names)
