"""Two rules must never claim the same thing: a tie is an error when rules load."""

from __future__ import annotations

from collections.abc import Iterable

from .model import CatalogueError, Rule


def check_ties(rules: Iterable[Rule]) -> None:
    """CatalogueError when two rules speak of one name (or method, or module) under the same conditions."""
    claims: dict[tuple[str, ...], Rule] = {}
    for rule in rules:
        for claim in _claims(rule):
            other = claims.get(claim)
            if other is not None:
                what = ", ".join(word for word in claim[1:] if word)
                pair = f"{rule.name} and {other.name}"
                raise CatalogueError(f"{rule.path}:1: {pair} both claim {what}; one must give way")
            claims[claim] = rule


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
        for module in rule.get("modules", ()):
            for status in rule.status:
                yield ("module", module, status, *conditions)
    elif rule.check == "argument":
        for call in rule.get("calls", ()):
            yield ("argument", call, rule.get("argument", ""), *rule.get("values", ()), *conditions)
    elif rule.check == "string":
        yield ("string", rule.get("pattern", ""), *rule.get("roles", ()), *conditions)
