"""Finds conditions that ask for CUDA and also depend on the vendor of the GPU: on `torch.version.hip is None`, a
compute capability, or a variable computed from these."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ... import lazy_re
from ...checks import Hit
from ...checks.branches import Branches
from ...facts.read import Statement
from ...facts.scans import plain
from .flags import CONDITIONS
from .questions import Questions

_ASKED = ("version.hip", "version.cuda", "get_device_capability")
_MAKE = lazy_re.compile(r"\bversion\.(?:hip|cuda)\b|\bget_device_capability\b")
_CALLED = lazy_re.compile(r"([\w.]*\w)[ \t]*\(")
_TORCH = lazy_re.compile(r"torch(?:\.\w+)+|print|len|int|float|str|bool|range|min|max")
_NO_CALLS = frozenset({"if", "elif", "while", "and", "or", "not", "in", "return", "assert", "with", "for", "else"})


def of_makes(hits: Sequence[Hit], questions: Questions, branches: Branches) -> Iterator[int]:
    """Yield the indices of the hits that ask for CUDA in a condition which also asks for the vendor of the GPU, unless
    the code that the condition guards calls only functions of torch."""
    searches = branches.facts.searches
    if not any(searches.find(("text", word), plain(word)) for word in _ASKED):
        return
    made = {name for word in _ASKED for name in _flags(word, branches)}
    pattern = re.compile(
        "|".join([_MAKE.pattern, *(rf"(?<![\w.]){re.escape(name)}(?![\w.])" for name in sorted(made))])
    )
    for start, asking in questions.inside.items():
        statement = hits[asking[0]].statement
        if statement is None:
            continue
        branches.work.search(start, start + 16 * (statement.end - start))
        for index in asking:
            test = _expression(hits[index], statement)
            if test is None:
                continue
            first, last = (start + at for at in statement.digest.span(test))
            hit = hits[index]
            rest = branches.text[first : max(first, hit.start)] + "\n" + branches.text[min(last, hit.end) : last]
            if pattern.search(rest) and not _torch_alone(index, hits, questions, branches):
                yield index


def _flags(word: str, branches: Branches) -> Iterator[str]:
    """Yield the variables that hold the result of a condition that asks for the vendor of the GPU."""
    for at in branches.facts.searches.find(("text", word), plain(word)):
        statement = branches.facts.peek(at)
        for node in statement.digest.piece.nodes if statement is not None else ():
            if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Compare, ast.BoolOp, ast.IfExp)):
                yield from (
                    ast.unparse(target) for target in node.targets if isinstance(target, (ast.Name, ast.Attribute))
                )


def _expression(hit: Hit, statement: Statement) -> ast.AST | None:
    """Return the whole boolean expression that contains a hit; None if there is no such expression."""
    inner, found = hit.node, None
    for outer in statement.digest.ancestors(inner) if inner is not None else ():
        if isinstance(outer, ast.BoolOp):
            found = outer
        elif isinstance(outer, ast.stmt):
            break
    return found


def _torch_alone(index: int, hits: Sequence[Hit], questions: Questions, branches: Branches) -> bool:
    """Return whether the code that runs only if the condition at `hits[index]` is true calls only functions of torch,
    functions with a safe fix, and simple built-in functions such as `len`."""
    statement = hits[index].statement
    if statement is None or index not in questions.tests.get(statement.start, ()):
        return False  # the result of the condition is stored, and may guard any other code
    header = branches.indents.header_at(statement.start)
    if header.word not in CONDITIONS:
        return False
    # this search matches every call, so the hits are computed again after an edit that adds any call
    branches.facts.searches.find(("called", "("), plain("("))
    safe = {hit.end for hit in hits if hit.is_safe}
    for start, end in questions.regions(index):
        branches.work.search(start, start + 16 * (end - start))
        for match in _CALLED.finditer(branches.text, max(start, header.end), end):
            name = match[1]
            if name not in _NO_CALLS and match.end(1) not in safe and not _TORCH.fullmatch(name):
                return False
    return True
