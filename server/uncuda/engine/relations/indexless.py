"""Finds calls of functions that take a device only with an index, if a variable without one is their argument:
`self.device = "cuda"` and `torch.cuda.mem_get_info(self.device)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from ... import lazy_re
from ...checks import Hit
from ...facts.digest import Digest
from ...facts.read import Facts
from ...facts.role_calls import last_word, parameter_of
from ...facts.scans import plain

_MOST = 100  # the maximum number of strings of each device that are looked at
_HOLDERS = frozenset({"self", "cls"})
_NAMED = lazy_re.compile(r"dev|(?:\w+_)?device")
# a value that is a device with an index, or an index
_INDEXED = lazy_re.compile(r"current_device\(|[\"']\w+:|device\([^()]*,|^[ \t]*\d|\bint\(|\.index\b")
_FILE = -1  # in place of a function's start: the name is an attribute, or a variable of the module


def indexless(hits: Sequence[Hit], facts: Facts, functions: Collection[str], device: str) -> Iterator[int]:
    """Yield the starts of calls of one of the `functions`, if their argument is a variable, attribute or parameter to
    which the file gives a device without an index: CUDA's, or `device`, the target's, which a fix may have written.
    Also if the argument is a variable called `device`, unless its function gives it a device with an index. `hits`: all
    hits of the text."""
    calls = list(_calls([hit for hit in hits if hit.words.get("name") in functions]))
    given = set(_given(facts, ("cuda", device))) if calls else set[tuple[str, int]]()
    unknown: dict[tuple[str, int], bool] = {}
    for hit, name in calls:
        scope = facts.indents.scope_start(hit.statement.start) if hit.statement is not None else _FILE
        if (name, scope) not in unknown:
            unknown[name, scope] = _NAMED.fullmatch(name) is not None and not _has_index(name, scope, facts)
        if unknown[name, scope] or (name, scope) in given or (name, _FILE) in given:
            yield hit.start


def _has_index(name: str, scope: int, facts: Facts) -> bool:
    """Return whether a function assigns only devices with an index to a variable."""
    start, end = (scope, facts.indents.extent(scope)) if scope >= 0 else (0, len(facts.text))
    facts.work.search(start, end)
    facts.layout.reads(start, end)
    assigned = re.compile(rf"^[ \t]*{name}[ \t]*=(?!=)([^\n]*)", re.M).findall(facts.text, start, end)
    return bool(assigned) and all(map(_INDEXED.search, assigned))


def _calls(hits: Sequence[Hit]) -> Iterator[tuple[Hit, str]]:
    """Yield the hits at calls, each with the name of the variable that the call gets, or with ".NAME" for the attribute
    NAME of an object."""
    for hit in hits:
        call = hit.parent
        given = [*call.args, *(one.value for one in call.keywords)] if isinstance(call, ast.Call) else []
        device = given[0] if given and isinstance(call, ast.Call) and hit.node is call.func else None
        if isinstance(device, ast.Name):
            yield hit, device.id
        elif isinstance(device, ast.Attribute) and isinstance(device.value, ast.Name) and device.value.id in _HOLDERS:
            yield hit, f".{device.attr}"


def _given(facts: Facts, devices: Collection[str]) -> Iterator[tuple[str, int]]:
    """Yield the names to which the file gives one of the devices, each with the start of the function for which it is
    known."""
    for quoted in (f"{quote}{device}{quote}" for device in devices for quote in "\"'"):
        places = islice(facts.searches.find(("text", quoted), plain(quoted)), _MOST)
        for _, statement in facts.statements_at(places):
            facts.work.compare(1 + len(statement.digest.texts))
            for text in statement.digest.texts:
                if text.value in devices:
                    yield from _of_statement(text.node, statement.digest, statement.start, facts)


def _of_statement(node: ast.AST, digest: Digest, at: int, facts: Facts) -> Iterator[tuple[str, int]]:
    """Yield the variables of an assignment, and the parameter with this default value. A parameter may become the
    attribute of the same name."""
    scope = facts.indents.scope_of(at)
    start = scope[0] if scope is not None and scope[1] != "class" else _FILE
    around = [node, *digest.ancestors(node)]
    call = around[1] if len(around) > 1 else None
    if isinstance(call, ast.Call) and last_word(call.func) == "device" and len(call.args) + len(call.keywords) > 1:
        return  # `torch.device("cuda", index)`
    for outer in around:
        for target in outer.targets if isinstance(outer, ast.Assign) else [getattr(outer, "target", None)]:
            if isinstance(target, ast.Name):
                yield target.id, start
                yield f".{target.id}", start  # of a class
            elif isinstance(target, ast.Attribute):
                yield f".{target.attr}", _FILE
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for parameter in (parameter_of(outer.args, one) for one in around):
                if parameter is not None:
                    yield parameter.arg, at
                    yield f".{parameter.arg}", _FILE
