"""Reports values and comparisons of which a fix ported only one: `device = "npu"` with `if device == "cuda":`, for
example. Also reports options whose default is not one of their choices."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from .expressions import alternatives, arguments, defaults, device_word, option_name, plain
from .index import Key
from .module import FUNCTION, Module, Word
from .project import Project
from .record import Record, record
from .regions import sites, skipped


class Tested(NamedTuple):
    """A comparison of a variable, attribute or option with names of devices."""

    module: Module
    node: ast.AST
    words: tuple[Word, ...]
    subject: ast.AST


def records(project: Project, over_cuda: Collection[ast.AST] = ()) -> Iterator[Record]:
    """Report values and comparisons that name different devices, and inconsistent options. `over_cuda`: conditions that
    should stay unchanged because the code that they guard needs CUDA."""
    options = {option_name(node) for module in project.modules for node in module.parents if isinstance(node, ast.Call)}
    choices = _choices(project)
    never: dict[Module, set[ast.AST]] = {}
    for key, tests in _tests(project).items():
        values = [(module, word) for module, node in project.sources(key) if (word := device_word(module, node))]
        if key.kind == "attribute":
            owners = {item for item in project.given if item.kind == "self" and item.name == key.name}
            if len(owners) != 1:
                continue
            values = [(home, word) for home, part in project.sources(owners.pop()) if (word := device_word(home, part))]
        decorators = getattr(key.owner, "decorator_list", ())
        optional = key.kind == "option" or key.name in {option_name(d) for d in decorators if isinstance(d, ast.Call)}
        for home, found in choices.get(key.name, ()) if optional else ():
            values += [(home, word) for word in found]
        kind = "option" if optional and key.name in options else "value"
        for test in tests:
            if test.module not in never:
                never[test.module] = _skipped_in(project, test.module)
            if _is_within(test, over_cuda) or test.node in never[test.module]:
                continue
            last = _last(test)
            reached = values if last is None else _said(project, test.module, last)
            yield from _split(kind, test, tests, reached)
    for module in project.modules:
        if module.change.any:
            for node in list(module.parents):
                yield from _option(project, module, node)


def _is_within(test: Tested, tests: Collection[ast.AST]) -> bool:
    node: ast.AST | None = test.node
    while node is not None and not isinstance(node, ast.stmt):
        if node in tests:
            return True
        node = test.module.parents.get(node)
    return False


def _skipped_in(project: Project, module: Module) -> set[ast.AST]:
    """Return the code of a file that the target never runs, because code around it asks for CUDA."""
    return {site.node for site in sites(project, module) if skipped(site.guards)}


def _said(project: Project, module: Module, value: ast.AST) -> list[tuple[Module, Word]]:
    """Return the device and backend words that an expression may evaluate to."""
    parts = [(module, part) for part in alternatives(value)]
    keys = [key for _, part in parts if (key := project.key(module, part))]
    parts += [item for key in keys for item in project.sources(key)]
    return [(home, word) for home, part in parts if (word := device_word(home, part))]


def _last(test: Tested) -> ast.AST | None:
    """Return the value that a variable certainly has when a condition reads it: assigned above the condition in the
    same block, or in an enclosing block.

    Return None if the value is not certain, because code between the assignment and the condition, or a loop, may
    assign another value.
    """
    if not isinstance(test.subject, ast.Name):
        return None
    name = test.subject.id
    node: ast.AST = test.module.statement(test.node)
    while not isinstance(
        node, ast.Module | ast.For | ast.While | ast.AsyncFor | ast.Lambda | FUNCTION[0] | FUNCTION[1]
    ):
        above = test.module.parents[node]
        bodies = [getattr(above, field, None) for field in ("body", "orelse", "finalbody")]
        body = next((item for item in bodies if isinstance(item, list) and node in item), [])
        for before in reversed(body[: body.index(node)] if body else []):
            if isinstance(before, ast.Assign) and any(getattr(item, "id", "") == name for item in before.targets):
                return before.value
            if _stores(before, name):
                return None
        if isinstance(above, ast.Try) and _stores(above, name):
            return None
        node = above
    return None


def _stores(node: ast.AST, name: str) -> bool:
    stored = (item for item in ast.walk(node) if isinstance(item, ast.Name) and not isinstance(item.ctx, ast.Load))
    return any(item.id == name for item in stored)


def _split(kind: str, test: Tested, tests: list[Tested], values: list[tuple[Module, Word]]) -> Iterator[Record]:
    """Report a comparison that asks for CUDA if one of the compared values was ported, and the reverse. A ported
    comparison may be right beside values for CUDA: the program gave the target's name as a value already before the
    fix (`own`)."""
    for family in ("device", "ccl"):
        moved = [word for _, word in values if word.ported and word.family == family]
        stayed = [word for _, word in values if word.stayed and word.family == family]
        own = [word for _, word in values if word.target and not word.moved and word.family == family]
        served = {word.target for item in tests for word in item.words if word.family == family}
        found = [word for word in test.words if word.family == family]
        if len({word.target for word in found}) != 1:
            continue
        if found[0].stayed and moved and not _also(tests, test, served):
            yield record(test.module, test.node, kind, f"given {moved[0].text}")
        elif found[0].ported and stayed and not moved and not own:
            yield record(test.module, test.node, kind, f"given {stayed[0].text}")


def _also(tests: list[Tested], test: Tested, served: set[bool]) -> bool:
    """Return whether the program compared the value with the target's name already before the fix, i.e. distinguished
    CUDA and the target itself."""
    return True in served and any(
        word.target and not word.moved for other in tests if other.module is test.module for word in other.words
    )


def _tests(project: Project) -> dict[Key, list[Tested]]:
    found: dict[Key, list[Tested]] = {}
    for module in project.modules:
        for node in module.parents:
            for subject, parts in _tested(module, node):
                key = project.key(module, subject)
                held = plain(subject)
                if key is None and isinstance(held, ast.Attribute) and held.attr != "device":
                    key = Key("attribute", "", None, held.attr)  # an attribute of an object of unknown class
                words = tuple(word for part in parts for word in _strings(module, part))
                if key is not None and words:
                    found.setdefault(key, []).append(Tested(module, node, words, held))
    return found


def _tested(module: Module, node: ast.AST) -> Iterator[tuple[ast.AST, list[ast.AST]]]:
    """Yield the compared expression with the words that it is compared with."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = node.left, node.comparators[0]
        if isinstance(node.ops[0], ast.In | ast.NotIn) and module.words.get(left):
            yield right, [left]
        else:
            yield left, [right]
            if isinstance(node.ops[0], ast.Eq | ast.NotEq):
                yield right, [left]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "startswith":
        yield node.func.value, [*node.args]
    elif isinstance(node, ast.Match):
        yield node.subject, [case.pattern for case in node.cases]
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Dict):
        yield node.slice, [key for key in node.value.keys if key]
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name):
        for table in _tables(module, node.value.id):
            yield node.slice, [key for key in table.keys if key]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
        if isinstance(node.func.value, ast.Name):
            for table in _tables(module, node.func.value.id):
                yield node.args[0], [key for key in table.keys if key]


def _tables(module: Module, name: str) -> Iterator[ast.Dict]:
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            if any(getattr(target, "id", "") == name for target in node.targets):
                yield node.value


def _strings(module: Module, node: ast.AST) -> Iterator[Word]:
    parts: Sequence[ast.AST] = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "device":
        parts = node.args[:1]
    if isinstance(node, ast.pattern):
        parts = [item for item in ast.walk(node) if isinstance(item, ast.Constant)]
    for part in parts:
        word = module.words.get(part)
        if word and word.family in ("device", "ccl"):
            yield word


def _choices(project: Project) -> dict[str, list[tuple[Module, list[Word]]]]:
    found: dict[str, list[tuple[Module, list[Word]]]] = {}
    for module in project.modules:
        for node in module.parents:
            if isinstance(node, ast.Call) and (name := option_name(node)):
                for listed in _listed(project, module, node):
                    found.setdefault(name, []).append((module, list(_strings(module, listed))))
    return found


def _listed(project: Project, module: Module, call: ast.Call) -> Iterator[ast.AST]:
    """Yield the lists of words that an option accepts: the value of `choices=`, or the argument of `click.Choice(…)`;
    if this value or argument is a variable, also the lists that the file assigns to the variable."""
    for keyword in call.keywords:
        value: ast.AST = keyword.value
        if keyword.arg == "type" and isinstance(value, ast.Call) and getattr(value.func, "attr", "") == "Choice":
            value = value.args[0]
        elif keyword.arg != "choices":
            continue
        if isinstance(value, ast.Name) and (key := project.key(module, value)):
            yield from (source for home, source in project.given.get(key, ()) if home is module)
        yield value


def _option(project: Project, module: Module, node: ast.AST) -> Iterator[Record]:
    """Report options whose default, or the value that a call passes, is not among the words that the option accepts."""
    if isinstance(node, ast.Call) and option_name(node):
        given = [item.value for item in node.keywords if item.arg == "default"]
        yield from _disagree(module, node, given, [*_listed(project, module, node)])
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        listed = list(_literals(node.annotation))
        if isinstance(node.value, ast.Call):
            metadata = [item.value for item in node.value.keywords if item.arg == "metadata"]
            for item in metadata:
                if isinstance(item, ast.Dict):
                    listed += [v for k, v in zip(item.keys, item.values) if getattr(k, "value", "") == "choices"]
        yield from _disagree(module, node, [*alternatives(node.value)], listed)
    elif isinstance(node, FUNCTION):
        annotations = {arg.arg: arg.annotation for arg in (*node.args.args, *node.args.kwonlyargs) if arg.annotation}
        for name, value in defaults(node):
            if name in annotations:
                yield from _disagree(module, value, [value], [*_literals(annotations[name])])
    if isinstance(node, ast.Call) and (found := project.callee(module, node)):
        annotations = {
            arg.arg: arg.annotation for arg in (*found[1].args.args, *found[1].args.kwonlyargs) if arg.annotation
        }
        for name, value in arguments(found[1], node):
            listed = [*_literals(annotations[name])] if name in annotations else []
            words = [word for item in listed for word in _strings(found[0], item)]
            own = device_word(module, value)
            if own and words and (own.ported or own.stayed) and own.text not in {word.text for word in words}:
                if any(word.moved or own.moved for word in words):
                    yield record(module, node, "option", words[0].text)


def _literals(annotation: ast.AST | None) -> Iterator[ast.AST]:
    for node in ast.walk(annotation) if annotation is not None else ():
        if isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("Literal"):
            yield node.slice


def _disagree(module: Module, node: ast.AST, given: Sequence[ast.AST], listed: list[ast.AST]) -> Iterator[Record]:
    words = [word for item in listed for word in _strings(module, item)]
    sides = {word.target for word in words}
    for value in given:
        for part in alternatives(value):
            own = device_word(module, part)
            if own and len(sides) == 1 and own.target not in sides and (own.moved or words[0].moved):
                yield record(module, node, "option", f"{own.text}, {words[0].text}")
                return
