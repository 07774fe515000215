"""`check = "accelerator-member"`: the checked code has one class or module for each accelerator, but none for the
target."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .. import lazy_re
from ..catalogue import Rule, Target
from ..source import Span
from .base import Context, Hit

_CLASS = lazy_re.compile(r"^class[ \t]+(\w+)", re.M)
_LINE = lazy_re.compile(r"\S[^\n]*")


class Check:
    """Runs the rules for code that has one class or module for each accelerator, but none for the target."""

    of_whole_text = True

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._rules = list(rules)
        self._device = target.words.get("device", "")

    def run(self, context: Context) -> Iterator[Hit]:
        """Yield one hit for each family of classes that has no class for the target, at the name of the class for CUDA.
        If no family lacks a class for the target, but the file is a CUDA module without a corresponding module for the
        target, yield a hit at the first class of the file."""
        places = [family.name for family in context.families if self._device not in family.devices]
        if not places and (self.target.id, context.path) in context.project.lacking:
            match = _CLASS.search(context.text) or _LINE.search(context.text)
            places = [Span(*match.span(match.lastindex or 0))] if match else []
        for start, end in places:
            for rule in self._rules:
                yield Hit(rule, start, end, {"name": context.text[start:end].strip()})
