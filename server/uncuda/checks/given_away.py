"""Finds device strings that are passed to libraries with their own device names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..catalogue import Rule
from ..facts.role_calls import got, last_word
from ..facts.roles import Role
from .base import is_listed
from .string_flow import LINKED, Flow


class GivenAway:
    """Finds strings in one source file that are passed to libraries with their own device names."""

    def __init__(self, flow: Flow) -> None:
        self._flow, self._context = flow, flow.context
        self._names: dict[str, frozenset[str]] = {}

    def has(self, rule: Rule, role: Role) -> bool:
        """Return whether the variable or option that holds a string is passed to a library with its own device names:
        `Model(name, device=args.device)`; or the variable that holds the string's dictionary: `Model(**options)`."""
        if role.kind == "value" and role.outer is not None:
            role = role.outer
        if role.kind not in LINKED:
            return False
        if rule.name not in self._names:
            imported = {**self._context.foreign_names, **self._context.foreign_modules}
            calls, owns, path = rule.get("silent-calls", ()), self._context.project.owns, self._context.path
            listed = [name for name, dotted in imported.items() if is_listed(dotted, calls) and not owns(dotted, path)]
            self._names[rule.name] = frozenset(name for local in listed for name in self._arguments(local))
        return (role.option or role.name) in self._names[rule.name]

    def _arguments(self, root: str) -> Iterator[str]:
        """Yield the last part of each argument's dotted name in calls of `root` and its attributes: `device` for
        `root.f(args.device)` and `root.f(args.get("device"))`."""
        self._context.asked.add(root)
        word = re.escape(root)
        pattern = re.compile(rf"{word}(?<![\w.]{word})(?!\w)")
        for found in self._flow.statements(pattern, 0, len(self._context.text), root):
            self._context.facts.work.compare(len(found.digest.chains))
            for chain in found.digest.chains:
                call = found.digest.parents.get(chain.node)
                if chain.root == root and isinstance(call, ast.Call) and call.func is chain.node:
                    given = (*call.args, *(keyword.value for keyword in call.keywords))
                    yield from (last_word(got(value) or value) for value in given)
