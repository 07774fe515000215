"""What a text says of the sources that it compiles."""

from __future__ import annotations

import ast
from collections.abc import Collection

from ..facts.read import Facts
from ..facts.scans import plain
from .name_calls import call_of


def only_compile(facts: Facts, names: Collection[str], endings: tuple[str, ...]) -> bool:
    """Whether all that a text does with the functions `names` is to compile files with these endings."""
    calls = [call_of(reference) for reference in facts.references if reference.dotted in names]
    return bool(calls) and all(call is not None and _compiles(call, endings) for call in calls)


def says_one_of(facts: Facts, words: Collection[str]) -> bool:
    """Whether a text says one of some words anywhere, be it in the name of a file: `"ops.cu"`."""
    return any(facts.searches.find(("text", word), plain(word)) for word in words)


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
