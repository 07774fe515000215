"""Finds the functions and classes whose pytest or unittest tests are skipped: by a skip mark, by a `setUp` or fixture
that calls `skip`, or by a function that skips the test which calls it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice, takewhile
from typing import NamedTuple

from ... import lazy_re
from ...facts.read import Facts, Statement
from ...facts.role_calls import last_word
from ...facts.scans import uses, whole_word
from ...facts.scopes import FUNCTION, Header

MODULE = -1
"""Stands for the whole file in place of the offset of a function or class."""

_BETWEEN = ("@", "#", "")  # the first words of decorators, comments and empty lines
_AT = lazy_re.compile(r"@[ \t]*")
_SKIPS = lazy_re.compile(r"skip", re.I)
_KNOWN = {"skipif": True, "skipIf": True, "skipUnless": False}
"""The skip marks of pytest and unittest, each with the value of its condition for which it skips."""
_OF_PARAMETERS = frozenset({"param", "parametrize"})
_OF_BLOCK = lazy_re.compile(r"pytestmark\b")
_SET_UP = frozenset({"asyncSetUp", "setUp", "setUpClass", "setUpModule", "setup", "setup_class", "setup_method",
                     "setup_module"})  # fmt: skip
_FIXTURE = lazy_re.compile(r"@[\w.]*fixture\b")
_AUTOUSE = lazy_re.compile(r"autouse[ \t]*=[ \t]*True\b")
_CALLED = lazy_re.compile(r"(?:await[ \t]+)?(?:(?:self|cls)\.)?(\w+)[ \t]*\(")
_STATED = "def", "class"
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
_SOME = frozenset({(ast.Gt, 0), (ast.GtE, 1), (ast.NotEq, 0)})  # the comparisons that say: more than no device
_NO = frozenset({(ast.Lt, 1), (ast.LtE, 0), (ast.Eq, 0)})
_MANY = 200  # maximum number of uses of a fixture, or of a function that skips, that are followed


class Skipped(NamedTuple):
    """A function or class whose tests a mark or a function skips."""

    start: int
    """The start offset of the function or class; MODULE for the whole file."""
    whole: bool
    """Whether its tests are skipped for all parameters. The mark in `pytest.param("cuda", marks=…)` skips a test for
    one parameter, and the test runs for the others."""


class Marks:
    """Finds what skip marks, such as `@pytest.mark.skipif(…)`, skip in one file. The results are cached for each
    decorator and for each variable whose value is a skip mark."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._below: dict[int, int] = {}
        """A cache of `decorated`. Keys: the ends of decorators, and of the lines between a decorator and its function
        or class; values: the start of this function or class."""
        self._of_names: dict[str, tuple[Skipped, ...]] = {}
        self._of_functions: dict[int, tuple[int, ...]] = {}

    def marked(self, node: ast.AST, statement: Statement, plain: bool) -> tuple[Skipped, ...]:
        """If a node is in the condition of a skip mark, return the functions and classes that the mark skips. For a
        mark that surely skips the tests if CUDA is available, return (). `plain`: whether the node, or its call, is
        true if CUDA is available, and false if not.

        A skip mark may be a decorator, part of a decorator (`marks=` in `pytest.param`), the value of `pytestmark`, or
        the value of a variable that is used as a decorator or assigned to `pytestmark`.
        """
        mark = _skip_around(node, statement, plain, self._facts)
        if mark is None:
            return ()
        whole = not _of_parameter(mark, statement, self._facts)
        if self._facts.text.startswith("@", statement.start):
            return (Skipped(self.decorated(statement.end), whole),)
        name = _variable(node, statement)
        if name == "pytestmark":
            return (Skipped(self._block(statement.start), whole),)
        return tuple(Skipped(start, whole and all_) for start, all_ in self.marked_by(name)) if name else ()

    def marked_by(self, name: str) -> tuple[Skipped, ...]:
        """Return the functions and classes that the skip mark in a variable skips."""
        if name not in self._of_names:
            self._of_names[name] = tuple(dict.fromkeys(self._marked_by(name)))
        return self._of_names[name]

    def skipped(self, header: Header, by_mark: bool) -> tuple[int, ...]:
        """Return what a condition with `pytest.skip()` in its block skips; `header`: the header of the block. A
        condition in a `setUp` skips the class; in a fixture, the tests that use the fixture; in any other function, the
        functions that call this function. `by_mark`: whether the block assigns a mark to `pytestmark` instead of
        calling `pytest.skip()`."""
        if by_mark:
            return (self._block(header.start),)
        scope = self._facts.indents.scope_of(header.start)
        if scope is None or scope[1] != "def":
            return ()
        if scope[0] not in self._of_functions:
            self._of_functions[scope[0]] = tuple(dict.fromkeys(self._skipped_by(scope[0])))
        return self._of_functions[scope[0]]

    def _skipped_by(self, start: int) -> Iterator[int]:
        """The function at `start` calls `pytest.skip()`: yield the start offset of each function or class that is
        skipped; MODULE stands for the whole file."""
        facts = self._facts
        match = FUNCTION.match(facts.text, start)
        if match is None:
            return
        if match[1] in _SET_UP:
            yield self._block(start)
            return
        fixtures = list(takewhile(lambda line: line.word == "@", facts.indents.lines_above(start)))
        fixture = any(_FIXTURE.match(facts.text, line.start) for line in fixtures)
        if fixture and any(_AUTOUSE.search(facts.text, line.start, line.end) for line in fixtures):
            yield self._block(start)
            return
        for at in islice(facts.searches.find(("skips", match[1]), whole_word(match[1])), _MANY):
            facts.work.compare()
            line = facts.indents.header_at(at)
            if fixture and line.word in _STATED and line.start != start:
                yield line.start
            elif fixture and "usefixtures" in facts.text[line.start : line.end]:
                yield self.decorated(line.end) if line.word == "@" else self._block(line.start)
            elif not fixture:
                yield from self._calling(match[1], line)

    def _calling(self, name: str, line: Header) -> Iterator[int]:
        """Yield the function that contains `line` if this line is only a call of the function `name`; if the containing
        function is a `setUp`, yield its class instead."""
        facts = self._facts
        called = _CALLED.match(facts.text, line.start, line.end)
        above = facts.indents.header_above(line.start)
        if called is None or called[1] != name or above is None or above.word != "def":
            return
        match = FUNCTION.match(facts.text, above.start)
        yield self._block(above.start) if match is not None and match[1] in _SET_UP else above.start

    def _marked_by(self, name: str) -> Iterator[Skipped]:
        """Yield the functions and classes that the mark in a variable skips. A variable in a decorator such as
        `@pytest.mark.parametrize("size", [1, pytest.param(2, marks=on_cuda)])` skips a test for one parameter."""
        facts = self._facts
        for at in facts.searches.find(("flag", name), uses(name, True)):
            facts.work.compare()
            line = facts.indents.header_at(at)
            if facts.layout.token_at(at):
                continue
            if line.word == "@":
                yield Skipped(self.decorated(line.end), _AT.fullmatch(facts.text, line.start, at) is not None)
            elif _OF_BLOCK.match(facts.text, line.start):
                yield Skipped(self._block(line.start), True)

    def decorated(self, end: int) -> int:
        """Return the start offset of the function or class below the decorator that ends at the offset `end`."""
        facts, passed = self._facts, list[int]()
        while end not in self._below:
            facts.work.compare()
            passed.append(end)
            line = facts.indents.header_at(end)
            if line.word not in _BETWEEN or line.end >= len(facts.text):
                self._below[end] = line.start
            else:
                end = line.end
        self._below.update(dict.fromkeys(passed, self._below[end]))
        return self._below[end]

    def _block(self, at: int) -> int:
        """Return the class or function around a line; MODULE if there is none."""
        scope = self._facts.indents.scope_of(at)
        return scope[0] if scope is not None else MODULE


def _skip_around(node: ast.AST, statement: Statement, plain: bool, facts: Facts) -> ast.Call | None:
    """Return the skip mark that contains `node` in its condition. Return None if no skip mark contains it, or if the
    mark surely skips its tests if CUDA is available, as in `skipif(torch.cuda.is_available())`. `plain`: see
    `Marks.marked`."""
    inner = node
    on_cuda: bool | None = True if plain else None  # the value of `inner` if CUDA is available; None: not known
    for outer in statement.digest.ancestors(node):
        facts.work.compare()
        if isinstance(outer, ast.stmt):
            return None
        if isinstance(outer, ast.Call) and inner is not outer.func and _SKIPS.search(last_word(outer.func)):
            certain = on_cuda is not None and outer.args[:1] == [inner]
            return None if certain and _KNOWN.get(last_word(outer.func)) is on_cuda else outer
        on_cuda = _value(outer, inner, on_cuda, inner is node)
        inner = outer
    return None


def _value(outer: ast.AST, inner: ast.AST, on_cuda: bool | None, named: bool) -> bool | None:
    """Return the value of the expression `outer` if CUDA is available; None if it is not known. `inner`: a part of
    `outer` that has the value `on_cuda` if CUDA is available, and the opposite value if not; `named`: whether this part
    is a name, which `outer` may call."""
    if on_cuda is None:
        return None
    if isinstance(outer, ast.Call) and inner is outer.func and named:
        return on_cuda
    if isinstance(outer, ast.UnaryOp) and isinstance(outer.op, ast.Not):
        return not on_cuda
    if isinstance(outer, ast.Compare) and len(outer.ops) == 1 and on_cuda:
        kind, turned = type(outer.ops[0]), inner is not outer.left
        other = outer.left if turned else outer.comparators[0]
        if isinstance(other, ast.Constant) and isinstance(other.value, int):
            compared = (_TURNED.get(kind, kind) if turned else kind), other.value
            return True if compared in _SOME else False if compared in _NO else None
    return None


def _of_parameter(mark: ast.Call, statement: Statement, facts: Facts) -> bool:
    """Return whether a mark skips a test for one of its parameters, as in `pytest.param("cuda", marks=…)`."""
    for outer in statement.digest.ancestors(mark):
        facts.work.compare()
        if isinstance(outer, ast.Call) and last_word(outer.func) in _OF_PARAMETERS:
            return True
    return False


def _variable(node: ast.AST, statement: Statement) -> str:
    """Return the variable to which the statement assigns the value that contains a node; "" if there is none."""
    for outer in statement.digest.ancestors(node):
        if isinstance(outer, (ast.Assign, ast.AnnAssign)):
            target = outer.targets[0] if isinstance(outer, ast.Assign) else outer.target
            return target.id if isinstance(target, ast.Name) else ""
    return ""
