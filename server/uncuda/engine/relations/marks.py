"""Finds the functions and classes whose pytest or unittest tests are skipped: by a skip mark, by a `setUp` or fixture
that calls `skip`, or by a function that skips the test which calls it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice, takewhile

from ...facts.read import Facts, Statement
from ...facts.role_calls import last_word
from ...facts.scans import uses, whole_word
from ...facts.scopes import FUNCTION, Header

MODULE = -1
"""Stands for the whole file in place of the offset of a function or class."""

_BETWEEN = ("@", "#", "")  # the first words of decorators, comments and empty lines
_SKIPS = re.compile(r"skip", re.I)
_UNLESS = re.compile(r"unless", re.I)
_OF_BLOCK = re.compile(r"pytestmark\b")
_SET_UP = frozenset({"asyncSetUp", "setUp", "setUpClass", "setUpModule", "setup", "setup_class", "setup_method",
                     "setup_module"})  # fmt: skip
_FIXTURE = re.compile(r"@[\w.]*fixture\b")
_AUTOUSE = re.compile(r"autouse[ \t]*=[ \t]*True\b")
_CALLED = re.compile(r"(?:await[ \t]+)?(?:(?:self|cls)\.)?(\w+)[ \t]*\(")
_STATED = "def", "class"
_SAME = (ast.Eq, ast.Is, ast.In, ast.Gt, ast.GtE)
_OTHER = (ast.NotEq, ast.IsNot, ast.NotIn)
_NONE = (False, None, 0)
_MANY = 200  # maximum number of uses of a fixture, or of a function that skips, that are followed


class Marks:
    """Finds what skip marks, such as `@pytest.mark.skipif(…)`, skip in one file. The results are cached for each
    decorator and for each variable whose value is a skip mark."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._below: dict[int, int] = {}
        """A cache of `decorated`. Keys: the ends of decorators, and of the lines between a decorator and its function
        or class; values: the start of this function or class."""
        self._of_names: dict[str, tuple[int, ...]] = {}
        self._of_functions: dict[int, tuple[int, ...]] = {}

    def marked(self, node: ast.AST, statement: Statement) -> tuple[int, ...]:
        """If a node is in the condition of a skip mark, return the start offsets of the functions and classes that the
        mark skips; MODULE stands for the whole file. For a mark that skips the tests if CUDA is available, return ().

        A skip mark may be a decorator, part of a decorator (`marks=` in `pytest.param`), the value of `pytestmark`, or
        the value of a variable that is used as a decorator or assigned to `pytestmark`.
        """
        if _skip_around(node, statement, self._facts) is None:
            return ()
        if self._facts.text.startswith("@", statement.start):
            return (self.decorated(statement.end),)
        name = _variable(node, statement)
        if name == "pytestmark":
            return (self._block(statement.start),)
        return self.marked_by(name) if name else ()

    def marked_by(self, name: str) -> tuple[int, ...]:
        """Return what the skip mark in a variable skips: start offsets, or MODULE, as for `marked`."""
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

    def _marked_by(self, name: str) -> Iterator[int]:
        """Yield the start offsets of the functions and classes that the mark in a variable skips; MODULE stands for the
        whole file."""
        facts = self._facts
        for at in facts.searches.find(("flag", name), uses(name, True)):
            facts.work.compare()
            line = facts.indents.header_at(at)
            if facts.layout.token_at(at):
                continue
            if line.word == "@":
                yield self.decorated(line.end)
            elif _OF_BLOCK.match(facts.text, line.start):
                yield self._block(line.start)

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


def _skip_around(node: ast.AST, statement: Statement, facts: Facts) -> ast.Call | None:
    """Return the skip mark whose condition contains `node`, an expression that is true with CUDA, such as
    `torch.cuda.is_available()`. Return None if no skip mark contains it, or if the mark skips its tests on CUDA."""
    inner, on_cuda = node, True
    # `on_cuda`: whether the expression `inner` is true with CUDA; `certain`: whether this is known for sure
    certain = True
    for outer in statement.digest.ancestors(node):
        facts.work.compare()
        if isinstance(outer, (ast.stmt, ast.Lambda)):
            return None
        if isinstance(outer, ast.Call) and inner is not outer.func:
            word = last_word(outer.func)
            if _SKIPS.search(word):
                skips = on_cuda is not (_UNLESS.search(word) is not None)
                return None if certain and skips else outer
        elif isinstance(outer, ast.UnaryOp) and isinstance(outer.op, ast.Not):
            on_cuda = not on_cuda
        elif isinstance(outer, ast.Compare):
            sense = _sense(outer, inner)
            certain, on_cuda = certain and sense != 0, on_cuda is (sense >= 0)
        elif not isinstance(outer, (ast.BoolOp, ast.Call, ast.keyword)):
            certain = False
        inner = outer
    return None


def _sense(compare: ast.Compare, part: ast.AST) -> int:
    """Return 1 if a comparison is true with CUDA, -1 if it is false with CUDA, 0 if this is unknown. `part`: the
    side of the comparison that contains the hit, such as `is_available()` or `"cuda"`."""
    other = compare.comparators[0] if part is compare.left else compare.left
    kept = {_SAME: 1, _OTHER: -1}
    sense = next((sense for kinds, sense in kept.items() if isinstance(compare.ops[0], kinds)), 0)
    denied = isinstance(other, ast.Constant) and not isinstance(other.value, str) and other.value in _NONE
    if len(compare.ops) > 1 or not denied or not isinstance(compare.ops[0], (ast.Eq, ast.Is, *_OTHER)):
        return sense if len(compare.ops) == 1 else 0
    return -sense


def _variable(node: ast.AST, statement: Statement) -> str:
    """Return the variable to which the statement assigns the value that contains a node; "" if there is none."""
    for outer in statement.digest.ancestors(node):
        if isinstance(outer, (ast.Assign, ast.AnnAssign)):
            target = outer.targets[0] if isinstance(outer, ast.Assign) else outer.target
            return target.id if isinstance(target, ast.Name) else ""
    return ""
