"""One report of the witness about one place."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .module import Module

# The kinds of mistakes, the most specific first: if two reports are about one line, the one whose kind comes first is
# kept.
KINDS = (
    *("option", "value", "question", "stayed question", "kit", "call", "position", "patch", "import"),
    "statement",
)


@dataclass(frozen=True, order=True)
class Record:
    """One place that the fix left half CUDA and half target."""

    path: str
    line: int
    kind: str
    saw: str


def record(module: Module, node: ast.AST, kind: str, why: str = "") -> Record:
    """Return a report about a node, with the node's source and further evidence."""
    line = getattr(node, "lineno", 1)
    return Record(module.path, line, kind, module.source(node) + (f"  [{why}]" if why else ""))
