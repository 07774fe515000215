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
_READERS = frozenset({"get", "getenv"})
_SETTERS = frozenset({"putenv", "setdefault", "setenv"})


def exported(hits: Sequence[Hit], facts: Facts) -> Iterator[int]:
    """Yield the starts of the hits at strings that set an environment variable, unless the file reads the variable and
    no string beside the name of the variable needs review."""
    if not facts.says(_ENVIRONMENT):
        return
    strings = [hit for hit in hits if hit.rule.check == "string"]
    sets = [(hit, name) for hit in strings if (name := _variable(hit))]
    if not sets:
        return
    left = frozenset(hit.statement.start for hit in strings if hit.statement is not None and not hit.is_safe)
    read, unsure = _read(left, facts)
    yield from (hit.start for hit, name in sets if name not in read or name in unsure)


def _variable(hit: Hit) -> str:
    """Return the environment variable that a string is assigned to, alone or by a condition: `os.environ["DEVICE"] =
    "cuda" if gpu else "cpu"`; "" if there is none."""
    inner = hit.node
    for outer in hit.statement.digest.ancestors(inner) if hit.statement is not None and inner is not None else ():
        if isinstance(outer, ast.Assign) and inner is outer.value:
            return _key(outer.targets[0])
        if isinstance(outer, ast.Call):
            sets = last_word(outer.func) in _SETTERS and len(outer.args) > 1 and inner is outer.args[1]
            return _name(outer.args[0]) if sets and _is_of_environment(outer.func) else ""
        if not isinstance(outer, ast.IfExp) or inner is outer.test:
            return ""
        inner = outer
    return ""


def _is_of_environment(function: ast.expr) -> bool:
    """Return whether a function is one of `os.environ`, or one of `os` for environment variables."""
    owner = function.value if isinstance(function, ast.Attribute) else None
    return last_word(owner) == _ENVIRONMENT or last_word(function) in ("getenv", "putenv", "setenv")


def _name(node: ast.AST) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _key(target: ast.AST) -> str:
    """Return the name in `os.environ[NAME]`; "" for other expressions."""
    is_item = isinstance(target, ast.Subscript) and last_word(target.value) == _ENVIRONMENT
    return _name(target.slice) if is_item and isinstance(target, ast.Subscript) else ""


def _read(left: Collection[int], facts: Facts) -> tuple[set[str], set[str]]:
    """Return the environment variables that the file reads, and those that a statement in `left` reads, the starts of
    the statements with a string that needs review."""
    places = (at for word in (_ENVIRONMENT, "getenv") for at in facts.searches.find(("text", word), plain(word)))
    read, unsure = set[str](), set[str]()
    for _, statement in facts.statements_at(sorted(places)):
        facts.work.compare(len(statement.digest.parents))
        for node in statement.digest.parents:
            name = ""
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
                name = _key(node)
            elif isinstance(node, ast.Call) and last_word(node.func) in _READERS and node.args:
                name = _name(node.args[0]) if _is_of_environment(node.func) else ""
            if name:
                read.add(name)
                if statement.start in left:
                    unsure.add(name)
    return read, unsure
