"""All files of the tree together: who is called, what a name was given, and whether the answer to a question."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from .module import FUNCTION, Function, Module, Word

DEPTH = 4
OPTIONS = {"args", "opt", "opts", "options", "config", "cfg", "conf", "hparams", "params", "flags", "FLAGS", "ns"}


class Question(NamedTuple):
    """A test whether the device is there, or is this one."""

    target: bool
    moved: bool
    yes: bool  # the way taken where it is

    @property
    def ported(self) -> bool:
        return self.target and self.moved

    @property
    def stayed(self) -> bool:
        return not self.target and not self.moved


Answers = tuple[tuple[Question, ...], tuple[Question, ...]]  # where the test is true, where it is false
NOTHING: Answers = ((), ())


class Key(NamedTuple):
    """A variable, attribute, option or result that can hold a value."""

    kind: str  # name, self, option, result
    module: str
    owner: ast.AST | None
    name: str


class Project:
    """The parsed files by path."""

    def __init__(self, modules: list[Module]) -> None:
        self.modules = modules
        self.sites_of: dict[Module, list[Any]] = {}  # regions.sites
        self._by_tail: dict[str, list[Module]] = {}
        for module in modules:
            self._by_tail.setdefault(module.dotted.rpartition(".")[2], []).append(module)

    def module(self, dotted: str) -> Module | None:
        """The file that an import means, by the end of its path."""
        found = [
            item
            for item in self._by_tail.get(dotted.rpartition(".")[2], ())
            if item.dotted == dotted or item.dotted.endswith("." + dotted)
        ]
        return min(found, key=lambda item: len(item.dotted)) if found else None

    @cached_property
    def _tops(self) -> dict[Module, dict[str, ast.AST]]:
        return {
            module: {node.name: node for node in module.tree.body if isinstance(node, (*FUNCTION, ast.ClassDef))}
            for module in self.modules
        }

    def callee(self, module: Module, call: ast.Call) -> tuple[Module, Function] | None:
        """The project's function that a call runs; a class gives its `__init__`."""
        func = call.func
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == "self":
            owner = module.class_of(call)
            return self._method(module, owner, func.attr) if owner else None
        if isinstance(func, ast.Attribute) and func.attr == "apply":  # of a torch.autograd.Function
            found = self._named(module, func.value)
            return self._method(found[0], found[1], "forward") if found and isinstance(found[1], ast.ClassDef) else None
        found = self._named(module, func)
        if found and isinstance(found[1], ast.ClassDef):
            return self._method(found[0], found[1], "__init__")
        return (found[0], found[1]) if found and isinstance(found[1], FUNCTION) else None

    def _named(self, module: Module, func: ast.AST) -> tuple[Module, ast.AST] | None:
        """The function or class of the project that an expression names."""
        if isinstance(func, ast.Name) and func.id not in module.bindings:
            return self._local(module, func, func.id)
        dotted = module.resolve(func)
        return self._top(dotted) if dotted else None

    def _local(self, module: Module, call: ast.AST, name: str) -> tuple[Module, ast.AST] | None:
        scope = module.function(call)
        while scope is not None:
            for node in scope.body:
                if isinstance(node, FUNCTION) and node.name == name:
                    return module, node
            scope = module.function(scope)
        top = self._tops[module].get(name)
        return (module, top) if top is not None else None

    def _top(self, dotted: str) -> tuple[Module, ast.AST] | None:
        base, _, name = dotted.rpartition(".")
        module = self.module(base) if base else None
        node = self._tops[module].get(name) if module else None
        return (module, node) if module and node else None

    def _method(self, module: Module, owner: ast.ClassDef, name: str, depth: int = 0) -> tuple[Module, Function] | None:
        for node in owner.body:
            if isinstance(node, FUNCTION) and node.name == name:
                return module, node
        for base in owner.bases if depth < DEPTH else ():
            found = self._top(module.resolve(base)) if module.resolve(base) else None
            if isinstance(base, ast.Name) and base.id in self._tops[module]:
                found = (module, self._tops[module][base.id])
            if found and isinstance(found[1], ast.ClassDef):
                if method := self._method(found[0], found[1], name, depth + 1):
                    return method
        return None

    def key(self, module: Module, node: ast.AST) -> Key | None:
        """What variable, attribute, option or result an expression names."""
        node = plain(node)
        if isinstance(node, ast.Name):
            scope = module.function(node)
            while scope is not None and node.id not in self._locals(module, scope):
                scope = module.function(scope)
            if scope is None and (found := module.binding(node.id, node)):
                base, _, name = found.dotted.rpartition(".")
                home = self.module(base)
                return Key("name", home.path, None, name) if home else None
            return Key("name", module.path, scope, node.id)
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
                return Key("self", module.path, module.class_of(node), node.attr)
            base = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
            if dotted := module.resolve(node):
                home = self.module(dotted.rpartition(".")[0])
                return Key("name", home.path, None, node.attr) if home else None
            if base.lower().lstrip("_") in OPTIONS:
                return Key("option", "", None, node.attr)
            return None
        if isinstance(node, ast.Call):
            if (module.resolve(node.func) or "").endswith("distributed.get_backend"):
                return Key("result", "", None, "get_backend")
            runs = self.callee(module, node)
            return Key("result", runs[0].path, runs[1], "") if runs and runs[1].name != "__init__" else None
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            base = getattr(node.value, "id", getattr(node.value, "attr", ""))
            return Key("option", "", None, str(node.slice.value)) if base.lower() in OPTIONS else None
        return None

    def _locals(self, module: Module, scope: Function) -> set[str]:
        if scope not in self._names:
            arguments = scope.args
            names = {arg.arg for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
            for node in ast.walk(scope):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    names.add(node.id)
                elif isinstance(node, ast.Global):
                    names -= set(node.names)
            self._names[scope] = names
        return self._names[scope]

    @cached_property
    def _names(self) -> dict[ast.AST, set[str]]:
        return {}

    @cached_property
    def given(self) -> dict[Key, list[tuple[Module, ast.AST]]]:
        """The expressions that each key is given: assignments, defaults, arguments, results."""
        found: dict[Key, list[tuple[Module, ast.AST]]] = {}

        def put(key: Key | None, module: Module, value: ast.AST | None) -> None:
            if key is not None and value is not None:
                found.setdefault(key, []).append((module, value))

        for module in self.modules:
            for node in module.parents:
                if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
                    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                        put(self.key(module, target), module, node.value)
                elif isinstance(node, FUNCTION):
                    for name, default in defaults(node):
                        put(Key("name", module.path, node, name), module, default)
                elif isinstance(node, ast.Return):
                    put(Key("result", module.path, module.function(node), ""), module, node.value)
                elif isinstance(node, ast.Call):
                    for key, value in self._handed(module, node):
                        put(key, module, value)
                if isinstance(node, ast.AnnAssign) and isinstance(module.parents[node], ast.ClassDef):
                    name = getattr(node.target, "id", "")
                    put(Key("self", module.path, module.parents[node], name), module, node.value)
                    put(Key("option", "", None, name), module, node.value)
        return found

    def _handed(self, module: Module, call: ast.Call) -> Iterator[tuple[Key, ast.AST]]:
        name = option_name(call)
        if name:
            for keyword in call.keywords:
                if keyword.arg in ("default", "const"):
                    yield Key("option", "", None, name), keyword.value
        if (module.resolve(call.func) or "").endswith("distributed.init_process_group"):
            values = [*call.args[:1], *(item.value for item in call.keywords if item.arg == "backend")]
            yield from ((Key("result", "", None, "get_backend"), value) for value in values)
        if found := self.callee(module, call):
            for parameter, value in arguments(found[1], call):
                yield Key("name", found[0].path, found[1], parameter), value

    def sources(self, key: Key, depth: int = 0) -> Iterator[tuple[Module, ast.AST]]:
        """The expressions that may be the value of a key, through names that only pass it on."""
        for module, value in self.given.get(key, ()):
            for part in alternatives(value):
                inner = self.key(module, part) if depth < DEPTH else None
                yield module, part
                if inner is not None and inner != key:
                    yield from self.sources(inner, depth + 1)

    @cached_property
    def _asked(self) -> dict[ast.AST, Answers]:
        return {}

    def asks(self, module: Module, node: ast.AST, depth: int = 0) -> Answers:
        """What is known of the device where a test is true, and where it is false."""
        if depth:
            return self._asks(module, node, depth)
        if node not in self._asked:
            self._asked[node] = self._asks(module, node, depth)
        return self._asked[node]

    def _asks(self, module: Module, node: ast.AST, depth: int) -> Answers:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            true, false = self.asks(module, node.operand, depth)
            return false, true
        if isinstance(node, ast.BoolOp):
            parts = [self.asks(module, value, depth) for value in node.values]
            every, one = (0, 1) if isinstance(node.op, ast.And) else (1, 0)
            joined = tuple(item for part in parts for item in part[every])
            alone = tuple(item for part in parts for item in part[one]) if all(part[one] for part in parts) else ()
            return (joined, alone) if every == 0 else (alone, joined)
        if isinstance(node, ast.NamedExpr):
            return self.asks(module, node.value, depth)
        if isinstance(node, ast.Compare) and (found := self._compared(module, node)):
            return found
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("bool", "int", "all", "any") and node.args:
            inner = node.args[0]
            return self.asks(module, inner.elt if isinstance(inner, ast.GeneratorExp) else inner, depth)
        if isinstance(node, ast.Name | ast.Attribute | ast.Call) and depth < DEPTH:
            if direct := self._direct(module, node):
                return direct
            if key := self.key(module, node):
                return self._carried(key, depth + 1)
        return NOTHING if isinstance(node, ast.Name) else self._direct(module, node) or NOTHING

    def _direct(self, module: Module, node: ast.AST) -> Answers | None:
        found = [word for word in module.inside(node) if word.family in ("api", "method")]
        starts = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "startswith"
        found += [word for word in module.inside(node) if starts and word.family in ("device", "ccl")]
        if not found or any(isinstance(item, ast.Lambda | ast.IfExp) for item in ast.walk(node)):
            return None
        word = found[0]
        return answers(word.target, all(item.moved for item in found))

    def _compared(self, module: Module, node: ast.Compare) -> Answers | None:
        inside = module.inside(node)
        found = [word for word in inside if word.family in ("device", "ccl", "api", "method", "other")]
        if not found or len(node.ops) != 1:
            return None
        strings = [word for word in found if word.family in ("device", "ccl")] or found
        target = any(word.target for word in strings)
        one = answers(target, any(word.moved for word in strings if word.target == target))
        right = node.comparators[0]
        zero = isinstance(right, ast.Constant) and right.value in (0, None, False) and not isinstance(right.value, str)
        negative = isinstance(node.ops[0], ast.NotEq | ast.NotIn | ast.Lt | ast.LtE) or (
            zero and isinstance(node.ops[0], ast.Eq | ast.Is)
        )
        if zero and isinstance(node.ops[0], ast.NotEq | ast.IsNot):
            negative = False
        return (one[1], one[0]) if negative else one

    def _carried(self, key: Key, depth: int) -> Answers:
        """The answers of a name, if all that it is given agree; `False` and `None` say nothing against them."""
        found: set[Answers] = set()
        for module, value in self.given.get(key, ()):
            if isinstance(value, ast.Constant) and (value.value is None or isinstance(value.value, bool)):
                continue
            if isinstance(plain(value), ast.Name | ast.Attribute) and self.key(module, value) == key:
                continue
            if isinstance(value, ast.Call) and module.words.get(value.func, None) and not boolean(module, value):
                return NOTHING
            found.add(self.asks(module, value, depth))
        return found.pop() if len(found) == 1 else NOTHING


def boolean(module: Module, call: ast.Call) -> bool:
    """Whether a torch call answers yes or no."""
    name = (module.resolve(call.func) or getattr(call.func, "attr", "")).rpartition(".")[2]
    return name.startswith(("is_", "has_")) or name in ("device_count", "getattr", "hasattr")


def answers(target: bool, moved: bool) -> Answers:
    """Yes where a test is true, no where it is false."""
    return (Question(target, moved, True),), (Question(target, moved, False),)


def plain(node: ast.AST) -> ast.AST:
    """An expression without what does not change whose value it is: `str(x.device.type).lower()` is `x.device`."""
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
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "device" and len(node.args) == 1:
            node = node.args[0]
        else:
            return node


def alternatives(node: ast.AST) -> Iterator[ast.AST]:
    """The expressions that one may turn out to be."""
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
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "field":
        yield from (item.value for item in node.keywords if item.arg == "default")
    else:
        yield plain(node)


def defaults(node: Function) -> Iterator[tuple[str, ast.expr]]:
    """Parameters with their defaults."""
    positional = [*node.args.posonlyargs, *node.args.args]
    yield from ((arg.arg, value) for arg, value in zip(reversed(positional), reversed(node.args.defaults)))
    yield from ((arg.arg, value) for arg, value in zip(node.args.kwonlyargs, node.args.kw_defaults) if value)


def arguments(node: Function, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """Parameters with what a call hands to them."""
    names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
    if names[:1] in (["self"], ["cls"]):
        names = names[1:]
    for name, value in zip(names, call.args):
        if isinstance(value, ast.Starred):
            return
        yield name, value
    yield from ((item.arg, item.value) for item in call.keywords if item.arg)


def option_name(call: ast.Call) -> str:
    """The attribute that `add_argument`, `click.option` and their like fill, or nothing."""
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
    """The device or backend that an expression is, if it says one."""
    if isinstance(node, ast.BinOp):
        node = node.left
    word = module.words.get(node)
    return word if word and word.family in ("device", "ccl") else None
