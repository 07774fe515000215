"""What the call around a name says of it: parameters that differ, keywords that are renamed, attributes asked for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from typing import NamedTuple

from ..catalogue import Row, Rule, Target
from ..edits import Edit
from ..facts.model import Name

LACKS = "lacks-parameter"
"""The limit of a call that gives what its counterpart does not take."""


class Asked(NamedTuple):
    """`hasattr(torch.cuda, "CUDAGraph")`: the attribute, where it stands, whether it may be absent, or is replaced."""

    name: str
    start: int
    end: int
    optional: bool
    patched: bool


def call_of(reference: Name) -> ast.Call | None:
    """The call of the reference itself, if it is called."""
    parent = reference.statement.digest.parents.get(reference.chain.node)
    return parent if isinstance(parent, ast.Call) and parent.func is reference.chain.node else None


def nearest_call(reference: Name) -> str:
    """The last word of the call whose argument the reference is, if it is one."""
    inner: ast.AST = reference.chain.node
    for outer in reference.statement.digest.ancestors(inner):
        if isinstance(outer, ast.Call) and inner is not outer.func:
            return outer.func.attr if isinstance(outer.func, ast.Attribute) else getattr(outer.func, "id", "")
        if isinstance(outer, ast.stmt):
            break
        inner = outer
    return ""


def call_classes(reference: Name, row: Row | None, target: Target, rule: Rule) -> list[str]:
    """What the call around a reference takes away from its class.

    The rule's `leading`: how many parameters of a function come before the first that differs; `beyond`: what those
    from there on are called by CUDA, so that a fix can name them.
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
    """Whether arguments by position may reach a parameter after the first so many."""
    return len(call.args) > alike or any(isinstance(argument, ast.Starred) for argument in call.args)


def _same_first(call: ast.Call, row: Row, target: Target) -> bool:
    """Whether one argument is given by position, to a parameter that only its name tells from the target's."""
    alone = len(call.args) == 1 and not isinstance(call.args[0], ast.Starred)
    return alone and bool(row.missing and row.extra) and row.extra[0] == _said(row.missing[0], target) != row.missing[0]


def _lacks(keyword: ast.keyword, row: Row, target: Target) -> bool:
    """Whether the target's function has no such parameter under any name, or may have none: `**options`."""
    if keyword.arg is None:
        return bool(row.missing)
    return keyword.arg in row.missing and _said(keyword.arg, target) not in row.extra


def _said(parameter: str, target: Target) -> str:
    """What the target would call a parameter that has CUDA in its name."""
    return parameter.replace("cuda", target.words["device"])


def call_limits(
    reference: Name,
    row: Row | None,
    limits: tuple[str, ...],
    rule: Rule,
    target: Target,
    keys: Callable[[Name], Collection[str]],
) -> tuple[tuple[str, ...], bool]:
    """The limits that a call meets, with that of a keyword without any counterpart; and whether the target refuses it.

    The rule's `call-limits`: for a limit, the keywords that it is about, `enabled=True`, or `=True`, the first argument
    by position, or `['segments']`, a key that the text takes of the result (`keys` finds them). A call that gives or
    takes none of them does not meet it, one that does is refused.
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
    """The keywords of a call, alone and with the constants that they are given; the first argument's constant."""
    said = {keyword.arg or "" for keyword in call.keywords}
    said.update(f"{one.arg}={one.value.value!r}" for one in call.keywords if isinstance(one.value, ast.Constant))
    return said | {f"={one.value!r}" for one in call.args[:1] if isinstance(one, ast.Constant)}


def keyword_edits(reference: Name, row: Row | None, target: Target) -> list[Edit]:
    """Edits that give keywords the names that the target's function has for them: `cuda_graph=` to its own word."""
    call, edits = call_of(reference), []
    for keyword in call.keywords if call is not None and row is not None else ():
        assert row is not None
        if keyword.arg in row.missing and (new := _renamed(keyword, row, target)):
            start = reference.statement.start + reference.chain.piece.start(keyword)
            edits.append(Edit(start, start + len(keyword.arg or ""), new))
    return edits


def position_edits(reference: Name, row: Row | None, rule: Rule) -> list[Edit]:
    """Edits that name arguments whose place means something else on the target: `GradScaler(…, enabled=False)`."""
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
    """What a keyword that the target's function lacks is called there; "" where nothing is like it."""
    old = keyword.arg or ""
    said = _said(old, target)
    return next((word for word in row.extra if word == said or word.startswith(old + "_")), "")


def asked(reference: Name, text: str) -> Asked | None:
    """The attribute that `hasattr` or `getattr` asks of a reference, or that `patch.object` and `setattr` replace."""
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
