"""Finds conditions that make the program fall back to the CPU if a device was named that is not available: `if device
== "cuda" and not torch.cuda.is_available(): device = "cpu"`, or `if not torch.cuda.is_available(): cfg.DEVICE = "cpu"`
in a file that gives `DEVICE` no device of CUDA. Also finds `torch.device(args.cuda_base if torch.cuda.is_available()
else "cpu")` in such a file."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence

from ... import lazy_re
from ...checks import Hit
from ...checks.branches import Branches
from ...facts.layout import without_comments
from ...facts.read import Statement
from ...facts.role_calls import last_word, spelled
from ...facts.scans import whole_word
from ...facts.scopes import Header
from .parts import choice_of, taker
from .questions import Questions, hits_in, is_question

# the assignment of "cpu" to an attribute or an item that is named for a device: `cfg.MODEL.DEVICE = "cpu"`
_CPU = lazy_re.compile(
    r"^[ \t]*[\w.]*(?:\.(\w*device)|\[[\"'](\w*device)[\"']\])[ \t]*=[ \t]*(?:\w+\.)?(?:device\()?[\"']cpu[\"']",
    re.M | re.I,
)
# the value that an attribute or item gets: a variable (group 1), a string, or something else
_VALUE = lazy_re.compile(
    r"[\"']?\]?[ \t]*(?::[^=\n]+)?=(?!=)[ \t]*(?:(\w+)[ \t]*$|(?:\w+\.)?(?:device\()?[\"'][^\"'\n]*[\"'])?", re.M
)
_SETS = lazy_re.compile(r"(?:[^=!<>]=(?!=)|\breturn\b)[^\n]*[\"']cpu[\"']")
# a value of a configuration, `cfg.run.device`, and the nodes that may get it
_CONFIGURATION = lazy_re.compile(r"(?:\w+\.)?\w*(?:cfg|config|configuration|conf|hparams)\.")
_TAKING = (ast.Assign, ast.AnnAssign, ast.Call, ast.Return, ast.keyword)
_TAKERS = frozenset({"device", "to"})
_TESTS = (ast.Compare, ast.match_case)
_BEGINNINGS = frozenset({"startswith", "endswith"})
_NAMED = frozenset({"name", "field"})  # the first items of the keys in `Hit.links` that stand for variables and options
_QUOTES = ("'", '"')
_QUOTED = ('"cpu"', "'cpu'")


def of_falling(hits: Sequence[Hit], questions: Questions, branches: Branches) -> Iterator[int]:
    """Yield the indices of the hits in such conditions: device strings, and functions such as `is_available`.

    A configuration file, a library's default, or a caller in another file, may still name CUDA, and no fix changes this
    name. The unchanged condition finds that CUDA is not available, and the program runs on the CPU. The fixed condition
    would not find the name, and PyTorch would raise an exception. If a fix changes a string of this file that the
    compared variable may hold, such as a default, the condition changes, too. The same is true of a condition that
    compares nothing, if its block gives an attribute or item the value "cpu".
    """
    if not any(branches.says(word) for word in _QUOTED):
        return
    given: set[str] | None = None
    inner: list[tuple[int, int]] | None = None
    for start in questions.conditions:
        header = branches.indents.header_at(start)
        missing = _missing(header, hits, questions, branches) if header.word in ("if", "elif") else []
        words = _words(header, hits, questions, branches) if missing else []
        if missing and not words and (above := branches.indents.header_above(start)) and above.word == "if":
            words = _words(above, hits, questions, branches)
        if missing and not words:
            inner = _compared(hits) if inner is None else inner
            words = _inner_words(
                header, hits_in(inner, (header.end, branches.indents.extent(start))), questions, branches
            )
        if missing and _falls_back(header, questions, branches):
            given = _given(hits) if given is None else given
            names = [_compared_names(hits[word]) for word in _distinct(words, hits)]
            if all(map(given.isdisjoint, names)) and (names or _is_set_elsewhere(header, given, branches)):
                yield from (*words, *missing)
    for kept in _answers_kept(hits, branches):
        given = _given(hits) if given is None else given
        names = [_compared_names(hits[index]) for index in kept if _is_word(hits[index])]
        if all(map(given.isdisjoint, names)):
            yield from kept
    for index, hit in enumerate(hits):
        if name := _chosen_name(hit):
            given = _given(hits) if given is None else given
            if name not in given:
                yield index


def _answers_kept(hits: Sequence[Hit], branches: Branches) -> Iterator[list[int]]:
    """Yield the indices of the hits in each condition that a variable keeps, or that chooses "cpu" in an expression:
    `missing = device.startswith("cuda") and not torch.cuda.is_available()`."""
    found: dict[int, tuple[list[int], list[int]]] = {}
    for index, hit in enumerate(hits):
        inner, denied = hit.node, False
        for outer in hit.statement.digest.ancestors(inner) if hit.statement is not None and inner is not None else ():
            branches.work.compare()
            denied = denied or (isinstance(outer, ast.UnaryOp) and isinstance(outer.op, ast.Not))
            if isinstance(outer, ast.BoolOp):
                if isinstance(outer.op, ast.And) and _is_kept(outer, hit.statement):
                    words, missing = found.setdefault(id(outer), ([], []))
                    if _is_word(hit) and not denied and _is_named(hit):
                        words.append(index)
                    elif not _is_word(hit) and denied and is_question(hit):
                        missing.append(index)
                break
    yield from ([*words, *missing] for words, missing in found.values() if words and missing)


def _is_named(hit: Hit) -> bool:
    """Return whether a comparison is true where a device has the name of the string."""
    comparison = _comparison(hit)
    ops = comparison.ops if isinstance(comparison, ast.Compare) else []
    return comparison is not None and not any(isinstance(op, (ast.NotEq, ast.NotIn)) for op in ops)


def _is_kept(test: ast.BoolOp, statement: Statement | None) -> bool:
    outer = statement.digest.parents.get(test) if statement is not None else None
    if isinstance(outer, ast.IfExp):
        return test is outer.test and isinstance(outer.body, ast.Constant) and outer.body.value == "cpu"
    return isinstance(outer, (ast.Assign, ast.AnnAssign)) and test is outer.value


def _chosen_name(hit: Hit) -> str:
    """Return the name of the device that a question for CUDA chooses, if the device is one with "cuda" in its name, or
    an entry of a configuration: `cuda_base` for `torch.device(args.cuda_base if torch.cuda.is_available() else "cpu")`,
    `device` for `x = config["device"] if torch.cuda.is_available() else "cpu"`, also for `cfg.run.device`; "" if there
    is none."""
    choice = choice_of(hit) if hit.rule.check == "name" and is_question(hit) else None
    if hit.statement is None or choice is None or not isinstance(choice.test, ast.Call):
        return ""
    if not isinstance(choice.orelse, ast.Constant) or choice.orelse.value != "cpu":
        return ""
    outer, name = hit.statement.digest.parents.get(choice), last_word(choice.body).lower()
    configured = isinstance(choice.body, ast.Subscript) or _CONFIGURATION.match(spelled(choice.body))
    if configured and "device" in name and isinstance(outer, _TAKING):
        return last_word(choice.body)
    takes = isinstance(outer, ast.Call) and last_word(outer.func) in _TAKERS and choice in outer.args
    named = isinstance(choice.body, (ast.Name, ast.Attribute, ast.Subscript)) and "cuda" in name
    return last_word(choice.body) if takes and named else ""


def _operands(header: Header, branches: Branches) -> tuple[Statement | None, list[ast.expr]]:
    """Return the statement of a header, and the operands of its condition if they are joined by `and`."""
    statement = branches.facts.peek(header.start)
    node = next(iter(statement.digest.piece.nodes), None) if statement is not None else None
    if not isinstance(node, ast.If):
        return None, []
    test = node.test
    return statement, test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]


def _missing(header: Header, hits: Sequence[Hit], questions: Questions, branches: Branches) -> list[int]:
    """Return the indices of hits such as `is_available` that must be false for the block of an `if` to run."""
    statement, operands = _operands(header, branches)
    denied = [one for one in operands if isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.Not)]
    found = (index for one in denied for index in questions.within(one, statement)) if statement is not None else ()
    return [index for index in found if is_question(hits[index]) and not _is_word(hits[index])]


def _words(header: Header, hits: Sequence[Hit], questions: Questions, branches: Branches) -> list[int]:
    """Return the indices of device strings with which the condition of an `if` compares a value."""
    statement, operands = _operands(header, branches)
    if statement is None:
        return []
    plain = (one for one in operands if not questions.denies(one, statement))
    return [index for one in plain for index in questions.within(one, statement) if _is_word(hits[index])]


def _compared(hits: Sequence[Hit]) -> list[tuple[int, int]]:
    """Return (start, index) of the hits at device strings with which code compares a value, sorted."""
    strings = ((index, hit) for index, hit in enumerate(hits) if _is_word(hit))
    return sorted((hit.start, index) for index, hit in strings if _comparison(hit) is not None)


def _inner_words(
    header: Header, compared: Sequence[tuple[int, int]], questions: Questions, branches: Branches
) -> list[int]:
    """Return the indices of device strings with which the condition of an `if` in the block of a header compares a
    value, if this `if` is what sets or returns "cpu". `compared`: (start, index) of the strings in the block."""
    found = []
    for at, index in compared:
        branches.work.compare()
        inner = branches.indents.header_at(at)
        if inner.word == "if" and inner.start > header.start and _falls_back(inner, questions, branches):
            found.append(index)
    return found


def _distinct(words: Sequence[int], hits: Sequence[Hit]) -> Collection[int]:
    """Return one of the device strings of each comparison."""
    return {id(_comparison(hits[index])): index for index in words}.values()


def _is_word(hit: Hit) -> bool:
    return hit.rule.check == "string"


def _falls_back(header: Header, questions: Questions, branches: Branches) -> bool:
    """Return whether the block of a header sets or returns "cpu", and does not end with an exception or a skip."""
    end = branches.indents.extent(header.start)
    branches.work.search(header.start, end)
    branches.facts.layout.reads(header.start, end)
    text = without_comments(branches.text[header.start : end])
    return _SETS.search(text) is not None and not questions.raises(header)


def _is_set_elsewhere(header: Header, given: Collection[str], branches: Branches) -> bool:
    """Return whether the block of an `if` without `else` only gives attributes or items the value "cpu" that get their
    other values outside of this file: the file gives them none, or that of a variable which is not in `given`, such as
    a parameter."""
    if any(clause.start > header.start for clause in branches.indents.clauses(header)):
        return False
    end = branches.indents.extent(header.start)
    branches.work.search(header.end, end)
    block = without_comments(branches.text[header.end : end])
    names = {match[1] or match[2] for match in _CPU.finditer(block)}
    return bool(names) and not any(_is_given(name, given, branches) for name in names)


def _is_given(name: str, given: Collection[str], branches: Branches) -> bool:
    """Return whether the file gives an attribute or item of this name a device of CUDA: a value that is neither a
    string nor a variable, or a variable that is in `given`. A string that a safe fix changes is in `given`, too."""
    if name in given:
        return True
    text, places = branches.text, branches.facts.searches.find(("fallback", name), whole_word(name))
    branches.work.compare(len(places))
    values = (_VALUE.match(text, at + len(name)) for at in places if text[at - 1 : at] in (".", '"', "'"))
    return any(value[1] in given if value[1] else value[0][-1:] not in _QUOTES for value in values if value is not None)


def _given(hits: Sequence[Hit]) -> set[str]:
    """Return the names of the variables and options that may hold a device which a safe fix changes: a string, or the
    result of a function such as `torch.cuda.current_device`."""
    devices = (hit for hit in hits if hit.is_safe and (_is_word(hit) or not is_question(hit)))
    changed = [hit for hit in devices if _comparison(hit) is None]
    named = {str(key[1]) for hit in changed if _is_word(hit) for key in hit.links if key[0] in _NAMED}
    return named | {*map(taker, changed)} - {""}


def _compared_names(hit: Hit) -> set[str]:
    """Return the names in a comparison with a string, and the names of the variables and options that the compared
    value comes from."""
    names = {str(key[1]) for key in (*hit.links, *hit.sources) if key[0] in _NAMED}
    comparison = _comparison(hit)
    parts = list(ast.walk(comparison)) if comparison is not None else []
    names |= {part.id for part in parts if isinstance(part, ast.Name)}
    return names | {part.attr for part in parts if isinstance(part, ast.Attribute)}


def _comparison(hit: Hit) -> ast.AST | None:
    """Return the comparison that a string is a part of, or the call of `startswith` or `endswith` with the string."""
    if hit.statement is None or hit.node is None:
        return None
    call = hit.statement.digest.parents.get(hit.node)
    if isinstance(call, ast.Call) and last_word(call.func) in _BEGINNINGS:
        return call
    return next((outer for outer in hit.statement.digest.ancestors(hit.node) if isinstance(outer, _TESTS)), None)
