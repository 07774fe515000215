"""Helpers for Python expressions: values inside wrappers, alternatives, defaults, call arguments and options."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .module import Function, Module, Word


def plain(node: ast.AST) -> ast.AST:
    """Return an expression without wrappers that do not change its device: `x.device` for
    `str(x.device.type).lower()`."""
    while True:
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "str" and node.args:
            node = node.args[0]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("lower", "strip", "split", "partition"):
            node = node.func.value  # type: ignore[attr-defined]
        elif isinstance(node, ast.Attribute) and node.attr == "type":
            node = node.value
        elif (
            isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call) and node.value is not plain(node.value)
        ):
            node = plain(node.value)
        elif isinstance(node, ast.Call) and (held := _made_of(node)) is not None:
            node = held
        else:
            return node


def _made_of(call: ast.Call) -> ast.AST | None:
    """Return the argument that `torch.device(…)` takes as the device, with or without an index."""
    if getattr(call.func, "attr", getattr(call.func, "id", "")) != "device":
        return None
    named = [item.value for item in call.keywords if item.arg in ("type", "device")]
    return call.args[0] if call.args else named[0] if named else None


def alternatives(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of an expression that may be its value: both branches of `a if test else b`, the operands of `a
    or b`."""
    if isinstance(node, ast.IfExp):
        yield from (*alternatives(node.body), *alternatives(node.orelse))
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from alternatives(value)
    elif (
        isinstance(node, ast.Call)
        and getattr(node.func, "attr", "") in ("get", "getenv", "pop")
        and len(node.args) == 2
    ):
        yield node.args[1]
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("Option", "Argument") and node.args:
        yield node.args[0]
    elif isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in ("field", "Field"):
        yield from (item.value for item in node.keywords if item.arg == "default")
    elif (inner := plain(node)) is not node:
        yield from alternatives(inner)
    else:
        yield node


def defaults(node: Function) -> Iterator[tuple[str, ast.expr]]:
    """Yield the parameters that have a default, with their defaults."""
    positional = [*node.args.posonlyargs, *node.args.args]
    yield from ((arg.arg, value) for arg, value in zip(reversed(positional), reversed(node.args.defaults)))
    yield from ((arg.arg, value) for arg, value in zip(node.args.kwonlyargs, node.args.kw_defaults) if value)


def annotation(module: Module, name: ast.Name) -> ast.AST | None:
    """Return the annotated class of the parameter to which `name` refers, without `Optional[…]` and `… | None`."""
    scope = module.function(name)
    arguments = [*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs] if scope else []
    noted: ast.AST | None = next((arg.annotation for arg in arguments if arg.arg == name.id), None)
    if isinstance(noted, ast.Subscript) and ast.unparse(noted.value).endswith("Optional"):
        noted = noted.slice
    if isinstance(noted, ast.BinOp) and isinstance(noted.right, ast.Constant) and noted.right.value is None:
        noted = noted.left
    return noted


def decorated(node: Function) -> Iterator[tuple[str, ast.expr]]:
    """Yield the parameters that decorators like `click.option` fill, with the option's default."""
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and (name := option_name(decorator)):
            yield from ((name, item.value) for item in decorator.keywords if item.arg == "default")


def arguments(node: Function, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """Yield the parameters for which a call passes an argument, with the argument."""
    names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
    if names[:1] in (["self"], ["cls"]):
        names = names[1:]
    for name, value in zip(names, call.args):
        if isinstance(value, ast.Starred):
            return
        yield name, value
    yield from ((item.arg, item.value) for item in call.keywords if item.arg)


def option_name(call: ast.Call) -> str:
    """Return the attribute that `add_argument`, `click.option` and similar calls set; empty for other calls."""
    func = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if func not in ("add_argument", "option", "add_option", "DEFINE_string", "DEFINE_enum"):
        return ""
    for keyword in call.keywords:
        if keyword.arg == "dest" and isinstance(keyword.value, ast.Constant):
            return str(keyword.value.value)
    texts = [str(arg.value) for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    names = [text for text in texts if text.startswith("--")] or texts[:1]
    return names[0].lstrip("-").replace("-", "_") if names else ""


def device_word(module: Module, node: ast.AST) -> Word | None:
    """Return the device or backend name if the expression is one, otherwise None."""
    if isinstance(node, ast.BinOp):
        node = node.left
    word = module.words.get(node)
    return word if word and word.family in ("device", "ccl") else None
