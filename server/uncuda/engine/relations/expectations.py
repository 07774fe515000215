"""Finds the hits in a test that expects something of a device, and what the test gives to the code under test: device
strings, and names of `torch.cuda` that it replaces. If no safe fix changes one of these, no hit of the test changes."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from ... import lazy_re
from ...checks import Hit
from ...checks.branches import Branches
from ...edits import REVIEW, SAFE
from ...facts.read import Statement
from ...facts.role_calls import last_word
from ...facts.scans import matches, plain
from .parts import is_within
from .questions import Stretch, is_question
from .staying import Staying

WHOLE = "test-changes-whole"
"""The id in rules/limits.tsv of the sentence "no safe fix changes another device string or replaced name of this
test"."""
_TEST, _MARK = "def test", "pytestmark"
_NAMED = lazy_re.compile(r"\b(def|class)[ \t]+(\w+)")
_LITERAL = lazy_re.compile(r"[\"']cuda(?::\d+)?[\"']")
_DEVICE = lazy_re.compile(r"cuda(?::\d+)?")
# arguments that no code under test receives: names of attributes, texts for people, devices of a checkpoint
_TEXTS = frozenset({"id", "ids", "map_location", "match", "msg", "reason"})
_TAKERS = frozenset(
    {"debug", "delattr", "error", "exception", "fail", "getattr", "hasattr", "info", "load", "log", "object", "patch",
     "print", "setattr", "skip", "skipTest", "startswith", "warn", "warning", "write", "xfail"}
)  # fmt: skip
_PARTS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.IfExp, ast.Starred, ast.keyword)


class _Test(NamedTuple):
    """A test that expects something of a device, or several that need the same code: the indices of the hits that
    change only together with `given`, what the tests give to the code under test and, if they replace no name of
    `torch.cuda`, the devices that they expect; `is_left`: whether they give a device string that has no hit. A string
    "cuda" may mean something else if the test expects nothing of a device; a string "cuda:0" is a device."""

    own: Sequence[int]
    given: Sequence[int]
    is_left: bool


class Expectations:
    """The tests of one text that expect something of a device."""

    def __init__(self, hits: Sequence[Hit], branches: Branches) -> None:
        self._hits, self._branches = hits, branches
        regions = _regions(branches) if hits and branches.says(_TEST) else []
        self._tests = list(self._found(regions)) if regions else []

    def hold(self, classes: Sequence[str | None], staying: Staying) -> bool:
        """Let the safe fixes of a test need review if no safe fix changes something that the test gives to the code
        under test. `classes`: the fix class of each hit so far. Return whether there are such fixes."""
        held = False
        for test in self._tests:
            if test.is_left or any(classes[index] != SAFE for index in test.given):
                for index in test.own:
                    if classes[index] == SAFE:
                        staying.hold(index, REVIEW, WHOLE)
                        held = True
        return held

    def _found(self, regions: Sequence[Stretch]) -> Iterator[_Test]:
        """Yield the tests; those that need the same code outside of them are one."""
        starts = [start for start, _ in regions]
        inside: dict[int, list[int]] = {}
        outside: list[int] = []
        for index, hit in enumerate(self._hits):
            at = bisect_right(starts, hit.start) - 1
            if at >= 0 and hit.start < regions[at][1]:
                inside.setdefault(at, []).append(index)
            elif hit.rule.check != "missing-import":
                outside.append(index)
        known = {hit.start for hit in self._hits}
        needed = _Needed(self._hits, outside, self._branches)
        together: dict[str, list[int]] = {}
        # what a test only replaces, so that the code of another file finds no device, moves with this code
        for at in (at for at, found in inside.items() if not all(_moves(self._hits[index]) for index in found)):
            for name in needed.by(regions[at]) or {f"{at}"}:
                together.setdefault(name, []).append(at)
        for names, tests in _joined(together, {name: needed.names_of(name) for name in together}):
            expecting = {at for at in tests if any(map(self._expects, inside[at]))}
            every = [index for at in tests for index in inside[at]]
            given = [index for at in tests for index in inside[at] if self._gives(index, at in expecting)]
            if not any(_replaces(self._hits[index]) for index in every):
                given += (index for index in every if self._is_expected_device(index))
            literals = {at: _passed_literals(regions[at], known, self._branches) for at in tests}
            left = any(at in expecting or ":" in literal for at in tests for literal in literals[at])
            if given or left:
                yield _Test([*every, *(index for name in names for index in needed.hits(name))], given, left)

    def _expects(self, index: int) -> bool:
        return _is_expected(self._hits[index]) or _replaces(self._hits[index])

    def _gives(self, index: int, expecting: bool) -> bool:
        """Return whether a test gives this device string or name to the code under test. `expecting`: whether the test
        expects something of a device."""
        hit = self._hits[index]
        is_device = expecting or ":" in hit.words.get("old", "")
        return _replaces(hit) or (hit.rule.check == "string" and is_device and not _is_expected(hit))

    def _is_expected_device(self, index: int) -> bool:
        """Return whether a hit is a device string that the test expects, `assert calls == [("cuda", 2)]`, and not a
        word that a text contains."""
        hit = self._hits[index]
        if hit.rule.check != "string" or not _is_expected(hit):
            return False
        return not (isinstance(hit.parent, ast.Compare) and isinstance(hit.parent.ops[0], (ast.In, ast.NotIn)))


class _Needed:
    """The code outside of the tests that has hits of its own, such as a device in a variable of the module, a fixture,
    or a skip mark, by the name of its variable, function or class."""

    def __init__(self, hits: Sequence[Hit], outside: Sequence[int], branches: Branches) -> None:
        self._branches = branches
        self._hits: dict[str, list[int]] = {}
        self._spans: dict[str, Stretch] = {}
        classes: dict[Stretch, str] = {}
        for index in outside:
            hit = hits[index]
            headers = [line for line in branches.indents.headers(hit.start) if line.word in ("def", "class")]
            outer = headers[-1] if headers else branches.indents.header_at(hit.start)
            name = _bound(hit)
            if headers or outer.word == "@":
                match = _NAMED.search(branches.text, outer.start)
                name = match[2] if match is not None else ""
                start = match.start() if match is not None else outer.start
                self._spans[name] = span = branches.indents.decorated(start), branches.indents.extent(start)
                if match is not None and match[1] == "class":
                    classes[span] = name
            asks = hit.statement is not None and is_within(hit.node, hit.statement, (ast.If,))
            everywhere = name == _MARK or (not name and asks)
            if name or everywhere:
                self._hits.setdefault("" if everywhere else name, []).append(index)
        self._classes = sorted(classes.items())
        names = sorted(map(re.escape, self._hits.keys() - {""}))
        self._names = re.compile(rf"\b(?:{'|'.join(names)})\b") if names else None

    def hits(self, name: str) -> Sequence[int]:
        """Return the indices of the hits in the code with a name; "" for code that all tests need."""
        return self._hits.get(name, ())

    def names_of(self, name: str) -> frozenset[str]:
        """Return the names of the code that a function or class needs."""
        return self.by(self._spans[name]) - {name} if name in self._spans else frozenset()

    def by(self, region: Stretch) -> frozenset[str]:
        """Return the names of the code that the test in a span needs."""
        at = bisect_right(self._classes, ((region[0], len(self._branches.text)), "")) - 1
        around = {self._classes[at][1]} if at >= 0 and region[0] < self._classes[at][0][1] else set()
        self._branches.work.search(*region)
        found = self._names.findall(self._branches.text, *region) if self._names is not None else ()
        return frozenset({*around, *found, *([""] if "" in self._hits else [])})


def _joined(
    together: Mapping[str, Sequence[int]], needs: Mapping[str, frozenset[str]]
) -> Iterator[tuple[set[str], list[int]]]:
    """Yield groups of names and tests: tests that need the same names, or names that need each other, are in one group.
    `together`: the tests that need a name; `needs`: the names that the code with a name needs."""
    names_of: dict[int, list[str]] = {}
    beside: dict[str, set[str]] = {}
    for name, tests in together.items():
        for test in tests:
            names_of.setdefault(test, []).append(name)
    for name, others in needs.items():
        for other in others:
            beside.setdefault(name, set()).add(other)
            beside.setdefault(other, set()).add(name)
    seen: set[str] = set()
    for first in together:
        if first in seen:
            continue
        names, tests_found, waiting = {first}, dict[int, None](), [first]
        while waiting:
            name = waiting.pop()
            more = set(beside.get(name, ()))
            for test in together.get(name, ()):
                if test not in tests_found:
                    tests_found[test] = None
                    more.update(names_of[test])
            waiting += more - names
            names |= more
        seen |= names
        yield names, list(tests_found)


def _regions(branches: Branches) -> list[Stretch]:
    """Return the spans of the functions `test…` with their decorators, sorted."""
    indents, layout = branches.indents, branches.facts.layout
    found: list[Stretch] = []
    for at in branches.facts.searches.find(("text", _TEST), plain(_TEST)):
        header = indents.header_at(at)
        if header.word == "def" and not layout.token_at(at) and (not found or at >= found[-1][1]):
            found.append((indents.decorated(header.start), indents.extent(header.start)))
    return found


def _bound(hit: Hit) -> str:
    """Return the variable to which a hit outside of all functions gives a value, or the name that it imports; "" if
    there is none."""
    if hit.is_import and hit.statement is not None:
        names = [binding.name for binding in hit.statement.digest.bindings]
        return names[0] if len(names) == 1 else ""
    for outer in hit.statement.digest.ancestors(hit.node) if hit.statement is not None and hit.node is not None else ():
        if isinstance(outer, (ast.Assign, ast.AnnAssign)):
            target = outer.target if isinstance(outer, ast.AnnAssign) else outer.targets[0]
            return target.id if isinstance(target, ast.Name) else ""
    return ""


def _passed_literals(region: Stretch, known: Collection[int], branches: Branches) -> list[str]:
    """Return the strings "cuda" and "cuda:0" that have no hit and that a test gives to the code under test. `known`:
    the starts of all hits."""
    places = branches.facts.searches.find(("test", "literal"), matches(_LITERAL, "cuda"))
    within = places[bisect_right(places, region[0] - 1) : bisect_right(places, region[1] - 1)]
    found = []
    for _, statement in branches.facts.statements_at(within):
        branches.work.compare(len(statement.digest.parents))
        for node in statement.digest.parents:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _DEVICE.fullmatch(node.value):
                start = statement.start + statement.digest.span(node)[0]
                if start not in known and _is_passed(node, statement):
                    found.append(node.value)
    return found


def _is_passed(node: ast.AST, statement: Statement) -> bool:
    """Return whether a call passes a string on, alone or in a list, tuple, set or dictionary."""
    inner = node
    for outer in statement.digest.ancestors(node):
        if isinstance(outer, ast.Call):
            name = last_word(outer.func)
            return inner is not outer.func and name not in _TAKERS and not name.startswith("assert")
        if not isinstance(outer, _PARTS) or (isinstance(outer, ast.Dict) and inner in outer.keys):
            return False
        if isinstance(outer, ast.keyword) and outer.arg in _TEXTS:
            return False
        inner = outer
    return False


def _is_expected(hit: Hit) -> bool:
    """Return whether a device string is compared or asserted, or a condition of an `if` asks for CUDA."""
    statement = hit.statement
    if statement is None or hit.node is None or _replaces(hit):
        return False
    if hit.rule.check != "string":
        return is_question(hit) and is_within(hit.node, statement, (ast.If,))
    around = statement.digest.ancestors(hit.node)
    return any(isinstance(outer, ast.Compare) or _is_assertion(outer) for outer in around)


def _replaces(hit: Hit) -> bool:
    """Return whether a test replaces a name of `torch.cuda` by `setattr`, or names it in a string for `patch`."""
    return hit.rule.check == "name" and any(key[0] in ("patched", "carried") for key in hit.links)


def _moves(hit: Hit) -> bool:
    """Return whether a test replaces a name that is known to move with the code of another file."""
    return any(key[0] == "carried" for key in hit.links)


def _is_assertion(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_word(node.func).startswith("assert")
