"""One logical line that `ast` has parsed alone; converts the positions of its nodes to offsets."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from uncuda import lazy_re

_HEAD = lazy_re.compile(r"(@|(?:elif|else|except|finally|case|if|for|while|with|def|class|async|try|match)\b)?")
_PREFIX = {"elif": "if 0:pass\n", "else": "if 0:pass\n", "except": "try:pass\n", "finally": "try:pass\n"}


@dataclass(slots=True, eq=False)
class Piece:
    """The `ast` nodes of a part of a text, with methods that return their offsets. `base`: the number that is added to
    every returned offset."""

    text: str
    nodes: list[ast.AST]
    lines_before: int = 0
    shift: int = 0
    base: int = 0
    _starts: list[int] = field(default_factory=list)

    def offset(self, line: int, column: int) -> int:
        """Return the offset, in characters, of a line (from 1) and a column that `ast` counts in UTF-8 bytes."""
        line -= self.lines_before
        if line == 1:
            column -= self.shift
            if not self._starts and self.text.isascii():
                return self.base + column
        if not self._starts:
            self._starts = [0, *(m.end() for m in re.finditer(r"\r\n|\n|\r", self.text))]
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self.text)
        row = self.text[start:end]
        if not row.isascii():
            column = len(row.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "surrogatepass"))
        return self.base + start + column

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return the half-open offsets of a node."""
        return self.start(node), self.end(node)

    def start(self, node: ast.AST) -> int:
        """The offset where a node starts."""
        return self.offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        """The offset where a node ends."""
        return self.offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


def parsed(text: str) -> ast.Module | None:
    """Return the syntax tree of a text; None if the text is invalid, or too large or too deep for `ast`."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _parse(text: str) -> list[ast.stmt] | None:
    tree = parsed(text)
    return None if tree is None else tree.body


def read_line(text: str) -> Piece | None:
    """Parse a logical line without its indentation: simple statements, a block header, or a decorator; None if it is
    invalid."""
    match = _HEAD.match(text)
    head = match[1] if match else None
    if head is None:
        return _piece(text, _parse(text))
    if head == "@":
        body = _parse(text + "\ndef _():pass")
        return Piece(text, list(body[0].decorator_list)) if body and isinstance(body[0], ast.FunctionDef) else None
    if head in _PREFIX:
        return _clause(text, _PREFIX[head])
    if head == "case":
        piece = _case(text)
        return piece or _piece(text, _parse(text))
    suffix = "\n case _:pass" if head == "match" else "\n pass\nexcept:pass" if head == "try" else "\n pass"
    body = _parse(text + suffix) or _parse(text + "\nexcept:pass" if head == "try" else text)
    return _piece(text, body)


def _piece(text: str, body: list[ast.stmt] | None) -> Piece | None:
    return None if body is None else Piece(text, list(body))


def _clause(text: str, prefix: str) -> Piece | None:
    body = _parse(prefix + text + "\n pass") or _parse(prefix + text)
    if not body:
        return None
    node = body[0]
    nodes: list[ast.AST] = []
    if isinstance(node, ast.If):
        nodes = list(node.orelse)
    elif isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
        nodes = [*node.handlers, *node.finalbody]  # type: ignore[attr-defined]
    return Piece(text, nodes, lines_before=1)


def _case(text: str) -> Piece | None:
    body = _parse("match 0:\n " + text + "\n  pass") or _parse("match 0:\n " + text)
    if body and isinstance(body[0], ast.Match):
        return Piece(text, list(body[0].cases), lines_before=1, shift=1)
    return None


def read_expression(text: str, base: int) -> Piece | None:
    """Parse an expression that begins at offset `base`, such as a field of an f-string."""
    stripped = text.rstrip()
    if stripped.endswith("=") and stripped[-2:-1] not in ("=", "!", "<", ">"):
        text = stripped[:-1]
    body = _parse("(" + text + "\n)")
    if not body or not isinstance(body[0], ast.Expr):
        return None
    return Piece(text, [body[0].value], shift=1, base=base)
