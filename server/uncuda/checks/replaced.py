"""Finds functions of torch that a file replaces with its own: `torch.load = read`, `setattr(dist, "reduce", mine)`."""

from __future__ import annotations

import ast
import re

from ..facts.read import Statement
from ..facts.role_calls import last_word
from ..facts.scans import matches
from .string_flow import Flow

_MANY = 60  # maximum number of uses that are checked for one name


class Replaced:
    """Finds replacements of torch's functions in one source file; the uses of each name are searched once."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._known: dict[str, bool] = {}

    def has(self, dotted: str) -> bool:
        """Return whether the file replaces this function of torch; the effect of its arguments is then unknown."""
        if dotted not in self._known:
            self._known[dotted] = self._is_replaced(dotted)
        return self._known[dotted]

    def _is_replaced(self, dotted: str) -> bool:
        facts, word = self._flow.context.facts, dotted.rpartition(".")[2]
        name = re.escape(word)
        sets = re.compile(rf"\.{name}[ \t]*=(?!=)|setattr\([ \t]*[\w.]+,[ \t]*[\"']{name}[\"']")
        for at in facts.searches.find(("replaced", name), matches(sets, word))[:_MANY]:
            statement = facts.peek(at)
            if statement is not None and dotted in self._set_in(statement):
                return True
        return False

    def _set_in(self, statement: Statement) -> set[str]:
        found = set()
        self._flow.context.facts.work.compare(len(statement.digest.chains))
        for chain in statement.digest.chains:
            node, call = chain.node, statement.digest.parents.get(chain.node)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                found.add(self._flow.resolve(node, statement) or "")
            elif isinstance(call, ast.Call) and last_word(call.func) == "setattr" and call.args[:1] == [node]:
                word = getattr(call.args[1], "value", "") if len(call.args) > 1 else ""
                found.add(f"{self._flow.resolve(node, statement)}.{word}")
        return found
