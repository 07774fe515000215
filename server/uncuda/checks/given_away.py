"""What libraries are given that have devices of their own: a word of torch's for one means nothing to them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..catalogue import Rule
from ..facts.role_calls import last_word
from ..facts.roles import Role
from .base import is_listed
from .string_flow import LINKED, Flow


class GivenAway:
    """Answers for one text."""

    def __init__(self, flow: Flow) -> None:
        self._flow, self._context = flow, flow.context
        self._names: dict[str, frozenset[str]] = {}

    def has(self, rule: Rule, role: Role) -> bool:
        """Whether such a library is given what has the name of a string: `Model(name, device=args.device)`."""
        if role.kind not in LINKED:
            return False
        if rule.name not in self._names:
            imported = {**self._context.foreign_names, **self._context.foreign_modules}
            listed = [local for local, dotted in imported.items() if is_listed(dotted, rule.get("silent-calls", ()))]
            self._names[rule.name] = frozenset(name for local in listed for name in self._arguments(local))
        return (role.option or role.name) in self._names[rule.name]

    def _arguments(self, root: str) -> Iterator[str]:
        """The names of what is given to calls of a name, and of what lies below it."""
        self._context.asked.add(root)
        word = re.escape(root)
        for found in self._flow.statements(re.compile(rf"{word}(?<![\w.]{word})(?!\w)"), 0, len(self._context.text)):
            self._context.facts.work.compare(len(found.digest.chains))
            for chain in found.digest.chains:
                call = found.digest.parents.get(chain.node)
                if chain.root == root and isinstance(call, ast.Call) and call.func is chain.node:
                    yield from map(last_word, (*call.args, *(keyword.value for keyword in call.keywords)))
