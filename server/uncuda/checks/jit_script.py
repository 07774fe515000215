"""`check = "jit-script"`: uses of `torch.jit.script` in a program whose shim replaces this function by a no-op."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..catalogue import Rule, Target
from ..edits import Edit, Fix
from ..facts.read import Name
from ..messages.fixes import titled
from .base import Context, Hit, cap


class Check:
    """The rules about TorchScript."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._rules = {name: rule for rule in rules for name in rule.get("names")}
        self.names = frozenset(self._rules)

    def run(self, context: Context) -> Iterator[Hit]:
        """Yield hits at `torch.jit.script` used as a decorator, as a function or otherwise."""
        for reference in context.references:
            rule = self._rules.get(reference.dotted)
            if rule is None:
                continue
            statement, node = reference.statement, reference.chain.node
            start, end = (statement.start + offset for offset in reference.chain.piece.span(node))
            fixes: tuple[Fix, ...] = ()
            applicability = cap(rule, "review")
            if applicability:
                title, edits = self._removal(context, reference, end)
                if edits:
                    fixes = (Fix(title, applicability, edits),)
            yield Hit(rule, start, end, {"name": reference.dotted}, fixes, statement=statement, node=node)

    def _removal(self, context: Context, reference: Name, end: int) -> tuple[str, tuple[Edit, ...]]:
        statement, node = reference.statement, reference.chain.node
        digest, base = statement.digest, statement.start
        text = context.text
        if text[base] == "@":
            line = context.facts.layout.line_start(base)
            return titled("remove", f"`@{reference.dotted}`"), (Edit(line, statement.end, ""),)
        call = digest.parents.get(node)
        if isinstance(call, ast.Call) and call.func is node and call.args and not isinstance(call.args[0], ast.Starred):
            piece = reference.chain.piece
            first = call.args[0]
            outer = base + piece.start(call), base + piece.end(call)
            inner = base + piece.start(first), base + piece.end(first)
            wrap = isinstance(first, (ast.Lambda, ast.IfExp, ast.BinOp, ast.NamedExpr, ast.GeneratorExp, ast.BoolOp))
            opening, closing = ("(", ")") if wrap else ("", "")
            return titled("unwrap", f"`{reference.dotted}(…)`"), (
                Edit(outer[0], inner[0], opening),
                Edit(inner[1], outer[1], closing),
            )
        start, stop = (base + offset for offset in reference.chain.piece.span(node))
        return titled("identity"), (Edit(start, stop, "(lambda function: function)"),)
