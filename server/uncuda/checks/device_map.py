"""Adds the target's entry to a dictionary whose keys are devices, such as `{"cuda": "nccl", "cpu": "gloo"}`."""

from __future__ import annotations

import ast
import re
from itertools import islice

from .. import lazy_re
from ..catalogue import Target
from ..edits import Edit
from ..facts.read import Statement
from ..facts.roles import Role
from .base import Context, row_class
from .device_entries import below, entries_of, said
from .string_flow import Flow

_MODULE = lazy_re.compile(r"\btorch\.cuda(?:\.\w+)+")
_MANY = 60  # maximum number of occurrences of a dictionary's variable; beyond it, the dictionary is not analysed
_LEFT = lazy_re.compile(r"cuda|nccl", re.I)


def entry(role: Role, statement: Statement, context: Context, words: dict[str, str]) -> Edit | None:
    """Return the edit that adds an entry for the target below CUDA's entry of a dictionary; None if the value of CUDA's
    entry cannot be translated. `role`: the role of the string that is the key of CUDA's entry."""
    mapping = role.subject
    if not isinstance(mapping, ast.Dict) or kept(role, statement) == (0, 0):
        return None
    place, text = entries_of(mapping, statement.digest).by_key[role.node], statement.digest.text
    old, source = text[slice(*place.key)], text[slice(*place.value)]
    if context.target.words["device"] in source:
        return None  # a fix has changed this entry already: its value is not for CUDA
    spelled = _translated(source, words, context.target)
    new = said(old, words)
    if spelled is None or new == old:
        return None
    return below(place, statement, context, new, spelled)


def needs_plugin(added: Edit, target: Target) -> bool:
    """Whether the value of an added dictionary entry works only after the target's plugin is imported."""
    words = (target.words.get("module"), target.words.get("ccl"))
    return any(word and re.search(rf"\b{re.escape(word)}\b", added.text) for word in words)


def is_looked_up(role: Role, statement: Statement, flow: Flow) -> bool:
    """Return whether the file only looks up keys in the dictionary, so that an additional entry changes nothing
    else."""
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
    for found in flow.statements(word, 0, len(context.text), name):
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
    """Return whether this use of a dictionary only looks up one key. `rest`: the attributes written after the
    dictionary's name."""
    parent = statement.digest.parents.get(node)
    if rest:
        return rest == ("get",) and isinstance(parent, ast.Call) and parent.func is node
    if isinstance(parent, ast.Subscript):
        return parent.value is node and isinstance(parent.ctx, ast.Load)
    last = isinstance(parent, ast.Compare) and parent.comparators[-1] is node
    return last and isinstance(parent, ast.Compare) and isinstance(parent.ops[-1], (ast.In, ast.NotIn))


def kept(role: Role, statement: Statement) -> tuple[int, int]:
    """Return the span of the value of CUDA's entry, which stays unchanged; (0, 0) if evaluating this value calls
    CUDA."""
    mapping = role.subject
    if not isinstance(mapping, ast.Dict):
        return 0, 0
    value = entries_of(mapping, statement.digest).by_key[role.node].node
    nodes = [] if isinstance(value, ast.Lambda) else list(ast.walk(value))
    if any(isinstance(node, ast.Call) for node in nodes) and any(getattr(node, "attr", "") == "cuda" for node in nodes):
        return 0, 0
    start, end = statement.digest.span(value)
    return statement.start + start, statement.start + end


def _translated(value: str, words: dict[str, str], target: Target) -> str | None:
    """Return the value of a dictionary entry for CUDA, rewritten for the target; None if a part of this value has no
    certain counterpart."""

    def named(match: re.Match[str]) -> str:
        row = target.row(match[0])
        sure = row is not None and row.name == match[0] and row_class(row, target.review_limits) == "safe"
        return row.replacement if row is not None and sure else match[0]

    value = _MODULE.sub(named, value)
    value = said(value, words)
    return None if _LEFT.search(value) else value
