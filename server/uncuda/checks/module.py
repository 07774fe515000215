"""`check = "module"`: a third-party module that is bound to CUDA; the target's table says what to do."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ..catalogue import Rule, Target
from ..facts.model import Statement
from .base import Context, Hit


class Check:
    """All module rules, by the modules that they speak of; the rule with a pattern speaks of those of no table."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._rules = {name: rule for rule in rules for name in target.libraries(rule)}
        self._called = [(re.compile(rule.get("pattern")), rule) for rule in rules if rule.get("pattern")]
        self.names = frozenset(name for name, rule in self._rules.items() if rule.get("uses"))
        lost = (name for name, rule in self._rules.items() if rule.severity != "information")
        self.libraries = frozenset(name for name in lost if target.modules[name].kind == "cuda")
        self.roots = {name.partition(".")[0] for name in self._rules}
        self.roots.update(*(rule.get("anchors", ()) for _, rule in self._called))

    def _module(self, dotted: str) -> str:
        """The module of a rule that a dotted name is, or lies below; empty when there is none."""
        while dotted and dotted not in self._rules:
            dotted = dotted.rpartition(".")[0]
        return dotted

    def run(self, context: Context) -> Iterator[Hit]:
        """Hits at imports, and at uses where the rule asks for them."""
        torch = "torch" in context.text
        seen: set[tuple[int, str]] = set()
        imports = context.facts.imports() if context.line is None else ()
        for binding, statement in sorted(imports, key=lambda found: found[1].start):
            alias = binding.alias
            dotted = alias.name if alias is not None and binding.kind == "import" else binding.dotted
            module, rule = self._of_import(dotted)
            if alias is None or rule is None or not (torch or not rule.get("with-torch")):
                continue
            # What there is to know of a library is said once; what fails is said wherever it does.
            place = -1 if rule.severity == "information" else statement.start
            if (place, module) in seen or context.project.owns(dotted, context.path) or context.typing_only(statement):
                continue
            seen.add((place, module))
            start, end = (statement.start + offset for offset in statement.digest.piece.span(alias))
            yield self._hit(rule, module, module, (start, end), statement)
        for reference in context.references if self.names else ():
            module = self._module(reference.dotted)
            if module in self.names:
                rule = self._rules[module]
                start, end = (reference.statement.start + at for at in reference.chain.piece.span(reference.chain.node))
                yield self._hit(rule, module, reference.dotted, (start, end), reference.statement, reference.chain.node)

    def _of_import(self, dotted: str) -> tuple[str, Rule | None]:
        """The module that an import is about, and the rule that speaks of it."""
        if module := self._module(dotted):
            return module, self._rules[module]
        root = dotted.partition(".")[0]
        if root in self.target.modules:
            return "", None
        return root, next((rule for pattern, rule in self._called if pattern.fullmatch(root)), None)

    def _hit(
        self,
        rule: Rule,
        module: str,
        name: str,
        span: tuple[int, int],
        statement: Statement,
        node: ast.AST | None = None,
    ) -> Hit:
        row = self.target.modules.get(module)
        limits = row.limits if row is not None else ()
        return Hit(rule, *span, {"name": name, "subject": module}, limits=limits, statement=statement, node=node)
