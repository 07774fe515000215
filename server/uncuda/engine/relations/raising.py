"""Calls that raise on the target or are given what only CUDA has, and CUDA's words that are returned.

What leads to one keeps to CUDA.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ...checks import Hit
from ...edits import SAFE
from ...facts.read import Statement
from ...facts.role_calls import last_word
from .questions import is_question

_KEEPING = frozenset({"append", "add", "extend", "insert"})
_LATER = (ast.Lambda, ast.GeneratorExp)


def raising(hits: Sequence[Hit], classes: Sequence[str | None]) -> Iterator[Hit]:
    """The hits without a safe fix that are called, given to a call or returned, and are wrong on the target."""
    for index, hit in enumerate(hits):
        if classes[index] != SAFE and hit.node is not None and hit.statement is not None:
            if hit.rule.check == "string":
                if _is_returned(hit.node, hit.statement):
                    yield hit
            elif hit.rule.check in ("name", "method") and (not is_question(hit) or _of_none(hit, hit.node)):
                if _fails(hit, hit.node, hit.statement):
                    yield hit


def _fails(hit: Hit, node: ast.AST, statement: Statement) -> bool:
    call = statement.digest.parents.get(node)
    if hit.rule.check == "method" and not hit.rule.get("call"):
        return True  # what native code is given
    if not isinstance(call, ast.Call) or (call.func is not node and last_word(call.func) not in _KEEPING):
        return False
    if (hit.severity or hit.rule.severity) != "error" and not _of_none(hit, node):
        return False
    return not any(isinstance(outer, _LATER) for outer in statement.digest.ancestors(node))


def _is_returned(node: ast.AST, statement: Statement) -> bool:
    """Whether a word is what a function returns: who calls it gets CUDA's."""
    for outer in statement.digest.ancestors(node):
        if not isinstance(outer, (ast.JoinedStr, ast.IfExp)):
            return isinstance(outer, ast.Return)
    return False


def _of_none(hit: Hit, node: ast.AST) -> bool:
    """Whether a method of the value is called, where nothing takes the value's place: `torch.version.cuda.split()`."""
    name = hit.words.get("name", "").rpartition(".")[2]
    return not hit.fixes and isinstance(node, ast.Attribute) and node.attr != name
