"""Finds calls that raise an exception on the target, and device strings without a safe fix; conditions that guard such
code stay unchanged."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ... import lazy_re
from ...checks import Hit
from ...checks.chosen_module import MODULE_LACKS
from ...checks.mocked import MOCKED
from ...edits import SAFE
from ...facts.read import Facts, Statement
from ...facts.role_calls import last_word
from ...facts.scans import matches, plain, uses
from ...facts.scopes import CLASS
from .parts import is_within
from .questions import is_question

_WRONG = frozenset({"error", "warning"})
# calls that store a function which they receive, or call it
_TAKING = frozenset({"append", "add", "extend", "insert", "map", "partial"})
_HARDWARE = lazy_re.compile(r"cuda:\d+|gpu")
_QUOTED = lazy_re.compile(r"([\"'])(?:cuda:\d+|gpu)\1")
_SPELLED = ("cuda:", "gpu")
# the device for a program that is started: `["--device", "cuda"]`
_STARTED = lazy_re.compile(r"[\"']--[\w-]*device[\"'],[ \t]*[\"']cuda(?::\d+)?[\"']")
_HANDED_ON = lazy_re.compile(r"(?:(?<![!=<>])=|\bto\(|device\()[ \t]*\Z")
_COMPARED_WITH = lazy_re.compile(r"[ \t]*[!=]=[ \t]*[\"']")
_BEFORE = 20  # maximum number of characters between what takes a variable and the variable
_LIGHTNING, _TRAINER, _GPUS = "lightning", "Trainer", "gpus"
_GIVEN_GPUS = lazy_re.compile(r"gpus[ \t]*=(?!=)[ \t]*(?!(?:None|0)[ \t]*[,)\n])")
_NOT_KEPT = (ast.Compare, ast.Call, ast.Subscript)
_GIVEN = (ast.List, ast.Tuple, ast.Set, ast.keyword)
_COMPARED = (ast.Compare, ast.match_case)


def raising(hits: Sequence[Hit], classes: Sequence[str | None]) -> Iterator[Hit]:
    """Yield the hits without a safe fix at code that does not work on the target: names that are called, passed on or
    stored, names that a test reads from a mock of torch, modules that lack an attribute on the target, CUDA's module if
    `getattr` takes it by its name, arguments of a rule with `keeps-tests`, environment variables in an `assert`, and
    device strings that are not compared."""
    for index, hit in enumerate(hits):
        if classes[index] != SAFE and hit.node is not None and hit.statement is not None:
            if MOCKED in hit.words or MODULE_LACKS in hit.words:
                yield hit
            elif hit.rule.check == "string":
                wrong = hit.rule.severity in _WRONG and not hit.rule.get("message-text")
                if wrong and not is_within(hit.node, hit.statement, _COMPARED):
                    yield hit
            elif hit.rule.check == "argument" and _keeps(hit):
                yield hit
            elif hit.rule.check == "environment" and is_within(hit.node, hit.statement, (ast.Assert,)):
                yield hit
            elif _takes_module(hit):
                yield hit
            elif hit.rule.check in ("name", "method") and (not is_question(hit) or _of_none(hit, hit.node)):
                if _fails(hit, hit.node, hit.statement):
                    yield hit


def unsupported(hits: Sequence[Hit], classes: Sequence[str | None]) -> Iterator[Hit]:
    """Yield the hits without a safe fix at calls that need several devices and may fail on the target."""
    for index, hit in enumerate(hits):
        if classes[index] != SAFE and hit.rule.get("keeps-counts") and hit.node is not None:
            call = hit.parent
            if isinstance(call, ast.Call) and call.func is hit.node:
                yield hit


def imports_left(hits: Sequence[Hit], classes: Sequence[str | None]) -> Iterator[tuple[int, str]]:
    """Yield imported names without a safe fix, each with the offset of its import; calls of these names stay
    unchanged."""
    for index, hit in enumerate(hits):
        statement = hit.statement
        if classes[index] == SAFE or hit.rule.check != "name" or statement is None or is_question(hit):
            continue
        if _is_grave(hit):
            for binding in statement.digest.bindings:
                if binding.kind == "from" and binding.alias is not None:
                    start, end = (statement.start + at for at in statement.digest.piece.span(binding.alias))
                    if start <= hit.start < end:
                        yield statement.start, binding.name


def words_left(hits: Sequence[Hit], facts: Facts) -> Iterator[tuple[int, str]]:
    """Yield device strings that no check reports and that are stored in a variable or passed by keyword, each with an
    offset in the statement that contains the string. A yielded string is "cuda:" with an index, as in
    `devices + ("cuda:0",)`, or it is "gpu", as in `Trainer(accelerator="gpu")` for a library that supports only CUDA.
    Also yield the device for a program that is started, `["--device", "cuda"]`."""
    for at in facts.searches.find(("left", "--"), matches(_STARTED, "device")):
        if facts.layout.token_at(at) != "#" and not facts.layout.string_around(at):
            yield at, "--device"
    places = facts.searches.find(("left", *_SPELLED), _quoted)
    found = {(hit.statement.start, hit.node) for hit in hits if hit.statement is not None} if places else set()
    for at, statement in facts.statements_at(places):
        facts.work.compare(len(statement.digest.texts))
        for text in statement.digest.texts:
            if _HARDWARE.fullmatch(text.value) and (statement.start, text.node) not in found:
                if _is_kept(text.node, statement) and not _is_label(text.node, statement, facts):
                    yield at, text.value
                    break  # one string is enough to show that the statement stays on CUDA


def _is_label(word: ast.AST, statement: Statement, facts: Facts) -> bool:
    """Return whether a string is a label that only the file itself reads, `kind = "cpu" if not x.is_cuda else "gpu"`:
    the variable is compared with a string, and is no keyword argument, no value of another variable and no device."""
    choice = statement.digest.parents.get(word)
    assigned = statement.digest.parents.get(choice) if isinstance(choice, ast.IfExp) else None
    if (
        not isinstance(assigned, ast.Assign)
        or len(assigned.targets) > 1
        or not isinstance(assigned.targets[0], ast.Name)
    ):
        return False
    name, compared = assigned.targets[0].id, False
    for at in facts.searches.find(("flag", name), uses(name, True)):
        facts.work.compare()
        if _HANDED_ON.search(facts.text, max(0, at - _BEFORE), at):
            return False
        compared = compared or _COMPARED_WITH.match(facts.text, at + len(name)) is not None
    return compared


def gpus_left(facts: Facts) -> Iterator[tuple[int, str]]:
    """Yield the number of GPUs that a file gives to Lightning, `Trainer(gpus=1)`, each with its offset and the keyword.
    Lightning counts the devices of CUDA only. The values 0 and None ask for no GPU."""
    if not facts.says(_LIGHTNING):
        return
    for at in facts.searches.find(("left", _GPUS), matches(_GIVEN_GPUS, _GPUS)):
        statement = facts.peek(at) if facts.text[at - 1] in " \t\n(," and not facts.layout.token_at(at) else None
        calls = (node for node in statement.digest.parents if isinstance(node, ast.Call)) if statement else ()
        if any(last_word(call.func) == _TRAINER and any(one.arg == _GPUS for one in call.keywords) for call in calls):
            yield at, _GPUS


def _quoted(text: str, start: int, end: int) -> list[int]:
    """Return the offsets, after the opening quote, of strings that consist only of "gpu", or of "cuda:" and an index.
    This function is passed to `Searches.find`."""
    places = (at for word in _SPELLED for at in plain(word)(text, start, end))
    return sorted(at for at in places if _QUOTED.match(text, at - 1))


def constants_left(hits: Sequence[Hit], classes: Sequence[str | None], facts: Facts) -> Iterator[tuple[str, int, int]]:
    """Yield the names of constants whose value is a CUDA string without a safe fix, each with the span in which it is
    valid: for `class Device(Enum): CUDA = "cuda"`, `Device.CUDA` in the whole file and `self.CUDA` in the class."""
    for index, hit in enumerate(hits):
        statement = hit.statement
        if hit.rule.check != "string" or classes[index] == SAFE or hit.rule.severity not in _WRONG or statement is None:
            continue
        given = hit.parent
        targets = given.targets if isinstance(given, ast.Assign) else [getattr(given, "target", None)]
        for name in (target.id for target in targets if isinstance(target, ast.Name)):
            above = facts.indents.header_above(statement.start)
            if above is None:
                yield name, 0, len(facts.text)
            elif above.word == "class" and (match := CLASS.match(facts.text, above.start)):
                yield f"{match[1]}.{name}", 0, len(facts.text)
                for owner in ("self", "cls"):
                    yield f"{owner}.{name}", above.start, facts.indents.extent(above.start)


def _is_kept(word: ast.AST, statement: Statement) -> bool:
    """Return whether a string, or the expression that contains it, is stored in a variable or passed by keyword."""
    inner = word
    for outer in statement.digest.ancestors(word):
        if isinstance(outer, ast.keyword):
            return outer.arg is not None
        if isinstance(outer, (*_NOT_KEPT, ast.Expr)) or (isinstance(outer, ast.Dict) and inner in outer.keys):
            return False
        inner = outer
    return True


def _takes_module(hit: Hit) -> bool:
    """Return whether code takes CUDA's module by its name, `cuda = getattr(torch, "cuda", None)`: what it asks of the
    module, it asks of CUDA."""
    call = hit.parent
    return (
        hit.rule.check == "name"
        and hit.words.get("name") == "torch.cuda"
        and isinstance(hit.node, ast.Constant)
        and isinstance(call, ast.Call)
        and last_word(call.func) == "getattr"
    )


def _fails(hit: Hit, node: ast.AST, statement: Statement) -> bool:
    call = statement.digest.parents.get(node)
    if hit.rule.check == "method" and not hit.rule.get("call"):
        return True  # the value of the attribute is passed to native code
    if (isinstance(call, _GIVEN) or _is_indexed(call, node)) and (hit.rule.severity == "error" or _keeps(hit)):
        return True
    if not isinstance(call, ast.Call) or not (call.func is node or last_word(call.func) in _TAKING or _reads(call)):
        return False
    return _is_grave(hit) or _of_none(hit, node)


def _reads(call: ast.Call) -> bool:
    """Whether a call reads an attribute without a default: `getattr(torch.cuda.sparse, name)`."""
    return last_word(call.func) == "getattr" and len(call.args) == 2


def _is_grave(hit: Hit) -> bool:
    """Return whether code with the hit's name raises an exception on the target, or behaves so differently there that a
    condition around it that asks for CUDA has to stay."""
    return (hit.severity or hit.rule.severity) == "error" or _keeps(hit)


def _keeps(hit: Hit) -> bool:
    keeps = hit.rule.get("keeps-tests") or not {*hit.rule.get("keeps-tests-for", ())}.isdisjoint(hit.limits)
    return hit.severity != "information" and bool(keeps)


def _is_indexed(outer: ast.AST | None, node: ast.AST) -> bool:
    """Return whether code reads an item of a list or tuple of devices: `torch.cuda.default_generators[0]`."""
    return isinstance(outer, ast.Subscript) and outer.value is node


def _of_none(hit: Hit, node: ast.AST) -> bool:
    """Return whether a method is called on a value that is None on the target, `torch.version.cuda.split()`, even if a
    fix that needs review names another value."""
    name = hit.words.get("name", "").rpartition(".")[2]
    none = not hit.fixes or (hit.rule.check == "name" and is_question(hit))
    return none and isinstance(node, ast.Attribute) and node.attr != name
