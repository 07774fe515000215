"""The rules that are active for one target, prepared once: checks, and words that make a file worth reading."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ..catalogue import Catalogue, Rule, Target
from ..checks import CHECKS, Check
from ..facts.read import Facts, Words
from ..settings import Settings
from .gates import Gates

_WORD = re.compile(r"\w+")


class Ruleset:
    """Active rules of one target under one strategy."""

    def __init__(self, catalogue: Catalogue, target: Target, settings: Settings, shim: bool) -> None:
        self.target, self.shim = target, shim
        self.rules = [rule for rule in catalogue.rules.values() if self._active(rule, settings)]
        by_check: dict[str, list[Rule]] = {}
        for rule in self.rules:
            by_check.setdefault(rule.check, []).append(rule)
        self.checks: list[Check] = [CHECKS[name](rules, target) for name, rules in by_check.items() if name in CHECKS]
        selected = frozenset(settings.select) | frozenset(settings.extend_select)
        self._gates = Gates(self.rules, target, selected)
        self.words = self._words()

    def _active(self, rule: Rule, settings: Settings) -> bool:
        if not settings.selects(rule.name):
            return False
        if rule.needs and self.target.has(rule.needs):
            return False
        return self.shim or not (rule.when_imported or rule.check == "missing-shim")

    def concerns(self, data: bytes) -> bool:
        """Whether a file with these bytes can have a finding: a few searches for words, at the speed of memory."""
        return self._gates.open_for(data)

    def opens(self, facts: Facts) -> bool:
        """The same as `concerns`, for a text that was read anyway."""
        return self._gates.open_in(facts)

    def _words(self) -> Words:
        names: set[str] = set()
        for check in self.checks:
            names |= getattr(check, "names", frozenset())
        prefixes = {name.rsplit(".", count)[0] for name in names for count in range(1, name.count(".") + 1)}
        roots = {name.split(".")[0] for name in names} | {"torch"}
        if package := self.target.words.get("package"):
            roots.add(package.split(".")[0])
        listed = frozenset(self.target.rows)
        said = [*_strings([rule.parameters for rule in self.rules]), *_strings(self.target.words)]
        said += [*names, *prefixes, *listed, *roots, *self.target.environment, *self.target.modules]
        spoken = frozenset(
            word
            for text in said
            for anchor in self._gates.anchors
            if anchor in text
            for word in _WORD.findall(text)
            if anchor in word
        )
        families = tuple(name.rstrip("*") for name in self.target.environment if name.endswith("*"))
        before = frozenset(prefixes)
        return Words(self._gates.anchors, frozenset(roots), frozenset(names), before, listed, spoken, families)


def _strings(value: object) -> Iterator[str]:
    """Every string in nested tables and lists, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _strings([*value, *value.values()])
    elif isinstance(value, Iterable):
        for item in value:
            yield from _strings(item)
