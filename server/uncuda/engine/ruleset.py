"""The rules that are active for one target, prepared once: checks, and words that make a file worth reading."""

from __future__ import annotations

from collections.abc import Iterable

from ..catalogue import Catalogue, Rule, Target
from ..checks import CHECKS, Check
from ..facts.read import Words
from ..settings import Settings

_ALWAYS = ("torch",)


class Ruleset:
    """Active rules of one target under one strategy."""

    def __init__(self, catalogue: Catalogue, target: Target, settings: Settings, shim: bool) -> None:
        self.target, self.shim = target, shim
        self.rules = [rule for rule in catalogue.rules.values() if self._active(rule, settings)]
        by_check: dict[str, list[Rule]] = {}
        for rule in self.rules:
            by_check.setdefault(rule.check, []).append(rule)
        self.checks: list[Check] = [CHECKS[name](rules, target) for name, rules in by_check.items() if name in CHECKS]
        self.words = self._words()
        anywhere, with_torch = self._anchors()
        self.anywhere = tuple(anchor.encode() for anchor in anywhere)
        self.with_torch = tuple(anchor.encode() for anchor in with_torch)

    def _active(self, rule: Rule, settings: Settings) -> bool:
        if not settings.selects(rule.name):
            return False
        if rule.needs and self.target.has(rule.needs):
            return False
        return self.shim or not (rule.when_imported or rule.check == "missing-shim")

    def concerns(self, data: bytes) -> bool:
        """Whether a file with these bytes can have a finding."""
        for anchor in self.anywhere:
            if anchor in data:
                return True
        if b"torch" in data:
            for anchor in self.with_torch:
                if anchor in data:
                    return True
        return False

    def _anchors(self) -> tuple[list[str], list[str]]:
        anywhere: set[str] = set()
        with_torch: set[str] = set()
        for rule in self.rules:
            found = set(self._rule_anchors(rule))
            (with_torch if _below_torch(rule) else anywhere).update(found)
        first = _minimal(anywhere)
        return first, [anchor for anchor in _minimal(with_torch) if not any(short in anchor for short in first)]

    def _rule_anchors(self, rule: Rule) -> Iterable[str]:
        if explicit := rule.get("anchors"):
            return [self.target.fill(anchor) for anchor in explicit]
        if rule.check in ("name", "jit-script"):
            return [name.rpartition(".")[2] for name in rule.get("names")]
        if rule.check == "method":
            return list(rule.get("methods"))
        if rule.check == "string":
            return list(rule.get("words", {}))
        if rule.check == "argument":
            return [call.rpartition(".")[2] for call in rule.get("calls")]
        if rule.check == "amp-c":
            return [str(rule.get("module"))]
        return []

    def _words(self) -> Words:
        names: set[str] = set()
        for check in self.checks:
            names |= getattr(check, "names", frozenset())
        prefixes = {name.rsplit(".", count)[0] for name in names for count in range(1, name.count(".") + 1)}
        roots = {name.split(".")[0] for name in names} | {"torch"}
        if package := self.target.words.get("package"):
            roots.add(package.split(".")[0])
        anywhere, with_torch = self._anchors()
        anchors, listed = tuple(anywhere + with_torch), frozenset(self.target.rows)
        return Words(anchors, frozenset(roots), frozenset(names), frozenset(prefixes), listed)


def _below_torch(rule: Rule) -> bool:
    """Whether a rule can only match in a text that says `torch`."""
    names = (*rule.get("names", ()), *rule.get("calls", ())) if rule.check in ("name", "argument", "jit-script") else ()
    return rule.get("with-torch") is True or (bool(names) and all(name.startswith("torch.") for name in names))


def _minimal(anchors: set[str]) -> list[str]:
    """Anchors without those that hold a shorter one."""
    return [a for a in sorted(anchors) if not any(b != a and b in a for b in anchors)]
