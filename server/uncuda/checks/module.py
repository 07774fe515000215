"""`check = "module"`: a third-party module that is bound to CUDA; the target's table says what to do."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..catalogue import Rule, Target
from ..facts.model import Statement
from .base import Context, Hit


class Check:
    """All module rules, by the modules that they speak of and the statuses that the table gives these."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._rules: dict[str, Rule] = {}
        for rule in rules:
            for name in rule.get("modules"):
                row = target.modules.get(name)
                if row is not None and row.status in rule.status:
                    self._rules[name] = rule
        self.names = frozenset(self._rules)

    def _module(self, dotted: str) -> str:
        """The module of a rule that a dotted name is, or lies below; empty when there is none."""
        while dotted and dotted not in self._rules:
            dotted = dotted.rpartition(".")[0]
        return dotted

    def run(self, context: Context) -> Iterator[Hit]:
        """Hits at imports, and at uses where the rule asks for them."""
        if not self._rules:
            return
        torch = "torch" in context.text
        seen: set[tuple[int, str]] = set()
        for binding, statement in context.facts.imports() if context.line is None else ():
            alias = binding.alias
            if alias is None:
                continue
            module = self._module(alias.name if binding.kind == "import" else binding.dotted)
            if (
                module
                and (statement.start, module) not in seen
                and (torch or not self._rules[module].get("with-torch"))
            ):
                seen.add((statement.start, module))
                start, end = (statement.start + offset for offset in statement.digest.piece.span(alias))
                yield self._hit(module, module, start, end, statement)
        for reference in context.references:
            module = self._module(reference.dotted)
            if module and self._rules[module].get("uses"):
                start, end = (reference.statement.start + at for at in reference.chain.piece.span(reference.chain.node))
                yield self._hit(module, reference.dotted, start, end, reference.statement, reference.chain.node)

    def _hit(
        self, module: str, name: str, start: int, end: int, statement: Statement, node: ast.AST | None = None
    ) -> Hit:
        rule = self._rules[module]
        limits = self.target.modules[module].limits
        return Hit(rule, start, end, {"name": name}, limits=limits, statement=statement, node=node)
