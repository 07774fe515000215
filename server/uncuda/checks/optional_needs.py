"""Finds out, from the `if` and `assert` statements of a file, whether the file needs an optionally imported module
after all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .. import lazy_re
from ..facts.read import Statement
from ..facts.scans import uses
from ..facts.scopes import FUNCTION, Header
from . import leaving
from .base import Context
from .branch_words import last_of

DENIES = lazy_re.compile(r"\bnot\b(?![ \t]+None)|\bis[ \t]+None\b|==[ \t]*(?:False|None)\b|\bis[ \t]+False\b")
"""Matches a negation in a condition."""
_WORD = lazy_re.compile(r"[A-Za-z_]\w*")
_OR = lazy_re.compile(r"\bor\b")
_TEST = lazy_re.compile(r"[ \t]*(?:(?P<if>if)\b[^\n]*|assert\b[^\n,]*)")
_KEPT = lazy_re.compile(r"[ \t]*(\w+)[ \t]*=[ \t]*")
_MANY = 20  # maximum number of calls of a function that are checked


class OptionalNeeds:
    """Finds, in one source file, code that raises an exception because an optional import failed."""

    def __init__(self, context: Context) -> None:
        self._context, self._indents, self._text = context, context.facts.indents, context.text
        self._needed: dict[str, bool] = {}
        # caches. `_tests`: the `if` and `assert` lines that contain a name. `_raised`: the starts of the functions that
        # contain `if name: raise`. `_refused`: the result of `refuses`, by the name of the list that it checks and the
        # start of the function that contains the failed import
        self._tests: dict[str, Sequence[re.Match[str]]] = {}
        self._raised: dict[str, frozenset[int]] = {}
        self._refused: dict[tuple[str, int], bool] = {}

    def needs(self, flag: str, tried: Statement | None = None) -> bool:
        """Return whether the file needs an optionally imported module after all: the file asserts that `flag`, which
        tells whether the import worked, is true, or it raises an exception if `flag` is false.

        `tried`: the import, if it is in a `try`. An exception does not count if other `if` statements with the flag
        show that the program works without the module and never reaches the code that raises the exception.
        """
        if flag not in self._needed:
            block = self.block_of(tried) if tried is not None else range(0)
            tests = [(test, self._raises_without(test)) for test in self._tests_of(flag) if test.start() not in block]
            needed = [one for one, raises in tests if raises and not self.is_behind(flag, one.start(), block)]
            others = [one for one, raises in tests if one["if"] and not raises] if needed and tried else []
            returned = any(map(self._returns_without, others))
            excused = (self._is_excused(flag, test, returned, len(others) > 0) for test in needed)
            self._needed[flag] = not all(excused)
        return self._needed[flag]

    def refuses(self, name: str, tried: Statement) -> bool:
        """Return whether the file raises an exception if the list `name` is not empty; the handler of the failed import
        `tried` appends to this list. If a function returns the list `name`, its caller may raise the exception."""
        scope = self._indents.scope_of(tried.start)
        key = (name, scope[0] if scope is not None else -1)
        if key not in self._refused:
            self._refused[key] = self._raises_with(name, key[1]) or self._caller_raises(name, scope)
        return self._refused[key]

    def _caller_raises(self, name: str, scope: tuple[int, str] | None) -> bool:
        """Return whether a function returns the list `name`, and a function that calls it raises an exception if the
        list is not empty."""
        function = FUNCTION.match(self._text, scope[0]) if scope is not None else None
        if scope is None or function is None:
            return False
        facts, end = self._context.facts, self._indents.extent(scope[0])
        facts.work.search(scope[0], end)
        facts.layout.reads(scope[0], end)
        if re.compile(rf"^[ \t]+return[ \t]+{name}\b", re.M).search(self._text, scope[0], end) is None:
            return False
        for at in facts.searches.find(("calls", function[1]), uses(function[1], True))[:_MANY]:
            line = self._text.rfind("\n", 0, at) + 1
            kept = _KEPT.fullmatch(self._text, line, at)
            if kept is not None and self._raises_with(kept[1], self._indents.scope_start(at)):
                return True
        return False

    def is_behind(self, flag: str, at: int, block: range) -> bool:
        """Return whether the code at the offset `at` is in a function that the file uses only if the optional import
        worked: below an `if` with the variable `flag`, or in `block`, the `try` that contains the import."""
        facts, scope = self._context.facts, self._indents.scope_of(at)
        function = FUNCTION.match(self._text, scope[0]) if scope is not None else None
        if function is None:
            return False
        calls = facts.searches.find(("calls", function[1]), uses(function[1], True))
        calls = [call for call in calls if call != function.start(1)]
        return 0 < len(calls) <= _MANY and all(call in block or self._is_tested(flag, call) for call in calls)

    def block_of(self, tried: Statement) -> range:
        """The span of the innermost `try` around a statement, with its handlers; empty if there is none."""
        headers = (self._indents.header_at(tried.start), *self._indents.headers(tried.start))
        header = next((header for header in headers if header.word == "try"), None)
        clauses = self._indents.clauses(header) if header is not None else []
        return range(clauses[0].start, self._indents.extent(clauses[-1].start)) if clauses else range(0)

    def _is_excused(self, flag: str, raising: re.Match[str], returned: bool, tested: bool) -> bool:
        """Return whether `raising`, a statement that raises an exception if a module is missing, is never reached
        without this module, because of other `if` statements. `tested`: whether other `if` statements read `flag`;
        `returned`: whether one of these other `if` statements leaves its function if the module is missing.

        `assert x is not None` is only for type checkers in two cases: an `if` returns when `x` is None; or some `if`
        reads `x`, and the assertion is in a method or an inner function. `if x is None or y is None: raise` never
        raises because of `x` if another `if` returns when `x` is None.
        """
        if not re.search(rf"\b{flag}[ \t]+is\b", raising[0]):
            return False
        if raising["if"]:
            return returned and _OR.search(raising[0]) is not None
        above = self._indents.scope_of(raising.start())
        return returned or (tested and above is not None and self._indents.header_at(above[0]).indent > 0)

    def _raises_with(self, name: str, function: int) -> bool:
        """Return whether the function that starts at an offset contains `if name: raise`."""
        if name not in self._raised:
            tests, alone = self._tests_of(name), re.compile(rf"[ \t]*if[ \t]+{name}[ \t]*:[^\n]*")
            self._context.facts.work.search(0, 4 * sum(len(test[0]) for test in tests))
            raising = (test for test in tests if alone.fullmatch(test[0]) and self._raises(test))
            self._raised[name] = frozenset(self._indents.scope_start(test.start()) for test in raising)
        return function in self._raised[name]

    def _is_tested(self, flag: str, at: int) -> bool:
        """Return whether an `if` of the same function runs the code at offset `at` only if `flag` is true."""
        for header in self._indents.headers(at):
            if header.word in ("def", "class"):
                return False
            self._context.facts.work.search(0, 8 * (header.end - header.start))
            if flag in _WORD.findall(self.granted(header)):
                return True
        return False

    def _tests_of(self, name: str) -> Sequence[re.Match[str]]:
        """The `if` and `assert` lines that contain a name."""
        if name not in self._tests:
            self._tests[name] = list(self._find_tests(name))
        return self._tests[name]

    def _find_tests(self, name: str) -> Iterator[re.Match[str]]:
        facts, done = self._context.facts, -1
        for at in facts.searches.find(("tests", name), uses(name, True)):
            line = self._text.rfind("\n", 0, at) + 1
            if line == done:
                continue
            done = line
            facts.work.search(line, at)
            test = _TEST.match(self._text, line)
            if test is not None and at < test.end():
                yield test

    def _raises_without(self, test: re.Match[str]) -> bool:
        facts, at = self._context.facts, test.end() - len(test[0].lstrip())
        facts.work.search(0, 8 * len(test[0]))
        denied = DENIES.search(test[0]) is not None
        if denied != bool(test["if"]) or facts.layout.string_around(at):
            return False
        return not test["if"] or self._raises(test)

    def _raises(self, test: re.Match[str]) -> bool:
        """Return whether the block of an `if` ends by raising an exception."""
        header = self._indents.header_at(test.end() - len(test[0].lstrip()))
        return leaving.raises(last_of(header, self._context.facts))

    def _returns_without(self, test: re.Match[str]) -> bool:
        """Return whether an `if` leaves its function without an exception if the flag in its condition is false."""
        facts, at = self._context.facts, test.end() - len(test[0].lstrip())
        facts.work.search(0, 8 * len(test[0]))
        if not DENIES.search(test[0]) or facts.layout.string_around(at):
            return False
        return leaving.leaves(last_of(facts.indents.header_at(at), facts))

    def granted(self, header: Header) -> str:
        """Return the condition of an `if` or `elif` if it contains no negation; "" for other lines."""
        condition = self._text[header.start : header.end]
        return "" if header.word not in ("if", "elif") or DENIES.search(condition) else condition[len(header.word) :]
