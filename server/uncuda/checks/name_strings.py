"""Dotted names inside strings: `mock.patch("torch.cuda.empty_cache")`, `getattr(torch, "cuda")`.

The fix of a name inside a string has the same fix class, safe or review, as a fix of the name itself. The replaced name
in `mock.patch` must be the name that the tested code calls.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..edits import REVIEW, SAFE, Edit, Fix, lowest
from ..facts.digest import Text
from ..facts.model import Statement
from ..facts.role_calls import last_word
from ..messages.fixes import titled
from .base import Context, Hit, Links
from .verdicts import Judge, Verdict

LIMIT = "patched-elsewhere"
"""The id of the sentence that says why a fix needs review: `mock.patch`, or a similar call, replaces a name that this
file itself does not use, and it is not known that safe fixes change the code which uses the name, in other files
(`Project.carried`)."""
_SAID = re.compile(r"(?P<owner>(?:\w+\.)*?)(?P<name>torch(?:\.\w+)+)")
_PATCHES = frozenset({"patch", "setattr", "delattr"})
_IMPORTS = frozenset({"import_module", "importorskip"})
_ATTRIBUTES = frozenset({"delattr", "getattr", "hasattr", "setattr"})


class _Said(NamedTuple):
    """A string argument that contains a dotted name; `owner`: the module through which `mock.patch` finds the name."""

    text: Text
    call: ast.Call
    statement: Statement
    owner: str
    name: str


def string_hits(context: Context, judge: Judge, stuck: frozenset[str]) -> Iterator[Hit]:
    """Yield hits at strings that contain a dotted name. `stuck`: local names that no fix may change."""
    if not any(map(context.facts.says, ("patch(", "attr(", "import_module(", "importorskip("))):
        return
    for statement in context.statements:
        for text in statement.digest.texts:
            call = statement.digest.parents.get(text.node)
            if text.formatted or not isinstance(call, ast.Call) or text.node not in call.args:
                continue
            said = _said(text, call, statement, context)
            verdict = judge(said.name) if said is not None else None
            if said is not None and verdict is not None and not verdict.covered(context.shim):
                yield _hit(context, said, verdict, judge, stuck)


def _said(text: Text, call: ast.Call, statement: Statement, context: Context) -> _Said | None:
    function = last_word(call.func)
    if function in _ATTRIBUTES and call.args[1:2] == [text.node]:
        if isinstance(call.func, ast.Name) and context.resolve(call.args[0], statement) == "torch":
            return _Said(text, call, statement, "", f"torch.{text.value}")
        return None
    if call.args[0] is not text.node or function not in _PATCHES | _IMPORTS:
        return None
    match = _SAID.fullmatch(text.value)
    if match is None or (match["owner"] and function in _IMPORTS):
        return None
    return _Said(text, call, statement, match["owner"], match["name"])


def _hit(context: Context, said: _Said, verdict: Verdict, judge: Judge, stuck: frozenset[str]) -> Hit:
    text, statement, new = said.text, said.statement, verdict.replacement
    limits, written, links = verdict.limits, new, Links()
    start, end = (statement.start + offset for offset in text.piece.span(text.node))
    if last_word(said.call.func) in _IMPORTS:
        written, bound = context.target.module_path(new), _bound(said)
        links = (("alias", bound),) if bound else ()
        applicability = None if bound in stuck else SAFE if bound else REVIEW
    elif said.call.args[0] is text.node:
        links, applicability = (("patched", said.name),), SAFE
        if waits(said.name, context, said.owner):
            applicability, limits = REVIEW, (*limits, LIMIT)
    else:
        written, applicability = new.rpartition(".")[2], _taken(said, new, judge)
    applicability = lowest(verdict.applicability, applicability)
    place = Edit(start + 1 + len(said.owner), end - 1, written)
    fixes: tuple[Fix, ...] = ()
    if applicability is not None and context.text[place.start : place.end] == text.value[len(said.owner) :]:
        edits = (place, *context.requires(verdict.rule, start, new))
        fixes = (Fix(titled("replace", f"`{written}`"), applicability, edits),)
    return Hit(
        verdict.rule,
        start,
        end,
        verdict.words(said.name),
        fixes,
        links,
        limits,
        statement=statement,
        node=text.node,
        since=verdict.since,
    )


def _bound(said: _Said) -> str:
    """Return the variable that receives the module from an import call; "" if there is none."""
    parent = said.statement.digest.parents.get(said.call)
    target = parent.targets[0] if isinstance(parent, ast.Assign) else None
    return target.id if isinstance(target, ast.Name) else ""


def waits(name: str, context: Context, owner: str = "") -> bool:
    """Whether the fix of a name that a test replaces needs review for the reason `LIMIT`. `owner`: the module through
    which `mock.patch` finds the name."""
    context.asked.add(name)
    if (context.target.id, context.path, owner + name) in context.project.carried:
        return False
    if owner:
        return True
    context.facts.work.compare(len(context.facts.references) // 4)
    return all(reference.dotted != name for reference in context.facts.references)


def _taken(said: _Said, new: str, judge: Judge) -> str | None:
    """Return the fix class; in `getattr(torch, "cuda").synchronize`, it depends on whether the target has
    `synchronize`."""
    function = last_word(said.call.func)
    if not new.startswith("torch.") or new.count(".") != 1:
        return None
    if function == "hasattr":
        return SAFE
    parent = said.statement.digest.parents.get(said.call)
    if function != "getattr" or not isinstance(parent, ast.Attribute):
        return REVIEW
    member = judge(f"{said.name}.{parent.attr}")
    if member is None or member.replacement != f"{new}.{parent.attr}":
        return None
    return member.applicability
