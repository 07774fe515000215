"""Replacements for amp_C's functions by `torch._foreach_*`, which every backend supports.

The kernels of amp_C and their replacements compute in float32, whatever the dtype of their input. A factor, such as
`scale`, may be a tensor with one element. A function of amp_C is called as
`multi_tensor_applier(amp_C.OP, flag, [lists], *args)` or `OP(chunk_size, flag, [lists], *args)`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import cached_property

from .. import lazy_re
from ..edits import Edit
from ..facts.read import Facts, Name
from ..facts.role_calls import last_word
from ..facts.scans import plain

Source = Callable[[ast.expr], str]
# Lambdas with the parameters of amp_C's functions, for functions that are passed on instead of called. The replacements
# always set the overflow flag, because other code may read the flag.
_FUNCTIONS = {
    "multi_tensor_l2norm": (
        "(lambda size, flag, lists, per_tensor=False:"
        " (torch.stack(norms := torch._foreach_norm([x.float() for x in lists[0]])).norm().view(1),"
        " torch.stack(norms) if per_tensor else torch.empty(0),"
        " torch.isfinite(torch.stack(norms)).all() or flag.fill_(1))[:2])"
    ),
    "multi_tensor_scale": (
        "(lambda size, flag, lists, scale: (torch._foreach_copy_(lists[1], [x.float() * scale for x in lists[0]]),"
        " all(torch.isfinite(x).all() for x in lists[0]) or flag.fill_(1)))"
    ),
    "multi_tensor_axpby": (
        "(lambda size, flag, lists, a, b, which=-1: (torch._foreach_copy_(lists[2],"
        " [x.float() * a + y.float() * b for x, y in zip(lists[0], lists[1])]),"
        " all(torch.isfinite(x).all() for x in (lists[which] if which >= 0 else [*lists[0], *lists[1]]))"
        " or flag.fill_(1)))"
    ),
}
_CHUNK = "65536"  # `multi_tensor_applier` passes this chunk size as its first argument
_LISTS = {"multi_tensor_l2norm": 1, "multi_tensor_scale": 2, "multi_tensor_axpby": 3}
# Uses of the overflow flag that do not read it: the flag is created, cleared, or passed to a kernel.
_SET = lazy_re.compile(r"\s*(?::[^=\n]+)?=(?!=)|\.(?:zero_|fill_|device|dtype)\b")
_GIVEN = lazy_re.compile(r"multi_tensor_\w+\(\s*[^,()]*,\s*$")
_DECLARED = lazy_re.compile(r"\s*(?:async\s+)?def\s|.*#")
_BEFORE = 200  # number of characters before a use of a flag that are searched for the call that receives the flag


class Applier:
    """How one source file uses `multi_tensor_applier` and the overflow flags."""

    def __init__(self, name: str, facts: Facts) -> None:
        self.name, self.facts = name, facts
        self._flags: dict[str, str] = {}

    def read(self, flag: str) -> str:
        """Return `flag`, the expression for an overflow flag, if the file reads this flag; otherwise ""."""
        if flag not in self._flags:
            self.facts.work.search(0, len(self.facts.text))
            self.facts.layout.reads(0, len(self.facts.text))
            self._flags[flag] = _read(flag, self.facts.text)
        return self._flags[flag]

    @cached_property
    def given(self) -> dict[str, list[Edit]]:
        """Return the edits that turn `multi_tensor_applier(self.op, flag, …)` into a call of `self.op`, in a dictionary
        from the source of the first argument (`self.op`) to a list of edits."""
        found: dict[str, list[Edit]] = {}
        facts, called = self.facts, f"{self.name}("
        for at in facts.searches.find(("text", called), plain(called)):
            statement = facts.peek(at)
            facts.work.compare(len(statement.digest.chains) if statement is not None else 0)
            for chain in statement.digest.chains if statement is not None else ():
                assert statement is not None
                call = statement.digest.parents.get(chain.node)
                start = statement.start + chain.piece.start(chain.node)
                if start <= at < start + len(chain.spelled) and isinstance(call, ast.Call) and call.func is chain.node:
                    for first in call.args[:1]:
                        end, spelled = statement.start + chain.piece.end(first), ast.unparse(first)
                        found.setdefault(spelled, []).append(Edit(start, end, f"{spelled}({_CHUNK}"))
        return found


def stand_in(use: Name, applier: Applier) -> tuple[Edit, ...]:
    """Return the edits that replace a use of an amp_C function, or the call that contains it; empty if no single
    expression replaces the function.

    A call of multi_tensor_applier is replaced too, because `multi_tensor_applier` raises an exception if amp_C is
    missing.
    """
    name = use.dotted.rpartition(".")[2]
    if name not in _FUNCTIONS:
        return ()
    node, digest, base, piece = use.chain.node, use.statement.digest, use.statement.start, use.chain.piece
    facts = applier.facts

    def source(part: ast.expr) -> str:
        start, end = piece.span(part)
        return facts.text[base + start : base + end]

    def replaced(part: ast.expr, new: str) -> Edit:
        start, end = piece.span(part)
        return Edit(base + start, base + end, new)

    call, function = digest.parents.get(node), _FUNCTIONS[name]
    if isinstance(call, ast.Call):
        if _applied(call, node, applier.name) and (new := _expression(name, call.args[1:], source, applier)):
            return (replaced(call, new),)
        if call.func is node:
            return (replaced(node, function),)
        if call.args[:1] == [node] and last_word(call.func) == applier.name:
            return replaced(call.func, function), replaced(node, _CHUNK)
        # the call `partial(multi_tensor_applier, op)`
        if call.args[1:2] == [node] and last_word(call.args[0]) == applier.name:
            return replaced(call.args[0], function), replaced(node, _CHUNK)
    if isinstance(call, ast.Assign) and all(isinstance(target, (ast.Name, ast.Attribute)) for target in call.targets):
        held = {ast.unparse(target) for target in call.targets}
        return (replaced(node, function), *(edit for one in sorted(held) for edit in applier.given.get(one, ())))
    return () if facts.says(f"{applier.name}(") else (replaced(node, function),)


def _applied(call: ast.Call, node: ast.expr, applier: str) -> bool:
    """Return whether a call passes its arguments, all of them positional, to the function at `node`."""
    if call.keywords or len(call.args) < 3 or any(isinstance(argument, ast.Starred) for argument in call.args):
        return False
    return call.func is node or (call.args[0] is node and last_word(call.func) == applier)


def _expression(name: str, arguments: list[ast.expr], source: Source, applier: Applier) -> str | None:
    flag, lists, rest = source(arguments[0]), _lists(arguments[1], _LISTS[name], source), arguments[2:]
    if lists is None:
        return None
    if name == "multi_tensor_l2norm" and len(rest) <= 1:
        return _norm(lists[0], rest[0] if rest else ast.Constant(value=False), source, applier.read(flag))
    x, y = _unused(" ".join(source(argument) for argument in arguments))
    if name == "multi_tensor_scale" and len(rest) == 1:
        copied = f"torch._foreach_copy_({lists[1]}, [{x}.float() * {_factor(rest[0], source)} for {x} in {lists[0]}])"
        return _flagged(copied, applier.read(flag), lists[0])
    if name == "multi_tensor_axpby" and len(rest) in (2, 3):
        a, b = (_factor(part, source) for part in rest[:2])
        mixed = f"[{x}.float() * {a} + {y}.float() * {b} for {x}, {y} in zip({lists[0]}, {lists[1]})]"
        copied = f"torch._foreach_copy_({lists[2]}, {mixed})"
        which = int(source(rest[2])) if len(rest) == 3 and source(rest[2]) in ("0", "1") else -1
        checked = lists[which] if which in (0, 1) else f"[*{lists[0]}, *{lists[1]}]"
        return _flagged(copied, applier.read(flag), checked)
    return None


def _lists(node: ast.expr, count: int, source: Source) -> list[str] | None:
    if isinstance(node, (ast.List, ast.Tuple)):
        plain = len(node.elts) == count and not any(isinstance(item, ast.Starred) for item in node.elts)
        return [source(item) for item in node.elts] if plain else None
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        return [f"{source(node)}[{index}]" for index in range(count)]
    return None


def _unused(text: str) -> tuple[str, str]:
    """Two variable names that do not occur in `text`, for the loops in a replacement."""
    words = set(re.findall(r"\w+", text))
    pairs = (("x", "y"), ("one", "other"), *((f"x{number}", f"y{number}") for number in range(len(words) + 1)))
    return next((x, y) for x, y in pairs if not words & {x, y})


def _factor(node: ast.expr, source: Source) -> str:
    """The source of an expression, in parentheses where it needs them as the right operand of `*`."""
    return source(node) if isinstance(node, (ast.Name, ast.Constant, ast.Attribute, ast.Call)) else f"({source(node)})"


def _norm(tensors: str, per_tensor: ast.expr, source: Source, flag: str) -> str:
    """The replacement of multi_tensor_l2norm. `flag`: the overflow flag of the call if the file reads it, "" otherwise;
    the replacement sets it if the norm is not finite."""
    norms = f"torch._foreach_norm([x.float() for x in {tensors}])"
    if isinstance(per_tensor, ast.Constant):
        each = "torch.stack(norms)" if per_tensor.value else "torch.empty(0)"
    else:
        each = f"torch.stack(norms) if {source(per_tensor)} else torch.empty(0)"
    if flag:
        checked = f"torch.isfinite(torch.stack(norms)).all() or {flag}.fill_(1)"
        return f"(torch.stack(norms := {norms}).norm().view(1), {each}, {checked})[:2]"
    named = f"norms := {norms}" if "norms" in each else norms
    return f"(torch.stack({named}).norm().view(1), {each})"


def _read(flag: str, text: str) -> str:
    """Return `flag` itself if the text reads the flag; otherwise "". Code that creates the overflow flag, clears it
    or passes it to a kernel does not count as reading it."""
    for match in re.finditer(rf"(?<![\w.]){re.escape(flag)}(?!\w)", text):
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if _SET.match(text, match.end()) or _DECLARED.match(line):
            continue
        if not _GIVEN.search(text[max(0, match.start() - _BEFORE) : match.start()]):
            return flag
    return ""


def _flagged(copied: str, flag: str, tensors: str) -> str:
    """Return the expression that copies the tensors, and also sets the overflow flag if the file reads that flag."""
    if not flag:
        return copied
    return f"({copied}, all(torch.isfinite(x).all() for x in {tensors}) or {flag}.fill_(1))"
