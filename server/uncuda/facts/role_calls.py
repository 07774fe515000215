"""Tells from the call around a string how the string is used (its role): in a command-line option, as a default value,
in a field, or in a condition about another string such as `startswith`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeGuard

from .digest import Digest

STRING_TESTS = frozenset(
    {"startswith", "endswith", "split", "rsplit", "partition", "replace", "removeprefix", "count", "find", "index",
     "strip", "lstrip", "rstrip"}
)  # fmt: skip
STRING_METHODS = STRING_TESTS | {"lower", "upper", "casefold", "rpartition"}
SPELLED = ("lower", "strip", "casefold")  # methods of a string whose result means the same
KEEPS = frozenset({"list", "tuple", "set", "frozenset", "sorted"})
_GETTERS = frozenset({"get", "pop", "setdefault", "getenv", "get_default"})
_READS = _GETTERS - {"getenv"}
_ENVIRONMENTS = frozenset({"environ", "env"})
_DECLARES_OPTIONS = frozenset({"add_argument", "add_option", "option", "argument"})
_OF_OPTIONS = frozenset({"help", "choices", "type", "action", "dest"})
_FLAGS = frozenset({"DEFINE_string", "DEFINE_enum"})
_FIELDS = frozenset({"field", "Field", "ib", "attrib", "Option", "Argument", "Parameter"})


def chain_of(node: ast.AST | None) -> tuple[ast.AST | None, list[str]]:
    """Return the root of a dotted expression, and its attributes: `torch` and ["cuda", "amp"] for `torch.cuda.amp`."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return node, parts[::-1]


def spelled(node: ast.AST | None) -> str:
    """A dotted name as the code spells it, such as `os.environ.get`; "" for other expressions."""
    base, parts = chain_of(node)
    return ".".join([base.id, *parts]) if isinstance(base, ast.Name) else ""


def last_word(node: ast.AST | None) -> str:
    """Return the last word of an expression: "type" for `a.b.type`, "f()" for `f(x)`, "device" for `cfg["device"]`, "x"
    for `x`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Call):
        return last_word(node.func) + "()"
    if isinstance(node, ast.Subscript):
        return _text(node.slice) or last_word(node.value)
    if isinstance(node, ast.NamedExpr):
        return last_word(node.target)
    return ""


def _text(node: ast.AST | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


@lru_cache(maxsize=8)  # a call may have thousands of arguments, and each asks for this name
def option_name(call: ast.Call) -> str:
    """The attribute that a command-line option sets: "dist_backend" for `parser.add_argument("--dist-backend", …)` and
    for `add_argument("--vllm.dist_backend", …)`, whose program makes an object of `vllm`; "" for other calls."""
    method = last_word(call.func)
    names = [name for argument in call.args if (name := _text(argument))]
    if method in _FLAGS:
        return names[0] if names else ""
    dashed = any(name.startswith("-") for name in names)
    if method not in _DECLARES_OPTIONS and not (dashed and any(key.arg in _OF_OPTIONS for key in call.keywords)):
        return ""
    for keyword in call.keywords:
        if keyword.arg == "dest" and (name := _text(keyword.value)):
            return name
    for name in names:
        if name.startswith("--"):
            return name[2:].split("/")[0].rpartition(".")[2].replace("-", "_")
    return names[0].lstrip("-").replace("-", "_") if names else ""


def default_key(call: ast.Call, parameter: str | int | None) -> str:
    """Return the key whose default value a string is: "device" in `cfg.get("device", "cuda")` and `getattr(args,
    "device", "cuda")`."""
    method, arguments = last_word(call.func), call.args
    if method == "getattr" and parameter == 2 and len(arguments) > 1:
        return _text(arguments[1])
    if method in _GETTERS and arguments:
        if parameter == 1 and len(arguments) == 2:
            return _text(arguments[0])
        if parameter in ("default", "fallback"):
            return _text(arguments[-1])
    return ""


def got(node: ast.AST) -> ast.Subscript | ast.Attribute | None:
    """Return the item or attribute that a call reads by its name, as if the code did so directly: `cfg["device"]` for
    `cfg.get("device", "cpu")`, and `args.device` for `getattr(args, "device")`; None for other expressions, and for
    mappings called `environ` or `env`, whose values other programs set."""
    if not isinstance(node, ast.Call) or not node.args:
        return None
    if last_word(node.func) == "getattr" and len(node.args) > 1 and (name := _text(node.args[1])):
        return ast.Attribute(value=node.args[0], attr=name, ctx=ast.Load())
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in _READS or not _text(node.args[0]):
        return None
    mapping = node.func.value
    return None if last_word(mapping) in _ENVIRONMENTS else ast.Subscript(mapping, node.args[0], ast.Load())


COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)
ROWS = (ast.Tuple, ast.List)
BESIDE = 100  # maximum number of list items that are checked
_NAMED = {"parametrize": (1, "argvalues"), "parameterized_class": (1, "input_values")}
"""For each function whose first argument names the items of a list: the position and the keyword of the list."""
FIXTURES = "request.param"
"""The expression from which a pytest fixture reads its parameter."""


def item_name(call: ast.Call, parameter: str | int | None) -> str:
    """Return the name that a call gives to the items of a list: "device" in `parametrize("device", ["cpu", "cuda"])`
    and `parameterized_class("device", [("cpu",), ("cuda",)])`; names with commas between them if the items are
    rows."""
    if last_word(call.func) == "fixture" and parameter == "params":
        return FIXTURES
    if parameter in _NAMED.get(last_word(call.func), ()) and call.args:
        names = call.args[0]
        return ",".join(map(_text, names.elts)) if isinstance(names, (ast.List, ast.Tuple)) else _text(names)
    return ""


def is_parameter_set(node: ast.AST | None) -> TypeGuard[ast.Call]:
    """Return whether a node gives the value of one test of `parametrize`: `pytest.param("cuda", marks=on_gpu)`."""
    root, parts = chain_of(node.func) if isinstance(node, ast.Call) and len(node.args) == 1 else (None, [])
    return parts == ["param"] and isinstance(root, ast.Name) and root.id == "pytest"


def is_parameter(call: ast.AST | None, value: ast.AST, digest: Digest) -> bool:
    """Return whether a call of `pytest.param` gives a value to `parametrize`, in a list: `parametrize("device",
    [pytest.param("cuda", marks=skipif(…))])`. A mark in a variable may stay as it is while the value changes, and a
    fixture may look up the value (`indirect`), so such a value does not count."""
    if not is_parameter_set(call) or value not in call.args:
        return False
    marks = [one.value for one in call.keywords if one.arg == "marks"]
    each = [one for mark in marks for one in (mark.elts if isinstance(mark, ROWS) else [mark])]
    listed = digest.parents.get(call)
    outer = digest.parents.get(listed) if isinstance(listed, ROWS) else None
    taken = digest.parents.get(outer) if isinstance(outer, ast.keyword) else outer
    if not isinstance(taken, ast.Call) or any(isinstance(one, ast.Name) for one in each):
        return False
    return last_word(taken.func) in _NAMED and all(one.arg != "indirect" for one in taken.keywords)


def is_factory(function: ast.Lambda, digest: Digest) -> bool:
    """Return whether a function without parameters returns the default value of a field: `field(default_factory=lambda:
    "cuda")`."""
    given, keyword = function.args, digest.parents.get(function)
    takes = given.posonlyargs or given.args or given.vararg or given.kwonlyargs or given.kwarg
    if not isinstance(keyword, ast.keyword) or takes:
        return False
    call = digest.parents.get(keyword)
    return isinstance(call, ast.Call) and is_field(last_word(call.func), keyword.arg)


def is_field(method: str, parameter: str | int | None) -> bool:
    """Whether an argument is the default value of a field, `device: str = field(default="cuda")`, or a function that
    returns it, `field(default_factory=lambda: "cuda")`."""
    return method in _FIELDS and parameter in ("default", 0, "default_factory", "factory")


def column_of(names: str, part: ast.AST, containers: Sequence[ast.AST]) -> tuple[str, list[str]]:
    """Return, for an item `part` of a row of `parametrize`, the name of its column, and the strings that the other rows
    have in this column.

    In `parametrize("device, size", [("cuda", 1)])`, `names` are the names of the columns, and `containers` are the row
    and the list.
    """
    columns = _columns(names)
    rows = [getattr(container, "elts", []) for container in containers]
    row = rows[0][: len(columns)] if len(rows) == 2 else []
    if part not in row:
        return "", []
    at = row.index(part)
    others = (other.elts[at : at + 1] for other in rows[1][:BESIDE] if isinstance(other, ROWS))
    return columns[at], [text for other in others for one in other if one is not part and (text := _text(one))]


@lru_cache(maxsize=64)
def _columns(names: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in names.split(",", BESIDE))


def compared_too(compare: ast.AST | None) -> list[str]:
    """Return the other names that a string is compared with: `b` in `"cuda" in (a, b)`."""
    other = compare.comparators[-1] if isinstance(compare, ast.Compare) else None
    return [name.id for name in other.elts[1:] if isinstance(name, ast.Name)] if isinstance(other, ROWS) else []


def parameter_of(arguments: ast.arguments, default: ast.AST) -> ast.arg | None:
    """Return the parameter whose default value is the node `default`; None if there is none."""
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = [*zip(reversed(positional), reversed(arguments.defaults), strict=False)]
    pairs += [(one, value) for one, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value]
    return next((parameter for parameter, value in pairs if value is default), None)
