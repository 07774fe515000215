"""Finds names of `torch.cuda` that a program replaces for the libraries that it calls: `torch.cuda.is_available =
lambda: True`. Those libraries go on calling CUDA's name."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...checks import Hit
from ...facts.role_calls import got, last_word

FOR_LIBRARIES = "replaced-for-libraries"
"""The id in rules/limits.tsv of the sentence "the program replaces this name for other libraries, which ask for
CUDA's"."""
_CUDAS = "torch.cuda."


def is_assigned(hit: Hit) -> bool:
    """Return whether a hit is at a name of torch.cuda to which a statement assigns."""
    return _is_target(hit) and hit.words.get("name", "").startswith(_CUDAS)


def _is_target(hit: Hit) -> bool:
    return isinstance(hit.node, ast.Attribute) and isinstance(hit.node.ctx, ast.Store)


def replaced_names(hits: Sequence[Hit]) -> frozenset[int]:
    """Return the starts of the hits at names of torch.cuda to which the file assigns, where the names are assigned or
    kept in a variable: `original = torch.cuda.is_available`, `original = getattr(torch.cuda, "is_available", None)`.
    If the file replaces a whole module, `torch.cuda = Fake()`, all its names count. `hits`: all hits of the text."""
    targets = (f"{hit.words.get('name')}." for hit in hits if _is_target(hit))
    modules = tuple({name for name in targets if name.startswith(_CUDAS)})
    below = (hit for hit in hits if modules and hit.words.get("name", "").startswith(modules))
    whole = (hit for hit in hits if _CUDAS in modules and f"{hit.words.get('name')}." == _CUDAS)
    within = [hit.start for hit in (*below, *whole)]
    names = {hit.words["name"] for hit in hits if is_assigned(hit)}
    found = (hit for hit in hits if names and hit.rule.check == "name")
    kept = (hit for hit in found if (hit.words.get("name") in names and not _is_called(hit)) or _taken(hit) in names)
    return frozenset(within).union(hit.start for hit in kept)


def _taken(hit: Hit) -> str:
    """Return the name of torch.cuda that `getattr` reads; "" if the hit is at no such call."""
    read = got(hit.parent) if hit.parent is not None else None
    taken = isinstance(read, ast.Attribute) and read.value is hit.node
    return f"{hit.words.get('name')}.{last_word(read)}" if taken else ""


def _is_called(hit: Hit) -> bool:
    outer = hit.statement.digest.parents.get(hit.node) if hit.statement is not None and hit.node is not None else None
    return isinstance(outer, ast.Call) and outer.func is hit.node
