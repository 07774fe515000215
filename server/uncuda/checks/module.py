"""`check = "module"`: the import of a third-party module that is bound to CUDA; the target's table says what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..catalogue import Row, Rule, Target
from .base import Context, Hit


class Check:
    """All module rules, by the status that the table gives."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._by_status = {status: rule for rule in rules for status in rule.status}
        self._left_out = frozenset(name for rule in rules for name in rule.get("modules", ()))
        self.names = frozenset(
            name for name, row in target.modules.items() if row.status in self._by_status and name not in self._left_out
        )

    def _row(self, dotted: str) -> Row | None:
        while dotted:
            if dotted in self.names:
                return self.target.modules[dotted]
            dotted = dotted.rpartition(".")[0]
        return None

    def run(self, context: Context) -> Iterator[Hit]:
        """Hits at import statements."""
        seen: set[tuple[int, str]] = set()
        for binding, statement in context.facts.imports():
            alias = binding.alias
            if alias is None:
                continue
            dotted = alias.name if binding.kind == "import" else binding.dotted
            row = self._row(dotted)
            if row is None or (statement.start, row.name) in seen:
                continue
            seen.add((statement.start, row.name))
            rule = self._by_status[row.status]
            start, end = (statement.start + offset for offset in statement.digest.piece.span(alias))
            yield Hit(rule, start, end, {"name": row.name}, limits=row.limits, statement=statement)
