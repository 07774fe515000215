"""Tests for CUDA, the variables that hold their results, and the code that runs only if the tests succeed."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain

from ...checks import Hit, leaving
from ...checks.branch_words import last_of
from ...checks.branches import Branches
from ...checks.parameters import Parameters
from ...edits import SAFE
from ...facts.read import Statement
from ...facts.scans import uses
from ...facts.scopes import FUNCTION, Header
from .autocast import asks_autocast
from .marks import MODULE, Marks
from .parts import ASIDE, guarded_parts, in_test, is_within

Stretch = tuple[int, int]

CONDITIONS = frozenset({"if", "elif", "while", "case"})
_VARIABLE = re.compile(r"[A-Za-z_][\w.]*")
_DENIED = r"\bnot[ \t(]+{0}(?![\w.])|(?<![\w.]){0}[ \t]*(?:\([ \t]*\))?[ \t]*(?:==|is)[ \t]*(?:False|None|0)\b"
_ASKING = frozenset({"NCCL", "cuda", "device_count", "is_available", "is_nccl_available"})  # of `torch.version.cuda`
_CHOOSES = re.compile(r"\b(?:if|and|or)\b")
_CHOOSING = (ast.IfExp, ast.BoolOp, *ASIDE)
_NONE_OF = re.compile(r"(?:if|elif|while)[ \t]+not[ \t]*\((?:[^()]|\([^()]*\))*\)[ \t]*:")  # `if not (a and b):`
_ANSWERS = re.compile(r"return[ \t(]+(True|False|1|0)\b")
_GIVES = re.compile(r"return\b|[\w.]+[ \t]*(?::[^=\n]+)?=(?!=)")
_MANY = 200  # maximum number of variables in one file that receive the result of a test for CUDA from another variable


class Questions:
    """Finds the tests for CUDA in one file, except tests that are fixed together with other hits."""

    def __init__(self, hits: Sequence[Hit], classes: Sequence[str | None], branches: Branches) -> None:
        self._hits, self._branches = hits, branches
        self._text, self._indents, self.facts = branches.text, branches.indents, branches.facts
        self.work = branches.work
        # Indices of hits, in three dictionaries: by the start of the statement whose condition contains them (`tests`),
        # of the statement that contains them (`inside`), and of the function or class whose skip mark contains them
        # (`marks`; MODULE for the mark of a file).
        self.tests: dict[int, list[int]] = {}
        self.inside: dict[int, list[int]] = {}
        self.marks: dict[int, list[int]] = {}
        # for each variable: the tests whose result it holds, with the scope in which it is visible
        self._flags: dict[str, dict[tuple[int, int | None], None]] = {}
        self._flags_of: dict[int, list[str]] = {}
        self._tested: set[int] = set()
        self._asked: dict[int, list[int]] = {}  # caches the result of `of` by the offset of the condition
        self._saying: dict[str, dict[int, Header]] = {}  # for each name: the conditions that contain it
        self._skipped = Marks(self.facts)
        self._marked_by: dict[int, tuple[int, ...]] = {}
        self._choices_of: dict[str, list[tuple[frozenset[int], list[Stretch]]]] = {}  # a cache for `_choices`
        self._order: dict[ast.BoolOp, dict[ast.AST, int]] = {}  # for each operand: its index
        self.lost: list[int] = []
        """Indices of hits whose result is assigned to further variables that are not traced, because `_MANY` is
        reached."""
        self._asking_state = [index for index, hit in enumerate(hits) if asks_autocast(hit)]
        self._states = frozenset(self._text[hits[index].start : hits[index].end] for index in self._asking_state)
        self._parameters = Parameters(self.facts, set())
        self._polarities: dict[tuple[int, frozenset[str]], int] = {}
        self.work.compare(2 * len(hits))
        shared = Counter(key for hit in hits for key in hit.links)
        for index, hit in enumerate(hits):
            alone = classes[index] != SAFE or all(shared[key] == 1 for key in hit.links)
            # a comparison with the text of an error message tests no device
            asks = alone and not hit.rule.get("message-text")
            if asks and hit.statement is not None and hit.node is not None:
                self._take(index, hit, hit.statement)
        self._spread()

    def __iter__(self) -> Iterator[int]:
        """The indices of hits that test whether CUDA is available."""
        return (index for index in chain.from_iterable(self.inside.values()) if is_question(self._hits[index]))

    def asking(self) -> Iterator[int]:
        """Yield the indices of hits that may guard code: tests for CUDA, and all other hits in conditions."""
        return chain(self, self._asking_state, *self.tests.values(), *self.marks.values())

    def unfollowed(self) -> Iterator[int]:
        """Yield the indices of hits that read a state, such as whether autocast is on. A hit is yielded if this file
        does not test the state that the hit reads, or tests it in a condition that also tests for CUDA."""
        for index in self._asking_state:
            hit = self._hits[index]
            if hit.statement is None:
                continue
            if index not in self._tested and index not in self._flags_of:
                if not is_within(hit.node, hit.statement, _CHOOSING):
                    yield index
                continue
            tests = [self._indents.header_at(hit.statement.start)] if index in self._tested else []
            tests += [line for flag in self._flags_of.get(index, ()) for line in self._uses_of(flag).values()]
            if any(one not in self._asking_state for line in tests for one in self.of(line)):
                yield index

    def _take(self, index: int, hit: Hit, statement: Statement) -> None:
        self.inside.setdefault(statement.start, []).append(index)
        if hit.node is not None and (blocks := self._skipped.marked(hit.node, statement)):
            self._marked_by[index] = blocks
            for block in blocks:
                self.marks.setdefault(block, []).append(index)
        elif in_test(hit.node, statement):
            self.tests.setdefault(statement.start, []).append(index)
            self._tested.add(index)
            if is_question(hit) and (answers := self._answers(statement)) is not None:
                self._hold(index, *answers)
        elif (is_question(hit) or asks_autocast(hit)) and (found := self._flag(hit.node, statement)) is not None:
            self._hold(index, *found)

    def _hold(self, index: int, flag: str, around: int | None) -> bool:
        """Record that a variable holds the result of a test; return whether this was not known before."""
        held = index, None if "." in flag else around
        known = self._flags.setdefault(flag, {})
        if held in known:
            return False
        known[held] = None
        flags = self._flags_of.setdefault(index, [])
        if flag not in flags:
            flags.append(flag)
        return True

    def _spread(self) -> None:
        """Record the variables that receive the result of a test from another variable: `self.fast = use_cuda and not
        slow`."""
        waiting, spread = list(self._flags), 0
        while waiting:
            flag, done = waiting.pop(), -1
            for at in self.facts.searches.find(("flag", flag), uses(flag, True)):
                line = self._indents.header_at(at)
                if line.start == done or not self._gives(line, at):
                    continue
                done = line.start
                held = self._holder(flag, line)
                if held is None or held[0] == flag:
                    continue
                fresh = [index for index in self._known_at(flag, line) if self._hold(index, *held)]
                if fresh:
                    waiting.append(held[0])
                    spread += 1
                if spread > _MANY:
                    self.lost += fresh
                    return

    def _gives(self, line: Header, at: int) -> bool:
        """Whether a statement assigns or returns the value at an offset."""
        self.work.search(line.start, at)
        return _GIVES.match(self._text, line.start, at) is not None

    def _holder(self, flag: str, line: Header) -> tuple[str, int | None] | None:
        """Return the variable or function that receives the value of `flag` in a statement, with its scope, in the form
        that `_flag` returns."""
        statement = self.facts.peek(line.start)
        if statement is None:
            return None
        self.work.compare(len(statement.digest.chains))
        return next(filter(None, (self._flag(node, statement, False) for node in _spelled(flag, statement))), None)

    def _flag(self, node: ast.AST | None, statement: Statement, compared: bool = True) -> tuple[str, int | None] | None:
        """Return the variable or function that holds the result of a test, as in `use_cuda = torch.cuda.is_available()
        and …`, with the scope in which it is visible (None for the module). `compared`: whether the result may be
        compared with a number, as in `torch.cuda.device_count() > 1`."""
        inner = node
        for outer in statement.digest.ancestors(inner) if inner is not None else ():
            if isinstance(outer, (ast.Assign, ast.AnnAssign)):
                target = outer.targets[0] if isinstance(outer, ast.Assign) else outer.target
                if not isinstance(target, (ast.Name, ast.Attribute)) or inner is not outer.value:
                    return None
                scope = self._indents.scope_of(statement.start)
                return ast.unparse(target), scope[0] if scope is not None else None
            if isinstance(outer, ast.Return):
                return self._function(statement)
            if isinstance(outer, ast.Call) and inner is not outer.func:
                return self._parameters.holder(outer, inner, statement)
            asks = isinstance(outer, ast.Call) and inner is outer.func and not outer.args
            compares = compared and isinstance(outer, ast.Compare)
            passes = asks or compares or isinstance(outer, ast.keyword)
            if not passes and not (isinstance(outer, ast.BoolOp) and isinstance(outer.op, ast.And)):
                return None
            inner = outer
        return None

    def _answers(self, statement: Statement) -> tuple[str, int | None] | None:
        """Return the function that is true only if a test for CUDA succeeds, because the block of the test returns True
        or, if the test is for other devices, False."""
        header = self._indents.header_at(statement.start)
        end = self._indents.extent(header.start)
        self.work.search(header.start, end)
        self.facts.layout.reads(header.start, end)
        may = self._text.find("return", header.start, end) >= 0  # a quick test, because most blocks do not return
        match = _ANSWERS.match(self.last(header)) if may and header.word in CONDITIONS else None
        asked = self._branches.asks_cuda(header.start, header.end) if match else 0
        return self._function(statement) if match and (asked >= 0) is (match[1] in ("True", "1")) else None

    def _function(self, statement: Statement) -> tuple[str, int | None] | None:
        """Return the function around a statement, in the form that `_flag` returns."""
        scope = self._indents.scope_of(statement.start)
        match = FUNCTION.match(self._text, scope[0]) if scope is not None else None
        above = self._indents.scope_of(scope[0]) if scope is not None else None
        method = above is not None and above[1] == "class"
        return (f"self.{match[1]}" if method else match[1], above[0] if above else None) if match else None

    def of(self, header: Header) -> list[int]:
        """Return the indices of the tests in a condition, including the tests whose result a variable in the condition
        holds."""
        if header.start not in self._asked:
            found = list(self.tests.get(header.start, ()))
            for name in self._held_in(header.start, header.end):
                found += self._known_at(name, header)
            self._asked[header.start] = found
        return self._asked[header.start]

    def _known_at(self, name: str, header: Header) -> list[int]:
        """Return the indices of the tests whose result the variable `name` holds in the condition at `header`."""
        flags = self._flags.get(name, ())
        self.work.compare(len(flags))
        around = {None, *(line.start for line in self._indents.headers(header.start))} if flags else set()
        return [index for index, scope in flags if scope in around]

    @cached_property
    def conditions(self) -> list[int]:
        """Return the sorted start offsets of all conditions that contain a test, or a variable that holds the result of
        a test."""
        named = (start for flag in self._flags for start, line in self._uses_of(flag).items() if self.of(line))
        return sorted({*self.tests, *named})

    def may_guard(self) -> bool:
        """Return whether any test for CUDA in the text may decide whether other code runs: a block, code with a pytest
        skip mark, or another part of the test's own expression."""
        if self.marks or self.conditions:
            return True
        hits = (self._hits[index] for index in chain.from_iterable(self.inside.values()))
        if any(hit.statement is not None and is_within(hit.node, hit.statement, _CHOOSING) for hit in hits):
            return True
        return any(self._choices(flag) for flag in self._flags)

    def _uses_of(self, flag: str) -> dict[int, Header]:
        """The conditions that contain a name, by their start offset."""
        if flag not in self._saying:
            lines = self._lines_of(flag).items()
            self._saying[flag] = {start: line for start, line in lines if line.word in CONDITIONS}
        return self._saying[flag]

    def _lines_of(self, flag: str) -> dict[int, Header]:
        """The statements that contain a name, by their start offset."""
        lines = map(self._indents.header_at, self.facts.searches.find(("flag", flag), uses(flag, True)))
        return {line.start: line for line in lines}

    def polarity(self, header: Header, questions: Sequence[int]) -> int:
        """Return 1 if the block of a condition is for CUDA, -1 if it is for any device but CUDA."""
        devices = [index for index in questions if index not in self._asking_state]
        held = frozenset(flag for index in devices or questions for flag in self._flags_of.get(index, ()))
        held |= frozenset() if devices else self._states
        key = header.start, held
        if key not in self._polarities:
            self.work.search(0, 16 * len(held))
            asked = self._branches.asks_cuda(header.start, header.end)
            denied = self._denies_any(held, header.start, header.end)
            self._polarities[key] = asked or (-1 if denied else 1)
        return self._polarities[key]

    def excludes(self, header: Header, questions: Sequence[int]) -> bool:
        """Return whether the device is certainly CUDA if a condition is false."""
        text = self._text[header.start : header.end]
        if self.polarity(header, questions) >= 0:
            return False
        return not re.search(r"\bor\b" if _NONE_OF.fullmatch(text.strip()) else r"\band\b", text)

    def last(self, header: Header) -> str:
        """The first line of the last statement in a block."""
        return last_of(header, self.facts)

    def leaves(self, header: Header) -> bool:
        """Whether the block of a header ends with `return`, `raise`, `continue`, `pytest.skip()` or a similar
        statement."""
        return self._branches.leaves(header)

    def raises(self, header: Header) -> bool:
        """Whether the block of a header ends with an exception, or with an exit of the program."""
        return leaving.raises(self.last(header))

    def below(self, header: Header) -> Stretch:
        """The span of the code that follows a compound statement in the same block."""
        last = self._indents.clauses(header)[-1]
        return self._indents.extent(last.start), self._indents.block_end_of(header.start)

    def regions(self, index: int) -> Iterator[Stretch]:
        """Yield the spans of code that runs only if a test is true."""
        hit = self._hits[index]
        statement = hit.statement
        if statement is None:
            return
        if index in self._flags_of:
            for flag in self._flags_of[index]:
                for header in self._uses_of(flag).values():
                    self.work.compare(1 + len(self._flags[flag]) // 16)
                    if index in self.of(header):
                        yield from self._of_test(header, [index])
                for known, parts in self._choices(flag):
                    self.work.compare()
                    if index in known:
                        yield from parts
        if index in self._tested:
            yield from self._of_test(self._indents.header_at(statement.start), [index])
        for block in self._marked_by.get(index, ()):
            if block == MODULE:
                yield from self._functions()
            else:
                yield block, self._indents.extent(block)
        yield from self._of_expression(hit.node, statement)

    def _functions(self) -> Iterator[Stretch]:
        """Yield the spans of the outermost functions that contain hits."""
        starts = (
            [header.start for header in self._indents.headers(hit.start) if header.word == "def"] for hit in self._hits
        )
        for start in dict.fromkeys(inside[-1] for inside in starts if inside):
            yield start, self._indents.extent(start)

    def _choices(self, flag: str) -> list[tuple[frozenset[int], list[Stretch]]]:
        """Find statements that evaluate parts of an expression only if the variable `flag` is true. For each of these
        statements, return the tests whose result `flag` holds, and the spans of the parts that depend on `flag`."""
        if flag not in self._choices_of:
            found = []
            for line in self._lines_of(flag).values():
                self.work.search(line.start, line.end)
                if not _CHOOSES.search(self._text, line.start, line.end):
                    continue
                statement = self.facts.peek(line.start)
                nodes = _spelled(flag, statement) if statement is not None else []
                if nodes and statement is not None and (known := frozenset(self._known_at(flag, line))):
                    found.append((known, [part for node in nodes for part in self._of_expression(node, statement)]))
            self._choices_of[flag] = found
        return self._choices_of[flag]

    def _of_test(self, header: Header, questions: Sequence[int]) -> Iterator[Stretch]:
        if header.word == "assert":
            yield header.end, self._indents.block_end_of(header.start)
        elif self.polarity(header, questions) > 0:
            yield header.start + 1, self._indents.extent(header.start)
        else:
            clauses = self._indents.clauses(header)
            yield from (
                (clause.start, self._indents.extent(clause.start)) for clause in clauses if clause.start > header.start
            )
            if self.excludes(header, questions) and self.leaves(header):
                yield self.below(header)

    def _of_expression(self, question: ast.AST | None, statement: Statement) -> Iterator[Stretch]:
        inner = question
        for outer in statement.digest.ancestors(inner) if inner is not None else ():
            assert inner is not None
            if isinstance(outer, ast.BoolOp):
                parts = self._behind(outer, inner, statement)
            else:
                parts = guarded_parts(outer, inner, lambda node: self.denies(node, statement))
            if parts:  # one span over all parts that the test guards: between them are only operators
                start, end = statement.digest.span(parts[0])[0], statement.digest.span(parts[-1])[1]
                yield statement.start + start, statement.start + end
            inner = outer

    def _behind(self, outer: ast.BoolOp, question: ast.AST, statement: Statement) -> list[ast.AST]:
        """Return the first and the last of the operands that follow a test for CUDA in `a and b and …`."""
        if outer not in self._order:
            self._order[outer] = {value: index for index, value in enumerate(outer.values)}
        at = self._order[outer].get(question, len(outer.values)) + 1
        if at >= len(outer.values) or isinstance(outer.op, ast.Or) is not self.denies(question, statement):
            return []
        return [outer.values[at], outer.values[-1]]

    def denies(self, node: ast.AST, statement: Statement) -> bool:
        """Return whether an expression tests that the device is not CUDA: `device != "cuda"`, `not use_cuda`."""
        start, end = statement.digest.span(node)
        start, end = statement.start + start, statement.start + end
        asked = self._branches.asks_cuda(start, end)
        held = self._states.union(self._held_in(start, end))
        return asked < 0 or (not asked and self._denies_any(held, start, end))

    def _denies_any(self, names: frozenset[str], start: int, end: int) -> bool:
        """Return whether a part of the source tests that one of these names, or the result of its call, is false."""
        text = self._text[start:end] if names else ""
        return any(re.search(_DENIED.format(re.escape(name)), text) for name in names if name in text)

    def within(self, node: ast.AST, statement: Statement) -> list[int]:
        """Return the indices of the hits at tests for CUDA that an expression contains, directly or through a variable
        that holds the result of a test."""
        start, end = (statement.start + at for at in statement.digest.span(node))
        found = [index for index in self.inside.get(statement.start, ()) if start <= self._hits[index].start < end]
        for name in self._held_in(start, end):
            found += self._known_at(name, self._indents.header_at(statement.start))
        return found

    def _held_in(self, start: int, end: int) -> list[str]:
        """Return the variables in a part of the source that hold the result of a test, each once."""
        if not self._flags:
            return []
        self.work.search(start, start + 16 * (end - start))
        return [name for name in dict.fromkeys(_VARIABLE.findall(self._text, start, end)) if name in self._flags]


def _spelled(name: str, statement: Statement) -> list[ast.expr]:
    """Return the nodes of a dotted name in a statement."""
    return [one.node for one in statement.digest.chains if one.spelled == name]


def is_question(hit: Hit) -> bool:
    """Return whether a hit tests whether CUDA is available, instead of reading a property of the device."""
    if hit.rule.check == "method":
        return hit.words.get("old") == "is_cuda"
    return hit.rule.check == "string" or hit.words.get("name", "").rpartition(".")[2] in _ASKING


def hits_in(starts: Sequence[tuple[int, int]], stretch: Stretch) -> Sequence[tuple[int, int]]:
    """Return the pairs (offset, index) of the hits that begin in a span."""
    return starts[bisect_left(starts, (stretch[0], -1)) : bisect_left(starts, (stretch[1], -1))]
