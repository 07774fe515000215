"""Determines which guards, i.e. conditions that ask for a device, enclose each call and each word that names a
device."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from .module import FUNCTION, Module
from .project import Project, Question

LEAVES = {"exit", "_exit", "skip", "fail", "skipTest", "abort", "skipIf"}
BLOCKS = ("body", "orelse", "finalbody")


class Guard(NamedTuple):
    """What a guard asks for, and the node of its condition."""

    question: Question
    test: ast.AST


Guards = tuple[Guard, ...]


class Site(NamedTuple):
    """An expression or statement with the guards around it, outermost first."""

    node: ast.AST
    guards: Guards


def skipped(guards: Guards) -> bool:
    """Return whether the target never runs code with these guards: the innermost guard asks for CUDA or excludes the
    target."""
    questions = [guard.question for guard in guards]
    return any((not q.target and q.yes) or (q.target and not q.yes) for q in questions)


def sites(project: Project, module: Module) -> list[Site]:
    """Return all calls in a file, and all words that name a device (such as `cuda`), with their enclosing guards."""
    if module not in project.sites_of:
        project.sites_of[module] = list(Regions(project, module).sites(module.tree))
    return project.sites_of[module]


class Regions:
    """Walks the blocks of a file."""

    def __init__(self, project: Project, module: Module) -> None:
        self.project, self.module = project, module

    def sites(self, node: ast.AST) -> Iterator[Site]:
        """Return all calls in a function or module, and all words that name a device (such as `cuda`), each with its
        guards. A guard around a nested function is also a guard of the calls and words in that function."""
        yield from self._block(getattr(node, "body", []), ())

    def _ask(self, test: ast.AST, true: bool) -> Guards:
        return tuple(Guard(question, test) for question in self.project.asks(self.module, test)[0 if true else 1])

    def _block(self, body: list[ast.stmt], guards: Guards) -> Iterator[Site]:
        for node in body:
            yield from self._statement(node, guards)
            if isinstance(node, ast.If):
                if leaves(node.body):
                    guards += self._ask(node.test, true=False)
                elif node.orelse and leaves(node.orelse):
                    guards += self._ask(node.test, true=True)
            elif isinstance(node, ast.Assert):
                guards += self._ask(node.test, true=True)

    def _statement(self, node: ast.stmt, guards: Guards) -> Iterator[Site]:
        if isinstance(node, ast.If | ast.While):
            yield from self._expression(node.test, guards)
            yield from self._block(node.body, guards + self._ask(node.test, true=True))
            yield from self._block(node.orelse, guards + self._ask(node.test, true=False))
            return
        if isinstance(node, (*FUNCTION, ast.ClassDef)):
            for decorator in node.decorator_list:
                yield from self._expression(decorator, guards)
                guards += self._decorated(decorator)
        yield Site(node, guards)
        for name, value in ast.iter_fields(node):
            if name in ("body", "orelse", "finalbody"):
                yield from self._block(value, guards)
            elif name in ("handlers", "cases"):
                for part in value:
                    yield from self._block(part.body, guards + self._matched(part))
            elif name != "decorator_list":
                for part in value if isinstance(value, list) else [value]:
                    if isinstance(part, ast.AST):
                        yield from self._expression(part, guards)

    def _matched(self, part: ast.AST) -> Guards:
        words = self.module.inside(part.pattern) if isinstance(part, ast.match_case) else []
        target = any(word.target for word in words)
        found = [word for word in words if word.target == target]
        moved = any(word.moved for word in found)
        return (Guard(Question(target, moved, True), found[0].node),) if found else ()

    def _decorated(self, node: ast.AST) -> Guards:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            if node.func.attr in ("skipif", "skipIf"):
                return self._ask(node.args[0], true=False)
            if node.func.attr == "skipUnless":
                return self._ask(node.args[0], true=True)
        return ()

    def _expression(self, node: ast.AST, guards: Guards) -> Iterator[Site]:
        if not guards and not self.module.change.any and not isinstance(node, ast.Call | ast.BoolOp | ast.IfExp):
            return  # the fix changed none of the guards around this expression
        yield Site(node, guards)
        if isinstance(node, ast.IfExp):
            yield from self._expression(node.test, guards)
            yield from self._expression(node.body, guards + self._ask(node.test, true=True))
            yield from self._expression(node.orelse, guards + self._ask(node.test, true=False))
        elif isinstance(node, ast.BoolOp):
            for value in node.values:
                yield from self._expression(value, guards)
                guards += self._ask(value, true=isinstance(node.op, ast.And))
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            for loop in node.generators:
                yield from self._expression(loop.iter, guards)
                for test in loop.ifs:
                    yield from self._expression(test, guards)
                    guards += self._ask(test, true=True)
            for part in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
                yield from self._expression(part, guards)
        else:
            for child in ast.iter_child_nodes(node):
                yield from self._expression(child, guards)


def leaves(body: list[ast.stmt]) -> bool:
    """Return whether a block never continues with the next statement."""
    last = body[-1]
    if isinstance(last, ast.Return | ast.Raise | ast.Continue | ast.Break):
        return True
    call = last.value if isinstance(last, ast.Expr) else None
    if isinstance(call, ast.Call):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        return name in LEAVES
    return False
