"""Finds comparisons that ask the same device whether it is CUDA's: `self.device.type == "cuda"` in two methods of a
class, `device.type == "cuda"` twice in a function. They change together: a file that asks twice, once for CUDA and once
for the target, would take half of the way that it took on CUDA. Also finds the lists of devices of which a file refuses
all others: what the file makes of the target's device waits for such a list."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import islice

from ... import lazy_re
from ...checks import Hit
from ...checks.branches import Branches
from ...facts.scans import uses
from .parts import in_test
from .questions import is_question

_OWNERS = frozenset({"self", "cls"})
_SPELLED = 200  # maximum number of characters of the expression that a device is read from
_NOT_IN = lazy_re.compile(r"\bnot[ \t]+in[ \t]+$")
_LISTS = 8  # maximum number of such lists of a file
_BEFORE = 20  # maximum number of characters of `not in` before the name of a list
_RAISES = lazy_re.compile(r"(?m)^[ \t]*raise\b|:[ \t]*raise\b")


def asked_devices(hits: Sequence[Hit], branches: Branches) -> Iterator[tuple[int, int]]:
    """Yield pairs of hits: comparisons of the `type` of the same device in the conditions of `if` statements in one
    function, or, of a device that an object holds, in one class. A comparison that is an argument, or chooses a word,
    may stay for a reason of its own: `"onnxruntime-gpu" if self.device.type == "cuda" else "onnxruntime"`."""
    first: dict[tuple[int, str], int] = {}
    for index, hit in enumerate(hits):
        if hit.rule.check == "string" and hit.statement is not None and (device := _asked(hit)) is not None:
            start, end = hit.statement.digest.span(device)
            if end - start <= _SPELLED:
                spelled = hit.statement.digest.text[start:end]
                key = _scope(spelled, hit.statement.start, branches), spelled
                if first.setdefault(key, index) != index:
                    yield first[key], index


def _asked(hit: Hit) -> ast.expr | None:
    """Return the device whose `type` is compared with a string in the condition of an `if`; None if the string is not
    compared so."""
    compared = hit.parent
    if not isinstance(compared, ast.Compare) or len(compared.ops) > 1:
        return None
    if hit.statement is None or not in_test(hit.node, hit.statement, (ast.If,)):
        return None
    sides = [side for side in (compared.left, *compared.comparators) if side is not hit.node]
    side = sides[0] if len(sides) == 1 else None
    return side.value if isinstance(side, ast.Attribute) and side.attr == "type" else None


def _scope(spelled: str, at: int, branches: Branches) -> int:
    """Return the start of the class or function in which the same expression means the same device; -1 for the
    module."""
    if spelled.partition(".")[0] not in _OWNERS:
        return branches.indents.scope_start(at)
    return next((header.start for header in branches.indents.headers(at) if header.word == "class"), -1)


def refusing(hits: Sequence[Hit], branches: Branches) -> Iterator[tuple[int, int]]:
    """Yield pairs of hits, of which the first is fixed only if the second is: a device, a question for CUDA or
    `x.is_cuda`, and CUDA's name in a list of which the file refuses all other devices: `TYPES = ("cuda", "xpu")` and
    `if device.type not in TYPES: raise`."""
    named = islice(((index, name) for index, hit in enumerate(hits) if (name := _list_of(hit))), _LISTS)
    lists = [index for index, name in named if _refuses(name, branches)]
    for index, hit in enumerate(hits) if lists else ():
        if hit.rule.check in ("string", "method") or is_question(hit):
            branches.work.compare(len(lists))
            yield from ((index, one) for one in lists if index != one)


def _list_of(hit: Hit) -> str:
    """Return the variable of the module to which a list with a device string is assigned; "" if there is none."""
    if (
        hit.rule.check != "string"
        or not isinstance(hit.parent, (ast.List, ast.Set, ast.Tuple))
        or hit.statement is None
    ):
        return ""
    outer = hit.statement.digest.parents.get(hit.parent)
    if isinstance(outer, ast.Call):  # `frozenset({"cuda", "xpu"})`
        outer = hit.statement.digest.parents.get(outer)
    target = outer.targets[0] if isinstance(outer, ast.Assign) else None
    return target.id if isinstance(target, ast.Name) else ""


def _refuses(name: str, branches: Branches) -> bool:
    """Return whether an `if` raises an exception where something is not in a list."""
    facts = branches.facts
    for at in facts.searches.find(("flag", name), uses(name, True)):
        facts.work.compare()
        if _NOT_IN.search(branches.text, max(0, at - _BEFORE), at) and not facts.layout.token_at(at):
            header = branches.indents.header_at(at)
            if header.word in ("if", "elif"):
                end = branches.indents.extent(header.start)
                facts.layout.reads(header.start, end)
                facts.work.search(at, end)
                if _RAISES.search(branches.text, at, end):
                    return True
    return False
