"""A dictionary by device (`{"cuda": "nccl", "cpu": "gloo"}`): the entry that the target needs beside CUDA's."""

from __future__ import annotations

import ast
import re
from itertools import islice

from ..catalogue import Target
from ..edits import Edit
from ..facts.read import Statement
from ..facts.roles import Role
from .base import Context, row_class
from .string_flow import Flow

_MODULE = re.compile(r"\btorch\.cuda(?:\.\w+)+")
_MANY = 60  # places where a name stands: of one that stands in more, nothing is said
_LEFT = re.compile(r"cuda|nccl", re.I)
_PLAIN = (ast.Constant, ast.JoinedStr, ast.FormattedValue, ast.Name, ast.Attribute, ast.BinOp, ast.Tuple, ast.Subscript,
          ast.operator, ast.expr_context)  # fmt: skip


def entry(role: Role, statement: Statement, context: Context, key: str, words: dict[str, str]) -> Edit | None:
    """The edit that adds an entry `key` after the one that `role` is the key of; None where its value is not sure."""
    mapping = role.subject
    if not isinstance(mapping, ast.Dict) or kept(role, statement) == (0, 0):
        return None
    at = next(index for index, node in enumerate(mapping.keys) if node is role.node)
    piece, text, base = statement.digest.piece, context.text, statement.start
    first, value = mapping.keys[at], mapping.values[at]
    assert first is not None
    said = text[base + piece.start(value) : base + piece.end(value)]
    if context.target.words["device"] in said:
        return None  # a fix has been here: the value is no longer CUDA's
    spelled = _translated(said, words, context.target)
    if spelled is None:
        return None
    quote = text[base + piece.start(first)]
    return _below(first, value, statement, context, f"{quote}{key}{quote}", spelled)


def moved(role: Role, statement: Statement, context: Context, words: dict[str, str]) -> list[Edit]:
    """The edit that adds the target's own key where a key says on which device something was: `{"cuda:0": "cuda:1"}`.

    `role` is that of the value. None where the key says no device, or the target's stands there already.
    """
    mapping, value, piece = role.subject, role.node, statement.digest.piece
    key = _key_of(role)
    if key is None or not isinstance(mapping, ast.Dict) or not isinstance(value, ast.expr):
        return []
    text, base = context.text, statement.start

    def source(node: ast.AST) -> str:
        return text[base + piece.start(node) : base + piece.end(node)]

    old, new = source(key), _said(source(key), words)
    if new == old or any(each is not None and source(each) == new for each in mapping.keys):
        return []
    return [_below(key, value, statement, context, new, _said(source(value), words))]


def _below(
    key: ast.expr, value: ast.expr, statement: Statement, context: Context, new_key: str, new_value: str
) -> Edit:
    """The edit that adds an entry after another one, laid out as that is: on a line of its own, or beside it."""
    piece, base, text, layout = statement.digest.piece, statement.start, context.text, context.facts.layout
    start, end = base + piece.start(key), base + piece.end(value)
    line = layout.line_start(start)
    before, between = text[line:start], text[base + piece.end(key) : base + piece.start(value)]
    separator = f",{layout.newline_at(line)}{before}" if not before.strip() and line else ", "
    return Edit(end, end, f"{separator}{new_key}{between}{new_value}")


def is_plain(role: Role) -> bool:
    """Whether key and value of an entry can be written twice: they call nothing but `format`."""
    return all(
        isinstance(part, _PLAIN) or (isinstance(part, ast.Call) and getattr(part.func, "attr", "") == "format")
        for node in (_key_of(role), role.node)
        for part in (ast.walk(node) if node is not None else ())
    )


def says_index(role: Role) -> bool:
    """Whether the key of a value is a device with its number."""
    key = _key_of(role)
    return key is not None and re.match(r"""f?["'][a-z]+:""", ast.unparse(key)) is not None


def _key_of(role: Role) -> ast.expr | None:
    mapping = role.subject
    if role.kind != "value" or not isinstance(mapping, ast.Dict) or role.node not in mapping.values:
        return None
    return mapping.keys[next(index for index, value in enumerate(mapping.values) if value is role.node)]


def _said(source: str, words: dict[str, str]) -> str:
    for old, new in words.items():
        source = re.sub(rf"(?<=[\"']){re.escape(old)}(?=[\"':])", new, source)
    return source


def needs_plugin(added: Edit, target: Target) -> bool:
    """Whether the value of an entry is one that only the plugin knows."""
    words = (target.words.get("module"), target.words.get("ccl"))
    return any(word and re.search(rf"\b{re.escape(word)}\b", added.text) for word in words)


def is_looked_up(role: Role, statement: Statement, flow: Flow) -> bool:
    """Whether all that the text does with the dictionary is to look keys up in it: one more entry is no difference."""
    mapping, outer = role.subject, role.outer
    parent = statement.digest.parents.get(mapping) if mapping is not None else None
    if mapping is None or outer is None:
        return False
    if _looks_up(mapping, (), statement):
        return True
    if isinstance(parent, ast.Attribute) and parent.attr == "get":
        return True
    if outer.kind != "assignment" or outer.containers or not isinstance(outer.subject, (ast.Name, ast.Attribute)):
        return False
    if not isinstance(parent, (ast.Assign, ast.AnnAssign)):
        return False
    name, used, context = outer.name, False, flow.context
    context.asked.add(name)
    word = re.compile(rf"{re.escape(name)}(?<!\w{re.escape(name)})(?!\w)")
    context.facts.work.search(0, len(context.text))
    if len(list(islice(word.finditer(context.text), _MANY + 1))) > _MANY:
        return False
    for found in flow.statements(word, 0, len(context.text)):
        context.facts.work.compare(len(found.digest.chains))
        if found.start != statement.start and any(binding.name == name for binding in found.digest.bindings):
            return False
        for chain in found.digest.chains:
            spelled = (chain.root, *chain.parts)
            if name not in spelled or found.start == statement.start:
                continue
            used = True
            if not _looks_up(chain.node, spelled[spelled.index(name) + 1 :], found):
                return False
    return used


def _looks_up(node: ast.AST, rest: tuple[str, ...], statement: Statement) -> bool:
    """Whether a use of a dictionary asks for one key; `rest`: what of the dictionary is named."""
    parent = statement.digest.parents.get(node)
    if rest:
        return rest == ("get",) and isinstance(parent, ast.Call) and parent.func is node
    if isinstance(parent, ast.Subscript):
        return parent.value is node and isinstance(parent.ctx, ast.Load)
    last = isinstance(parent, ast.Compare) and parent.comparators[-1] is node
    return last and isinstance(parent, ast.Compare) and isinstance(parent.ops[-1], (ast.In, ast.NotIn))


def kept(role: Role, statement: Statement) -> tuple[int, int]:
    """Where the value of CUDA's entry stands, which stays CUDA's; (0, 0) where making the dictionary calls CUDA."""
    mapping = role.subject
    if not isinstance(mapping, ast.Dict):
        return 0, 0
    value = next(value for key, value in zip(mapping.keys, mapping.values, strict=True) if key is role.node)
    nodes = [] if isinstance(value, ast.Lambda) else list(ast.walk(value))
    if any(isinstance(node, ast.Call) for node in nodes) and any(getattr(node, "attr", "") == "cuda" for node in nodes):
        return 0, 0
    start, end = statement.digest.piece.span(value)
    return statement.start + start, statement.start + end


def _translated(value: str, words: dict[str, str], target: Target) -> str | None:
    """The source of CUDA's value, said for the target; None when some of it has no sure counterpart."""

    def named(match: re.Match[str]) -> str:
        row = target.row(match[0])
        sure = row is not None and row.name == match[0] and row_class(row, target.review_limits) == "safe"
        return row.replacement if row is not None and sure else match[0]

    value = _MODULE.sub(named, value)
    value = _said(value, words)
    return None if _LEFT.search(value) else value
