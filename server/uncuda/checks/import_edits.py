"""Where an import is added: on a line of its own beside one that is there."""

from __future__ import annotations

import ast
import re

from ..edits import Edit
from ..facts.read import Facts, Statement


def import_edit(facts: Facts, module: str, statement: Statement, before: bool = False) -> Edit:
    """`import module` on a line of its own below (or above) a statement, in the same block."""
    text = facts.text
    line = facts.layout.line_start(statement.start)
    indent = text[line : statement.start]
    newline = facts.layout.newline_at(statement.end)
    at = None if before and not indent.strip() else _beside_more(statement)
    if at is not None:
        return Edit(at, at, f"; import {module}")
    if indent.strip() or _inline(text[statement.start : statement.end]):
        end = statement.start + len(text[statement.start : statement.end].rstrip())
        return Edit(end, end, f"; import {module}")
    if before:
        return Edit(line, line, f"{indent}import {module}{newline}")
    if text[: statement.end].endswith(("\n", "\r")):
        return Edit(statement.end, statement.end, f"{indent}import {module}{newline}")
    return Edit(statement.end, statement.end, f"{newline}{indent}import {module}")


def _beside_more(statement: Statement) -> int | None:
    """Where the first import of torch ends, if code follows it on its line: `import torch; x = torch.ones(2)`."""
    piece = statement.digest.piece
    for block in (piece.nodes, *(getattr(node, "body", ()) for node in piece.nodes)):
        if not isinstance(block, list):
            continue
        first = next((index for index, node in enumerate(block) if _of_torch(node)), len(block))
        if any(not isinstance(node, (ast.Import, ast.ImportFrom)) for node in block[first + 1 :]):
            return statement.start + piece.end(block[first])
    return None


def _of_torch(node: ast.AST) -> bool:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
    return any(name.partition(".")[0] == "torch" for name in names)


def _inline(text: str) -> bool:
    """Whether the statement is a block's header with its body on the same line."""
    return re.match(r"(?:import|from)\b", text) is None
