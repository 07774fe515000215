"""The files of a project, and the conditions in their code that ask which device is available or in use."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import NamedTuple

from .expressions import plain
from .flow import Flow
from .index import DEPTH, Key
from .module import Module
from .words import MEASURES


class Question(NamedTuple):
    """A condition that asks for a device: whether a device is available, or whether it is the one in use."""

    target: bool
    moved: bool
    yes: bool  # whether the device is available, or in use, in the branch where the condition is true

    @property
    def ported(self) -> bool:
        return self.target and self.moved

    @property
    def stayed(self) -> bool:
        return not self.target and not self.moved


# what a condition says about devices: in code that runs if it is true, and in code that runs if it is false
Answers = tuple[tuple[Question, ...], tuple[Question, ...]]
NOTHING: Answers = ((), ())


class Project(Flow):
    """The parsed files, the names in them, and what each of their conditions says about the device."""

    @cached_property
    def _asked(self) -> dict[ast.AST, Answers]:
        return {}

    def asks(self, module: Module, node: ast.AST, depth: int = 0) -> Answers:
        """Return what the condition `node` says about the device in code that runs if it is true, or if it is false."""
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
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                called = self.key(module, node.func)
                for home, value in self.given.get(called, ()) if called else ():
                    if isinstance(value, ast.Lambda):
                        return self.asks(home, value.body, depth + 1)
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
        measured = [word for word in found if word.family == "api" and MEASURES.search(word.text)]
        if measured and len(measured) == len(found):
            return NOTHING
        found = [word for word in found if word not in measured]
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
        """Return what is known about the device if the value of a name (`key`) is true, and what is known if it is
        false. Nothing is known if the name is assigned several values that show different things about the device;
        assigned booleans and `None` are ignored."""
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
    """Return True if the called torch function returns a boolean or a count, False if it returns anything else."""
    name = (module.resolve(call.func) or getattr(call.func, "attr", "")).rpartition(".")[2]
    return name.startswith(("is_", "has_")) or name in ("device_count", "getattr", "hasattr")


def answers(target: bool, moved: bool) -> Answers:
    """Return what a condition that asks for one device shows: if it is true, that the device is in use; if it is false,
    that the device is not in use."""
    return (Question(target, moved, True),), (Question(target, moved, False),)
