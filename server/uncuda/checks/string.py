"""`check = "string"`: a string that names a device or a backend, where its role proves or suggests that it does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ..catalogue import Rule, Target
from ..edits import REVIEW, SAFE, Edit, Fix
from ..facts.digest import Text
from ..facts.read import Statement
from ..facts.roles import Role
from .base import Context, Hit, cap
from .strings_linked import links_of, reaches

_PLACEHOLDER = re.compile(r"[{%]")


@dataclass(frozen=True, slots=True)
class _Prepared:
    rule: Rule
    matches: re.Pattern[str]
    words: re.Pattern[str]
    new: dict[str, str]
    needs_import: tuple[str, ...]


class Check:
    """All string rules; patterns are tried in the order of the rules' names."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._rules = [self._prepare(rule) for rule in rules]

    def _prepare(self, rule: Rule) -> _Prepared:
        words = {old: self.target.fill(new) for old, new in rule.get("words", {}).items()}
        pattern = "|".join(re.escape(old) for old in sorted(words, key=len, reverse=True)) or r"(?!)"
        return _Prepared(
            rule,
            re.compile(rule.get("pattern")),
            re.compile(rf"(?<![A-Za-z])(?:{pattern})(?![A-Za-z])"),
            words,
            rule.get("needs-import", ()),
        )

    def run(self, context: Context) -> Iterator[Hit]:
        """Hits at string literals."""
        for statement in context.facts.statements.values():
            for text in statement.digest.texts:
                for prepared in self._rules:
                    if self._matches(prepared, text, context, statement):
                        hit = self._hit(prepared, text, context, statement)
                        if hit is not None:
                            yield hit
                            break

    def _matches(self, prepared: _Prepared, text: Text, context: Context, statement: Statement) -> bool:
        value = text.value
        if len(value) > 200:
            return False
        if text.formatted:
            return bool(prepared.matches.fullmatch(value)) and bool(value)
        if prepared.matches.fullmatch(value):
            return True
        cut = _PLACEHOLDER.search(value)
        if cut is None or not cut.start():
            return False
        return bool(prepared.matches.fullmatch(value[: cut.start()])) and _templated(text, statement)

    def _hit(self, prepared: _Prepared, text: Text, context: Context, statement: Statement) -> Hit | None:
        rule, role = prepared.rule, context.role(text, statement)
        if rule.get("roles") and role.kind not in rule.get("roles"):
            return None
        if prepared.needs_import and not any(context.imports_root(root) for root in prepared.needs_import):
            applicability: str | None = self._class(rule, role, context)
            if applicability is None:
                return None
            applicability = REVIEW
        else:
            applicability = self._class(rule, role, context)
        if applicability is None:
            return None
        if context.shim and role.kind not in rule.get("shim-roles", (role.kind,)):
            return None
        start, end = (statement.start + offset for offset in text.piece.span(text.node))
        edits, old, new = self._edits(prepared, text, context, statement)
        hit = Hit(rule, start, end, {"old": old or text.value, "new": new}, statement=statement, node=text.node)
        allowed = cap(rule, applicability)
        if edits and allowed is not None:
            hit.fixes = (Fix(f'Replace with "{new}"', allowed, (*edits, *context.requires(rule, start))),)
            hit.links = links_of(role, statement, context)
        return hit

    def _edits(
        self, prepared: _Prepared, text: Text, context: Context, statement: Statement
    ) -> tuple[list[Edit], str, str]:
        edits: list[Edit] = []
        for token in text.tokens:
            start = statement.start + token.start
            body = context.text[start : statement.start + token.end]
            limit = token.fields[0][0] - 1 - token.start if token.fields else len(body)
            for match in prepared.words.finditer(body, 0, limit):
                edits.append(Edit(start + match.start(), start + match.end(), prepared.new[match[0]]))
        if not edits:
            return [], "", ""
        new = prepared.words.sub(lambda match: prepared.new[match[0]], text.value)
        return edits, text.value, new

    def _class(self, rule: Rule, role: Role, context: Context) -> str | None:
        """safe where the role proves the meaning, review where it suggests it, None where it is silent."""
        if role.kind in ("statement", "other"):
            return None
        if role.kind == "argument" and (role.method in rule.get("silent-calls", ()) or _listed(role.callee, rule, "silent-calls")):
            return None
        if self._proves(rule, role, context):
            return SAFE
        if rule.get("otherwise", "review") == "silent":
            return None
        return REVIEW if _suggests(role, rule) else None

    def _proves(self, rule: Rule, role: Role, context: Context) -> bool:
        if role.name and _named(role.name, rule.get("names", ())):
            return True
        if role.kind == "argument":
            if role.callee and _listed(role.callee, rule, "calls"):
                return not isinstance(role.parameter, str) or _named(role.parameter, rule.get("names", ()))
            if role.method in rule.get("methods", ()) and role.parameter in (0, "device"):
                return True
            return _string_test(role, rule) or _option(role, rule)
        if role.kind in ("comparison", "membership"):
            if _compared(role, rule):
                return True
        if role.kind in ("comparison", "membership", "item", "argument") or role.items:
            if any(item in rule.get("beside", ()) for item in role.items):
                return True
        if role.kind == "assignment" and role.name:
            return reaches(role, context, lambda inner: self._proves(rule, inner, context))
        return False


def _listed(callee: str, rule: Rule, key: str) -> bool:
    while callee:
        if callee in rule.get(key, ()):
            return True
        callee = callee.rpartition(".")[0]
    return False


def _named(name: str, patterns: Sequence[str]) -> bool:
    lowered = name.lower()
    return any(fnmatchcase(lowered, pattern) for pattern in patterns)


def _compared(role: Role, rule: Rule) -> bool:
    """Compared with `.type`, `str(device)`, `get_backend()`."""
    for word in rule.get("compared", ()):
        if word.startswith("."):
            if isinstance(role.subject, ast.Attribute) and role.name == word[1:]:
                return True
        elif role.name == word:
            if word != "str()":
                return True
            argument = role.subject.args[0] if isinstance(role.subject, ast.Call) and role.subject.args else None
            last = argument.attr if isinstance(argument, ast.Attribute) else getattr(argument, "id", "")
            if _named(last, rule.get("names", ())):
                return True
    return False


def _string_test(role: Role, rule: Rule) -> bool:
    """`device.startswith("cuda")`, `str(device).split("cuda")`, `device.replace("cuda", …)`."""
    call = role.call
    if call is None or role.method not in ("startswith", "split", "replace", "removeprefix", "count", "find", "endswith"):
        return False
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    if isinstance(receiver, ast.Call) and isinstance(receiver.func, ast.Name) and receiver.func.id == "str" and receiver.args:
        receiver = receiver.args[0]
    if isinstance(receiver, ast.Attribute):
        return _named(receiver.attr, rule.get("names", ())) or f".{receiver.attr}" in rule.get("compared", ())
    return isinstance(receiver, ast.Name) and _named(receiver.id, rule.get("names", ()))


def _option(role: Role, rule: Rule) -> bool:
    """The default or the choices of a command line option that names a device or a backend."""
    call = role.call
    if call is None or role.parameter not in ("default", "choices", "const"):
        return False
    for argument in call.args:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            if _named(argument.value.lstrip("-").replace("-", "_"), rule.get("names", ())):
                return True
    return False


def _suggests(role: Role, rule: Rule) -> bool:
    if role.kind in ("key", "subscript", "receiver", "concatenation"):
        return False
    if role.kind == "value":
        return False
    if role.kind == "argument" and role.containers:
        return False
    return True


def _templated(text: Text, statement: Statement) -> bool:
    """Whether `.format(…)` or `%` fills the string in."""
    parent = statement.digest.parents.get(text.node)
    if isinstance(parent, ast.Attribute):
        return parent.attr == "format"
    return isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mod) and parent.left is text.node



