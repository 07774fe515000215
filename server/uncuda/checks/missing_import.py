"""`check = "missing-import"`: the file uses the target, but no file of the project imports the target's plugin."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ..catalogue import Rule, Target
from ..edits import SAFE, Fix
from ..facts.read import Statement
from ..messages.fixes import titled
from .base import Context, Hit, cap
from .string_flow import Flow


class Check:
    """The rules about the missing import of the plugin."""

    of_whole_text = True

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._rules = list(rules)
        words = target.words
        self._package = words.get("package", "")
        self._module = words["module"] + "."
        self._device = words["module"].rpartition(".")[2]
        self._words = [target.fill(word) for rule in rules for word in rule.get("anchors", ())]
        named = "|".join(re.escape(words[key]) for key in ("device", "ccl") if words.get(key))
        self._named = re.compile(rf"(?<![A-Za-z])(?:{named})(?![A-Za-z])", re.I)

    def run(self, context: Context) -> Iterator[Hit]:
        """Yield one hit, at the first use of the target that is not behind a condition that asks for the target."""
        if not self._package or context.shim or self.target.id in context.project.plugins:
            return
        if not any(word in context.facts.present for word in self._words):
            return
        if context.imports_root(self._package):
            return
        use = min(self._uses(context), default=None)
        if use is None or not context.torch_imports():
            return
        for rule in self._rules:
            start, end = use
            fixes: tuple[Fix, ...] = ()
            edits = context.requires(rule, start)
            applicability = cap(rule, SAFE)
            if edits and applicability:
                fixes = (Fix(titled("import", f"`{self._package}`"), applicability, edits),)
            words = {"name": context.text[start:end], "package": self._package, "subject": self._package}
            severity, limits = self._by_itself(rule.get("by-itself", ""))
            yield Hit(rule, start, end, words, fixes, limits=limits, severity=severity)

    def _by_itself(self, feature: str) -> tuple[str, tuple[str, ...]]:
        """Return the severity of the hit ("" for the severity of its rule), and the ids of the sentences in
        `rules/limits.tsv` that its message contains. The hit's severity and its message depend on whether PyTorch is
        known to load the plugin automatically."""
        if not self.target.has(feature):
            return "", (self.target.features[feature],)
        return ("" if self.target.assumed else "information"), ()

    def _uses(self, context: Context) -> Iterator[tuple[int, int]]:
        flow = Flow(context)
        for statement in context.facts.statements.values():
            if self._device not in statement.digest.piece.text:
                continue
            for node in self._nodes(statement, flow):
                if not self._guarded(node, statement, context):
                    start, end = statement.digest.span(node)
                    yield statement.start + start, statement.start + end

    def _nodes(self, statement: Statement, flow: Flow) -> Iterator[ast.expr]:
        """Yield uses of names below `torch.<device>`, which exist only after the plugin is imported."""
        for chain in statement.digest.chains:
            if (flow.resolve(chain.node, statement) or "").startswith(self._module):
                yield chain.node

    def _guarded(self, node: ast.expr, statement: Statement, context: Context) -> bool:
        """Return whether a use of the target runs only after a condition that names the target, or is in a `try`."""
        text, indents, base = context.text, context.facts.indents, statement.start
        inner: ast.AST = node
        for outer in statement.digest.ancestors(node):
            tests: list[ast.expr] = []
            if isinstance(outer, ast.IfExp) and inner is not outer.test:
                tests = [outer.test]
            elif isinstance(outer, ast.BoolOp):
                tests = outer.values[: next(i for i, value in enumerate(outer.values) if value is inner)]
            spans = [statement.digest.span(test) for test in tests]
            if any(self._named.search(text, base + start, base + end) for start, end in spans):
                return True
            inner = outer
        for line in indents.lines_above(base, "if", "assert"):
            if self._named.search(text, line.start, line.end):
                return True
        for header in indents.headers(base):
            if header.word == "try" or self._named.search(text, header.start, header.end):
                return True
        return False
