"""`check = "missing-import"`: the target is used, and nothing imports its plugin."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..catalogue import Rule, Target
from ..edits import Fix
from .base import Context, Hit, cap


class Check:
    """The rule about the plugin's import."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._rules = list(rules)
        self._package = target.words.get("package", "")
        self._module = target.words["module"] + "."

    def run(self, context: Context) -> Iterator[Hit]:
        """One hit, at the first use of the target's module or method."""
        if not self._package or context.imports_root(self._package) or not context.torch_imports():
            return
        for rule in self._rules:
            offset = self._first_use(context)
            if offset is None:
                return
            start, end = offset
            hit = Hit(rule, start, end, {"name": context.text[start:end], "package": self._package})
            edits = context.requires(rule, start)
            applicability = cap(rule, "safe")
            if edits and applicability:
                hit.fixes = (Fix(f"Import `{self._package}`", applicability, edits),)
            yield hit

    def _first_use(self, context: Context) -> tuple[int, int] | None:
        pattern = re.compile(rf"(?<![\w.]){re.escape(self._module)}\w+")
        for match in pattern.finditer(context.text):
            if context.facts.layout.token_at(match.start()) == "":
                statement = context.facts.peek(match.start())
                if statement is not None:
                    return match.span()
        return None
