"""The names that a statement binds."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .piece import Piece


@dataclass(slots=True, eq=False)
class Binding:
    """A name that a statement binds. `inside`: the offset in the line of the `def` or `class` that contains the
    binding, if both are on the same line; otherwise -1."""

    name: str
    kind: str  # import, from, star, assign, parameter, def, class, for, with, except, match, del, global, nonlocal
    offset: int
    dotted: str = ""
    value: ast.expr | None = None
    inside: int = -1
    alias: ast.alias | None = None
    statement: ast.stmt | None = None


def _import(node: ast.AST, piece: Piece, inside: int) -> list[Binding]:
    assert isinstance(node, (ast.Import, ast.ImportFrom))
    found = []
    for alias in node.names:
        start = piece.start(alias)
        if isinstance(node, ast.Import):
            local = alias.asname or alias.name.split(".")[0]
            binding = Binding(local, "import", start, alias.name if alias.asname else local)
        elif node.level or not node.module:
            binding = Binding(alias.asname or alias.name, "from", start, "")
        elif alias.name == "*":
            binding = Binding("*", "star", start, node.module)
        else:
            binding = Binding(alias.asname or alias.name, "from", start, f"{node.module}.{alias.name}")
        binding.alias, binding.statement, binding.inside = alias, node, inside
        found.append(binding)
    return found


def _declaration(node: ast.AST, piece: Piece, inside: int) -> list[Binding]:
    assert isinstance(node, (ast.Global, ast.Nonlocal))
    kind = "global" if isinstance(node, ast.Global) else "nonlocal"
    return [Binding(name, kind, piece.start(node), inside=inside) for name in node.names]


def _pattern(node: ast.AST, piece: Piece, inside: int) -> list[Binding]:
    name = getattr(node, "rest", None) if isinstance(node, ast.MatchMapping) else getattr(node, "name", None)
    return [Binding(name, "match", piece.start(node), inside=inside)] if name else []


BINDERS = {
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.Global: _declaration,
    ast.Nonlocal: _declaration,
    ast.MatchAs: _pattern,
    ast.MatchStar: _pattern,
    ast.MatchMapping: _pattern,
}
