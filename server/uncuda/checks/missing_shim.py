"""`check = "missing-shim"`: the runtime patch is the strategy, and an entry point does not import it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..catalogue import Rule, Target
from ..edits import Edit, Fix
from .base import Context, Hit, cap

_ENTRY = re.compile(r"^if[ \t]+__name__[ \t]*==[ \t]*[\"']__main__[\"']", re.M)


class Check:
    """The rule about the patch's import."""

    of_whole_text = True

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._rules = list(rules)

    def run(self, context: Context) -> Iterator[Hit]:
        """One hit, at the first import of torch of an entry point."""
        patch = self.target.words.get("patch", "")
        if not context.shim or not patch or self.target.id in context.project.shims:
            return
        entry = _ENTRY.search(context.text)
        top = [s for s in context.torch_imports() if context.facts.layout.line_start(s.start) == s.start]
        if entry is None or not top or context.imports_root(patch.split(".")[0]):
            return
        first = top[0]
        new = self.target.words["patch-import"]
        newline = context.facts.layout.newline_at(first.end)
        end = first.start + len(context.text[first.start : first.end].rstrip())
        for rule in self._rules:
            fixes: tuple[Fix, ...] = ()
            if applicability := cap(rule, "safe"):
                fixes = (Fix(f"Add `{new}`", applicability, (Edit(first.start, first.start, new + newline),)),)
            yield Hit(rule, first.start, end, {"new": new}, fixes, statement=first)
