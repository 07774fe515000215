"""What keeps a use of `torch.accelerator` from failing: a question about the name or the version, a `try` around it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from ..facts.read import Statement
from ..facts.scopes import Header
from .base import Context
from .branch_words import asks, leaves, names_of
from .families import OTHERS

MISSING, FAILING, MISUSED = "missing", "failing", "misused"
"""How a use fails: the name is not there; the plugin raises; what it is given, or what is done with its result."""

_ANY = r"except\s*:|\b(?:Exception|BaseException"
_CAUGHT = {
    MISSING: re.compile(_ANY + r"|AttributeError|ImportError|ModuleNotFoundError)\b"),
    FAILING: re.compile(_ANY + r"|AttributeError|RuntimeError|NotImplementedError)\b"),
    MISUSED: re.compile(_ANY + r"|TypeError|ValueError|KeyError|RuntimeError)\b"),
}
_MAKE = re.compile(r"\bversion\.(?:cuda|hip)\b")  # not a version of PyTorch
_VERSION = re.compile(r"version|\bis_torch|\btorch_(?:ge|gt|lt|le|at_least)|\btorch_?\d", re.I)
_ATTRIBUTE = re.compile(r"\b(?:has|get)attr\(\s*[\w.]+\s*,\s*[\"'](\w+)[\"']")
_ASSIGNED = re.compile(r"[ \t]*(\w+)[ \t]*(?::[^=\n]+)?=(?!=)")
_DEF = re.compile(r"(?:async[ \t]+)?def[ \t]+(\w+)")
_CHAINED = frozenset({"if", "elif", "else"})
_TESTS = _CHAINED | {"while"}
Wanted = frozenset[str]
_MANY = 60


class Guards:
    """Answers for one text."""

    def __init__(self, context: Context) -> None:
        self._context, self._text, self._indents = context, context.text, context.facts.indents
        self._above: dict[tuple[int, int, Wanted], tuple[int, int]] = {}
        self._around: dict[tuple[int, Wanted], bool] = {}
        self._arms: dict[int, dict[int, bool]] = {}

    def silence(self, statement: Statement, node: ast.AST, name: str, how: str, module: bool = False) -> bool:
        """Whether a use of `name` stands behind a guard. `how`: see MISSING; `module`: to have `torch.accelerator` at
        all is all that it takes."""
        wanted: Wanted = frozenset()
        if how != MISUSED:
            wanted = frozenset({name.rpartition(".")[2], *(("accelerator",) if module else ())})
        if wanted and self._asked_beside(statement, node, wanted):
            return True
        if wanted and self._asked_above(statement.start, wanted):
            return True
        for header in self._indents.headers(statement.start):
            if self._catches(header, how) or (how == FAILING and self._is_elsewhere(header)):
                return True
            if wanted and (self._asks_around(header, wanted) or self._asked_above(header.start, wanted)):
                return True
        return False

    def _asked_beside(self, statement: Statement, node: ast.AST, wanted: Wanted) -> bool:
        """`hasattr(…) and torch.accelerator.f()`, `torch.accelerator.f() if hasattr(…) else None`."""
        inner = node
        for outer in statement.digest.ancestors(node):
            tests = (
                outer.values if isinstance(outer, ast.BoolOp) else [outer.test] if isinstance(outer, ast.IfExp) else []
            )
            for test in tests:
                start, end = statement.digest.span(test)
                if test is not inner and self._asks(
                    self._text[statement.start + start : statement.start + end], wanted
                ):
                    return True
            inner = outer
        return False

    def _asked_above(self, offset: int, wanted: Wanted) -> bool:
        """Whether an `if` that leaves, or an `assert`, asks above in the same block. No line is looked at twice."""
        own, above = self._indents.header_at(offset), self._indents.header_above(offset)
        key = (above.start if above is not None else -1, own.indent, wanted)
        done, found = self._above.get(key, (-1, -1))
        if 0 <= found < own.start:
            return True
        for line in self._indents.lines_above(offset, "if", "assert"):
            if line.start < done:
                break
            if self._asks(self._text[line.start : line.end], wanted) and (line.word == "assert" or self._leaves(line)):
                self._above[key] = (max(done, own.start), line.start)
                return True
        self._above[key] = (max(done, own.start), found)
        return False

    def _leaves(self, line: Header) -> bool:
        return any(leaves(clause, self._context.facts) for clause in self._indents.clauses(line))

    def _asks_around(self, header: Header, wanted: Wanted) -> bool:
        """Whether a condition of the chain that a block belongs to asks, or a decorator of its function or class."""
        chain = self._indents.clauses(header) if header.word in _CHAINED else [header]
        key = (chain[0].start, wanted)
        if key not in self._around:
            lines: Iterator[str] = iter(())
            if header.word in _TESTS:
                lines = (self._text[clause.start : clause.end] for clause in chain)
            elif header.word in ("def", "async", "class"):
                lines = self._decorators(header)
            self._around[key] = any(self._asks(line, wanted) for line in lines)
        return self._around[key]

    def _is_elsewhere(self, header: Header) -> bool:
        """Whether a block is for anything but the target, whose plugin has no part in it then."""
        if header.word not in _CHAINED:
            return False
        chain = self._indents.clauses(header)
        if chain[0].start not in self._arms:
            names, served = names_of(self._context.target), False
            arms = self._arms[chain[0].start] = {}
            for clause in chain:
                condition = "" if clause.word == "else" else self._text[clause.start : clause.end]
                self._context.facts.work.search(0, 16 * len(condition))
                asked = asks(condition, names)
                arms[clause.start] = served or asked < 0 or (asked == 0 and asks(condition, OTHERS) > 0)
                served = served or asked > 0
        return self._arms[chain[0].start].get(header.start, False)

    def _decorators(self, header: Header) -> Iterator[str]:
        """The lines above a definition that begin with `@`: `@pytest.mark.skipif(…)`."""
        end = self._text.rfind("\n", 0, header.start)
        while end > 0:
            start = self._text.rfind("\n", 0, end) + 1
            line = self._text[start:end].strip()
            if not line.startswith("@"):
                return
            yield line
            end = start - 1

    def _catches(self, header: Header, how: str) -> bool:
        if header.word == "with":
            line = self._text[header.start : header.end]
            return "suppress(" in line and _CAUGHT[how].search(line) is not None
        if header.word != "try":
            return False
        handlers = [clause for clause in self._indents.clauses(header) if clause.word == "except"]
        return any(_CAUGHT[how].search(self._text, clause.start, clause.end) for clause in handlers)

    def _asks(self, condition: str, wanted: Wanted) -> bool:
        self._context.facts.work.search(0, 8 * len(condition))
        if any(match[1] in wanted for match in _ATTRIBUTE.finditer(condition)):
            return True
        if _VERSION.search(_MAKE.sub("", condition)):
            return True
        return bool(self._flags) and not self._flags.isdisjoint(re.findall(r"\w+", condition))

    @cached_property
    def _flags(self) -> frozenset[str]:
        """Names that hold the answer to such a question, and functions that give it."""
        facts, found = self._context.facts, set()
        facts.work.search(0, 4 * len(self._text))
        asking = re.compile(r"\bhasattr\(\s*torch\b|__version__")
        for match in islice(asking.finditer(self._text), _MANY):
            line = facts.layout.logical_line(match.start())[0]
            if assigned := _ASSIGNED.match(self._text, line):
                found.add(assigned[1])
            scope = self._indents.scope_of(match.start())
            if scope is not None and (function := _DEF.match(self._text, scope[0])):
                found.add(function[1])
        return frozenset(found)
