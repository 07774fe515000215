"""Calls that compile sources, all of which are spelled out and of a kind that every compiler takes."""

from __future__ import annotations

import ast
from collections.abc import Collection

from ..facts.model import Facts
from .name_calls import call_of


def only_compile(facts: Facts, names: Collection[str], endings: tuple[str, ...]) -> bool:
    """Whether all that a text does with the functions `names` is to compile files with these endings."""
    calls = [call_of(reference) for reference in facts.references if reference.dotted in names]
    return bool(calls) and all(call is not None and _compiles(call, endings) for call in calls)


def _compiles(call: ast.Call, endings: tuple[str, ...]) -> bool:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if None in given or "with_cuda" in given:
        return False
    sources = given.get("sources", call.args[1] if len(call.args) > 1 else None)
    files = sources.elts if isinstance(sources, (ast.List, ast.Tuple)) else [sources]
    return bool(files) and all(
        isinstance(file, ast.Constant) and isinstance(file.value, str) and file.value.endswith(endings)
        for file in files
    )
