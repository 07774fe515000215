"""Finds CUDA code that has a sibling branch for the target; such code is not reported."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from weakref import WeakMethod

from .. import lazy_re
from ..catalogue import Target
from ..facts.read import Facts, Statement
from ..facts.scopes import Header
from .base import Hit
from .branch_words import BranchWords, leaves
from .target_variants import TargetVariants

_TRY = frozenset({"try", "except"})
MEMBER = lazy_re.compile(r"\w+[ \t]*(?::[^=\n]+)?=[ \t]*[\"']")
_NAMES_CUDA = lazy_re.compile(r"([\w.]*\w)[ \t]*=[ \t]*[\"']cuda[\"']")
_ENTRIES = (ast.Dict, ast.keyword)
_CUDA_KEYS = ("cuda", "cuda:0", "gpu")
_IF = frozenset({"if", "elif", "else"})
_TEST = lazy_re.compile(r"[ \t\f]*if\b")
PARTED = (ast.IfExp, ast.BoolOp, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.MatchOr)
TEXTS = (ast.Constant, ast.JoinedStr, ast.MatchValue)


class Branches:
    """Tells whether a use of CUDA in one source file has a sibling branch that handles the target."""

    def __init__(self, facts: Facts, target: Target, safe: Callable[[Branches], Iterable[Hit]], path: str = "") -> None:
        """`safe`: a function that returns the hits with a safe fix, computed as if the file had no branches for the
        target. `path`: the path of the file."""
        self._target, self._safe, self.path = target, safe, path
        self.facts = self._facts = facts
        self.work = self._work = facts.work
        self.indents = self._indents = facts.indents
        self.text = self._text = facts.text
        self.says = facts.says
        self._words = BranchWords(facts, target, WeakMethod(self._touched))
        self._twins = TargetVariants(facts, target)
        self._known: dict[int, bool] = {}
        self._spoken: dict[tuple[int, ast.AST], frozenset[ast.AST]] = {}
        self._paired: dict[int, bool] = {}
        self._asked: dict[int, int] = {}
        # The `if` statements that name the target, by the header of the block that contains them and by their
        # indentation.
        self._tests: dict[tuple[Header | None, int], list[Header]] = {}

    def served(self, statement: Statement, node: ast.AST | None) -> bool:
        """Return whether a sibling of this code, such as the other branch of its `if`, already handles the target."""
        if not self._words.any:
            return False
        if node is not None and (self._in_expression(statement, node) or self._keyword_serves(statement, node)):
            return True
        if statement.start not in self._known:
            self._known[statement.start] = self._in_blocks(statement.start)
        return self._known[statement.start]

    @property
    def certain(self) -> bool:
        """Whether all results so far are independent of words that uncuda's own fixes may have written."""
        return self._words.certain

    def _touched(self) -> bool:
        """Return True if the file has no safe fix left to apply. Fixes of CUDA code are ignored if a sibling branch
        names the target in words that uncuda's fixes never write."""
        evident = Branches(self._facts, self._target, lambda _: (), self.path)
        return all(hit.statement and evident.served(hit.statement, hit.node) for hit in self._safe(self))

    def asked(self, condition: str) -> int:
        """Return what a condition asks for, whether a person or a fix wrote it: 1 for the target, -1 for any device but
        the target, 0 for neither."""
        return self._words.asked(condition)

    def asks_cuda(self, start: int, end: int) -> int:
        """Return what a part of the source asks for: 1 if it asks for CUDA, -1 if it asks whether the device is not
        CUDA, 0 for neither."""
        return self._words.asks_cuda(start, end)

    def leaves(self, header: Header) -> bool:
        """Whether the block below a header ends with `return`, `raise`, `continue` or a similar statement."""
        return leaves(header, self._facts)

    def speak_of_cuda(self, clauses: list[Header]) -> bool:
        """Whether a condition of an if/elif chain names CUDA, NCCL or a GPU."""
        return any(self._words.speaks_of_cuda(clause.start, clause.end) for clause in clauses)

    def _in_expression(self, statement: Statement, node: ast.AST) -> bool:
        inner = node
        for outer in statement.digest.ancestors(node):
            self._work.compare()
            if isinstance(outer, ast.stmt):
                return False
            if isinstance(outer, ast.Lambda) and not isinstance(statement.digest.parents.get(outer), _ENTRIES):
                return False
            speaking = self._speaking(statement, outer)
            self._work.compare(_wide(outer) // 4 if speaking else 0)
            for sibling in siblings(outer, inner) if speaking else ():
                if sibling not in speaking:
                    continue
                start, end = (statement.start + at for at in statement.digest.span(sibling))
                alike = isinstance(node, TEXTS) and isinstance(sibling, TEXTS)
                if self._words.polarity(start, end, alike) > 0:
                    return True
            if isinstance(outer, ast.BoolOp) and isinstance(outer.op, ast.And):
                self._work.compare(8 * len(speaking))
                spans = [statement.digest.span(value) for value in speaking if value is not inner]
                if any(self._words.polarity(statement.start + a, statement.start + b) < 0 for a, b in spans):
                    return True
            if isinstance(outer, ast.Call) and isinstance(inner, ast.keyword) and inner.arg == "gpu":
                if isinstance(outer.func, ast.Name) and outer.func.id == "dict" and self._has_keyword(outer):
                    return True
            inner = outer
        return False

    def _keyword_serves(self, statement: Statement, node: ast.AST) -> bool:
        """Return whether a call has a keyword for CUDA and one for the target: `dict(cuda=torch.cuda.f,
        xpu=torch.xpu.f)`."""
        for outer in statement.digest.ancestors(node):
            self._work.compare()
            call = statement.digest.parents.get(outer) if isinstance(outer, ast.keyword) else None
            if isinstance(outer, ast.keyword) and outer.arg == "cuda" and isinstance(call, ast.Call):
                if self._has_keyword(call):
                    return True
        return False

    def _has_keyword(self, call: ast.Call) -> bool:
        """Whether a call has a keyword named like the target's device."""
        self._work.compare(len(call.keywords))
        return any(keyword.arg == self._target.words["device"] for keyword in call.keywords)

    def _speaking(self, statement: Statement, outer: ast.AST) -> frozenset[ast.AST]:
        """The direct parts of the expression `outer` that contain a name of the target."""
        key = statement.start, outer
        if key not in self._spoken:
            named, found = self._words.named, []
            for part in ast.iter_child_nodes(outer) if isinstance(outer, PARTED) else ():
                self._work.compare(4)
                if hasattr(part, "lineno"):
                    start, end = (statement.start + at for at in statement.digest.span(part))
                    at = bisect_left(named, start)
                    if at < len(named) and named[at] < end:
                        found.append(part)
            self._spoken[key] = frozenset(found)
        return self._spoken[key]

    def _in_blocks(self, offset: int) -> bool:
        own = self._indents.header_at(offset)
        if own.word in ("if", "elif", "except", "case") and self._sibling_serves(own):
            return True
        if self._left_before(offset) or self._member_serves(own) or self._twin_serves(own):
            return True
        for header in self._indents.headers(offset):
            if header.word in ("if", "elif") and self._condition(header) > 0:
                return False  # this clause is the target's own branch
            if self._sibling_serves(header) or self._left_before(header.start) or self._twin_serves(header):
                return True
        return False

    def _twin_serves(self, line: Header) -> bool:
        """Return whether the file contains a line for the target that differs from `line` only in the device, which is
        part of a name (`run_cuda`, `run_npu`) or of a condition."""
        if line.start not in self._paired:
            if line.word in ("def", "class"):
                self._paired[line.start] = self._twins.defined(line)
            elif line.word == "if":
                self._paired[line.start] = self._twins.asked(line) or self._twins.tried(line)
            else:
                self._paired[line.start] = self._twins.assigned(line) or self._is_alias(line)
        return self._paired[line.start]

    def _is_alias(self, own: Header) -> bool:
        """Return whether the clause is a line `kind = "cuda"` in the block of `if kind == "gpu":`. In addition, an
        earlier condition must compare `kind` with a list that contains the target's name: `kind in ("gpu", "npu")`."""
        match = _NAMES_CUDA.match(self._text, own.start)
        above = self._indents.header_above(own.start) if match else None
        if match is None or above is None or above.word not in ("if", "elif"):
            return False
        name = rf"(?<![\w.]){re.escape(match[1])}[ \t]*"
        if not re.search(name + r"==[ \t]*[\"']gpu[\"']", self._text[above.start : above.end]):
            return False
        scope = self._indents.scope_of(own.start)
        self._work.search(scope[0] if scope else 0, 8 * above.start)
        self._facts.layout.reads(scope[0] if scope else 0, above.start)
        listed = re.compile(name + r"(?:not[ \t]+)?in[ \t]*[\[({][^\])}]*")
        tests = listed.finditer(self._text, scope[0] if scope else 0, above.start)
        return any(self._words.polarity(test.start(), test.end()) for test in tests)

    def _member_serves(self, own: Header) -> bool:
        """Return whether a class that lists devices as members (`CUDA = "cuda"`) has a member for the target too."""
        above = self._indents.header_above(own.start)
        if above is None or above.word != "class" or not MEMBER.match(self._text, own.start):
            return False
        lines = self._indents.lines_at(above.end, self._indents.extent(above.start), own.indent)
        members = [line for line in lines if line.start != own.start and MEMBER.match(self._text, line.start)]
        return any(self._words.polarity(line.start, line.end, alike=True) > 0 for line in members)

    def _sibling_serves(self, header: Header) -> bool:
        if header.word == "case":
            return self._case_serves(header)
        if header.word not in _IF | _TRY:
            return False
        clauses = self._indents.clauses(header)
        others = [clause for clause in clauses if clause.start != header.start]
        if clauses[0].word == "try":
            return header.word in _TRY and any(self._body_serves(clause) for clause in others if clause.word in _TRY)
        return self._condition_serves(header, others, clauses) or self._follows(header, clauses[-1])

    def _case_serves(self, header: Header) -> bool:
        above = self._indents.header_above(header.start)
        if above is None or above.word != "match":
            return False
        lines = self._indents.lines_at(above.end, self._indents.extent(above.start), header.indent)
        asked = {line.start: self._words.polarity(line.start, line.end, True) for line in lines if line.word == "case"}
        return asked.get(header.start, 0) <= 0 and any(polarity > 0 for polarity in asked.values())

    def _condition_serves(self, header: Header, others: list[Header], clauses: list[Header]) -> bool:
        """Return whether another clause handles the target: its condition names the target, or its body names the
        target and a condition of the chain names CUDA or a GPU."""
        own = 0 if header.word == "else" else self._condition(header)
        if own:
            return own < 0
        if self._twins.answered(header, others):
            return True
        tested = [self._condition(clause) for clause in others if clause.word != "else"]
        if any(polarity > 0 for polarity in tested):
            return True
        if header.word == "else" and any(polarity < 0 for polarity in tested):
            return False
        if not self.speak_of_cuda(clauses):
            return False
        return any(self._body_serves(clause) and not self.is_for_cuda(clause, clauses) for clause in others)

    def is_for_cuda(self, header: Header, clauses: list[Header]) -> bool:
        """Return whether a clause is the CUDA branch of its if/elif chain, even if a fix wrote the target into it."""
        if header.word != "else":
            return self._words.asks_cuda(header.start, header.end) > 0
        asked = {self._words.asks_cuda(clause.start, clause.end) for clause in clauses if clause.word in ("if", "elif")}
        return -1 in asked and 1 not in asked

    def _condition(self, header: Header) -> int:
        """Return what the condition of a clause asks for: 1 for the target, -1 for any device but the target, 0 for
        neither."""
        if header.start not in self._asked:
            end = self._text.find(":", header.start) if header.word == "else" else header.end
            self._asked[header.start] = self._words.polarity(header.start, end)
        return self._asked[header.start]

    def _body_serves(self, header: Header) -> bool:
        return self._words.serves(header.end, self._indents.extent(header.start))

    def _follows(self, header: Header, last: Header) -> bool:
        """Whether a clause whose condition asks for CUDA ends with `return` or `raise`, and a later `if` in the block
        that contains this clause asks for the target."""
        if self._words.asks_cuda(header.start, header.end) <= 0 or not leaves(header, self._facts):
            return False
        end = self._indents.block_end_of(header.start)
        return any(line.word == "if" and self._condition(line) > 0 for line in self._after(last, end, header.indent))

    def _after(self, last: Header, end: int, indent: int) -> Iterator[Header]:
        return self._indents.lines_at(self._indents.extent(last.start), end, indent)

    def _left_before(self, offset: int) -> bool:
        """Whether an earlier `if` of the same block asks for the target and ends with `return` or `raise`."""
        own, above = self._indents.header_at(offset), self._indents.header_above(offset)
        block = above, own.indent
        self._work.compare(len(self._tests.get(block, ())))
        if block not in self._tests:
            self._tests[block] = list(self._tests_in(above, own.indent))
        return any(
            test.start < own.start and self._condition(test) > 0 and leaves(test, self._facts)
            for test in self._tests[block]
        )

    def _tests_in(self, above: Header | None, indent: int) -> Iterator[Header]:
        """Yield the headers `if …:` whose condition names the target, in the block of the header `above` and at the
        given indentation."""
        indents, named, layout = self._indents, self._words.named, self._facts.layout
        start, end = (above.end, indents.extent(above.start)) if above is not None else (0, len(self._text))
        places = named[bisect_left(named, start) : bisect_left(named, end)]
        self._work.compare(len(places))
        for line in dict.fromkeys(layout.logical_line(at)[0] for at in places):
            if _TEST.match(self._text, line):
                test = indents.header_at(line)
                if test.word == "if" and test.indent == indent and indents.header_above(line) == above:
                    yield test


def _wide(outer: ast.AST) -> int:
    """The number of direct elements of a list, dictionary or similar expression."""
    return sum(len(getattr(outer, name, ())) for name in ("elts", "keys", "values", "patterns"))


def siblings(outer: ast.AST, inner: ast.AST) -> Iterator[ast.AST]:
    """Yield the other parts of an expression that may be for another device than the part `inner`: the other branch of
    a conditional expression, and the other items of a list, dictionary, `or` or `case a | b`."""
    if isinstance(outer, ast.IfExp):  # in `a if test else b`, `test` and `a` are both for the same device
        yield from (outer.test, outer.body) if inner is outer.orelse else (outer.orelse,)
    elif isinstance(outer, ast.BoolOp) and isinstance(outer.op, ast.Or):
        yield from (value for value in outer.values if value is not inner)
    elif isinstance(outer, (ast.List, ast.Tuple, ast.Set)):
        yield from (item for item in outer.elts if item is not inner)
    elif isinstance(outer, ast.Dict):
        own = next((key for key, value in zip(outer.keys, outer.values, strict=True) if inner in (key, value)), None)
        # in a dictionary whose keys are devices, each value is for the device in its key
        by_device = isinstance(own, ast.Constant) and own.value in _CUDA_KEYS
        for key, value in zip(outer.keys, outer.values, strict=True):
            if inner not in (key, value) and key is not None:
                yield key
                if isinstance(value, TEXTS) and isinstance(inner, TEXTS) and not by_device:
                    yield value
    elif isinstance(outer, ast.MatchOr):
        yield from (pattern for pattern in outer.patterns if pattern is not inner)
