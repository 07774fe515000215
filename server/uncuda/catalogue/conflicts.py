"""Finds errors that involve several files: two rules that claim the same name, and a rule that needs a feature that no
target declares."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .model import Rule, nearest
from .rules import error_at

# the check of a rule -> the rule's key that lists the names it reports; for a check that is missing here, this key is
# the check's name with an "s" (`methods` for the check `method`)
_KEYS = {"jit-script": "names", "argument": "calls", "string": "pattern"}


def check_conflicts(rules: Iterable[Rule]) -> None:
    """Raise CatalogueError if two rules claim one name (or method, or module) under the same conditions."""
    claims: dict[tuple[str, ...], Rule] = {}
    for rule in rules:
        for claim in _claims(rule):
            other = claims.get(claim)
            if other is not None:
                what = ", ".join(word for word in claim[1:] if word)
                pair = f"{rule.name} and {other.name}"
                key = _KEYS.get(rule.check, f"{rule.check}s")
                raise error_at(rule.path or Path(), key, f"{pair} both claim {what}; one must give way")
            claims[claim] = rule


def check_needs(rules: Iterable[Rule], features: set[str]) -> None:
    """Raise CatalogueError if a rule needs a feature that no target declares."""
    for rule in rules:
        named = [("needs", rule.needs), *(("with-words", feature) for feature in rule.get("with-words", {}).values())]
        for key, feature in named:
            if feature and feature not in features:
                what = f"{key}: unknown feature {feature!r}{nearest(feature, sorted(features))}"
                raise error_at(rule.path or Path(), key, what)


def _claims(rule: Rule) -> Iterable[tuple[str, ...]]:
    conditions = (rule.needs, rule.when_imported)
    if rule.check in ("name", "jit-script"):
        for name in rule.get("names", ()):
            for status in rule.status or ("",):
                yield ("name", name, status, *conditions)
    elif rule.check == "method":
        for method in rule.get("methods", ()):
            yield ("method", method, *rule.get("receivers", ()), *conditions)
    elif rule.check == "module":
        for module in rule.get("modules", ("",)):
            for status in rule.status:
                yield ("module", module, status, *conditions)
    elif rule.check == "argument":
        for call in rule.get("calls", ()):
            yield ("argument", call, rule.get("argument", ""), *rule.get("values", ()), *conditions)
    elif rule.check == "string":
        yield ("string", rule.get("pattern", ""), *rule.get("roles", ()), *conditions)
