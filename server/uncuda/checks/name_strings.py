"""Dotted names inside strings: `mock.patch("torch.cuda.empty_cache")`, `getattr(torch, "cuda")`; also names of which a
string is the last part: `setattr(app.dist.torch.cuda, "empty_cache", f)`.

The fix of a name inside a string has the same fix class, safe or review, as a fix of the name itself. The replaced name
in `mock.patch` must be the name that the tested code calls.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from .. import lazy_re
from ..edits import REVIEW, SAFE, Edit, Fix, lowest
from ..facts.digest import Text
from ..facts.model import Statement
from ..facts.role_calls import last_word
from ..messages.fixes import titled
from .base import At, Context, Hit, Links
from .verdicts import Judge, Verdict

LIMIT = "patched-elsewhere"
"""The id of the sentence that says why a fix needs review: `mock.patch`, or a similar call, replaces a name that this
file itself does not use, and it is not known that safe fixes change the code which uses the name, in other files
(`Project.carried`)."""
_SAID = lazy_re.compile(r"(?P<owner>(?:\w+\.)*?)(?P<name>torch(?:\.\w+)+)")
_CUDA = "torch.cuda"
_OF_MODULE = lazy_re.compile(r"(?P<owner>(?P<root>\w+)\.(?:\w+\.)*)torch\.cuda")
_CALLS = ("patch(", "patch.object(", "attr(", "import_module(", "importorskip(")
_PATCHES = frozenset({"patch", "setattr", "delattr"})
_IMPORTS = frozenset({"import_module", "importorskip"})
_ATTRIBUTES = frozenset({"delattr", "getattr", "hasattr", "setattr"})
_REPLACES = frozenset({"delattr", "object", "setattr"})


class _Said(NamedTuple):
    """A string argument that contains a dotted name, or its last part; `owner`: the module through which `mock.patch`
    finds the name, "app.dist."; `module`: the node of `app.dist.torch.cuda`, if the string is the last part."""

    text: Text
    call: ast.Call
    statement: Statement
    owner: str
    name: str
    module: ast.expr | None = None


def string_hits(context: Context, judge: Judge, stuck: frozenset[str]) -> Iterator[Hit]:
    """Yield hits at strings that contain a dotted name. `stuck`: local names that no fix may change."""
    if not any(map(context.facts.says, _CALLS)):
        return
    for statement in context.statements:
        for text in statement.digest.texts:
            call = statement.digest.parents.get(text.node)
            if text.formatted or not isinstance(call, ast.Call) or text.node not in call.args:
                continue
            said = _said(text, call, statement, context)
            verdict = judge(said.name) if said is not None else None
            if said is None or verdict is None or verdict.covered(context.shim):
                continue
            if said.module is not None:
                yield _attribute_hit(context, said, said.module, verdict)
            else:
                yield _hit(context, said, verdict, judge, stuck)


def _said(text: Text, call: ast.Call, statement: Statement, context: Context) -> _Said | None:
    function = last_word(call.func)
    if call.args[1:2] == [text.node]:
        if function not in _ATTRIBUTES | _REPLACES:
            return None
        if isinstance(call.func, ast.Name) and context.resolve(call.args[0], statement) == "torch":
            return _Said(text, call, statement, "", f"torch.{text.value}")
        return _replaced(text, call, statement, context) if function in _REPLACES else None
    if call.args[0] is not text.node or function not in _PATCHES | _IMPORTS:
        return None
    match = _SAID.fullmatch(text.value)
    if match is None or (match["owner"] and function in _IMPORTS):
        return None
    return _Said(text, call, statement, match["owner"], match["name"])


def _replaced(text: Text, call: ast.Call, statement: Statement, context: Context) -> _Said | None:
    """Return the name that a call replaces in the module torch of an imported module, `torch.cuda.Stream` for
    `setattr(app.dist.torch.cuda, "Stream", f)`; None if there is none."""
    module = call.args[0]
    start, end = (statement.start + offset for offset in statement.digest.span(module))
    match = _OF_MODULE.fullmatch(context.text[start:end])
    if match is None or not context.foreign_name(match["root"]):
        return None
    return _Said(text, call, statement, match["owner"], f"{_CUDA}.{text.value}", module)


def _attribute_hit(context: Context, said: _Said, module: ast.expr, verdict: Verdict) -> Hit:
    """Return the hit at `torch.cuda` in a call that replaces one of its attributes."""
    statement, text = said.statement, said.text
    end = statement.start + statement.digest.span(module)[1]
    start = end - len(_CUDA)
    quoted, closed = (statement.start + offset for offset in text.piece.span(text.node))
    applicability, why = class_of_replaced(said.name, verdict, context, said.owner)
    new, _, last = verdict.replacement.rpartition(".")
    plain = context.text[quoted + 1 : closed - 1] == text.value and new.partition(".")[0] == "torch"
    fixes: tuple[Fix, ...] = ()
    if applicability is not None and plain:
        named = [Edit(quoted + 1, closed - 1, last)] if last != text.value else []
        edits = (Edit(start, end, new), *named, *context.requires(verdict.rule, start, verdict.replacement))
        fixes = (Fix(titled("replace", f"`{verdict.replacement}`"), applicability, edits),)
    return Hit(
        verdict.rule,
        start,
        end,
        verdict.words(said.name),
        fixes,
        replaced_links(said.name, context, statement),
        (*verdict.limits, *why),
        statement=statement,
        node=module,
        since=verdict.since,
    )


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
        if is_carried(said.owner + said.name, context):  # whatever else is in this file
            links = (("carried", At(statement.start), id(text.node)),)
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


def replaced_links(name: str, context: Context, statement: Statement) -> Links:
    """Return the key of `Hit.links` for a name that `setattr` or a similar call replaces, and the key for the function
    that replaces it; hits with the same key are fixed only together. A test that replaces several names of `torch.cuda`
    runs code of another file that reads all of them, ported or not."""
    scope = context.facts.indents.scope_of(statement.start)
    return (("patched", name), *([("patches", At(scope[0]))] if scope else []))


def class_of_replaced(
    name: str, verdict: Verdict, context: Context, owner: str = ""
) -> tuple[str | None, tuple[str, ...]]:
    """Return the safest class of a fix of a name that `setattr` or a similar call replaces, and the ids of sentences in
    `rules/limits.tsv` about it. `owner`: see `waits`.

    A function that a test replaces needs review if the code under test may stay, or if it returns numbers that mean
    something only for CUDA: code of other files that compares them has no safe fix."""
    numbers = verdict.rule.get("numbers", {}).get(name) == [] and not context.target.has("capability")
    why = (LIMIT,) if waits(name, context, owner) else ()
    return lowest(verdict.applicability, REVIEW if numbers or why else SAFE), why


def is_carried(string: str, context: Context) -> bool:
    """Return whether a name that a test replaces is known to move with the code of another file; `string`: the name as
    `Project.carried` lists it."""
    return (context.target.id, context.path, string) in context.project.carried


def waits(name: str, context: Context, owner: str = "") -> bool:
    """Whether the fix of a name that a test replaces needs review for the reason `LIMIT`. `owner`: the module through
    which `mock.patch` finds the name."""
    context.asked.add(name)
    if is_carried(owner + name, context):
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
