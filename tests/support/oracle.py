"""A slow reference implementation of `uncuda.facts.read`: parses the whole file with `ast` and `tokenize`, and returns
the same `Facts` (statements, scopes, names)."""

from __future__ import annotations

import ast
import copy
import io
import tokenize
import warnings
from bisect import bisect_right
from typing import NamedTuple

from uncuda.facts.changes import Searches
from uncuda.facts.digest import Digest, digest
from uncuda.facts.layout import Layout
from uncuda.facts.names import Names
from uncuda.facts.piece import Piece
from uncuda.facts.read import Facts, Statement, Words, _Reader
from uncuda.facts.scopes import IndentScopes
from uncuda.source import Source

SKIPPED = {tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")


class TreeScopes:
    """The scopes of a file, taken from its syntax tree."""

    def __init__(self, tree: ast.Module, lines: list[tuple[int, int]], place: Piece) -> None:
        self._starts = [start for start, _ in lines]
        self._spans: list[tuple[int, int, str]] = []
        for node in ast.walk(tree):
            if isinstance(node, SCOPES):
                start, end = place.span(node)
                at = bisect_right(self._starts, end - 1)
                after = self._starts[at] if at < len(self._starts) else len(place.text)
                self._spans.append((start, after, "class" if isinstance(node, ast.ClassDef) else "def"))
        self._spans.sort()

    def scope_of(self, offset: int) -> tuple[int, str] | None:
        """Return the innermost scope whose header is above the line at `offset`."""
        best = None
        for start, end, word in self._spans:
            if start >= offset:
                break
            if offset < end and self._line(start) != self._line(offset):
                best = (start, word)
        return best

    def _line(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def extent(self, header: int) -> int:
        """Return the offset at which the scope ends."""
        return next(end for start, end, _ in self._spans if start == header)


def logical_lines(text: str) -> list[tuple[int, int]]:
    """Return the start of the first token and the end of the line for every logical line, from `tokenize`."""
    source = Source(text)
    lines: list[tuple[int, int]] = []
    start = None
    for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
        if token.type in SKIPPED or token.type == tokenize.ENDMARKER:
            continue
        if start is None:
            start = source.offset(token.start[0], token.start[1] + 1)
        if token.type == tokenize.NEWLINE:
            line = token.start[0]
            end = source.line_starts[line] if line < len(source.line_starts) else len(text)
            lines.append((start, end))
            start = None
    return lines


class Parsed(NamedTuple):
    """The statements of a file, each with the start and the end of its logical line, and the scopes of the file.
    Statements and scopes are the same for every target."""

    scopes: TreeScopes
    statements: list[tuple[int, int, Digest]]


def parse_whole(text: str) -> Parsed:
    """Parse a file; SyntaxError if it does not parse."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    lines = logical_lines(text)
    place = Piece(text, [])
    starts = [start for start, _ in lines]
    by_line: dict[int, list[ast.AST]] = {}
    _collect(tree, None, by_line, starts, place)
    statements = []
    for index, nodes in sorted(by_line.items()):
        start, end = lines[index]
        piece = Piece(text, [], base=-start, _starts=place._starts)  # the starts of lines are computed only once
        piece.nodes = [_own(node, index, starts, place) for node in nodes]
        statements.append((start, end, digest(piece)))
    return Parsed(TreeScopes(tree, lines, place), statements)


def read_whole(text: str, words: Words, parsed: Parsed | None = None) -> Facts:
    """Return the facts of every statement; SyntaxError if the text does not parse. `parsed`: the result of parse_whole,
    if there is one."""
    scopes, statements = parsed or parse_whole(text)
    layout = Layout(text)
    searches = Searches(text)
    reader = _Reader(text, words, searches, layout, IndentScopes(layout, searches))
    reader.facts.scopes, reader.facts.names = scopes, Names(scopes)
    reader.anchored()
    for start, end, found in statements:
        reader._keep(start, end, found)
    reader.read_at = lambda offsets: None  # type: ignore[method-assign]
    reader.follow_names()
    return reader.finish()


def _index(node: ast.AST, starts: list[int], place: Piece) -> int:
    located = node.pattern if isinstance(node, ast.match_case) else node
    return bisect_right(starts, place.start(located)) - 1


def _collect(node: ast.AST, line: int | None, found: dict[int, list[ast.AST]], starts: list[int], place: Piece) -> None:
    if isinstance(node, SCOPES):
        for decorator in node.decorator_list:
            found.setdefault(_index(decorator, starts, place), []).append(decorator)
    for block in BLOCKS:
        children = getattr(node, block, None)
        for child in children if isinstance(children, list) else ():
            index = _index(child, starts, place)
            if index != line:
                found.setdefault(index, []).append(child)
            _collect(child, index, found, starts, place)


def _own(node: ast.AST, line: int, starts: list[int], place: Piece) -> ast.AST:
    """Return a copy of a compound statement with only those blocks that are on its first line."""
    if not isinstance(getattr(node, "body", None), list) and not isinstance(node, ast.Match):
        return node
    own = copy.copy(node)
    for block in BLOCKS:
        children = getattr(node, block, None)
        if isinstance(children, list):
            setattr(own, block, [_own(c, line, starts, place) for c in children if _index(c, starts, place) == line])
    return own


__all__ = ["Statement", "logical_lines", "parse_whole", "read_whole"]
