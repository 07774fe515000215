"""Finds device strings that set an environment variable which other files read: `os.environ["DEVICE"] = "cuda"`. Code
that compares such a variable with "cuda" needs review, so the code that sets it does, too."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from ...checks import Hit
from ...facts.read import Facts
from ...facts.role_calls import last_word
from ...facts.scans import plain

EXPORTED = "read-without-fix"
"""The id in rules/limits.tsv of the sentence "no safe fix changes the code that reads the environment variable"."""
_ENVIRONMENT = "environ"


def exported(hits: Sequence[Hit], facts: Facts) -> Iterator[int]:
    """Yield the starts of the hits at strings that set an environment variable, unless the file reads the variable and
    no string beside the name of the variable needs review."""
    if not facts.says(_ENVIRONMENT):
        return
    strings = [hit for hit in hits if hit.rule.check == "string" and hit.statement is not None]
    left = frozenset(hit.statement.start for hit in strings if hit.statement is not None and not hit.is_safe)
    read: dict[str, bool] = {}
    for hit in strings:
        if name := _variable(hit):
            if name not in read:
                read[name] = _is_read(name, left, facts)
            if not read[name]:
                yield hit.start


def _variable(hit: Hit) -> str:
    """Return the environment variable that a string is assigned to, alone or by a condition: `os.environ["DEVICE"] =
    "cuda" if gpu else "cpu"`; "" if there is none."""
    inner = hit.node
    for outer in hit.statement.digest.ancestors(inner) if hit.statement is not None and inner is not None else ():
        if isinstance(outer, ast.Assign) and inner is outer.value:
            return _key(outer.targets[0])
        if not isinstance(outer, ast.IfExp) or inner is outer.test:
            return ""
        inner = outer
    return ""


def _key(target: ast.expr) -> str:
    if not isinstance(target, ast.Subscript) or last_word(target.value) != _ENVIRONMENT:
        return ""
    key = target.slice
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""


def _is_read(name: str, left: Collection[int], facts: Facts) -> bool:
    """Return whether statements of the file name an environment variable and do not only set it. False if one of them
    is in `left`, the starts of the statements with a string that needs review."""
    reads = False
    for at, statement in facts.statements_at(facts.searches.find(("text", name), plain(name))):
        facts.work.compare(len(statement.digest.piece.nodes))
        stores = (node for node in statement.digest.piece.nodes if isinstance(node, ast.Assign))
        if facts.layout.token_at(at) != "#" and not any(_key(node.targets[0]) == name for node in stores):
            if statement.start in left:
                return False
            reads = True
    return reads
