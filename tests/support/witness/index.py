"""Resolves names across all files: the function that a call runs, the variable to which a name refers."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from .expressions import annotation, plain
from .module import FUNCTION, Function, Module

DEPTH = 4
OPTIONS = {"args", "opt", "opts", "options", "config", "cfg", "conf", "hparams", "params", "flags", "FLAGS", "ns"}


class Key(NamedTuple):
    """A variable, attribute, option or function result that can hold a value."""

    kind: str  # one of these: "name", "self", "option", "result"
    module: str
    owner: ast.AST | None
    name: str


class Index:
    """The parsed files by path."""

    def __init__(self, modules: list[Module], paths: Iterable[str]) -> None:
        self.modules = modules
        self.sites_of: dict[Module, list[Any]] = {}  # the results of regions.sites
        self._roots = {part for path in paths for part in path.removesuffix(".py").split("/")}
        self._by_tail: dict[str, list[Module]] = {}
        for module in modules:
            self._by_tail.setdefault(module.dotted.rpartition(".")[2], []).append(module)

    def is_own(self, dotted: str) -> bool:
        """Return whether a module belongs to the checked files, even if it could not be parsed."""
        return dotted.partition(".")[0] in self._roots

    def module(self, dotted: str) -> Module | None:
        """The file of an imported module, found by the end of its path."""
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
        """The function of the project that a call runs; for a class its `__init__`."""
        func = call.func
        if isinstance(func, ast.Subscript):  # a Triton kernel that is called with its grid
            func = func.value
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == "self":
            owner = module.class_of(call)
            return self._method(module, owner, func.attr) if owner else None
        if isinstance(func, ast.Attribute) and func.attr == "apply":  # `apply` of a torch.autograd.Function
            found = self._named(module, func.value)
            return self._method(found[0], found[1], "forward") if found and isinstance(found[1], ast.ClassDef) else None
        found = self._named(module, func)
        if found is None and isinstance(func, ast.Attribute) and (owner_of := self.instance(module, func.value)):
            method = self._method(*owner_of, func.attr)
            # this method calls torch's method of the same name
            return None if method and f"super().{func.attr}(" in ast.unparse(method[1]) else method
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

    def instance(self, module: Module, node: ast.AST, depth: int = 0) -> tuple[Module, ast.ClassDef] | None:
        """Return the project class of the object that `node` stands for: `node` is a constructor call, an annotated
        name, or a name or attribute to which objects of only one class are assigned."""
        if isinstance(node, ast.Call):
            return self.class_named(module, node.func)
        if isinstance(node, ast.Name) and (noted := annotation(module, node)) is not None:
            return self.class_named(module, noted)
        if isinstance(node, ast.Name | ast.Attribute) and depth < DEPTH:
            put = [item for item in self._put(module, node) if not isinstance(item[1], ast.Constant)]
            kinds = {self.instance(home, value, depth + 1) for home, value in put}
            return kinds.pop() if len(kinds) == 1 else None
        return None

    def class_named(self, module: Module, node: ast.AST) -> tuple[Module, ast.ClassDef] | None:
        """The project class that an expression names."""
        found = self._named(module, node)
        return (found[0], found[1]) if found and isinstance(found[1], ast.ClassDef) else None

    def _put(self, module: Module, node: ast.Name | ast.Attribute) -> Iterator[tuple[Module, ast.AST]]:
        """The expressions assigned to a variable of the function or of the file, or to an attribute of `self`."""
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id == "self":
                yield from (
                    (module, item) for item in self._assigned(module).get((module.class_of(node), node.attr), ())
                )
            return
        scope = module.function(node)
        scope = scope if scope and node.id in self._locals(module, scope) else None
        if scope is None and (bound := module.binding(node.id, node)):
            base, _, name = bound.dotted.rpartition(".")
            home = self.module(base) if base else None
            values = self._assigned(home).get((None, name), ()) if home else ()
            yield from ((home, value) for value in values if home)
            return
        yield from ((module, value) for value in self._assigned(module).get((scope, node.id), ()))

    def _assigned(self, module: Module) -> dict[tuple[ast.AST | None, str], list[ast.AST]]:
        """The expressions assigned to variables, by function, and to attributes of `self`, by class."""
        if module not in self._values:
            found: dict[tuple[ast.AST | None, str], list[ast.AST]] = {}
            for node in module.parents:
                if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                        if isinstance(target, ast.Name):
                            found.setdefault((module.function(node), target.id), []).append(node.value)
                        elif isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
                            found.setdefault((module.class_of(node), target.attr), []).append(node.value)
            self._values[module] = found
        return self._values[module]

    @cached_property
    def _values(self) -> dict[Module, dict[tuple[ast.AST | None, str], list[ast.AST]]]:
        return {}

    def key(self, module: Module, node: ast.AST) -> Key | None:
        """The variable, attribute, option or function result that an expression names."""
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
            return self._held(module, node)
        if isinstance(node, ast.Call):
            if (module.resolve(node.func) or "").endswith("distributed.get_backend"):
                return Key("result", "", None, "get_backend")
            runs = self.callee(module, node)
            return Key("result", runs[0].path, runs[1], "") if runs and runs[1].name != "__init__" else None
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            base = getattr(node.value, "id", getattr(node.value, "attr", ""))
            return Key("option", "", None, str(node.slice.value)) if base.lower() in OPTIONS else None
        return None

    def _held(self, module: Module, node: ast.Attribute) -> Key | None:
        """Return the Key for an attribute of a variable, if the variable holds an object of a project class or the
        parsed options of the command line."""
        if not isinstance(node.value, ast.Name):
            return None
        named = self._tops[module].get(node.value.id)
        if isinstance(named, ast.ClassDef):
            return Key("self", module.path, named, node.attr)
        for value in self._made(module).get(node.value.id, ()):
            if (getattr(value.func, "attr", "") or "").startswith(("parse_args", "parse_known_args")):
                return Key("option", "", None, node.attr)
            found = self._named(module, value.func)
            if found and isinstance(found[1], ast.ClassDef):
                return Key("self", found[0].path, found[1], node.attr)
        return None

    def _made(self, module: Module) -> dict[str, list[ast.Call]]:
        """The calls assigned to variables of a file."""
        if module not in self._calls:
            found: dict[str, list[ast.Call]] = {}
            for node in module.parents:
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                    for target in node.targets:
                        for name in target.elts if isinstance(target, ast.Tuple) else [target]:
                            if isinstance(name, ast.Name):
                                found.setdefault(name.id, []).append(node.value)
            self._calls[module] = found
        return self._calls[module]

    @cached_property
    def _calls(self) -> dict[Module, dict[str, list[ast.Call]]]:
        return {}

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
