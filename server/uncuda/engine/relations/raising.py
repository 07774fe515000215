"""Calls that raise on the target: what leads to one keeps to CUDA."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ...checks import Hit
from ...edits import SAFE
from ...facts.read import Statement
from .questions import is_question

_LATER = (ast.Lambda, ast.GeneratorExp)


def raising(hits: Sequence[Hit], classes: Sequence[str | None]) -> Iterator[Hit]:
    """The hits without a safe fix that are calls, of a name or a method, and fail on the target as they are."""
    for index, hit in enumerate(hits):
        if classes[index] != SAFE and hit.node is not None and hit.statement is not None:
            if hit.rule.check in ("name", "method") and not is_question(hit) and _fails(hit, hit.node, hit.statement):
                yield hit


def _fails(hit: Hit, node: ast.AST, statement: Statement) -> bool:
    call = statement.digest.parents.get(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return False
    if (hit.severity or hit.rule.severity) != "error" and not _of_none(hit, node):
        return False
    return not any(isinstance(outer, _LATER) for outer in statement.digest.ancestors(node))


def _of_none(hit: Hit, node: ast.AST) -> bool:
    """Whether a method of the value is called, where nothing takes the value's place: `torch.version.cuda.split()`."""
    name = hit.words.get("name", "").rpartition(".")[2]
    return not hit.fixes and isinstance(node, ast.Attribute) and node.attr != name
