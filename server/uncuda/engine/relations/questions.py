"""Conditions that ask for CUDA, the variables that hold their results, and the code that runs only if CUDA is found."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain

from ... import lazy_re
from ...checks import Hit, leaving
from ...checks.branch_words import last_of
from ...checks.branches import Branches
from ...checks.hit import OPERANDS
from ...edits import SAFE
from ...facts.read import Statement
from ...facts.scans import uses
from ...facts.scopes import FUNCTION, Header
from .autocast import asks_autocast
from .flags import CONDITIONS, Flags, spelled
from .marks import MODULE, Marks, Skipped
from .parts import ASIDE, guarded_parts, in_test, is_within

Stretch = tuple[int, int]

_DENIED = (
    r"\bnot[ \t(]+{0}(?![\w.])"
    r"|(?<![\w.]){0}[ \t]*(?:\([ \t]*\))?[ \t]*(?:(?:==|is)[ \t]*(?:(?:False|None|0)\b|-)|<[ \t]*0\b)"
)
COUNT = "torch.cuda.device_count"
_PLAIN = frozenset({COUNT, "torch.cuda.is_available"})
_MODULE, _FUNCTIONS = "torch.cuda", ("is_available", "device_count")
_IMPORTED = _PLAIN | {_MODULE}
# "cuda" is of `torch.version.cuda`
_ASKING = frozenset({"NCCL", "cuda", "device_count", "has_cuda", "is_available", "is_built", "is_nccl_available"})
_CHOOSES = lazy_re.compile(r"\b(?:if|and|or)\b")
_CHOOSING = (ast.IfExp, ast.BoolOp, *ASIDE)
_COUNT = r"[\w.]*device_count\([^()\n]*\)"
_FEW = lazy_re.compile(rf"(?:if|elif|while)[ \t]+(?:{_COUNT}[ \t]*<=?[ \t]*\d+|\d+[ \t]*>=?[ \t]*{_COUNT})[ \t]*:")
_NONE_OF = lazy_re.compile(r"(?:if|elif|while)[ \t]+not[ \t]*\((?:[^()]|\([^()]*\))*\)[ \t]*:")  # `if not (a and b):`


class Questions:
    """Finds the conditions in one file that ask for CUDA, except those that are fixed together with other hits."""

    def __init__(self, hits: Sequence[Hit], classes: Sequence[str | None], branches: Branches) -> None:
        self._hits, self._branches = hits, branches
        self._text, self._indents, self.facts = branches.text, branches.indents, branches.facts
        self.work = branches.work
        # Three dictionaries, whose values are lists of indices of hits. `tests` maps the start of a statement to the
        # hits in its condition. `inside` maps the start of a statement to all hits in the statement. `marks`
        # maps the start of a function or class to the hits in its skip mark, such as `@pytest.mark.skipif(…)`; the key
        # MODULE stands for the whole file.
        self.tests: dict[int, list[int]] = {}
        self.inside: dict[int, list[int]] = {}
        self.marks: dict[int, list[int]] = {}
        self._flags = Flags(branches)
        self._tested: dict[int, list[int]] = {}  # for each hit in a condition: the starts of the statements
        self._taken: set[tuple[str, int]] = set()  # spellings in `_spelled`, each with the start of its function
        self._spelled: dict[int, list[str]] = {}  # for each import of a function that asks for CUDA: see `_take_import`
        self._calls: dict[int, list[tuple[ast.AST, Statement]]] = {}  # for each such import: its calls
        self._asked: dict[int, list[int]] = {}  # caches the result of `of` by the offset of the condition
        self._skipped = Marks(self.facts)
        # for each hit: the keys of `marks` that it is listed under, each with `Skipped.whole`
        self._marked_by: dict[int, dict[int, bool]] = {}
        self._choices_of: dict[str, list[tuple[frozenset[int], list[Stretch]]]] = {}  # a cache for `_choices`
        self._order: dict[ast.BoolOp, dict[ast.AST, int]] = {}  # for each operand: its index
        self._asking_state = [index for index, hit in enumerate(hits) if asks_autocast(hit)]
        self._states = frozenset(self._text[hits[index].start : hits[index].end] for index in self._asking_state)
        self._polarities: dict[tuple[int, frozenset[str]], int] = {}
        self.work.compare(2 * len(hits))
        shared = Counter(key for hit in hits for key in hit.links)
        compared = Counter(key for hit in hits if hit.links and _is_compared(hit) for key in hit.links)
        for index, hit in enumerate(hits):
            others = (key for key in hit.links if key[0] != OPERANDS)
            alone = classes[index] != SAFE or all(shared[key] in (1, compared[key]) for key in others)
            # the text of an error message asks for no device, and neither does an address that is stored: "tcp://…"
            stored = "information" in (hit.severity, hit.rule.severity) and not _is_compared(hit)
            asks = alone and not hit.rule.get("message-text") and not (hit.rule.check == "string" and stored)
            if asks and hit.statement is not None and hit.node is not None:
                self._take(index, hit, hit.statement)
            if hit.words.get("name") in _IMPORTED and hit.statement is not None:
                self._take_import(index, hit, hit.statement)
        self._flags.spread()
        if may_skip(self.facts.says):
            self._mark_by_flags()
            self._mark_by_skips()

    def __iter__(self) -> Iterator[int]:
        """The indices of hits that ask whether CUDA is available, and of imports of functions that ask this."""
        yield from (index for index in chain.from_iterable(self.inside.values()) if is_question(self._hits[index]))
        yield from self._spelled

    def asking(self) -> Iterator[int]:
        """Yield the indices of hits that may guard code: hits that ask for CUDA, and all other hits in conditions."""
        return chain(self, self._asking_state, *self.tests.values(), *self.marks.values())

    def unfollowed(self) -> Iterator[int]:
        """Yield the indices of hits that read a state, such as whether autocast is on, in two cases: no condition in
        this file uses the state, or a condition that uses it also asks for CUDA."""
        for index in self._asking_state:
            hit = self._hits[index]
            if hit.statement is None:
                continue
            if index not in self._tested and not self._flags.of(index):
                if not is_within(hit.node, hit.statement, _CHOOSING):
                    yield index
                continue
            tests = self._tests_of(index)
            tests += [line for flag in self._flags.of(index) for line in self._flags.conditions(flag).values()]
            if any(one not in self._asking_state for line in tests for one in self.of(line)):
                yield index

    def _take(self, index: int, hit: Hit, statement: Statement) -> None:
        self.inside.setdefault(statement.start, []).append(index)
        if hit.node is not None and (blocks := self._skipped.marked(hit.node, statement, _is_plain(hit))):
            self._mark(index, blocks)
        elif in_test(hit.node, statement):
            self.tests.setdefault(statement.start, []).append(index)
            self._tested.setdefault(index, []).append(statement.start)
            if is_question(hit):
                self._flags.returned(index, statement)
        elif is_question(hit) or asks_autocast(hit):
            self._flags.assigned(index, hit.node, statement)

    def _take_import(self, index: int, hit: Hit, statement: Statement) -> None:
        """Take the calls of a function that an import binds, as in `from torch.cuda import is_available`, or of the
        functions of `torch.cuda` if the import, or `cuda = getattr(torch, "cuda", None)`, binds the module: the hit is
        at the import, and at no call."""
        name = hit.words["name"]
        bound = {one.name for one in statement.digest.bindings if one.dotted == name and one.kind in ("import", "from")}
        if name == _MODULE:
            bound |= {one.name for one in statement.digest.bindings if _is_getattr(one.value)}
        spellings = [f"{one}.{last}" for one in bound for last in _FUNCTIONS] if name == _MODULE else [*bound]
        around = self._indents.scope_of(statement.start)
        start, end = (around[0], self._indents.extent(around[0])) if around is not None else (0, len(self._text))
        for spelling in spellings:
            self._spelled.setdefault(index, []).append(spelling)
            if (spelling, start) in self._taken:
                continue  # another import in this function, or in the module, binds the same name
            self._taken.add((spelling, start))
            for at in self._flags.places(spelling, start, end):
                asking = self.facts.peek(self._indents.header_at(at).start)
                if asking is not None:
                    self.work.compare()
                    self._take_calls(index, spelling, asking)

    def _take_calls(self, index: int, name: str, statement: Statement) -> None:
        """Take the calls of an imported function in a statement; `index`: the index of the hit at the import."""
        for node in spelled(name, statement):
            self._calls.setdefault(index, []).append((node, statement))
            if in_test(node, statement):
                self.tests.setdefault(statement.start, []).append(index)
                self._tested.setdefault(index, []).append(statement.start)
                self._flags.returned(index, statement)
            else:
                self._flags.assigned(index, node, statement)

    def _tests_of(self, index: int) -> list[Header]:
        """Return the statements such as `if` whose condition contains a hit, or calls a function that it imports."""
        return [self._indents.header_at(start) for start in self._tested.get(index, ())]

    def _mark(self, index: int, blocks: Iterable[Skipped]) -> None:
        """Record that the blocks are skipped if a condition finds no CUDA; `index`: the index of the condition in the
        list of hits."""
        known = self._marked_by.setdefault(index, {})
        for block, whole in blocks:
            if block not in known:
                self.marks.setdefault(block, []).append(index)
            known[block] = whole or known.get(block, False)

    def _mark_by_flags(self) -> None:
        """Record the code that is skipped by marks whose condition contains a variable or function for the result of
        a condition: `skipif(not HAS_CUDA)` after `HAS_CUDA = torch.cuda.is_available()`."""
        for flag in self._flags:
            lines = self._flags.lines(flag).values()
            once = sum(line.word == flag for line in lines) == 1  # whether one line assigns the variable
            for line in lines:
                self.work.search(line.start, line.end)
                if line.word in CONDITIONS or self._text.find("skip", line.start, line.end) < 0:
                    continue
                statement = self.facts.peek(line.start)
                plain = once and self._is_plain_flag(flag, line)
                for node in spelled(flag, statement) if statement is not None else ():
                    if statement is not None and (blocks := self._skipped.marked(node, statement, plain)):
                        for index in self._flags.known_at(flag, line):
                            self._mark(index, blocks)

    def _is_plain_flag(self, flag: str, line: Header) -> bool:
        """Return whether a variable in a line has the value of `torch.cuda.is_available()` or
        `torch.cuda.device_count()`, if only one line assigns the variable."""
        known = self._flags.known_at(flag, line)
        hit = self._hits[known[0]] if len(known) == 1 else None
        if hit is None or hit.statement is None or not _is_plain(hit):
            return False
        first = next(iter(hit.statement.digest.piece.nodes), None)
        if (
            not isinstance(first, ast.Assign)
            or not isinstance(first.value, ast.Call)
            or first.value.func is not hit.node
        ):
            return False
        return all(isinstance(target, ast.Name) and target.id == flag for target in first.targets)

    def _mark_by_skips(self) -> None:
        """Record the code that conditions skip whose block calls `pytest.skip()`, in a `setUp`, a fixture or a function
        that tests call, or assigns a skip mark to `pytestmark`."""
        for start in self.conditions:
            header = self._indents.header_at(start)
            last = self.last(header) if header.word == "if" else ""
            by_mark = last.startswith("pytestmark") and "skip" in last
            if by_mark or leaving.skips(last):
                questions = self.of(header)
                if self.polarity(header, questions) < 0 and (blocks := self._skipped.skipped(header, by_mark)):
                    for index in questions:
                        self._mark(index, (Skipped(block, True) for block in blocks))

    def decorated(self, line: Header) -> int:
        """Return the start offset of the function or class below a decorator."""
        return self._skipped.decorated(line.end)

    def skips(self, index: int) -> bool:
        """Return whether a condition skips pytest tests, by a skip mark or by a statement such as `pytest.skip()` in
        its block. `index`: the index of the hit in the condition."""
        if index in self._marked_by:
            return True
        lines = [line for flag in self._flags.of(index) for line in self._flags.conditions(flag).values()]
        lines += self._tests_of(index)
        return any(line.word == "if" and leaving.skips(self.last(line)) for line in lines)

    def marked_by(self, name: str) -> Iterator[Stretch]:
        """Yield the spans of the functions and classes that a skip mark skips for all of their parameters; `name`: the
        variable that holds the mark."""
        yield from self._spans(self._skipped.marked_by(name))

    def made_by(self, name: str) -> list[int]:
        """Return the indices of the hits that ask for CUDA in a skip mark that is assigned to the module's variable
        `name`, or that the module's function `name` returns."""
        found = []
        for at in self.facts.searches.find(("flag", name), uses(name, True)):
            line = self._indents.header_at(at)
            if line.start == at and not line.indent and line.word == name:
                statement = self.facts.peek(at)
                node = next(iter(statement.digest.piece.nodes), None) if statement is not None else None
                if statement is not None and isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                    found += self.within(node.value, statement)
            elif not line.indent and line.word == "def" and (match := FUNCTION.match(self._text, line.start)):
                start, end = line.start, self._indents.extent(line.start)
                found += [one for one in self if match[1] == name and start <= self._hits[one].start < end]
        return found

    @property
    def lost(self) -> list[int]:
        """Indices of hits whose result is assigned to too many variables to trace all of them."""
        return self._flags.lost

    def of(self, header: Header) -> list[int]:
        """Return the indices of the hits in a condition that ask for CUDA, including the hits whose result a variable
        in the condition holds."""
        if header.start not in self._asked:
            found = list(self.tests.get(header.start, ()))
            for name in self._flags.within(header.start, header.end):
                found += self._flags.known_at(name, header)
            self._asked[header.start] = found
        return self._asked[header.start]

    @cached_property
    def conditions(self) -> list[int]:
        """Return the sorted start offsets of all conditions that ask for CUDA, or contain a variable that holds the
        result of such a condition."""
        named = (start for flag in self._flags for start, line in self._flags.conditions(flag).items() if self.of(line))
        return sorted({*self.tests, *named})

    def counts(self, index: int) -> bool:
        """Return whether the hit with this index asks for the number of devices."""
        return self._hits[index].words.get("name") == COUNT

    def may_guard(self) -> bool:
        """Return whether any condition in the text that asks for CUDA may decide whether other code runs: a block, code
        with a pytest skip mark, another part of the condition's own expression, or a loop over the devices."""
        if self.marks or self.conditions or any(map(self.counts, self)):
            return True
        hits = (self._hits[index] for index in chain.from_iterable(self.inside.values()))
        if any(hit.statement is not None and is_within(hit.node, hit.statement, _CHOOSING) for hit in hits):
            return True
        return any(self._choices(flag) for flag in self._flags)

    def polarity(self, header: Header, questions: Sequence[int]) -> int:
        """Return 1 if the block of a condition is for CUDA, -1 if it is for any device but CUDA."""
        devices = [index for index in questions if index not in self._asking_state]
        held = frozenset(flag for index in devices or questions for flag in self._flags.of(index))
        held |= frozenset() if devices else self._states
        held |= {name for index in questions for name in self._spelled.get(index, ())}
        key = header.start, held
        if key not in self._polarities:
            self.work.search(0, 16 * len(held))
            asked = self._branches.asks_cuda(header.start, header.end)
            denied = self._denies_any(held, header.start, header.end)
            few = asked > 0 and _FEW.search(self._text, header.start, header.end) is not None
            self._polarities[key] = -1 if few else asked or (-1 if denied else 1)
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
        """Yield the spans of code that runs only if the hit at this index, such as `is_available()`, is true."""
        hit = self._hits[index]
        statement = hit.statement
        if statement is None:
            return
        for flag in self._flags.of(index):
            for header in self._flags.conditions(flag).values():
                asked = self.of(header)
                self.work.compare(1 + len(asked) // 16)
                if index in asked:
                    yield from self._of_test(header, [index])
            for known, parts in self._choices(flag):
                self.work.compare()
                if index in known:
                    yield from parts
        for header in self._tests_of(index):
            yield from self._of_test(header, [index])
        yield from self._spans(self._marked_by.get(index, {}).items())
        yield from self._of_expression(hit.node, statement)
        for node, calling in self._calls.get(index, ()):
            yield from self._of_expression(node, calling)

    def _spans(self, blocks: Iterable[tuple[int, bool]]) -> Iterator[Stretch]:
        """Yield the spans of those functions and classes that are skipped for all of their parameters."""
        for block, whole in blocks:
            if whole and block == MODULE:
                yield from self._functions
            elif whole:
                yield block, self._indents.extent(block)

    @cached_property
    def _functions(self) -> list[Stretch]:
        """The spans of the outermost functions that contain hits, with their decorators."""
        starts = (
            [header.start for header in self._indents.headers(hit.start) if header.word == "def"] for hit in self._hits
        )
        outermost = dict.fromkeys(inside[-1] for inside in starts if inside)
        return [(self._indents.decorated(start), self._indents.extent(start)) for start in outermost]

    def _choices(self, flag: str) -> list[tuple[frozenset[int], list[Stretch]]]:
        """Return, for each statement with an expression such as `flag and f()`, the hits whose result is stored in the
        variable `flag`, and the spans of the code that is evaluated only if `flag` is true, here `f()`."""
        if flag not in self._choices_of:
            found = []
            for line in self._flags.lines(flag).values():
                self.work.search(line.start, line.end)
                if not _CHOOSES.search(self._text, line.start, line.end):
                    continue
                statement = self.facts.peek(line.start)
                nodes = spelled(flag, statement) if statement is not None else []
                if nodes and statement is not None and (known := frozenset(self._flags.known_at(flag, line))):
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
            if parts:  # one span over all parts that are guarded: between them are only operators
                start, end = statement.digest.span(parts[0])[0], statement.digest.span(parts[-1])[1]
                yield statement.start + start, statement.start + end
            inner = outer

    def _behind(self, outer: ast.BoolOp, question: ast.AST, statement: Statement) -> list[ast.AST]:
        """Return the first and the last of the operands that follow the one that asks for CUDA in `a and b and …`."""
        if outer not in self._order:
            self._order[outer] = {value: index for index, value in enumerate(outer.values)}
        at = self._order[outer].get(question, len(outer.values)) + 1
        if at >= len(outer.values) or isinstance(outer.op, ast.Or) is not self.denies(question, statement):
            return []
        return [outer.values[at], outer.values[-1]]

    def denies(self, node: ast.AST, statement: Statement) -> bool:
        """Return whether an expression asks whether the device is not CUDA: `device != "cuda"`, `not use_cuda`."""
        start, end = statement.digest.span(node)
        start, end = statement.start + start, statement.start + end
        asked = self._branches.asks_cuda(start, end)
        held = self._states.union(self._flags.within(start, end))
        return asked < 0 or (not asked and self._denies_any(held, start, end))

    def _denies_any(self, names: frozenset[str], start: int, end: int) -> bool:
        """Return whether a part of the source requires that one of these names, or the result of its call, is false."""
        text = self._text[start:end] if names else ""
        return any(re.search(_DENIED.format(re.escape(name)), text) for name in names if name in text)

    def within(self, node: ast.AST, statement: Statement) -> list[int]:
        """Return the indices of the hits that ask for CUDA in an expression, directly or through a variable that holds
        the result of a condition."""
        start, end = (statement.start + at for at in statement.digest.span(node))
        found = [index for index in self.inside.get(statement.start, ()) if start <= self._hits[index].start < end]
        for name in self._flags.within(start, end):
            found += self._flags.known_at(name, self._indents.header_at(statement.start))
        return found


def may_skip(says: Callable[[str], bool]) -> bool:
    """Return whether a file may contain code that skips pytest or unittest tests. `says`: a function that returns
    whether the file contains a word."""
    return says("skip") or says("SkipTest")


def _is_compared(hit: Hit) -> bool:
    """Return whether a hit is in a comparison. A hit with a safe fix that changes together with other hits counts as a
    condition only if all these hits are in comparisons."""
    return hit.statement is not None and is_within(hit.node, hit.statement, (ast.Compare, ast.match_case))


def _is_plain(hit: Hit) -> bool:
    """Return whether a hit is a function that returns a true value if CUDA is available, and a false value if not."""
    return hit.rule.check == "name" and hit.words.get("name") in _PLAIN


def is_question(hit: Hit) -> bool:
    """Return whether a hit asks whether CUDA is available, instead of reading a property of the device."""
    if hit.rule.check == "method":
        return hit.words.get("old") == "is_cuda"
    return hit.rule.check == "string" or hit.words.get("name", "").rpartition(".")[2] in _ASKING


def _is_getattr(value: ast.AST | None) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "getattr"


def hits_in(starts: Sequence[tuple[int, int]], stretch: Stretch) -> Sequence[tuple[int, int]]:
    """Return those items of `starts` whose hits begin in the span `stretch`. `starts`: for each hit, its offset and its
    index in the list of hits, sorted."""
    return starts[bisect_left(starts, (stretch[0], -1)) : bisect_left(starts, (stretch[1], -1))]
