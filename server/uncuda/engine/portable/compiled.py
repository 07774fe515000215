"""Finds code that TorchScript may compile; no fix may write a call of the helper module into code for TorchScript,
because TorchScript cannot compile the call."""

from __future__ import annotations

import ast
import posixpath

from ... import lazy_re
from ...checks.base import Context
from ...checks.hit import Hit
from ...facts.piece import parsed
from ...facts.read import Statement
from ...facts.scopes import Header
from .torchscript import scripting

_NEVER = (
    *(ast.Try, ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Global, ast.Nonlocal, ast.Match),
    *(ast.Import, ast.ImportFrom, ast.SetComp, ast.Set, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await),
)
"""Nodes that TorchScript refuses, even in branches that it does not compile (tried with PyTorch 2.14)."""
_NAMED = lazy_re.compile(r"(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)")


class Compiled:
    """Finds the hits in one text whose code TorchScript may compile."""

    def __init__(self, context: Context) -> None:
        self._context = context
        own = scripting(context.text)
        path = posixpath.normpath(context.path.replace("\\", "/"))
        self._is_open = own.is_open or context.project.scripts
        self._names = own.names | {name for file, name in context.project.compiled if file == path}
        self._known: dict[int, bool] = {}

    def may_hold(self, hit: Hit) -> bool:
        """Return whether TorchScript may compile the code of a hit, because of this file or of another file of the
        project."""
        if hit.statement is None or not (self._is_open or self._names):
            return False
        around = self._around(hit, hit.statement)
        if any(match[1] in self._names for one in around if (match := _NAMED.match(self._context.text, one.start))):
            return True
        return self._is_open and self._may_compile(hit, around)

    def _around(self, hit: Hit, statement: Statement) -> list[Header]:
        """Return the headers of the functions and classes around a hit, starting with the innermost."""
        indents = self._context.facts.indents
        outer = statement.digest.ancestors(hit.node) if hit.node is not None else ()
        is_in_header = any(isinstance(one, (ast.arguments, ast.FunctionDef, ast.AsyncFunctionDef)) for one in outer)
        own = [] if is_in_header else [indents.header_at(statement.start)]  # the hit may be in a one-line function
        headers = [*own, *indents.headers(statement.start)]
        return [one for one in headers if _NAMED.match(self._context.text, one.start)]

    def _may_compile(self, hit: Hit, around: list[Header]) -> bool:
        """Return whether TorchScript could compile the function around a hit, if other code passed this function to
        it."""
        assert hit.statement is not None
        if not around or around[0].word == "class":
            return False  # Python, not TorchScript, runs code at module level and in class bodies
        inner = around[0]
        if hit.node is not None and any(
            isinstance(one, ast.Lambda) for one in hit.statement.digest.ancestors(hit.node)
        ):
            return False
        if inner.start not in self._known:
            end = self._context.facts.indents.extent(inner.start)
            self._context.facts.work.search(inner.start, end)
            self._known[inner.start] = _may_compile(self._context.text[inner.start : end])
        return self._known[inner.start]


def _may_compile(function: str) -> bool:
    """Return whether TorchScript might be able to compile a function with this source."""
    tree = parsed(function)
    if tree is None or len(tree.body) != 1:
        return True
    (definition,) = tree.body
    if not isinstance(definition, ast.FunctionDef):
        return False
    if definition.args.vararg or definition.args.kwarg:
        return False
    return not any(map(_is_refused, (node for part in definition.body for node in ast.walk(part))))


def _is_refused(node: ast.AST) -> bool:
    if isinstance(node, ast.FormattedValue):
        return node.format_spec is not None or node.conversion != -1
    return isinstance(node, _NEVER) or (isinstance(node, ast.keyword) and node.arg is None)
