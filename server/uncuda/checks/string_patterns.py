r"""Finds device strings in regular expressions: `re.fullmatch(r"cuda:\d+", str(x.device))`."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

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
    expression = rule.get("expression")
    if not expression or text.formatted or text not in patterns(digest):
        return False
    call = digest.parents.get(text.node)
    if not isinstance(call, ast.Call) or last_word(call.func) not in _SEARCHED or call.args[:1] != [text.node]:
        return False
    return re.fullmatch(expression, text.value) is not None


def has_expression(rule: Rule, digest: Digest) -> bool:
    """Return whether a statement contains a regular expression for strings that the rule reports."""
    return bool(rule.get("expression")) and any(is_expression(rule, text, digest) for text in patterns(digest))


def searched(role: Role) -> Role:
    """Return the role of a regular expression: it is compared with the text in which its call searches."""
    call = role.call
    position = _SEARCHED[role.method]
    given = [one.value for one in call.keywords if one.arg == "string"] if call is not None else []
    if call is not None and position is not None:
        given += call.args[position : position + 1]
    core = unwrapped(given[0])[0] if given else None
    return Role("comparison", role.node, call, name=last_word(core), subject=core)
