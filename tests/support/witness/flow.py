"""Collects, over all files, the values that each variable, attribute, option and function result gets."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from .expressions import alternatives, arguments, decorated, defaults, option_name
from .index import DEPTH, OPTIONS, Index, Key
from .module import FUNCTION, Module

Given = dict[Key, list[tuple[Module, ast.AST]]]


class Flow(Index):
    """The parsed files, with the values that each name gets."""

    @cached_property
    def given(self) -> Given:
        """Return, for each `Key` (a variable, attribute, option or function result), the expressions of its value: in
        assignments, defaults, arguments and return statements."""
        found: Given = {}
        for module in self.modules:
            for node in module.parents:
                for key, value in self._gives(module, node):
                    found.setdefault(key, []).append((module, value))
        return found

    def _gives(self, module: Module, node: ast.AST) -> Iterator[tuple[Key, ast.AST]]:
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from ((key, node.value) for key in self._filled(module, node, target))
                if isinstance(node.value, ast.Dict) and getattr(target, "id", "").lower() in OPTIONS:
                    yield from _entries(node.value)
        elif isinstance(node, FUNCTION):
            for name, default in (*defaults(node), *decorated(node)):
                yield Key("name", module.path, node, name), default
        elif isinstance(node, ast.Return) and node.value is not None:
            function = module.function(node)
            yield Key("result", module.path, function, ""), node.value
            if function and any(getattr(item, "id", "").endswith("property") for item in function.decorator_list):
                yield Key("self", module.path, module.class_of(function), function.name), node.value
        elif isinstance(node, ast.Call):
            yield from self._handed(module, node)

    def _filled(self, module: Module, node: ast.AST, target: ast.AST) -> Iterator[Key]:
        """Yield each `Key` (a variable, attribute or option) that an assignment sets; an assignment in the body of a
        class sets both an attribute and an option of this name."""
        owner = module.parents[node]
        if isinstance(owner, ast.ClassDef) and isinstance(target, ast.Name):
            yield Key("self", module.path, owner, target.id)
            yield Key("option", "", None, target.id)
        elif key := self.key(module, target):
            yield key

    def _handed(self, module: Module, call: ast.Call) -> Iterator[tuple[Key, ast.AST]]:
        name = option_name(call)
        if name:
            for keyword in call.keywords:
                if keyword.arg in ("default", "const"):
                    yield Key("option", "", None, name), keyword.value
        if (getattr(call.func, "attr", "") or getattr(call.func, "id", "")) in (
            "set_defaults",
            "Namespace",
            "SimpleNamespace",
        ):
            yield from ((Key("option", "", None, item.arg), item.value) for item in call.keywords if item.arg)
        if (module.resolve(call.func) or "").endswith("distributed.init_process_group"):
            values = [*call.args[:1], *(item.value for item in call.keywords if item.arg == "backend")]
            yield from ((Key("result", "", None, "get_backend"), value) for value in values)
        if found := self.callee(module, call):
            for parameter, value in arguments(found[1], call):
                yield Key("name", found[0].path, found[1], parameter), value

    def sources(self, key: Key, depth: int = 0) -> Iterator[tuple[Module, ast.AST]]:
        """Yield the expressions whose value a variable, attribute, option or function result may have. If a yielded
        expression is itself a variable or attribute, the expressions whose value that variable or attribute may have
        are yielded, too."""
        for module, value in self.given.get(key, ()):
            for part in alternatives(value):
                inner = self.key(module, part) if depth < DEPTH else None
                yield module, part
                if inner is not None and inner != key:
                    yield from self.sources(inner, depth + 1)


def _entries(table: ast.Dict) -> Iterator[tuple[Key, ast.AST]]:
    """Yield the constant keys of a dictionary display, as names of options of the program, each with its value."""
    for name, value in zip(table.keys, table.values):
        if isinstance(name, ast.Constant):
            yield Key("option", "", None, str(name.value)), value
