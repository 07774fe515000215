"""The contents of one logical line of code: dotted names, attributes, strings and bindings of names. The
contents of a line are cached by the line's text, so that a line with a known text is not parsed again."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from .bindings import BINDERS, Binding
from .piece import Piece, read_expression
from .strings import Token, tokens

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_TEXTS = frozenset({ast.Constant, ast.JoinedStr, getattr(ast, "TemplateStr", ast.JoinedStr)})
_NESTED = frozenset({ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp})
_SKIPPED = frozenset({"ctx", "op", "ops", "type_comment", "kind", "conversion", "level", "simple", "is_async"})
_FIELDS: dict[type, tuple[str, ...]] = {
    ast.Constant: (),
    ast.Name: (),
    ast.Attribute: ("value",),
    ast.JoinedStr: (),
    ast.Import: (),
    ast.ImportFrom: (),
    ast.Call: ("func", "args", "keywords"),
    ast.keyword: ("value",),
    ast.Global: (),
    ast.Nonlocal: (),
}


@dataclass(slots=True, eq=False)
class Chain:
    """A dotted name `root.part.part`, or a single name; `node`: the outermost node of the name."""

    root: str
    parts: tuple[str, ...]
    node: ast.expr
    piece: Piece

    @property
    def spelled(self) -> str:
        """The dotted name as a string."""
        return ".".join((self.root, *self.parts))

    def segments(self) -> list[tuple[int, int]]:
        """The span of `root`, then the span of each of `parts`, as offsets from the start of the statement."""
        spans: list[tuple[int, int]] = []
        node: ast.expr = self.node
        while isinstance(node, ast.Attribute):
            end = self.piece.end(node)
            spans.append((end - len(node.attr), end))
            node = node.value
        spans.append(self.piece.span(node))
        return spans[::-1]


@dataclass(slots=True, eq=False)
class Member:
    """An attribute `.name` of an expression other than a dotted name: `f(x).name`, `x[0].name`."""

    name: str
    node: ast.Attribute
    piece: Piece


@dataclass(slots=True, eq=False)
class Text:
    """A string literal, an f-string or a t-string. `value`: the value of the string, or the text before the first field
    of an f-string."""

    value: str
    node: ast.expr
    piece: Piece
    tokens: tuple[Token, ...]

    @property
    def formatted(self) -> bool:
        """Whether the string has fields, as an f-string does."""
        return any(token.fields for token in self.tokens)


@dataclass(slots=True, eq=False)
class Digest:
    """The names, strings and bindings in one logical line of code."""

    piece: Piece
    chains: list[Chain] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)
    scopes: dict[ast.AST, int] = field(default_factory=dict)
    fields: dict[ast.AST, Piece] = field(default_factory=dict)
    nested: bool = False  # whether the line contains a lambda or comprehension, whose variables may shadow names
    # for each comprehension: the names that it binds, computed when they are needed
    targets: dict[ast.AST, frozenset[str]] = field(default_factory=dict)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes that contain `node`, the innermost first."""
        parent = self.parents.get(node)
        while parent is not None:
            yield parent
            parent = self.parents.get(parent)

    @property
    def text(self) -> str:
        """The text from the start of the statement; `span` returns offsets in this text."""
        return self.piece.text[-self.piece.base :] if self.piece.base else self.piece.text

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return the half-open offsets of a node relative to the statement, also for a node inside a field of an
        f-string."""
        found: ast.AST | None = node if self.fields else None
        while found is not None and found not in self.fields:
            found = self.parents.get(found)
        return (self.piece if found is None else self.fields[found]).span(node)


def digest(piece: Piece, header_only: bool = False) -> Digest:
    """Return the names, strings and bindings in a logical line. `header_only`: the blocks of compound statements are
    left out."""
    result = Digest(piece)
    for node in piece.nodes:
        _visit(node, result, piece, -1, header_only)
    return result


def _visit(node: ast.AST, out: Digest, piece: Piece, inside: int, header_only: bool) -> None:
    body = getattr(node, "body", None)
    if isinstance(body, list):
        _header(node, out, piece, inside)
        if header_only:
            return
        scope = piece.start(node) if isinstance(node, (*_FUNCTIONS, ast.ClassDef)) else inside
        for name in ("body", "orelse", "handlers", "finalbody", "cases"):
            for child in getattr(node, name, ()):
                if not isinstance(child, ast.Pass):
                    _visit(child, out, piece, scope, header_only)
        return
    if isinstance(node, ast.Match):
        _walk(node.subject, out, piece, inside)
        if not header_only:
            for case in node.cases:
                _visit(case, out, piece, inside, header_only)
        return
    _walk(node, out, piece, inside)


def _header(node: ast.AST, out: Digest, piece: Piece, inside: int) -> None:
    """Visit the parts of a compound statement that are on its first line."""
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        kind = "class" if isinstance(node, ast.ClassDef) else "def"
        start = piece.start(node)
        out.bindings.append(Binding(node.name, kind, start, inside=inside))
        if isinstance(node, ast.ClassDef):
            parts: list[ast.AST | None] = [*node.bases, *node.keywords]
        else:
            out.parents[node.args] = node
            parts = [node.args, node.returns]
            for argument in _arguments(node.args):
                out.bindings.append(Binding(argument.arg, "parameter", piece.start(argument), inside=start))
    else:
        names = ("test", "target", "iter", "items", "type", "pattern", "guard")
        parts = []
        for name in names:
            value = getattr(node, name, None)
            parts += value if isinstance(value, list) else [value]
        if isinstance(node, ast.ExceptHandler) and node.name:
            out.bindings.append(Binding(node.name, "except", piece.start(node), inside=inside))
    for part in parts:
        if part is not None:
            out.parents.setdefault(part, node)
            _walk(part, out, piece, inside)


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return every + [extra for extra in (arguments.vararg, arguments.kwarg) if extra]


def _fields(kind: type) -> tuple[str, ...]:
    names = _FIELDS.get(kind)
    if names is None:
        names = tuple(name for name in kind._fields if name not in _SKIPPED)  # type: ignore[attr-defined]
        _FIELDS[kind] = names
    return names


def _walk(top: ast.AST, out: Digest, piece: Piece, inside: int) -> None:
    parents = out.parents
    stack = [top]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is ast.Attribute:
            _attribute(node, out, piece, inside)  # type: ignore[arg-type]
            node = _base(node)
            if type(node) is not ast.Name:
                stack.append(node)
            continue
        if kind is ast.Name:
            _name(node, out, piece, inside)  # type: ignore[arg-type]
            continue
        if kind in _TEXTS:
            if type(getattr(node, "value", "")) is str:
                _text(node, out, piece)  # type: ignore[arg-type]
            continue
        if kind in BINDERS:
            out.bindings += BINDERS[kind](node, piece, inside)
        out.nested = out.nested or kind in _NESTED
        for name in _fields(kind):
            value = getattr(node, name, None)
            if type(value) is list:
                for child in value:
                    if isinstance(child, ast.AST):
                        parents[child] = node
                        stack.append(child)
            elif isinstance(value, ast.AST):
                parents[value] = node
                stack.append(value)


def _base(node: ast.AST) -> ast.AST:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def _attribute(node: ast.Attribute, out: Digest, piece: Piece, inside: int) -> None:
    parts = []
    part: ast.expr = node
    while isinstance(part, ast.Attribute):
        out.parents[part.value] = part
        parts.append(part)
        part = part.value
    if isinstance(part, ast.Name):
        out.chains.append(Chain(part.id, tuple(p.attr for p in reversed(parts)), node, piece))
        if inside >= 0:
            out.scopes[node] = inside
    else:
        out.members += [Member(p.attr, p, piece) for p in parts]


def _name(node: ast.Name, out: Digest, piece: Piece, inside: int) -> None:
    if isinstance(node.ctx, ast.Load):
        out.chains.append(Chain(node.id, (), node, piece))
        if inside >= 0:
            out.scopes[node] = inside
        return
    parent = out.parents.get(node)
    kind, value = "del" if isinstance(node.ctx, ast.Del) else "assign", None
    if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
        value = parent.value
    elif isinstance(parent, ast.comprehension):
        return
    elif isinstance(parent, ast.withitem):
        kind = "with"
    elif isinstance(parent, (ast.For, ast.AsyncFor)):
        kind = "for"
    out.bindings.append(Binding(node.id, kind, piece.start(node), value=value, inside=inside))


def _text(node: ast.expr, out: Digest, piece: Piece) -> None:
    base = piece.base
    found = tokens(piece.text, *(at - base for at in piece.span(node)))
    if not found:
        return
    shifted = tuple(
        t._replace(start=t.start + base, end=t.end + base, fields=tuple((a + base, b + base) for a, b in t.fields))
        for t in found
    )
    plain = isinstance(node, ast.Constant) and not any(token.formatted for token in found)
    value = node.value if plain else ""  # type: ignore[attr-defined]
    if not plain:
        for token in found:
            if token.fields:
                value += piece.text[token.start : token.fields[0][0] - 1].replace("{{", "{").replace("}}", "}")
                break
            value += piece.text[token.start : token.end]
    if type(value) is not str:
        return
    if plain and "." in value and piece.text[found[0].start : found[0].end] == value and _annotates(node, out):
        _expression(value, shifted[0].start, node, out)
        return
    out.texts.append(Text(value, node, piece, shifted))
    for first, last in (each for token in found for each in token.fields):
        if not piece.text[first:last].strip().isidentifier():
            _expression(piece.text[first:last], first + base, node, out)


def _annotates(node: ast.AST, out: Digest) -> bool:
    """Return whether a string is an annotation or a part of one; such a string contains code."""
    for outer in out.ancestors(node):
        if isinstance(outer, (ast.arg, ast.AnnAssign, *_FUNCTIONS)):
            return node is (outer.returns if isinstance(outer, _FUNCTIONS) else outer.annotation)
        literal = isinstance(outer, ast.Subscript) and "Literal" in ast.dump(outer.value)
        if literal or not isinstance(outer, (ast.Subscript, ast.Tuple, ast.List, ast.BinOp)):
            return False
        node = outer
    return False


def _expression(text: str, base: int, holder: ast.AST, out: Digest) -> None:
    """Parse the expression in a field of an f-string, and add its contents to those of the line."""
    field_piece = read_expression(text, base)
    if field_piece is not None:
        top = field_piece.nodes[0]
        out.parents[top] = holder
        out.fields[top] = field_piece
        _walk(top, out, field_piece, out.scopes.get(holder, -1))
