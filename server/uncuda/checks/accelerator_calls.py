"""Finds calls of `torch.accelerator` whose arguments no signature accepts, and wrong uses of the returned values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .. import lazy_re
from ..catalogue import Api, Parameter, before
from ..edits import Edit
from ..facts.piece import Piece
from ..facts.read import Statement
from .base import Context
from .string_flow import Flow

_INDEX = lazy_re.compile(r"[a-z]\w*:(\d+)")
_NAMED = lazy_re.compile(r"\w+[ \t]*=[ \t]*")
_DEVICES = frozenset({"torch.device", "torch.accelerator.current_accelerator"})


Resolve = Callable[[ast.AST], "str | None"]


class Misuse(NamedTuple):
    """An error in a call, and how to repair it. `named`: the arguments to rewrite, each with the keyword to write
    before it ("" makes the argument positional). `value`: an argument to replace, and its new source text."""

    case: str
    given: str = ""
    since: str = ""
    named: tuple[tuple[ast.AST, str], ...] = ()
    value: tuple[ast.AST, str] | None = None


def _spelled(signature: Sequence[Parameter]) -> str:
    """A signature as Python would print it, without defaults: `device, *, priority`."""
    said: list[str] = []
    for at, one in enumerate(signature):
        if one.place == "*" and (at == 0 or signature[at - 1].place != "*"):
            said.append("*")
        said.append(one.name)
        if one.place == "/" and (at + 1 == len(signature) or signature[at + 1].place != "/"):
            said.append("/")
    return ", ".join(said)


def misuse(call: ast.Call, api: Api, version: str, resolve: Resolve) -> Misuse | None:
    """Return the error in a call for a given version of PyTorch ("" means the newest); None if the call is right, or if
    only running it could show an error."""
    signatures = _at(api, version)
    if any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords):
        return None
    fitting = [signature for signature in signatures if _takes(call, signature)]
    if fitting:
        return None if len(fitting) > 1 else _wrong_value(call, api, fitting[0], resolve)
    given = {keyword.arg for keyword in call.keywords}
    young = (one for every in api.signatures for one in every if one.name in given and _is_younger(one, version))
    for parameter in young:
        return Misuse("young", parameter.name, parameter.since)
    return _unfit(call, signatures[0]) if signatures else None


def _at(api: Api, version: str) -> list[list[Parameter]]:
    """The signatures of a function in a given version of PyTorch; "" means the newest version."""
    return [[one for one in signature if not _is_younger(one, version)] for signature in api.signatures]


def _is_younger(parameter: Parameter, version: str) -> bool:
    return bool(version and parameter.since) and before(version, parameter.since)


def _takes(call: ast.Call, signature: Sequence[Parameter]) -> bool:
    """Whether a call fits a signature: every argument has a parameter, and every required parameter has an argument."""
    positions = [one for one in signature if one.place != "*"]
    if len(call.args) > len(positions):
        return False
    by_name = {one.name for one in signature if one.place != "/"} - {one.name for one in positions[: len(call.args)]}
    given = {keyword.arg for keyword in call.keywords}
    filled = {one.name for one in positions[: len(call.args)]} | given
    return given <= by_name and all(one.optional or one.name in filled for one in signature)


def _unfit(call: ast.Call, signature: Sequence[Parameter]) -> Misuse:
    alone = call.keywords[0] if len(call.keywords) == 1 and not call.args else None
    if alone is not None and [one.place for one in signature] == ["/"]:
        return Misuse("positional", alone.arg or "", named=((alone, ""),))
    positions = [one for one in signature if one.place != "*"]
    if len(call.args) > len(positions):
        return _by_name(call, signature, 0 if _is_bool(call.args[0]) else len(positions))
    return Misuse("parameters", _spelled(signature))


def _by_name(call: ast.Call, signature: Sequence[Parameter], first: int) -> Misuse:
    """Return the misuse of a call that passes keyword-only arguments by position, from index `first`; its fix passes
    these by keyword."""
    names = [one.name for one in signature if one.place == "*"]
    moved, said = call.args[first:], {keyword.arg for keyword in call.keywords}
    if len(moved) > len(names) or not said.isdisjoint(names[: len(moved)]) or not said <= set(names):
        return Misuse("parameters", _spelled(signature))
    return Misuse("parameters", _spelled(signature), named=tuple(zip(moved, names)))


def _is_bool(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)


def _wrong_value(call: ast.Call, api: Api, signature: Sequence[Parameter], resolve: Resolve) -> Misuse | None:
    positions = [one for one in signature if one.place != "*"]
    named = {one.name: one for one in signature}
    given = [*zip(positions, call.args), *((named[k.arg], k.value) for k in call.keywords if k.arg in named)]
    for parameter, value in given:
        if (found := _wrong(parameter, value, call, api, signature, resolve)) is not None:
            return found
    return None


def _wrong(
    parameter: Parameter, value: ast.expr, call: ast.Call, api: Api, signature: Sequence[Parameter], resolve: Resolve
) -> Misuse | None:
    constant = value.value if isinstance(value, ast.Constant) else None
    if parameter.type == "int" and (isinstance(constant, str) or isinstance(value, (ast.JoinedStr, ast.Call))):
        if isinstance(value, ast.Call) and resolve(value.func) not in _DEVICES:
            return None
        index = _INDEX.fullmatch(constant) if isinstance(constant, str) else None
        return Misuse("index", value=(value, index[1]) if index else None)
    if parameter.type == "named" and isinstance(constant, int):
        return Misuse("number")
    if parameter.type != "device":
        return None
    if api.beside and _is_bool(value):  # functions outside of torch.accelerator treat a bool as a device index
        names = [one.name for one in signature if one.place == "*"]
        return _by_name(call, signature, 0) if len(names) > 1 else Misuse("parameters", _spelled(signature))
    if not api.beside and isinstance(constant, str) and constant.partition(":")[0] == "cpu":
        return Misuse("cpu")
    return None


def edits_for(found: Misuse, call: ast.Call, piece: Piece, base: int, text: str) -> list[Edit]:
    """Return the edits that correct the arguments of a call; empty if an argument to correct is in parentheses of its
    own."""
    edits = []
    if found.value is not None:
        node, new = found.value
        edits.append(Edit(base + piece.start(node), base + piece.end(node), new))
    opening = text.index("(", base + piece.end(call.func))
    for node, name in found.named:
        start = base + piece.start(node)
        before = text[:start].rstrip()
        if not before.endswith(",") and len(before) != opening + 1:
            return []
        if isinstance(node, ast.keyword):
            value = _NAMED.match(text, start)
            edits += [Edit(start, value.end(), "")] if value else []
        else:
            edits.append(Edit(start, start, f"{name}="))
    return edits


def taken_apart(context: Context, statement: Statement, call: ast.Call) -> bool:
    """Whether the result of a call is unpacked, indexed or compared as a tuple, directly or through a local name."""
    if _as_tuple(statement, call):
        return True
    parent = statement.digest.parents.get(call)
    target = parent.targets[0] if isinstance(parent, ast.Assign) and len(parent.targets) == 1 else None
    if not isinstance(target, ast.Name):
        return False
    context.asked.add(target.id)
    flow = Flow(context)
    found = context.facts.indents.scope_of(statement.start)
    scope = found[0] if found is not None and found[1] == "def" else -1
    for use in flow.naming(target.id, scope):
        context.facts.work.compare(len(use.digest.chains))
        for chain in use.digest.chains:
            if chain.root == target.id and not chain.parts and _as_tuple(use, chain.node):
                return True
    return False


def _as_tuple(statement: Statement, node: ast.AST) -> bool:
    parent = statement.digest.parents.get(node)
    if isinstance(parent, ast.Subscript) and parent.value is node:
        key = parent.slice.operand if isinstance(parent.slice, ast.UnaryOp) else parent.slice
        return isinstance(key, ast.Slice) or (isinstance(key, ast.Constant) and isinstance(key.value, int))
    if isinstance(parent, ast.Assign) and parent.value is node:
        return any(isinstance(target, (ast.Tuple, ast.List)) for target in parent.targets)
    if isinstance(parent, ast.Compare):
        return any(isinstance(one, ast.Tuple) for one in (parent.left, *parent.comparators))
    return False
