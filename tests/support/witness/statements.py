"""Reports statements and calls that, after a fix, name both CUDA and the target."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .expressions import device_word, plain
from .module import FUNCTION, Module, Word
from .project import Project
from .record import Record, record
from .regions import sites, skipped
from .words import only_cuda

HANDLE = re.compile(r"stream|event|graph|pool|handle", re.IGNORECASE)
HEADERS = {"body", "orelse", "finalbody", "handlers", "cases"}
Sides = tuple[list[Word], list[Word]]  # CUDA words that the fix did not change, and words of the target that it wrote


def records(project: Project) -> Iterator[Record]:
    """Report half-ported statements and calls in all files that changed."""
    for module in project.modules:
        if not module.change.any:
            continue
        never = {site.node for site in sites(project, module) if skipped(site.guards)}
        for node in list(module.parents):
            if isinstance(node, ast.Call) and node not in never:
                yield from _call(project, module, node)
            if isinstance(node, ast.stmt):
                yield from _statement(module, node)


def _statement(module: Module, node: ast.stmt) -> Iterator[Record]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return
    for part in _parts(node):
        stayed, ported = _both(module, part)
        if stayed and ported:
            place = part if isinstance(part, ast.expr) and hasattr(part, "lineno") and hasattr(node, "body") else node
            yield record(module, place, "statement", f"{stayed[0].text}, {ported[0].text}")
            return


def _parts(node: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement itself; for a compound statement, those of its header."""
    if isinstance(node, FUNCTION):
        yield node.args
        return
    if isinstance(node, ast.ClassDef):
        return
    if not hasattr(node, "body"):
        yield node
        return
    for name, value in ast.iter_fields(node):
        if name in HEADERS:
            continue
        parts = [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, ast.AST)]
        if isinstance(node, ast.With | ast.AsyncWith) and len(parts) > 1:
            yield ast.Tuple(elts=[item.context_expr for item in parts if isinstance(item, ast.withitem)])
        else:
            yield from (item.context_expr if isinstance(item, ast.withitem) else item for item in parts)


def _both(module: Module, node: ast.AST) -> Sides:
    """Return two lists of words in an expression: the words that name CUDA, and the words that name the target. If each
    part of the expression is meant for a single device, CUDA or the target, as the branches of `a if test else b` are,
    each part is examined alone."""
    own = module.words.get(node)
    stayed = [own] if own and own.stayed else []
    ported = [own] if own and own.ported and not own.added else []
    if isinstance(node, ast.Dict):
        return _entries(module, node)
    children = [_both(module, child) for child in ast.iter_child_nodes(node) if not _label(module, child)]
    if _arms(module, node):
        for sides in children:
            if sides[0] and sides[1]:
                return sides
        if isinstance(node, ast.IfExp):
            test, body, orelse = (_both(module, part) for part in (node.test, node.body, node.orelse))
            for arm in (body, orelse):
                if (test[0] and arm[1]) or (test[1] and arm[0]):
                    return test[0] + arm[0], test[1] + arm[1]
        return (stayed, ported) if own else _rest(children)
    for sides in children:
        stayed, ported = stayed + sides[0], ported + sides[1]
    return stayed, ported


def _entries(module: Module, node: ast.Dict) -> Sides:
    """Return the device words of the first dictionary entry that names both CUDA and the target; if there is none,
    those of all entries."""
    entries = []
    mapped = _maps(module, node)
    for key, value in zip(node.keys, node.values):
        parts = [value] if key is None or mapped or _label(module, key) else [key, value]
        sides = [_both(module, part) for part in parts]
        entries.append(([word for one in sides for word in one[0]], [word for one in sides for word in one[1]]))
    return next((sides for sides in entries if sides[0] and sides[1]), _rest(entries))


def _maps(module: Module, node: ast.Dict) -> bool:
    """Return whether a dictionary has CUDA devices and devices of the target as keys, and only devices as values, as
    for `map_location`."""
    keys = [device_word(module, key) for key in node.keys if key]
    values = [device_word(module, plain(value)) for value in node.values]
    return {word.target for word in keys if word} == {True, False} and all(
        word is not None and word.family == "device" for word in values
    )


def _rest(children: list[Sides]) -> Sides:
    """Combine the device words of an expression's parts (`children`), each of which is meant for a single device:
    return all words if they all name CUDA or all name the target, otherwise none."""
    stayed = [word for sides in children for word in sides[0]]
    ported = [word for sides in children for word in sides[1]]
    return ([], []) if stayed and ported else (stayed, ported)


def _arms(module: Module, node: ast.AST) -> bool:
    """Return whether each part of an expression is meant for one device only, CUDA or the target, as both branches of
    `a if test else b` are."""
    if isinstance(node, ast.IfExp):
        return True
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        held = [item for item in node.elts if module.inside(item)]
        shapes = {type(item) for item in held}
        if isinstance(node, ast.Tuple) and isinstance(module.parents.get(node), ast.Return | ast.Assign):
            return False
        return len(shapes) <= 1 and all(len({word.target for word in module.inside(item)}) == 1 for item in held)
    if isinstance(node, ast.BoolOp):
        return all(len({word.target for word in module.inside(item)}) <= 1 for item in node.values) and any(
            word.target and not word.moved for word in module.inside(node)
        )
    return False


def _label(module: Module, node: ast.AST) -> bool:
    """Return whether a string is only a label, such as the key under which a result is stored."""
    parent, word = module.parents.get(node), module.words.get(node)
    if word and word.family == "other":
        return False
    if isinstance(parent, ast.Subscript) and parent.slice is node:
        value = module.parents.get(parent)
        stored = isinstance(parent.ctx, ast.Store) and isinstance(value, ast.Assign)
        return not (stored and isinstance(value, ast.Assign) and dispatched(value.value))
    if isinstance(parent, ast.Dict) and node in parent.keys:
        return not dispatched(parent.values[parent.keys.index(node)])
    return False


def dispatched(value: ast.AST) -> bool:
    """Return whether a value in a dictionary is meant to be selected by its key: a constant, a name or a function is,
    but a computed value, such as a measurement, is not."""
    return isinstance(value, ast.Constant | ast.Name | ast.Attribute | ast.Lambda | ast.JoinedStr)


def _call(project: Project, module: Module, node: ast.Call) -> Iterator[Record]:
    """Report a call of a function for CUDA with an argument for the target, or the reverse."""
    callee = module.words.get(node.func)
    dotted = module.resolve(node.func)
    foreign = only_cuda(dotted, module.target) and not project.is_own(dotted)
    if foreign or (callee and (callee.stayed or callee.ported)):
        outer_target = bool(callee and callee.target)
        for value in (*node.args, *(item.value for item in node.keywords)):
            for word in _handed(project, module, value, follow=bool(foreign)):
                if foreign and not HANDLE.search(word.text):
                    continue  # only handles (e.g. of streams) are reported: a tensor may be on CUDA or on the target
                if word.ported if not outer_target else word.stayed:
                    yield record(module, node, "call", word.text)
                    return
        for keyword in node.keywords:
            if outer_target and keyword.arg == "cuda_graph":
                yield record(module, node, "call", "cuda_graph")
                return


def _handed(project: Project, module: Module, value: ast.AST, *, follow: bool) -> Iterator[Word]:
    """Yield the device words (such as `cuda`) in an argument of a call; for a variable, those in its values. Unless
    `follow` is set, nothing is yielded for a variable whose values name both CUDA and the target."""
    if isinstance(value, ast.IfExp):
        yield from (
            *_handed(project, module, value.body, follow=follow),
            *_handed(project, module, value.orelse, follow=follow),
        )
        return
    if isinstance(value, ast.Lambda | ast.Dict | ast.ListComp | ast.GeneratorExp):
        return
    if isinstance(value, ast.Name) and follow:
        key = project.key(module, value)
        for home, source in project.given.get(key, ()) if key else ():
            yield from home.inside(source)
        return
    if isinstance(value, ast.Name | ast.Attribute) and value not in module.words:
        key = project.key(module, value)
        held = [device_word(home, source) for home, source in project.sources(key)] if key else []
        if len({word.target for word in held if word and word.family == "device"}) == 1:
            yield from (word for word in held if word and word.family == "device")
        return
    for node in ast.walk(value):
        word = module.words.get(node)
        parent = module.parents.get(node)
        label = isinstance(parent, ast.Subscript) and parent.slice is node
        if word and word.family not in ("other", "import", "path") and not label:
            yield word
