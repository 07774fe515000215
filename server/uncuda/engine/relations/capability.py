"""Recognises conditions that are true only for a compute capability of NVIDIA GPUs."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from ...facts.role_calls import last_word

ASKED_OF = "device_capability"
"""Every function that returns or compares a compute capability has this text in its name; a file without the text is
not analysed."""

_ASKS = frozenset({"has_device_capability", "is_device_capability", "is_device_capability_family"})
_GETS = "get_device_capability"
_NVIDIA = 5  # only NVIDIA GPUs have this major version or a later one
_EXACTLY, _NOT_EXACTLY = (ast.Eq, ast.In), (ast.NotEq, ast.NotIn)
_FROM, _BELOW = (*_EXACTLY, ast.Gt, ast.GtE), (*_NOT_EXACTLY, ast.Lt, ast.LtE)


def asks_capability(test: ast.expr, answer: bool, names: Mapping[str, bool], torchs: bool = False) -> bool:
    """Return whether a condition, if its result is `answer`, implies a compute capability that only NVIDIA GPUs have.

    `answer`: the result that the condition is assumed to have. `names`: for each variable that holds a capability, True
    if a call such as `current_platform.get_device_capability()` returned the capability, False if torch did. `torchs`:
    whether a condition on a capability that torch returned may count, too; it counts only if it asks for exact
    capabilities (`==`, `in`). On a target, torch returns capability numbers that the plugin has chosen.
    """
    if isinstance(test, ast.Call) and test.args:
        return (
            answer
            and last_word(test.func).removesuffix("()") in _ASKS
            and _of_platform(test)
            and _is_high(test.args[0])
        )
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], _FROM if answer else _BELOW):
        return False
    major, platforms = _left(test.left, names)
    exact = torchs and isinstance(test.ops[0], _EXACTLY if answer else _NOT_EXACTLY)
    counts = platforms is not None and (platforms or exact)
    return counts and len(test.ops) == 1 and _are_high(test.ops[0], test.comparators[0], 1 if major else 10)


def gets_capability(value: ast.expr) -> bool | None:
    """Return True if an expression calls `get_device_capability()` of a platform object, False if it calls torch's
    function, None for other expressions."""
    if not isinstance(value, ast.Call) or last_word(value.func) != _GETS or not isinstance(value.func, ast.Attribute):
        return None
    return True if _of_platform(value) else False if last_word(value.func.value) == "cuda" else None


def _of_platform(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and last_word(call.func.value).endswith("platform")


def _left(left: ast.expr, names: Mapping[str, bool]) -> tuple[bool, bool | None]:
    """Return whether the left side of a comparison is the major version of a capability, and whether a platform object
    returned the capability; the second value is None if the left side is no capability."""
    major = isinstance(left, ast.Subscript) or (isinstance(left, ast.Attribute) and left.attr == "major")
    if isinstance(left, ast.Subscript):
        if getattr(left.slice, "value", None) != 0:
            return True, None
        left = left.value
    elif isinstance(left, ast.Attribute) and major:
        left = left.value
    elif isinstance(left, ast.Call) and last_word(left.func) == "to_int" and isinstance(left.func, ast.Attribute):
        left = left.func.value
    known = names.get(ast.unparse(left)) if isinstance(left, (ast.Name, ast.Attribute)) else None
    return major, gets_capability(left) if known is None else known


def _are_high(operator: ast.cmpop, asked: ast.expr, scale: int) -> bool:
    """Return whether only NVIDIA GPUs have the capability, or each capability in the list after `in`."""
    if not isinstance(operator, (ast.In, ast.NotIn)):
        return _is_high(asked, scale)
    listed = asked.elts if isinstance(asked, (ast.Tuple, ast.List, ast.Set)) else []
    return bool(listed) and all(_is_high(one, scale) for one in listed)


def _is_high(asked: ast.expr, scale: int = 10) -> bool:
    """Return whether only NVIDIA GPUs have a capability, which is spelled `90` or `(9, 0)`."""
    if isinstance(asked, ast.Tuple) and asked.elts:
        asked, scale = asked.elts[0], 1
    value = asked.value if isinstance(asked, ast.Constant) else None
    return isinstance(value, int) and value >= scale * _NVIDIA
