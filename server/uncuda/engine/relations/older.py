"""Finds code that runs only with versions of PyTorch older than every version for which the plugin is made."""

from __future__ import annotations

import ast
import re

from ... import lazy_re
from ...catalogue import Target
from ...catalogue.ranges import numbers
from ...checks.branches import Branches
from ...facts.role_calls import last_word
from .apart import Apart

OLDER = "older-pytorch"
"""The id of the sentence, in `limits.tsv`, that says of a finding that its code runs only with an older PyTorch."""
_WORDS = ("torch.__version__", "TORCH_VERSION", "torch_version")
_VERSION = lazy_re.compile(r"(?:is_)?_*torch_version(?:_\w+)?", re.I)
# for each sign of a comparison: the sign if both sides are exchanged (`a < b` is `b > a`)
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}
_SIGNS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "=="}


def of_older(branches: Branches, target: Target) -> Apart:
    """Return an object that finds code which runs only with an older PyTorch: `if version.parse(torch.__version__) <
    version.parse("1.11"):`. Older means: below the version that the project or a setting states or, if none is stated,
    below the oldest version in the target's tables."""
    oldest = numbers(target.torch or next(iter(target.versions), ""))
    return Apart(branches, _WORDS, lambda test, answer: _is_older(test, answer, oldest))


def _is_older(test: ast.expr, answer: bool, oldest: tuple[int, ...]) -> bool:
    """Return whether a condition can have the result `answer` only with versions of PyTorch below `oldest`."""
    sign, version = _compared(test)
    if answer:
        return (sign == "<" and version <= oldest) or (sign in ("<=", "==") and version < oldest)
    return (sign == ">=" and version <= oldest) or (sign == ">" and version < oldest)


def _compared(test: ast.expr) -> tuple[str, tuple[int, ...]]:
    """Return the sign and the version with which a condition compares the version of PyTorch: `("<", (1, 11))`; for
    other conditions `("", ())`."""
    if isinstance(test, ast.Call) and len(test.args) == 2 and _VERSION.fullmatch(last_word(test.func)):
        sign, version = (getattr(argument, "value", None) for argument in test.args)
        return (sign, numbers(version)) if isinstance(sign, str) and isinstance(version, str) else ("", ())
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return "", ()
    sign, left, right = _SIGNS.get(type(test.ops[0]), ""), test.left, test.comparators[0]
    if _is_version(right):
        sign, left, right = _TURNED.get(sign, ""), right, left
    version = _constant(right)
    return (sign, version) if sign and version and _is_version(left) else ("", ())


def _is_version(node: ast.expr) -> bool:
    """Return whether an expression is the version of PyTorch, or is computed from it alone: `torch.__version__`,
    `version.parse(torch.__version__).release`, `TORCH_VERSION[:2]`."""
    while True:
        if isinstance(node, ast.Call) and len(node.args) < 2:
            node = node.args[0] if node.args else node.func
        elif isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Attribute) and node.attr in ("release", "base_version"):
            node = node.value
        else:
            break
    if isinstance(node, ast.Attribute) and node.attr == "__version__":
        return last_word(node.value) == "torch"
    return isinstance(node, (ast.Name, ast.Attribute)) and _VERSION.fullmatch(last_word(node)) is not None


def _constant(node: ast.expr) -> tuple[int, ...]:
    """Return the version that an expression names, such as `"1.11"`, `version.parse("1.11")` or `(1, 11)`; () if it
    names none."""
    while isinstance(node, ast.Call) and len(node.args) == 1:
        node = node.args[0]
    if isinstance(node, ast.Tuple):
        parts = [getattr(part, "value", None) for part in node.elts]
        return tuple(part for part in parts if isinstance(part, int)) if all(map(_is_number, parts)) else ()
    value = getattr(node, "value", None)
    return numbers(value) if isinstance(value, str) else ()


def _is_number(value: object) -> bool:
    return isinstance(value, int)
