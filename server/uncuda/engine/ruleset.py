"""Prepares the checks of the rules for one target once, and collects the words that rules look for: a file without any
of these words is not parsed."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from weakref import WeakValueDictionary

from ..catalogue import Catalogue, Rule, Target, lacking, words_in
from ..checks import CHECKS, Check
from ..facts.read import Facts, Words
from ..settings import Settings
from .prefilter import Prefilter


class Ruleset:
    """The rules of one target. `shim`: whether the project loads a shim, i.e. a patch that maps CUDA's names to the
    target's at run time. `off`: the names of rules that settings switch off.

    The rules in `off` are checked, too, because hits of several rules are fixed together. `unselected`: rules that are
    off because the settings do not select them, not because of the setting `ignore`. Fixes of other rules may also
    change code that a rule in `unselected` would report.
    """

    def __init__(self, catalogue: Catalogue, target: Target, settings: Settings, shim: bool) -> None:
        self.catalogue, self.target, self.shim, self._portable = catalogue, target, shim, settings.portable
        self.rules = [_capped(rule, target) for rule in catalogue.rules.values() if self._applies(rule)]
        self.off = frozenset(rule.name for rule in self.rules if not settings.selects(rule.name))
        self.unselected = self.off - frozenset(settings.ignore)
        selected = frozenset(settings.select) | frozenset(settings.extend_select)
        self._gates = Prefilter([rule for rule in self.rules if rule.name not in self.off], target, selected)
        self._anchors = (Prefilter(self.rules, target, selected) if self.off else self._gates).anchors

    @cached_property
    def active(self) -> frozenset[str]:
        """The names of the rules whose findings are reported."""
        return frozenset(rule.name for rule in self.rules) - self.off

    @cached_property
    def checks(self) -> list[Check]:
        """Return the checks; each check holds all rules that it runs."""
        by_check: dict[str, list[Rule]] = {}
        for rule in self.rules:
            by_check.setdefault(rule.check, []).append(rule)
        return [CHECKS[name](rules, self.target) for name, rules in by_check.items() if name in CHECKS]

    def _applies(self, rule: Rule) -> bool:
        if (rule.needs and self.target.has(rule.needs)) or lacking(rule, self.target.words):
            return False
        if (self._portable and rule.get("portable") == {}) or (not self._portable and rule.check == "hard-coded"):
            return False
        return self.shim or not (rule.when_imported or rule.check == "missing-shim")

    def concerns(self, data: bytes) -> bool:
        """Return whether a file with these bytes may have a finding, i.e. contains one of the words that the rules look
        for. Words of the rules in `off` are not looked for."""
        return self._gates.open_for(data)

    def speaks_of(self, data: bytes) -> bool:
        """Return whether a file with these bytes contains a word that one of the rules looks for, including the rules
        in `off`."""
        return (self._every if self.off else self._gates).open_for(data)

    @cached_property
    def _every(self) -> Prefilter:
        return Prefilter(self.rules, self.target)

    def opens(self, facts: Facts) -> bool:
        """Return what `concerns` returns, for the text of `facts`; reuse the searches already made in this text."""
        return self._gates.open_in(facts)

    @cached_property
    def words(self) -> Words:
        """Return the words of which a statement must contain one to be parsed."""
        names: set[str] = set()
        for check in self.checks:
            names |= getattr(check, "names", frozenset())
        prefixes = {name.rsplit(".", count)[0] for name in names for count in range(1, name.count(".") + 1)}
        roots = {name.split(".")[0] for name in names} | {"torch"}
        roots.update(*(getattr(check, "roots", ()) for check in self.checks))
        libraries = frozenset().union(*(getattr(check, "libraries", ()) for check in self.checks))
        if package := self.target.words.get("package"):
            roots.add(package.split(".")[0])
        listed = frozenset(self.target.rows)
        said = {word for rule in self.rules for word in rule.spoken}
        other = [*self.target.words.values(), *names, *prefixes, *listed, *roots]
        said.update(words_in("\n".join([*other, *self.target.environment, *self.target.modules])))
        spoken = frozenset(word for anchor in self._anchors for word in said if anchor in word)
        every = [*self.target.environment, *(name.rpartition(".")[2] for name in names)]
        families = tuple(name.rstrip("*") for name in every if name.endswith("*"))
        before = frozenset(prefixes)
        return Words(self._anchors, frozenset(roots), frozenset(names), before, listed, spoken, families, libraries)


def ruleset_for(catalogue: Catalogue, target: Target, settings: Settings, shim: bool) -> Ruleset:
    """Return the rules of a target for settings. Engines whose settings select the same rules share one ruleset,
    because preparing a ruleset takes longer than checking a small file."""
    chosen = settings.portable, tuple(settings.select), tuple(settings.extend_select), tuple(settings.ignore)
    key = id(catalogue), id(target), shim, chosen
    known = _prepared.get(key)
    if known is None:
        known = _prepared[key] = Ruleset(catalogue, target, settings, shim)
    return known


_prepared: WeakValueDictionary[tuple[int, int, bool, tuple[object, ...]], Ruleset] = WeakValueDictionary()
"""The rulesets that engines use. The keys contain the `id()` of catalogue and target; a ruleset refers to both, so that
no other object can get the same id while the ruleset exists."""


def _capped(rule: Rule, target: Target) -> Rule:
    """Return a rule as it applies to the target; without tables of the target's APIs, no fix is safe."""
    return replace(rule, fix="review") if rule.fix == "safe" and not target.has_tables else rule
