"""Finds out whether the argument of `x.cuda(…)` is a device string, an index, or a value known only at run time."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache

from .. import lazy_re
from ..facts.model import Facts
from ..facts.role_calls import last_word, spelled
from ..facts.scans import matches, whole_word
from .base import Context

WHOLE_WORD = "whole word"
"""The first part of the key of each search that `bound_kind` makes for a name. After an edit, the engine only
compares what the changed lines assign to this name."""
_FEW = 16  # up to this number of names, each is searched separately; beyond it, one pass finds all names
# Keywords of `Tensor.cuda` that `nn.Module.cuda` does not have.
_OF_TENSORS = frozenset({"non_blocking", "memory_format"})
_ANYTHING = ("load", "compile")  # functions of torch that may return an object other than a tensor
_ASSIGNED = lazy_re.compile(r"[ \t]*(\w+)[ \t]*(?::[^=]*)?=(?!=)[ \t]*(.*)")
_NUMBERS = lazy_re.compile(
    r"(?:\A|_)(?:gpu|rank|index|idx|id|i|n|num|ordinal)s?\d*\Z|\A(?:int|\w*current_device|\w*rank)\(\)\Z", re.I
)
_MADE = lazy_re.compile(r"(?:torch\.)?device\(")
_NUMBER = lazy_re.compile(
    r"(?:\d+|int\([^()]*\)|[\w.]*current_device\(\)|(?:[\w.]*[_.])?(?:gpu_?id|rank))[ \t]*(?:#.*)?\Z"
)
_HEADERS = frozenset({"else", "finally", "try"})
_SCOPES = frozenset({"class", "def"})
# Assignments after `:` or `;`, assignments to a name in brackets, and a parameter on a line of its own.
_OTHERS = lazy_re.compile(
    r"[:;][ \t]*(\w+)[ \t]*=(?!=)|\([ \t]*(\w+)[ \t]*\)[ \t]*=(?!=)|\A[ \t]*\**(\w+)[ \t]*(?::[^=\n]*)?(?:[,)]|\Z)"
)
# Lines that bind names without `=`: parameters, loops and imports.
_BINDS = lazy_re.compile(r"\b(?:def|for|lambda|as|import|global|nonlocal|case)\b|:=|[-+*/|&]=")


def of_module(node: ast.Attribute, call: ast.Call) -> ast.expr | None:
    """Return the argument of a call such as `model.cuda(0)` if it is the only one and the called method, `node`, may be
    a method of an `nn.Module`; None otherwise.

    The method is a tensor's if the call has several arguments, if it has a keyword that only `Tensor.cuda` has, or if a
    function of torch creates the object in the same expression: `torch.randn(2).cuda(0)`.
    """
    maker = node.value.func if isinstance(node.value, ast.Call) else None
    if isinstance(maker, ast.Attribute) and isinstance(maker.value, ast.Name) and maker.value.id == "torch":
        if maker.attr not in _ANYTHING:
            return None
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    alone = len(given) == 1 and not isinstance(given[0], ast.Starred)
    return given[0] if alone and not any(keyword.arg in _OF_TENSORS for keyword in call.keywords) else None


def is_index(node: ast.expr) -> bool:
    """Return whether the expression for a device is an integer literal."""
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value >= 0


def says_number(node: ast.expr) -> bool:
    """Whether the name of an expression suggests an integer index or None: `args.gpu`, `gpu_ids[0]`, `get_rank()`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return _NUMBERS.search(last_word(node)) is not None


def is_asked(facts: Facts, at: int, node: ast.expr) -> bool:
    """Return whether an `if` around an offset is passed only where an expression is a device, and not None:
    `if device.type == "cuda":`, `if "cuda" in str(device):`, `if device is not None and device !=
    torch.device("cpu"):`."""
    name = spelled(node)
    asked = (f"{name}.type", f"{name} is not None", f"str({name})")
    if not name or not any(map(facts.says, asked)):
        return False
    for header in facts.indents.headers(at):
        if header.word in _SCOPES:
            break
        around = facts.peek(header.start) if header.word == "if" else None
        test = next(iter(around.digest.piece.nodes), None) if around is not None else None
        if isinstance(test, ast.If) and _is_device_where(test.test, name):
            assigned = re.compile(rf"(?<![\w.]){re.escape(name)}[ \t]*(?::[^=\n]{{1,80}})?=(?!=)")
            places = facts.searches.find(("assigned", name), matches(assigned, name))
            return bisect_left(places, header.end) == bisect_left(places, at)
    return False


def _is_device_where(test: ast.expr, name: str) -> bool:
    """Return whether an expression with this name is a device wherever the condition is true."""
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    compared = [one for one in parts if isinstance(one, ast.Compare) and len(one.ops) == 1]
    if any(spelled(one.left) == f"{name}.type" or _is_in_text(one, name) for one in compared):
        return True
    of_name = [one for one in compared if spelled(one.left) == name]
    is_set = any(isinstance(one.ops[0], ast.IsNot) and _is_none(one.comparators[0]) for one in of_name)
    return is_set and any(last_word(one.comparators[0]) == "device()" for one in of_name)


def _is_in_text(node: ast.Compare, name: str) -> bool:
    """Whether a comparison is of the form `"cuda" in str(device)`; the string is the name of a device."""
    text = node.comparators[0]
    of_text = (
        isinstance(text, ast.Call) and spelled(text.func) == "str" and [spelled(one) for one in text.args] == [name]
    )
    word = node.left.value if isinstance(node.left, ast.Constant) else None
    return of_text and isinstance(node.ops[0], ast.In) and isinstance(word, str) and word.isalpha()


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def bound_kind(context: Context, name: str) -> str:
    """Return "device" if every value that this file assigns to a variable is a device (`device = torch.device(…)`),
    "number" if every value is the number of one (`device = torch.cuda.current_device()`), otherwise ""."""
    if not context.facts.mentions("device("):
        return ""
    known = context.devices
    if name not in known:
        facts = context.facts
        # Up to `_FEW` names, each is searched separately. If a line with one of these names is edited later, and
        # `said_of` returns the same for the old and the new line, hits in other lines can be reused
        # (engine/incremental_hits.py).
        if len(known) < _FEW:
            places = facts.searches.find((WHOLE_WORD, name), whole_word(name))
            facts.work.compare(4 * len(places))
            known[name] = _bound_in(_lines_at(facts.text, places)).get(name, "")
        else:
            context.asked.add(name)
            facts.work.search(0, len(facts.text))
            known[name] = _bound(facts.text).get(name, "")
    return known[name]


def _lines_at(text: str, places: Sequence[int]) -> str:
    """The lines that contain these offsets; the offsets must be sorted."""
    lines, done = [], -1
    for at in places:
        if at >= done:
            start, done = text.rfind("\n", 0, at) + 1, text.find("\n", at) + 1 or len(text)
            lines.append(text[start:done])
    return "".join(lines)


def said_of(name: str, lines: str) -> str | None:
    """Return the result of `bound_kind` for some lines alone; None if they assign no value to the name."""
    return _bound_in(lines).get(name)


@lru_cache(maxsize=1)
def _bound(text: str) -> dict[str, str]:
    return _bound_in(text)


def _bound_in(text: str) -> dict[str, str]:
    """Return the kind of the values (see `bound_kind`) for each name that the text binds; all names are found in one
    pass over the lines."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        for name, kind in _of_line(line):
            found[name] = kind if found.get(name, kind) == kind else ""
    return found


@lru_cache(maxsize=1024)
def _of_line(line: str) -> tuple[tuple[str, str], ...]:
    match = _ASSIGNED.match(line)
    others = tuple((name, "") for names in _OTHERS.findall(line) for name in names if name)
    if match and match[1] not in _HEADERS:
        kind = "device" if _MADE.match(match[2]) else "number" if _NUMBER.match(match[2]) else ""
        return ((match[1], kind), *others)
    if others:
        return others
    if _BINDS.search(line) or "," in line.partition("=")[0]:
        return tuple((name, "") for name in re.findall(r"\w+", line))
    return ()


def names_device(call: ast.Call) -> bool:
    """Whether a call has a device name as an argument: `x.cuda("cuda:0")`. Fixes replace the method of this call by
    `to`, because the target's own method, such as `Module.npu`, may not accept a device name."""
    given = [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "device")]
    return len(given) == 1 and _is_device(given[0])


def _is_device(node: ast.expr) -> bool:
    if isinstance(node, ast.IfExp):
        return _is_device(node.body) and _is_device(node.orelse)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, (ast.Add, ast.Mod)) and _is_device(node.left)
    if isinstance(node, ast.Call):
        fills = isinstance(node.func, ast.Attribute) and node.func.attr == "format" and _is_device(node.func.value)
        return fills or last_word(node.func) == "device"
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
