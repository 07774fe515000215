"""Recognises conditions on a compute capability that only NVIDIA GPUs have."""

from __future__ import annotations

import ast
from collections.abc import Collection

from ...facts.role_calls import last_word

ASKED_OF = "device_capability"
"""A part of the function name that every condition on a compute capability contains, for a quick search of the file."""

_ASKS = frozenset({"has_device_capability", "is_device_capability", "is_device_capability_family"})
_GETS = "get_device_capability"
_NVIDIA = 5  # from this major version on, only NVIDIA GPUs have the compute capability
_FROM, _BELOW = (ast.Eq, ast.Gt, ast.GtE), (ast.Lt, ast.LtE, ast.NotEq)


def asks_capability(test: ast.expr, answer: bool, names: Collection[str]) -> bool:
    """Return True if a condition with this outcome implies a compute capability that only NVIDIA GPUs have.

    `answer`: whether the condition is true or false. `names`: variables that hold the result of a platform's
    `get_device_capability()`.
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
    major, number = _left(test.left, names)
    return number and len(test.ops) == 1 and _is_high(test.comparators[0], 1 if major else 10)


def gets_capability(value: ast.expr) -> bool:
    """Return True if an expression calls a platform's `get_device_capability()`."""
    return isinstance(value, ast.Call) and last_word(value.func) == _GETS and _of_platform(value)


def _of_platform(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and last_word(call.func.value).endswith("platform")


def _left(left: ast.expr, names: Collection[str]) -> tuple[bool, bool]:
    """Return, for the left side of a comparison, whether it is a major version, and whether it is a compute capability
    at all."""
    major = isinstance(left, ast.Subscript) or (isinstance(left, ast.Attribute) and left.attr == "major")
    if isinstance(left, ast.Subscript):
        if getattr(left.slice, "value", None) != 0:
            return True, False
        left = left.value
    elif isinstance(left, ast.Attribute) and major:
        left = left.value
    elif isinstance(left, ast.Call) and last_word(left.func) == "to_int" and isinstance(left.func, ast.Attribute):
        left = left.func.value
    known = isinstance(left, (ast.Name, ast.Attribute)) and ast.unparse(left) in names
    return major, known or gets_capability(left)


def _is_high(asked: ast.expr, scale: int = 10) -> bool:
    """Return True if a capability, `90` or `(9, 0)`, is one that only NVIDIA GPUs have."""
    if isinstance(asked, ast.Tuple) and asked.elts:
        asked, scale = asked.elts[0], 1
    value = asked.value if isinstance(asked, ast.Constant) else None
    return isinstance(value, int) and value >= scale * _NVIDIA
