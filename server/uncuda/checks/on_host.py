"""Finds uses of float64 that never reach the accelerator: for tensors on the CPU, in comparisons, in dictionaries and
lists, and as arguments of functions that are not torch's."""

from __future__ import annotations

import ast
import re
from itertools import islice

from ..facts.model import Name
from ..facts.read import Statement
from ..facts.role_calls import last_word
from .base import Context
from .host_values import HostValues

_MOVES = frozenset({"cuda", "double", "to", "type", "type_as"})
_LISTS = (ast.List, ast.Set, ast.Tuple)
_CHOSEN = (ast.IfExp, *_LISTS)
_FLOAT64 = frozenset({"double", "float64"})
_NARROW = frozenset({"complex64", "float", "float32"})
_EACH = frozenset({"chain", "enumerate", "map", "parametrize", "product", "zip"})
"""Functions that process each item of a list that is passed to them."""
_MANY, _BEFORE = 60, 200  # maximum number of uses of a name, and of characters before a use, that are read


def is_compared(node: ast.AST, statement: Statement) -> bool:
    """Whether a value is compared, alone or in a list: `x.dtype in (torch.float32, torch.float64)`."""
    for outer in statement.digest.ancestors(node):
        if not isinstance(outer, _CHOSEN):
            return isinstance(outer, ast.Compare)
    return False


def is_cast_on_host(call: ast.AST | None, statement: Statement, values: HostValues) -> bool:
    """Whether a method casts a tensor that is on the CPU: `x.cpu().double()`, `x.double().numpy()`."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    taken = statement.digest.parents.get(call)
    if isinstance(taken, ast.Attribute) and taken.attr == "numpy":
        return True
    return values.holds(call.func.value, statement) and not values.leaves(call, statement)


def is_off_device(reference: Name, context: Context, values: HostValues) -> bool:
    """Return whether a dtype never reaches the accelerator, because it is compared, is in a dictionary or in a list
    that no code iterates over, is passed to a function that is not torch's, or is the dtype of a tensor on the CPU."""
    node, statement = reference.chain.node, reference.statement
    outer = statement.digest.parents.get(node)
    if is_compared(node, statement) or is_cast_on_host(outer, statement, values) or _is_asked_for(node, statement):
        return True
    if _is_in_table(node, statement, context) or _is_handed_on(node, outer, statement, context):
        return True
    if not isinstance(outer, ast.keyword):
        return False
    call = statement.digest.parents.get(outer)
    return is_cast_on_host(call, statement, values) or _is_made_on_host(call, statement, context, values)


def _is_asked_for(node: ast.AST, statement: Statement) -> bool:
    """Return whether a dtype is chosen only if a value has this dtype already, or if the alternative is float32:
    `torch.float64 if x.dtype == torch.float64 else …`, `torch.float32 if x.dtype == torch.complex64 else
    torch.float64`."""
    outer = statement.digest.parents.get(node)
    if not isinstance(outer, ast.IfExp) or node is outer.test or not isinstance(outer.test, ast.Compare):
        return False
    parts = {last_word(part) for part in (outer.test.left, *outer.test.comparators)}
    other = outer.body if node is outer.orelse else outer.orelse
    follows = "dtype" in parts and not parts.isdisjoint(_NARROW) and last_word(other) in _NARROW
    return not parts.isdisjoint(_FLOAT64) or follows


def _is_in_table(node: ast.AST, statement: Statement, context: Context) -> bool:
    """Whether a dtype is in a dictionary, or in a list of several dtypes that no code iterates over."""
    inner = node
    for outer in statement.digest.ancestors(node):
        if isinstance(outer, ast.keyword):
            call = statement.digest.parents.get(outer)
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "dict":
                return True
        if isinstance(inner, _LISTS) and not isinstance(outer, (*_LISTS, ast.Dict)):
            return len(inner.elts) > 1 and _is_kept(inner, outer, statement, context)
        if not isinstance(outer, _LISTS):
            return isinstance(outer, ast.Dict)
        inner = outer
    return False


def _is_kept(listed: ast.AST, outer: ast.AST, statement: Statement, context: Context) -> bool:
    """Return whether no code iterates over a list: the list is assigned to a variable that no code iterates over, or
    passed to a function that does not iterate."""
    if isinstance(outer, (ast.Assign, ast.AnnAssign)) and listed is outer.value:
        name = last_word(outer.targets[0] if isinstance(outer, ast.Assign) else outer.target)
        return bool(name) and not _is_gone_through(name, context)
    call = statement.digest.parents.get(outer) if isinstance(outer, ast.keyword) else outer
    if not isinstance(call, ast.Call) or last_word(call.func) in _EACH:
        return False
    return not _is_of_torch(call, statement, context)


def _is_gone_through(name: str, context: Context) -> bool:
    """Return whether code iterates over the value of a variable: `for dtype in TYPES`."""
    text = context.text
    context.asked.add(name)
    context.facts.work.search(0, len(text))
    word = re.escape(name)
    for match in islice(re.finditer(rf"{word}(?<!\w{word})(?!\w)", text), _MANY):
        before = text[max(text.rfind("\n", 0, match.start()), match.start() - _BEFORE) + 1 : match.start()]
        words = re.findall(r"\w+", before)
        if ("for" in words and words[-1:] == ["in"]) or not _EACH.isdisjoint(words):
            return True
    return False


def _is_handed_on(node: ast.AST, call: ast.AST | None, statement: Statement, context: Context) -> bool:
    """Whether a dtype is a positional argument of a function or class that is not torch's: `Shape(torch.float64)`."""
    while isinstance(call, ast.IfExp) and node is not call.test:
        node, call = call, statement.digest.parents.get(call)
    if not isinstance(call, ast.Call) or node not in call.args or isinstance(call.func, ast.Attribute):
        return False
    if any(word.arg in ("device", None) for word in call.keywords):
        return False
    return not _is_of_torch(call, statement, context)


def _is_of_torch(call: ast.Call, statement: Statement, context: Context) -> bool:
    """Whether the called function is a function of torch."""
    return (context.resolve(call.func, statement) or "").partition(".")[0] == "torch"


def _is_made_on_host(call: ast.AST | None, statement: Statement, context: Context, values: HostValues) -> bool:
    """Whether a call creates a tensor on the CPU, by default or by its `device`, and no later method in the same
    expression moves it."""
    if not isinstance(call, ast.Call):
        return False
    devices = [word.value for word in call.keywords if word.arg in ("device", None)]
    elsewhere = (_is_elsewhere(device, context) or values.is_device_of(device, statement) for device in devices)
    if not all(elsewhere):
        return False
    if not devices and not (isinstance(call.func, ast.Attribute) and values.makes(call.func.attr)):
        return False
    made: ast.AST | None = call
    while isinstance(taken := statement.digest.parents.get(made) if made is not None else None, ast.Attribute):
        if taken.attr in _MOVES:
            return False
        made = statement.digest.parents.get(taken)
    return True


def _is_elsewhere(device: ast.AST, context: Context) -> bool:
    """Whether a device is a literal other than CUDA's and the target's: `"cpu"`, `torch.device("cpu")`."""
    if isinstance(device, ast.Call) and last_word(device.func) == "device" and device.args:
        device = device.args[0]
    if not isinstance(device, ast.Constant) or not isinstance(device.value, str):
        return False
    return device.value.partition(":")[0] not in ("cuda", context.target.words["device"])
