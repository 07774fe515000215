"""Reports code that selects only the target's tensors and then passes them to a library for CUDA only."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .module import Module
from .project import Answers, Project
from .record import Record, record
from .regions import sites, skipped
from .words import only_cuda

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)
Tests = Iterator[tuple[Module, ast.AST]]


def records(project: Project) -> Iterator[Record]:
    """Report each condition that the fix has ported, although it selects the tensors for a library that works only with
    CUDA.

    The condition is reported even if the program first asks whether the library is installed: on a machine with this
    library, tensors are on CUDA, so a condition such as `x.is_npu` selects none of them."""
    for module in project.modules:
        for site in sites(project, module):
            node = site.node
            if not isinstance(node, ast.Call) or skipped(site.guards):
                continue
            library = next(
                (found for part in (node.func, *node.args) if (found := _library(project, module, part))), ""
            )
            for value in node.args if library else ():
                for home, test in _tests(project, module, value):
                    yield record(home, test, "question", f"{node.lineno}: {library}")


def _library(project: Project, module: Module, node: ast.AST) -> str:
    """Return the dotted name of a function of a library that runs on CUDA only; empty for other expressions."""
    dotted = module.resolve(node) if isinstance(node, ast.Name | ast.Attribute) else ""
    return dotted if "." in dotted and only_cuda(dotted, module.target) and not project.is_own(dotted) else ""


def _tests(project: Project, module: Module, value: ast.AST) -> Tests:
    """Return the conditions in the code (`x.is_npu`) that the fix has ported and that decide which tensors an argument
    contains."""
    if isinstance(value, ast.List | ast.Tuple):
        for item in value.elts:
            yield from _tests(project, module, item)
    elif isinstance(value, ast.Starred):
        yield from _tests(project, module, value.value)
    elif isinstance(value, ast.Name | ast.Attribute) and (key := project.key(module, value)):
        for home, source in project.sources(key):
            yield from _passed(project, home, source)
        for site in sites(project, module):
            call = site.node
            if isinstance(call, ast.Call) and getattr(call.func, "attr", "") in ("append", "extend", "add"):
                if isinstance(call.func, ast.Attribute) and project.key(module, call.func.value) == key:
                    asked = (guard for guard in site.guards if guard.question.ported and guard.question.yes)
                    yield from ((module, guard.test) for guard in asked)
    else:
        yield from _passed(project, module, value)


def _passed(project: Project, module: Module, value: ast.AST) -> Tests:
    if (
        isinstance(value, ast.Call)
        and getattr(value.func, "id", "") in ("list", "tuple", "set", "sorted")
        and value.args
    ):
        yield from _passed(project, module, value.args[0])
    elif isinstance(value, ast.Call) and getattr(value.func, "id", "") == "filter" and value.args:
        test = value.args[0]
        if isinstance(test, ast.Lambda) and _asks(project.asks(module, test.body)):
            yield module, test
    elif isinstance(value, COMPREHENSIONS):
        for loop in value.generators:
            yield from ((module, test) for test in loop.ifs if _asks(project.asks(module, test)))


def _asks(answers: Answers) -> bool:
    return any(question.ported and question.yes for question in answers[0])
