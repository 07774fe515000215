"""Finds the choices of a device for float64 tensors: in code that makes float64 the default dtype, or that stores the
device beside the dtype, as in `{"device": device, "dtype": torch.double}`. On a target whose operators do not take
float64, code that falls back to the CPU must go on to do so."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ... import lazy_re
from ...checks import Hit
from ...facts.read import Facts, Statement
from ...facts.role_calls import last_word
from ...facts.roles import keys_of_values
from ...facts.scans import plain
from .chosen_devices import ChosenDevices
from .questions import is_question

FOR_DOUBLES = "for-float64"
"""The id in rules/limits.tsv of the sentence "the device is for float64 tensors, which most of its operators do not
take"."""
_DTYPES = ("torch.double", "torch.float64")
_SETTERS = ("set_default_dtype(", "set_default_tensor_type(")
_TENSORS = ("torch.DoubleTensor", "DoubleTensor")
_HOLDERS = frozenset({"dict", "Namespace", "SimpleNamespace"})  # calls that only store their keyword arguments
_WORDS = lazy_re.compile(r"\w+")
_BOUND = lazy_re.compile(r"[ \t]*(\w+)[ \t]*=[ \t]*torch\.(?:double|float64)[ \t]*(?:#[^\n]*)?\Z")


def device_choices(hits: Sequence[Hit], facts: Facts) -> frozenset[int]:
    """Return the starts of the hits that choose the device of float64 tensors."""
    if not any(map(facts.says, (*_DTYPES, _TENSORS[1]))):
        return frozenset()
    scopes = frozenset(_scopes_of_default(facts))
    given = _Given(facts)
    if not scopes and not given:
        return frozenset()
    chosen = ChosenDevices(hits, facts)
    return frozenset(hit.start for hit in hits if hit.node is not None and _is_held(hit, facts, scopes, given, chosen))


def _is_held(hit: Hit, facts: Facts, scopes: frozenset[int], given: _Given, chosen: ChosenDevices) -> bool:
    statement = hit.statement
    if statement is None or not (hit.rule.check == "string" or is_question(hit)):
        return False
    scope = facts.indents.scope_start(statement.start)
    asks = hit.rule.check == "name"
    if asks and given.holds(hit.start):
        return True
    if asks and not scopes.isdisjoint({-1, scope}) and chosen.chooses(statement):
        return True
    names = {binding.name for binding in statement.digest.bindings}
    if not any(scope in (-1, place) for name in names for place in given.names.get(name, ())):
        return False
    return asks or chosen.is_guarded(statement)


def _scopes_of_default(facts: Facts) -> Iterator[int]:
    """Yield the starts of the functions that make float64 the default dtype; -1 for the module."""
    bound = None
    for word in _SETTERS:
        for at, statement in _statements(word, facts):
            facts.work.compare(len(statement.digest.parents))
            for call in statement.digest.parents:
                if isinstance(call, ast.Call) and last_word(call.func) + "(" == word and call.args:
                    value = ast.unparse(call.args[0]).strip("'\"")
                    if value.isidentifier():
                        bound = frozenset(_bound(facts)) if bound is None else bound
                    if value in (*_DTYPES, *_TENSORS) or (bound and value in bound):
                        yield facts.indents.scope_start(at)


def _statements(word: str, facts: Facts) -> Iterator[tuple[int, Statement]]:
    """Yield the statements whose code contains a word, each once, with the offset of the word."""
    places = facts.searches.find(("text", word), plain(word))
    return facts.statements_at(at for at in places if not facts.layout.token_at(at))


def _bound(facts: Facts) -> Iterator[str]:
    """Yield the variables that hold float64: `dtype = torch.float64`."""
    for word in _DTYPES:
        for at in facts.searches.find(("text", word), plain(word)):
            start = facts.layout.line_start(at)
            if match := _BOUND.match(facts.text, start, facts.layout.line_break(at)):
                yield match[1]


class _Given:
    """The devices that are stored beside the dtype float64. `names`: the variables that hold one, each with the starts
    of the functions in which the variable is used, -1 for the module."""

    def __init__(self, facts: Facts) -> None:
        self._spans: list[tuple[int, int]] = []
        self.names: dict[str, set[int]] = {}
        for word in _DTYPES:
            for _, statement in _statements(word, facts):
                self._take(statement, word, facts)
        self._spans.sort()

    def __bool__(self) -> bool:
        return bool(self._spans or self.names)

    def holds(self, at: int) -> bool:
        """Return whether an offset is in the expression of such a device."""
        index = bisect_left(self._spans, (at + 1,)) - 1
        return index >= 0 and at < self._spans[index][1]

    def _take(self, statement: Statement, word: str, facts: Facts) -> None:
        facts.work.compare(len(statement.digest.chains))
        for chain in statement.digest.chains:
            if chain.spelled == word:
                device = _device_beside(chain.node, statement)
                if isinstance(device, ast.Name):
                    scope = facts.indents.scope_start(statement.start)
                    if not _is_parameter(device.id, scope, facts):
                        self.names.setdefault(device.id, set()).add(scope)
                elif device is not None:
                    start, end = statement.digest.span(device)
                    self._spans.append((statement.start + start, statement.start + end))


def _is_parameter(name: str, function: int, facts: Facts) -> bool:
    """Return whether the function that begins at an offset has a parameter of this name."""
    header = facts.indents.header_at(function) if function >= 0 else None
    return header is not None and name in _WORDS.findall(facts.text, header.start, header.end)


def _device_beside(dtype: ast.AST, statement: Statement) -> ast.AST | None:
    """Return the device that a dictionary holds beside a dtype."""
    outer = statement.digest.parents.get(dtype)
    if isinstance(outer, ast.Dict):
        keys = {getattr(key, "value", None): value for value, key in keys_of_values(outer).items()}
        return keys.get("device") if keys.get("dtype") is dtype else None
    call = statement.digest.parents.get(outer) if isinstance(outer, ast.keyword) and outer.arg == "dtype" else None
    if not isinstance(call, ast.Call) or last_word(call.func) not in _HOLDERS:
        return None
    return next((one.value for one in call.keywords if one.arg == "device"), None)
