"""Finds the functions, classes and files whose tests a skip mark of pytest or unittest skips."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...facts.read import Facts, Statement
from ...facts.role_calls import last_word
from ...facts.scans import uses

MODULE = -1
"""Stands for the whole file in place of the offset of a function or class."""

_BETWEEN = ("@", "#", "")  # the first words of decorators, comments and empty lines
_SKIP_MARK = re.compile(r"@[\w.]*skip", re.I)
_SKIPS = re.compile(r"skip", re.I)
_OF_BLOCK = re.compile(r"pytestmark\b")
_AT = re.compile(r"@[ \t]*")


class Marks:
    """Finds what skip marks, such as `@pytest.mark.skipif(…)`, skip in one file. The results are cached for each
    decorator and for each variable whose value is a skip mark."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._below: dict[int, int] = {}
        """The start of the function or class that a decorator decorates. The keys are the end of the decorator, and the
        ends of the lines between it and the function or class."""
        self._of_names: dict[str, tuple[int, ...]] = {}

    def marked(self, node: ast.AST, statement: Statement) -> tuple[int, ...]:
        """If a node is in the condition of a skip mark, return the start offsets of the functions and classes that the
        mark skips; MODULE stands for the whole file.

        A mark may be a decorator, the value of `pytestmark`, or the value of a variable that is used as a decorator or
        assigned to `pytestmark`.
        """
        text = self._facts.text
        if text.startswith("@", statement.start):
            return (self._decorated(statement.end),) if _SKIP_MARK.match(text, statement.start) else ()
        name = _variable(node, statement, self._facts)
        if name == "pytestmark":
            return (_block(statement.start, self._facts),)
        if name and name not in self._of_names:
            self._of_names[name] = tuple(dict.fromkeys(self._marked_by(name)))
        return self._of_names[name] if name else ()

    def _marked_by(self, name: str) -> Iterator[int]:
        """Yield the start offsets of the functions and classes that the mark in a variable skips; MODULE stands for the
        whole file."""
        facts = self._facts
        for at in facts.searches.find(("flag", name), uses(name, True)):
            facts.work.compare()
            line = facts.indents.header_at(at)
            if line.word == "@" and _AT.fullmatch(facts.text, line.start, at):
                yield self._decorated(line.end)
            elif _OF_BLOCK.match(facts.text, line.start):
                yield _block(line.start, facts)

    def _decorated(self, end: int) -> int:
        """Return the start offset of the function or class below a decorator that ends at an offset."""
        facts, passed = self._facts, list[int]()
        while end not in self._below:
            facts.work.compare()
            passed.append(end)
            line = facts.indents.header_at(end)
            if line.word not in _BETWEEN or line.end >= len(facts.text):
                self._below[end] = line.start
            else:
                end = line.end
        self._below.update(dict.fromkeys(passed, self._below[end]))
        return self._below[end]


def _block(at: int, facts: Facts) -> int:
    above = facts.indents.header_above(at)
    return above.start if above is not None else MODULE


def _variable(node: ast.AST, statement: Statement, facts: Facts) -> str:
    """Return the variable to which a skip mark is assigned, if a node is in an argument of the mark; otherwise ""."""
    if not isinstance(next(iter(statement.digest.piece.nodes), None), (ast.Assign, ast.AnnAssign)):
        return ""
    skips = False
    inner = node
    for outer in statement.digest.ancestors(node):
        facts.work.compare()
        if isinstance(outer, ast.Call) and inner is not outer.func:
            skips = _SKIPS.search(last_word(outer.func)) is not None
        elif isinstance(outer, (ast.Assign, ast.AnnAssign)):
            target = outer.targets[0] if isinstance(outer, ast.Assign) else outer.target
            return target.id if skips and isinstance(target, ast.Name) else ""
        elif isinstance(outer, (ast.stmt, ast.Lambda)):
            return ""
        inner = outer
    return ""
