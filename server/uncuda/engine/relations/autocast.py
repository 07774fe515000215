"""Finds conditions that ask whether autocast is on, code that reads the dtype that autocast uses, scalers without
which autocast loses small gradients, and decorators that make autocast when the file is imported."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from ... import lazy_re
from ...checks import Hit
from ...facts.read import Facts, Statement
from ...facts.role_calls import last_word
from ...facts.scans import plain
from ...facts.scopes import Header
from ...project import Project

OFF = "autocast-off"
"""The id in rules/limits.tsv of the sentence "a decorator that turns autocast off stays"."""
_ON_HOST = lazy_re.compile(r"\bdevice\b[^=,()]*=[ \t]*(?:torch\.device\([ \t]*)?[\"']cpu[\"']")
_OF_DEVICE = lazy_re.compile(r"device\b|is_available\(|\.is_\w+")
_GIVEN = lazy_re.compile(r"\bdevice[ \t]*[:=,)]")
_OF_SCRIPTS = ("__main__", "argparse")
_CHOOSING, _AMP = frozenset({"name", "method", "string"}), ".amp."
_INIT = "def __init__("
_LONGEST = 2000  # maximum number of characters of a header that are read
_CUDAS_SCALER, _MAKES = "GradScaler", "GradScaler("
_ASKED = "is_autocast_enabled"
_DTYPE = lazy_re.compile(r"autocast_dtype\([^()\n]*\Z|autocast_gpu_dtype\Z")
_AUTOCAST, _SCALER, _SCALES = "autocast", "Scaler", "scaler(loss"
_DECORATOR = lazy_re.compile(r"[ \t]*@[ \t]*(?:(\w+\.)+|\w*)autocast[ \t]*\(")
_OFF = lazy_re.compile(r"\benabled[ \t]*=[ \t]*False\b")
_NEAR = 40  # maximum number of characters between the name of a function and its argument


def asks_autocast(hit: Hit) -> bool:
    """Return whether a hit asks for a state that the program has set for a device, such as autocast, instead of asking
    for the device."""
    return hit.rule.check == "argument" and _word(hit) == _ASKED


def dtypes_of_autocast(hits: Sequence[Hit], text: str) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices in `hits`: a hit that asks whether autocast is on, and a hit that reads the dtype of
    autocast. The hit that asks is fixed only together with the hit that reads the dtype, so that no tensor is cast to
    CUDA's dtype."""
    asking = [index for index, hit in enumerate(hits) if asks_autocast(hit)]
    for index, hit in enumerate(hits) if asking else ():
        before = text[max(hit.start - _NEAR, 0) : hit.start]
        if _DTYPE.search(hit.words.get("name", "")) or _DTYPE.search(before):
            yield from ((one, index) for one in asking)


def unscaled(hits: Sequence[Hit], facts: Facts, project: Project) -> Iterator[tuple[int, None]]:
    """Yield the indices in `hits`, each with None, of hits at `autocast` beside a scaler that is CUDA's by default and
    gets no device from a safe fix, as `NativeScaler()` of timm. With autocast alone, training in float16 loses small
    gradients. If another file of the project makes such a scaler, it is beside code that calls one: `loss_scaler(loss,
    optimizer)`."""
    own = any(hit.rule.check == "argument" and _word(hit).endswith(_SCALER) and not hit.is_safe for hit in hits)
    if own or (project.scales_on_cuda and facts.says(_SCALES)):
        yield from ((index, None) for index, hit in enumerate(hits) if _word(hit) == _AUTOCAST)


def scaling_on_host(hits: Sequence[Hit], facts: Facts) -> Iterator[int]:
    """Yield the starts of the hits at CUDA's scaler and autocast, also at imports, if it may scale losses on the
    CPU: in a function whose device is the CPU by default, `def train(model, device="cpu")`, and, except in a
    script, where the caller chooses the device, or where nothing in the file chooses one. CUDA's scaler switches
    itself off if there is no CUDA; that of a target without the feature `host-scaler` stays on if there is a
    device, and then takes no loss on the CPU. Autocast stays with the scaler: in float16 alone, training loses
    small gradients."""
    scalers = [hit for hit in hits if hit.rule.check == "name" and _is_amp(hit)] if facts.says(_MAKES) else []
    places = facts.searches.find(("text", _MAKES), plain(_MAKES)) if scalers else ()
    called = not any(map(facts.says, _OF_SCRIPTS)) if places else False
    alone = called and not any(map(_chooses, hits))
    inits = _inits(facts) if called else None
    asked: dict[int, bool] = {}
    for at in places:
        statement = None if facts.layout.token_at(at) else facts.peek(at)
        scope = facts.indents.scope_start(at)
        if scope not in asked:
            asked[scope] = scope >= 0 and (alone or _may_be_host(scope, inits, facts))
        if statement is not None and asked[scope] and _is_on(statement, facts):
            yield from (hit.start for hit in hits if hit.rule.check in _CHOOSING and not _chooses(hit))
            return


def _chooses(hit: Hit) -> bool:
    """Return whether a hit is at code for CUDA other than autocast and scalers, which run on any device."""
    return hit.rule.check in _CHOOSING and not (_is_amp(hit) or _is_given(hit, (_AUTOCAST, _CUDAS_SCALER)))


def _is_amp(hit: Hit) -> bool:
    return _AMP in f"{hit.words.get('name', '')}."


def _may_be_host(scope: int, inits: Mapping[int, int] | None, facts: Facts) -> bool:
    """Return whether the device may be the CPU in a function or class, by its default or by its caller, who gives it to
    the function, or to the `__init__` of the class around it. `inits`: the result of `_inits`; None if no caller
    counts."""
    inner = facts.indents.header_at(scope)
    if _says(_ON_HOST, inner, facts):
        return True
    for header in (inner, *facts.indents.headers(scope)) if inits is not None else ():
        given = facts.indents.header_at(inits[header.start]) if inits and header.start in inits else header
        if given.word == "def" and _says(_GIVEN, given, facts):
            return True
    return False


def _inits(facts: Facts) -> dict[int, int]:
    """Return the offset of `__init__` of each class, by the offset of the class's header."""
    found = (at for at in facts.searches.find(("text", _INIT), plain(_INIT)) if not facts.layout.token_at(at))
    around = ((facts.indents.scope_of(at), at) for at in found)
    return {scope[0]: at for scope, at in around if scope is not None}


def _says(pattern: re.Pattern[str], header: Header, facts: Facts) -> bool:
    end = min(header.end, header.start + _LONGEST)
    facts.work.search(header.start, end)
    return pattern.search(facts.text, header.start, end) is not None


def _is_on(statement: Statement, facts: Facts) -> bool:
    """Return whether a statement makes a scaler that is on for every device: without `enabled`, or with a value that
    does not name the device, and behind no condition about devices."""
    for header in (facts.indents.header_at(statement.start), *facts.indents.headers(statement.start)):
        if header.word == "def":
            break
        if _says(_OF_DEVICE, header, facts):
            return False
    facts.work.compare(len(statement.digest.parents))
    calls = (node for node in statement.digest.parents if isinstance(node, ast.Call))
    for call in calls:
        if last_word(call.func) == _CUDAS_SCALER:
            enabled = next((one.value for one in call.keywords if one.arg == "enabled"), None)
            if not isinstance(enabled, ast.Constant) or enabled.value:
                return True
    return False


def decorating(hits: Sequence[Hit], facts: Facts, limit: str) -> dict[int, str]:
    """Return the starts of the hits in a decorator that calls `autocast`, and of those at an import of `autocast` if
    such a decorator uses the imported name: `@autocast(enabled=False)`. The call runs when the file is imported. If
    such a decorator turns autocast off, also return the starts of the hits at all other calls of `autocast` in the
    file: code that a decorator keeps in float32 would otherwise run in a lower precision. Each start has the id of the
    sentence that says why the fix is not safe. `limit`: the id of the sentence that says that `autocast` starts the
    device when the file is imported."""
    starts, alone, off = set[int](), False, False
    for at in facts.searches.find(("text", _AUTOCAST), plain(_AUTOCAST)) if facts.says("@") else ():
        start, end = facts.layout.logical_line(at)
        match = _DECORATOR.match(facts.text, start)
        if match is not None and match.end() > at and not facts.layout.token_at(at):
            starts.add(start)
            alone = alone or match[1] is None
            facts.work.search(at, end)
            off = off or _OFF.search(facts.text, at, end) is not None
    found: dict[int, str] = {}
    for hit in hits if starts else ():
        line, _ = facts.layout.logical_line(hit.start)
        if line in starts or (alone and _word(hit) == _AUTOCAST and hit.is_import):
            found[hit.start] = limit
        elif off and (_word(hit) == _AUTOCAST or _is_given(hit)):
            found[hit.start] = OFF
    return found


def _is_given(hit: Hit, functions: Collection[str] = (_AUTOCAST,)) -> bool:
    """Return whether a hit is at the device that a call of one of the functions gets: `autocast("cuda")`."""
    outer = hit.parent if hit.rule.check == "string" else None
    if isinstance(outer, ast.keyword) and hit.statement is not None:
        outer = hit.statement.digest.parents.get(outer)
    return isinstance(outer, ast.Call) and last_word(outer.func) in functions


def _word(hit: Hit) -> str:
    """Return the last segment of the name that a hit reports; "" if it reports no name."""
    return hit.words.get("name", "").rpartition(".")[2]
