"""Anchors: the words without which a rule finds nothing, and the quick look at a file's bytes that they allow.

One search for one word costs about 0.04 s of CPU on 72 MB, so there must be few: names are covered by a word that is
searched for anyway (`torch.backends.cuda.matmul` by "cuda") wherever that is possible; words of PyTorch are looked
for only in files that say `torch`; and a rule with `companion = true` opens no file of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..catalogue import Rule, Target

_DOTTED = frozenset({"name", "argument", "jit-script"})


class Gates:
    """The anchors of active rules. `anchors`: the words whose statements are read."""

    def __init__(self, rules: Iterable[Rule], target: Target) -> None:
        anywhere: set[str] = set()
        with_torch: set[str] = set()
        companions: set[str] = set()
        dotted: list[tuple[Rule, str]] = []
        for rule in rules:
            bucket = companions if rule.get("companion") else with_torch if _needs_torch(rule) else anywhere
            bucket.update(target.fill(anchor) for anchor in _own_anchors(rule))
            if rule.check in _DOTTED and not rule.get("anchors"):
                dotted += [(rule, name) for name in (*rule.get("names", ()), *rule.get("calls", ()))]
        self._cover(dotted, anywhere, with_torch, companions)
        first = _minimal(anywhere)
        second = [anchor for anchor in _minimal(with_torch) if not _covered(anchor, first)]
        third = [anchor for anchor in _minimal(companions) if not _covered(anchor, [*first, *second])]
        self.anchors = (*first, *second, *third)
        self._anywhere = tuple(anchor.encode() for anchor in first)
        self._with_torch = tuple(anchor.encode() for anchor in second)

    def _cover(
        self, dotted: list[tuple[Rule, str]], anywhere: set[str], with_torch: set[str], companions: set[str]
    ) -> None:
        """Find a word for every dotted name, an old one where its segments hold one."""
        for rule, name in sorted(dotted, key=lambda item: (bool(item[0].get("companion")), item[1])):
            parts = name.split(".")[1:] or [name]
            reach = anywhere | with_torch | (companions if rule.get("companion") else set())
            if any(_covered(part, reach) for part in parts):
                continue
            (companions if rule.get("companion") else with_torch if _needs_torch(rule) else anywhere).add(parts[-1])

    def open_for(self, data: bytes) -> bool:
        """Whether a file with these bytes can have a finding."""
        for anchor in self._anywhere:
            if anchor in data:
                return True
        if b"torch" in data:
            for anchor in self._with_torch:
                if anchor in data:
                    return True
        return False


def _own_anchors(rule: Rule) -> Iterable[str]:
    """What the rule says itself, or what its verb looks for."""
    if explicit := rule.get("anchors"):
        return tuple(explicit)
    if rule.check == "method":
        return tuple(rule.get("methods"))
    if rule.check == "string":
        return tuple(rule.get("words", {}))
    if rule.check == "amp-c":
        return (str(rule.get("module")),)
    return ()


def _needs_torch(rule: Rule) -> bool:
    """Whether a rule can only match in a text that says `torch`."""
    names = (*rule.get("names", ()), *rule.get("calls", ())) if rule.check in _DOTTED else ()
    return rule.get("with-torch") is True or (bool(names) and all(name.startswith("torch.") for name in names))


def _covered(word: str, anchors: Iterable[str]) -> bool:
    return any(anchor in word for anchor in anchors)


def _minimal(anchors: set[str]) -> list[str]:
    """Anchors without those that hold a shorter one."""
    return [a for a in sorted(anchors) if not any(b != a and b in a for b in anchors)]
