"""Strings that belong together: an option's default and its choices, a name's value and its comparisons."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Hashable

from ..facts.read import Statement
from ..facts.roles import Role
from .base import Context


def links_of(role: Role, statement: Statement, context: Context) -> tuple[Hashable, ...]:
    """Keys that a string shares with the strings that must change when it does."""
    links: list[Hashable] = []
    if role.call is not None and role.parameter in ("default", "choices", "const") and _option_name(role.call):
        links.append(("option", statement.start, id(role.call)))
        links.append(("value", _option_name(role.call)))
    elif role.kind in ("comparison", "membership", "assignment", "default", "case") and _plain(role.name):
        links.append(("value", role.name))
    return tuple(links)


def _plain(name: str) -> bool:
    """Whether a name is worth following: `type` and calls are compared everywhere."""
    return bool(name) and name != "type" and not name.endswith("()")


def _option_name(call: ast.Call) -> str:
    for keyword in call.keywords:
        if keyword.arg == "dest" and isinstance(keyword.value, ast.Constant):
            return str(keyword.value.value)
    for argument in call.args:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str) and argument.value.startswith("--"):
            return argument.value.lstrip("-").replace("-", "_")
    return ""


def reaches(role: Role, context: Context, proves: Callable[[Role], bool]) -> bool:
    """Whether the name that a string is assigned to is passed on where a device or a backend is due."""
    subject = role.subject
    if not isinstance(subject, ast.Name):
        return False
    name = subject.id
    for match in re.finditer(rf"(?<![\w.]){re.escape(name)}(?!\w)", context.text):
        start, _ = context.facts.layout.logical_line(match.start())
        while context.text[start] in " \t\f":
            start += 1
        statement = context.facts.statements.get(start) or context.facts.peek(match.start())
        if statement is not None and _passes_on(name, statement, context, proves):
            return True
    return False


def _passes_on(name: str, statement: Statement, context: Context, proves: Callable[[Role], bool]) -> bool:
    digest = statement.digest
    for chain in digest.chains:
        if chain.root != name or chain.parts:
            continue
        parent = digest.parents.get(chain.node)
        call = digest.parents.get(parent) if isinstance(parent, ast.keyword) else parent
        if not isinstance(call, ast.Call) or chain.node is call.func:
            continue
        position: str | int | None = parent.arg if isinstance(parent, ast.keyword) else call.args.index(chain.node)
        method = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        named = position if isinstance(position, str) else ""
        if proves(Role("argument", chain.node, call, context.resolve(call.func, statement) or "", method, position, named)):
            return True
    return False
