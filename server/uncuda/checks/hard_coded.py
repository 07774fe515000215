"""`check = "hard-coded"`: finds code that names one accelerator in a project whose source must run on every
accelerator."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ..catalogue import Rule, Target
from ..facts.digest import Text
from ..facts.read import Statement
from .base import Context, Hit
from .string_flow import Flow

_TAKES = frozenset({"torch.device", "torch.autocast", "torch.amp.autocast", "torch.Generator", "torch.Stream"})


class Check:
    """The rules about names of a target in code that is not behind a condition that asks for this target."""

    def __init__(self, rules: Sequence[Rule], target: Target) -> None:
        self.target = target
        self._rules = list(rules)
        words = target.words
        self._module, self._method = words["module"], words.get("method", "")
        self._word = re.compile(rf"{re.escape(words['device'])}(?::\d+)?")
        named = "|".join(re.escape(words[key]) for key in ("device", "ccl") if words.get(key))
        self._named = re.compile(rf"(?<![A-Za-z])(?:{named})(?![A-Za-z])", re.IGNORECASE)
        self._words = [target.fill(word) for rule in rules for word in rule.get("anchors", ())]

    def run(self, context: Context) -> Iterator[Hit]:
        """Yield a hit for each name, device string and method of the target in code that is not behind a condition that
        asks for the target."""
        if not any(word in context.facts.present for word in self._words):
            return
        flow = Flow(context)
        for statement in context.statements:
            found = [*self._names(statement, flow), *self._methods(statement), *self._devices(statement, flow)]
            for node, kind in found:
                if self._is_chosen(node, statement, context):
                    continue
                start, end = (statement.start + offset for offset in statement.digest.span(node))
                for rule in self._rules:
                    words = {"name": context.text[start:end], "new": rule.get("ways")[kind], "subject": self._module}
                    yield Hit(rule, start, end, words, statement=statement, node=node)

    def _names(self, statement: Statement, flow: Flow) -> Iterator[tuple[ast.expr, str]]:
        for chain in statement.digest.chains:
            node = chain.node
            if (flow.resolve(node, statement) or "").startswith(f"{self._module}."):
                while isinstance(node, ast.Attribute) and flow.resolve(node.value, statement) != self._module:
                    node = node.value
                yield node, "module"

    def _methods(self, statement: Statement) -> Iterator[tuple[ast.expr, str]]:
        for node, parent in statement.digest.parents.items():
            if isinstance(node, ast.Attribute) and node.attr == self._method and isinstance(parent, ast.Call):
                if parent.func is node:
                    yield node, "method"

    def _devices(self, statement: Statement, flow: Flow) -> Iterator[tuple[ast.expr, str]]:
        for text in statement.digest.texts:
            if self._word.fullmatch(text.value) and self._is_device(text, statement, flow):
                yield text.node, "device"

    def _is_device(self, text: Text, statement: Statement, flow: Flow) -> bool:
        """Return whether a string is passed as a device: with a keyword such as `device=`, or as the first argument of
        `.to` or of a torch function such as `torch.device`."""
        outer = statement.digest.parents.get(text.node)
        if isinstance(outer, ast.keyword):
            return "device" in (outer.arg or "") or outer.arg == "map_location"
        if not isinstance(outer, ast.Call) or not outer.args or outer.args[0] is not text.node:
            return False
        is_to = isinstance(outer.func, ast.Attribute) and outer.func.attr == "to"
        return is_to or flow.resolve(outer.func, statement) in _TAKES

    def _is_chosen(self, node: ast.AST, statement: Statement, context: Context) -> bool:
        """Return whether code runs only after a condition that names the target, or is in a `try`."""
        text, base = context.text, statement.start
        inner = node
        for outer in statement.digest.ancestors(node):
            tests: list[ast.expr] = []
            if isinstance(outer, ast.IfExp) and inner is not outer.test:
                tests = [outer.test]
            elif isinstance(outer, ast.BoolOp):
                tests = [value for value in outer.values if value is not inner]
            elif isinstance(outer, (ast.Compare, ast.Dict)):
                return True
            spans = [statement.digest.span(test) for test in tests]
            if any(self._named.search(text, base + start, base + end) for start, end in spans):
                return True
            inner = outer
        indents = context.facts.indents
        if indents.header_at(base).word in ("if", "elif", "while", "assert"):
            return True  # the code is a part of a condition or an assertion
        for header in indents.headers(base):
            clauses = indents.clauses(header) if header.word in ("elif", "else") else [header]
            if header.word in ("try", "except") or any(self._named.search(text, *one[:2]) for one in clauses):
                return True
        return any(self._named.search(text, line.start, line.end) for line in indents.lines_above(base, "if", "assert"))
