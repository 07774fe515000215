"""Finds the lines and the plugin's names that a fix wrote, and checks that a version of the plugin has these names,
with the parameters that the calls use."""

from __future__ import annotations

import ast
import difflib
import inspect
from collections.abc import Iterator
from typing import Any, TypeAlias

from scripts.plugin.known import facts, modules

_Statement: TypeAlias = "ast.stmt | ast.ExceptHandler"


def written(before: str, after: str) -> set[int]:
    """Return the line numbers (from 1) that a fix wrote."""
    changes = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False).get_opcodes()
    return {line for kind, _, _, first, last in changes if kind != "equal" for line in range(first + 1, last + 1)}


def not_reached(before: str, after: str, reached: frozenset[int]) -> list[str]:
    """Return the lines that a fix wrote and whose statements were not executed."""
    own, new, missed = list(_own_lines(ast.parse(after))), after.splitlines(), []
    for line in sorted(written(before, after)):
        statement = next((lines for lines in own if line in lines), None)
        if statement is not None and not statement & reached and new[line - 1].strip():
            missed.append(new[line - 1].strip())
    return missed


def _own_lines(tree: ast.AST) -> Iterator[frozenset[int]]:
    """The lines of each statement, without those of nested statements."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.ExceptHandler)):
            lines = set(_lines(node))
            for inner in ast.walk(node):
                if inner is not node and isinstance(inner, (ast.stmt, ast.ExceptHandler)):
                    lines -= set(_lines(inner))
            yield frozenset(lines)


def _lines(node: _Statement) -> range:
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
    return range(first, (node.end_lineno or node.lineno) + 1)


def compare(target: str, version: str, before: str, after: str) -> tuple[list[str], list[str]]:
    """Return the plugin's names that a fix wrote, and the errors in their use: a name does not exist, or has other
    parameters."""
    old = {name for name, _ in _named(target, version, before)}
    named, wrong = [], []
    for name, call in _named(target, version, after):
        if name in old:
            continue
        named.append(name)
        if complaint := _complaint(target, version, name, call):
            wrong.append(complaint)
    return named, wrong


def _named(target: str, version: str, text: str) -> Iterator[tuple[str, ast.Call | None]]:
    """Yield the names of the plugin that a text imports or uses, as dotted names; if the text calls a name, with the
    call."""
    tree = ast.parse(text)
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                known[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    used = [(dotted, None) for dotted in known.values()]
    found = [(_dotted(node, known), calls.get(id(node))) for node in ast.walk(tree)]
    for dotted, call in [*used, *found]:
        name = _in_plugin(target, version, dotted)
        if name:
            yield name, call


def _dotted(node: ast.AST, known: dict[str, str]) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([known[node.id], *reversed(parts)]) if isinstance(node, ast.Name) and node.id in known else ""


def _in_plugin(target: str, version: str, dotted: str) -> str:
    """Return the name under which the plugin defines a function: in the module of the plugin, or on the object of torch
    on which the plugin set it."""
    parts = dotted.split(".")
    for size in range(len(parts), 0, -1):
        head = ".".join(parts[:size])
        if other := facts(target, version)["aliases"].get(head):
            return _in_plugin(target, version, ".".join([other, *parts[size:]]))
    owner, _, last = dotted.rpartition(".")
    return dotted if parts[0] == f"torch_{target}" or last in facts(target, version)["sets"].get(owner, ()) else ""


def _complaint(target: str, version: str, name: str, call: ast.Call | None) -> str:
    """Return the error in the use of a name; empty if there is none."""
    every = modules(target, version)
    owner, _, last = name.rpartition(".")
    if name in every or (not call and last in facts(target, version)["sets"].get(owner, ())):
        return ""
    if owner in every and last in every[owner]:
        return _misfit(name, every[owner][last], call) if call else ""
    above, _, holder = owner.rpartition(".")
    members = (every.get(above, {}).get(holder) or {}) if above else {}
    if isinstance(members, dict) and last in members.get("members", ()) and not call:
        return ""
    return f"{name} is not known"


def _misfit(name: str, shape: Any, call: ast.Call) -> str:
    parameters = shape.get("parameters") if isinstance(shape, dict) else shape
    if parameters is None:
        return "" if not call.args and not call.keywords else f"{name}: its parameters are not known"
    declared = [part.partition("=")[0] + ("=None" if "=" in part else "") for part in parameters]
    space: dict[str, Any] = {}
    # evaluating the text is safe: it comes from scripts/plugin/names, which is part of this project
    exec(f"def function({', '.join(declared)}): pass", space)
    given = [None for _ in call.args]
    try:
        inspect.signature(space["function"]).bind(*given, **{str(word.arg): None for word in call.keywords})
    except TypeError as error:
        return f"{name}: {error}"
    return ""
