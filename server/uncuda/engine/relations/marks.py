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


def marked(node: ast.AST, statement: Statement, facts: Facts) -> Iterator[int]:
    """Yield the start offsets of the functions and classes that a skip mark marks, and MODULE for the whole file, if a
    node is in the condition of the mark.

    A mark may be a decorator, the value of `pytestmark`, or the value of a variable that is used in their place.
    """
    start, end = statement.start, statement.end
    if facts.text.startswith("@", start):
        if _SKIP_MARK.match(facts.text, start):
            yield _decorated(end, facts)
        return
    name = _variable(node, statement, facts)
    if name == "pytestmark":
        yield _block(start, facts)
    elif name:
        for at in facts.searches.find(("flag", name), uses(name, True)):
            line = facts.indents.header_at(at)
            if line.word == "@" and _AT.fullmatch(facts.text, line.start, at):
                yield _decorated(line.end, facts)
            elif _OF_BLOCK.match(facts.text, line.start):
                yield _block(line.start, facts)


def _decorated(end: int, facts: Facts) -> int:
    """Return the start offset of the function or class below a decorator that ends at an offset."""
    line = facts.indents.header_at(end)
    while line.word in _BETWEEN and line.end < len(facts.text):
        line = facts.indents.header_at(line.end)
    return line.start


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
