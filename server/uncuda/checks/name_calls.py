"""Tells how the call of a name affects the fix of the name: arguments that the target's function lacks or has in
another position, keywords that it names differently, and attributes whose names `hasattr` and similar calls get."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from typing import NamedTuple

from ..catalogue import Row, Rule, Target
from ..edits import Edit
from ..facts.model import Name
from ..facts.role_calls import last_word

LACKS = "lacks-parameter"
"""The id in rules/limits.tsv of the sentence about a call with an argument that the target's function lacks."""


class Asked(NamedTuple):
    """The attribute that `hasattr(torch.cuda, "CUDAGraph")` or a similar call names, with its offsets; `optional`:
    whether the attribute may be missing; `patched`: whether the call replaces the attribute."""

    name: str
    start: int
    end: int
    optional: bool
    patched: bool


def call_of(reference: Name) -> ast.Call | None:
    """The call whose function is the reference; None if the reference is not called."""
    parent = reference.statement.digest.parents.get(reference.chain.node)
    return parent if isinstance(parent, ast.Call) and parent.func is reference.chain.node else None


def sets(reference: Name, rule: Rule) -> bool:
    """Return whether a function is called with an argument other than None and the values in the rule's key
    `harmless`."""
    call = call_of(reference)
    given = [*call.args, *(keyword.value for keyword in call.keywords)] if call is not None else []
    value = given[0] if given else None
    if isinstance(value, ast.Constant):
        return value.value is not None and value.value not in rule.get("harmless")
    return value is not None and last_word(value).lower() not in rule.get("harmless")


def nearest_call(reference: Name) -> str:
    """Return the last part of the name of the innermost function that is called with the reference as an argument; ""
    if there is none."""
    inner: ast.AST = reference.chain.node
    for outer in reference.statement.digest.ancestors(inner):
        if isinstance(outer, ast.Call) and inner is not outer.func:
            return outer.func.attr if isinstance(outer.func, ast.Attribute) else getattr(outer.func, "id", "")
        if isinstance(outer, ast.stmt):
            break
        inner = outer
    return ""


def call_classes(reference: Name, row: Row | None, target: Target, rule: Rule) -> list[str]:
    """Return "review" for each reason why the arguments of a call of the function `reference` prevent a safe fix; empty
    if there is no such reason, or if `reference` is not called.

    The rule's key `leading` gives, for each function, how many first parameters CUDA and the target have in common; its
    key `beyond` names CUDA's parameters after those, so that a fix can pass them by keyword.
    """
    call = call_of(reference)
    if call is None or row is None:
        return []
    found = []
    if any(_lacks(keyword, row, target) for keyword in call.keywords):
        found.append("review")
    alike = rule.get("leading", {}).get(row.name, 0)
    beyond = row.positions and _goes_beyond(call, alike)
    if beyond and not _same_first(call, row, target) and not position_edits(reference, row, rule):
        found.append("review")
    return found


def _goes_beyond(call: ast.Call, alike: int) -> bool:
    """Whether the call has, or may have (`*args`), more than `alike` positional arguments. `alike`: how many of the
    first positional arguments mean the same on the target."""
    return len(call.args) > alike or any(isinstance(argument, ast.Starred) for argument in call.args)


def _same_first(call: ast.Call, row: Row, target: Target) -> bool:
    """Whether the call has a single, positional argument, whose parameter on the target differs only in its name."""
    alone = len(call.args) == 1 and not isinstance(call.args[0], ast.Starred)
    return alone and bool(row.missing and row.extra) and row.extra[0] == _said(row.missing[0], target) != row.missing[0]


def _lacks(keyword: ast.keyword, row: Row, target: Target) -> bool:
    """Whether the target's function has no parameter for this keyword, under any name; for `**options`: whether the
    target's function lacks any of CUDA's parameters."""
    if keyword.arg is None:
        return bool(row.missing)
    return keyword.arg in row.missing and _said(keyword.arg, target) not in row.extra


def _said(parameter: str, target: Target) -> str:
    """The name that the target uses for a parameter with "cuda" in its name."""
    return parameter.replace("cuda", target.words["device"])


def call_limits(
    reference: Name,
    row: Row | None,
    limits: tuple[str, ...],
    rule: Rule,
    target: Target,
    keys: Callable[[Name], Collection[str]],
) -> tuple[tuple[str, ...], bool]:
    """Return the ids of the sentences in `rules/limits.tsv` that apply to a call, and whether the target rejects the
    call. If the target's function lacks a keyword argument of the call, the sentence about this is returned, too.

    The rule's key `call-limits` maps the id of a sentence, which says what differs on the target, to the arguments for
    which this difference matters: `enabled=True`, or `=True` for the first positional argument. If `['segments']` is
    listed in place of an argument, this difference matters for code that reads the key `segments` from the result of
    the call; `keys` returns the keys that the code reads from this result. The target rejects a call with an argument
    that `call-limits` lists. An id in `call-limits` is returned only if the call has one of the arguments that
    `call-limits` lists for this id, or if the code reads one of the keys listed there.
    """
    call, about = call_of(reference), rule.get("call-limits", {})
    if call is None:
        return limits, False
    given = _given(call) if about else set()
    if any(word.startswith("[") for limit in limits for word in about.get(limit, ())):
        given.update(keys(reference))
    met = {limit for limit in limits if limit in about and not given.isdisjoint(about[limit])}
    kept = tuple(limit for limit in limits if limit not in about or limit in met)
    lacks = row is not None and any(
        keyword.arg in row.missing and not _renamed(keyword, row, target) for keyword in call.keywords
    )
    return (*kept, *([LACKS] if lacks else [])), bool(met)


def _given(call: ast.Call) -> set[str]:
    """The keywords of a call, both alone and as `keyword=constant`, and `=constant` for the first argument."""
    said = {keyword.arg or "" for keyword in call.keywords}
    said.update(f"{one.arg}={one.value.value!r}" for one in call.keywords if isinstance(one.value, ast.Constant))
    return said | {f"={one.value!r}" for one in call.args[:1] if isinstance(one, ast.Constant)}


def keyword_edits(reference: Name, row: Row | None, target: Target) -> list[Edit]:
    """The edits that rename keyword arguments to the keywords of the target's function."""
    call, edits = call_of(reference), []
    for keyword in call.keywords if call is not None and row is not None else ():
        assert row is not None
        if keyword.arg in row.missing and (new := _renamed(keyword, row, target)):
            start = reference.statement.start + reference.chain.piece.start(keyword)
            edits.append(Edit(start, start + len(keyword.arg or ""), new))
    return edits


def position_edits(reference: Name, row: Row | None, rule: Rule) -> list[Edit]:
    """The edits that pass positional arguments by keyword, if these positions have another meaning on the target:
    `GradScaler(…, enabled=False)`."""
    call = call_of(reference)
    if call is None or row is None or not row.positions:
        return []
    alike, names = rule.get("leading", {}).get(row.name, 0), rule.get("beyond", {}).get(row.name, ())
    moved = call.args[alike:]
    if len(moved) > len(names) or any(isinstance(argument, ast.Starred) for argument in call.args):
        return []
    starts = [reference.statement.start + reference.chain.piece.start(argument) for argument in moved]
    return [Edit(start, start, f"{name}=") for start, name in zip(starts, names)]


def _renamed(keyword: ast.keyword, row: Row, target: Target) -> str:
    """For a keyword argument of a CUDA function that the target's function lacks: the similar keyword of the target's
    function; "" if there is none."""
    old = keyword.arg or ""
    said = _said(old, target)
    return next((word for word in row.extra if word == said or word.startswith(old + "_")), "")


def asked(reference: Name, text: str) -> Asked | None:
    """Return the attribute of a reference that `hasattr` or `getattr` reads, or that `setattr` or `patch.object`
    replaces."""
    node, statement, piece = reference.chain.node, reference.statement, reference.chain.piece
    call = statement.digest.parents.get(node)
    if not isinstance(call, ast.Call) or len(call.args) < 2 or call.args[0] is not node:
        return None
    function, name = call.func, call.args[1]
    word = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    patched = word in ("setattr", "delattr", "object")
    if not patched and (not isinstance(function, ast.Name) or word not in ("hasattr", "getattr")):
        return None
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return None
    start, end = (statement.start + offset for offset in piece.span(name))
    if text[start + 1 : end - 1] != name.value:
        return None
    optional = word == "hasattr" or (word == "getattr" and len(call.args) > 2)
    return Asked(name.value, start + 1, end - 1, optional, patched)
