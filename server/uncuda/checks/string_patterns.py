r"""Finds device strings in regular expressions: `re.fullmatch(r"cuda:\d+", str(x.device))`."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice

from ..catalogue import Rule
from ..facts.digest import Digest, Text
from ..facts.role_calls import last_word
from ..facts.roles import Role, unwrapped

MODULES = frozenset({"re", "regex"})
"""The modules whose functions receive regular expressions."""
_SEARCHED: Mapping[str, int | None] = {
    **dict.fromkeys(("findall", "finditer", "fullmatch", "match", "search", "split"), 1),
    **dict.fromkeys(("sub", "subn"), 2),
    "compile": None,
}
"""For each function: the position of the text in which it searches, None if it gets no such text."""


@lru_cache(maxsize=8)
def patterns(digest: Digest) -> Sequence[Text]:
    """Return the strings of a statement that are arguments of functions for regular expressions."""
    found = []
    for text in digest.texts:
        call = digest.parents.get(text.node)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            if last_word(call.func.value) in MODULES:
                found.append(text)
    return found


def is_expression(rule: Rule, text: Text, digest: Digest) -> bool:
    """Return whether a string is a regular expression for strings that the rule reports."""
    return has_expression(rule, digest) and id(text.node) in _expressions(digest, rule.get("expression"))


def has_expression(rule: Rule, digest: Digest) -> bool:
    """Return whether a statement contains a regular expression for strings that the rule reports."""
    return bool(rule.get("expression") and patterns(digest) and _expressions(digest, rule.get("expression")))


def other_expressions(rule: Rule, digest: Digest) -> Sequence[ast.AST]:
    """Return the nodes of at most two regular expressions of a statement that contain one of the rule's words, but are
    not reported by the rule."""
    return _others(digest, rule.get("expression", ""), tuple(rule.get("words", ())))


@lru_cache(maxsize=8)
def _others(digest: Digest, expression: str, words: Sequence[str]) -> Sequence[ast.AST]:
    found = _expressions(digest, expression) if expression else frozenset[int]()
    texts = (one for one in patterns(digest) if id(one.node) not in found)
    return [*islice((one.node for one in texts if any(word in one.value for word in words)), 2)]


@lru_cache(maxsize=8)
def _expressions(digest: Digest, expression: str) -> frozenset[int]:
    """Return the ids of the nodes of a statement's regular expressions that match the pattern `expression`."""
    found = set[int]()
    for text in patterns(digest):
        call = digest.parents.get(text.node)
        first = isinstance(call, ast.Call) and last_word(call.func) in _SEARCHED and call.args[:1] == [text.node]
        if first and not text.formatted and re.fullmatch(expression, text.value):
            found.add(id(text.node))
    return frozenset(found)


def searched(role: Role) -> Role:
    """Return the role of a regular expression: it is compared with the text in which its call searches."""
    call = role.call
    position = _SEARCHED[role.method]
    given = [one.value for one in call.keywords if one.arg == "string"] if call is not None else []
    if call is not None and position is not None:
        given += call.args[position : position + 1]
    core = unwrapped(given[0])[0] if given else None
    cut = bool(given) and isinstance(given[0], ast.Subscript) and isinstance(given[0].slice, ast.Slice)
    return Role("comparison", role.node, call, name=last_word(core), subject=core, cut=cut)
