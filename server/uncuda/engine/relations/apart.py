"""Finds code that runs only after a condition that no fix changes: a condition that asks for ROCm, for another
platform, or for a bytes value that contains `cuda`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain

from ... import lazy_re
from ...checks import Hit, leaving
from ...checks.branch_words import last_of
from ...checks.branches import Branches
from ...facts.read import Statement
from ...facts.role_calls import last_word
from ...facts.scans import plain, uses
from ...facts.scopes import FUNCTION, Header
from . import capability
from .called import Called, Stretch
from .ways import always_calls, callers

Says = Callable[[ast.expr, bool], bool]
"""A function that takes a part of a condition and a truth value, and returns whether the part never has this truth
value on the target."""

_RETURN = lazy_re.compile(r"\breturn\b")
_ROCM = ("hip", "rocm", "HIP", "ROCM")
_NAME = lazy_re.compile(
    r"_*(?:(?:(?:is|on|has|have|use|using|with|test_with)_)(?:hip|rocm)|rocm)(?:_(?:available|platform|pytorch))?_*"
)
_PLATFORM = lazy_re.compile(r"arch|backend|device|platform|runtime|target|vendor", re.IGNORECASE)
_ASKED_OF = "platform.is_"
_OTHERS = frozenset({"is_cpu", "is_cuda", "is_hpu", "is_neuron", "is_rocm", "is_tpu", "is_xpu"})
_ALIKE = "is_cuda_alike"
_HOST = frozenset({"is_cpu"})
_BYTES = ('b"cuda', "b'cuda")
_BOUND = lazy_re.compile(r"[ \t]*(?::?=(?!=)|:[^=\n]+=(?!=)|(?:,[^=\n]*)=(?!=)|[-+*/|&^%@]=)")
_NAMED = lazy_re.compile(r"[ \t]*:=")
_LOOPS = lazy_re.compile(r"\b(?:as|for)\b[^\n]*\Z")
# matches `if __name__ == "__main__"`; the block of this `if` calls functions that are defined above the `if`
_SCRIPT = lazy_re.compile(r"if[ \t]+__name__[ \t]*==[ \t]*[\"']__main__[\"']")
# _MANY: the maximum number of uses of a name that are checked; _FEW: the maximum number of traced variables
# that hold a compute capability returned by torch
_MANY, _FEW = 60, 16
_CLAUSES = frozenset({"if", "elif"})
_SKIPPED_IF, _SKIPPED_UNLESS = frozenset({"skipif", "skipIf"}), frozenset({"skipUnless"})


def of_rocm(branches: Branches, path: str) -> Apart:
    """Return an object that finds code which runs only on ROCm, where CUDA's names mean HIP."""
    return Apart(branches, _ROCM, _asks_rocm, path)


def of_platforms(branches: Branches, path: str, alike: bool) -> Apart:
    """Return an object that finds code which runs only on platforms other than the target, according to the project's
    own platform object: `current_platform.is_cuda()`.

    `alike`: what the method `is_cuda_alike` of the platform object returns on the target.
    """
    among = _OTHERS if alike else _OTHERS | {_ALIKE}
    words = (_ASKED_OF, capability.ASKED_OF)
    return Apart(branches, words, lambda test, answer: _asks_platform(test, answer, among), path)


def of_host(branches: Branches) -> Apart:
    """Return an object that finds code which runs only if the project's own platform object is that of the CPU:
    `current_platform.is_cpu()`."""
    return Apart(branches, (_ASKED_OF,), lambda test, answer: _asks_platform(test, answer, _HOST))


def of_bytes(branches: Branches) -> Apart:
    """Return an object that finds code which runs only if bytes contain "cuda"; no fix changes a condition about
    bytes."""
    return Apart(branches, _BYTES, _asks_bytes)


class Apart:
    """Finds the spans of one text that run only if a condition of one kind is true, such as `platform.is_cuda()`."""

    def __init__(self, branches: Branches, words: tuple[str, ...], says: Says, path: str | None = None) -> None:
        """`words`: every condition that this object searches for contains one of these words. If `path` is given, this
        object also finds functions and constants that are used only in code behind a condition that it searches for."""
        self._branches, self._facts, self._says, self._words = branches, branches.facts, says, words
        self._path, self._capable = path, capability.ASKED_OF in words
        self._parts: dict[ast.BoolOp, frozenset[ast.AST]] = {}
        self._kept: dict[str, bool] = {}
        """For each variable whose value depends on a condition such as `platform.is_cuda()`, as in `use_x =
        platform.is_cuda() and has_x()`: the value that the variable has only if the condition is true."""
        self._capabilities: dict[str, bool] = {}
        """For each variable that holds a compute capability: True if a call such as
        `current_platform.get_device_capability()` returned it, False if torch did."""
        self._named_marks: set[str] = set()
        """The names of pytest marks that contain a condition that this object searches for: `on_cuda =
        pytest.mark.skipif(not platform.is_cuda())`."""
        self._optional: set[str] = set()
        """The variables that are None unless a condition that this object searches for is true: `mode = "warn" if
        platform.is_cuda() else None`."""
        self._refusing: set[str] = set()
        """Functions that raise an error unless one of the conditions that this object searches for, such as
        `platform.is_cuda()`, is true."""
        self._late: set[Stretch] = set()
        """The spans of guarded code in which statements outside of functions run before the condition is evaluated: a
        script whose `main()` evaluates the condition, and code that `pytestmark` marks."""

    def holds(self, hit: Hit) -> bool:
        """Whether a hit is in code that runs only if a condition for which this object searches, such as
        `platform.is_cuda()`, is true."""
        statement = hit.statement
        if statement is None or not self._places:
            return False
        self._facts.work.compare(1 + len(self._stretches))
        if any(start <= hit.start < end for start, end in self._stretches):
            return True
        if statement.start in self._asking and hit.node is not None and self._beside(hit.node, statement):
            return True
        return self._called is not None and self._called.holds(hit.start)

    def runs_before(self, hit: Hit) -> bool:
        """Return whether a hit for which `holds` returns True is in a statement that runs before the condition is
        evaluated, because it runs when the file is imported or started."""
        statement = hit.statement
        if statement is None or not self._late:
            return False
        self._facts.work.compare(1 + len(self._stretches))
        around = {(start, end) for start, end in self._stretches if start <= hit.start < end}
        headers = self._branches.indents.headers(statement.start)
        inner = any(line.word == "def" or _SCRIPT.match(self._facts.text, line.start, line.end) for line in headers)
        return bool(around) and around <= self._late and not inner

    @cached_property
    def _places(self) -> list[int]:
        """Return the offsets of all occurrences of `words`, sorted."""
        text = self._facts.text
        found = (self._facts.searches.find(("apart", word), plain(word)) for word in self._words)
        return sorted(at for at in chain.from_iterable(found) if not text[at - 1 : at].isalpha() or text[at] in "b.")

    @cached_property
    def _asking(self) -> dict[int, Statement]:
        """Return a dictionary from the start offset of a statement to the statement, for all statements that contain
        one of `words`, or a variable that holds the result of a condition with one of `words`."""
        found = {statement.start: statement for _, statement in self._facts.statements_at(self._places)}
        waiting = [*found.values()]
        while waiting:
            more = {one.start: one for one in self._keep(waiting.pop()) if one.start not in found}
            found.update(more)
            waiting.extend(more.values())
        return found

    def _keep(self, statement: Statement) -> Iterator[Statement]:
        """If `statement` assigns the result of a condition to a variable, yield the statements that contain the
        variable. If another statement assigns a different result to the variable of `statement`, yield nothing."""
        target, value = _bound(next(iter(statement.digest.piece.nodes), None))
        if target is None or value is None:
            return
        said = self._said(value)
        if not isinstance(getattr(target, "value", target), ast.Name) or isinstance(target, ast.Subscript) or not said:
            return
        name = ast.unparse(target)
        places = self._facts.searches.find(("apart", name), uses(name, True))
        others = [at for at in places if not statement.start <= at < statement.end]
        if len(places) <= _MANY and all(self._only_reads(name, at) or self._is_said(said, at) for at in others):
            self._learn(name, said, value)
            indents = self._branches.indents
            scope = indents.scope_of(statement.start) if isinstance(target, ast.Name) else None
            start, end = (scope[0], indents.extent(scope[0])) if scope is not None else (0, len(self._facts.text))
            said_there = (self._facts.peek(at) for at in places if start <= at < end)
            yield from (one for one in said_there if one is not None)

    def _said(self, value: ast.expr) -> str:
        """Return how a value depends on the conditions that this object searches for, such as `platform.is_cuda()`.

        "yes": the value is true only if one of the searched conditions is true. "no": the value, such as `not
        platform.is_cuda()`, is false only if one of the searched conditions is true. "mark": the value is a pytest mark
        that skips code unless one of the searched conditions is true. "capability": the value is a compute capability
        that a platform object returned. "torch's capability": the value is a compute capability that torch returned.
        "": the value does not depend on the searched conditions, and is no compute capability.
        """
        if self._capable and (platforms := capability.gets_capability(value)) is not None:
            followed = platforms or (len(self._capabilities) < _FEW and self._facts.says("__main__"))
            return ("capability" if platforms else "torch's capability") if followed else ""
        if isinstance(value, ast.Call) and self._skips([value]):
            return "mark"
        return "yes" if self._means(value, True) else "no" if self._means(value, False) else ""

    def _is_said(self, said: str, at: int) -> bool:
        """Return whether the statement at an offset assigns a value for which `_said` returns `said`."""
        statement = self._facts.peek(at)
        target, value = (
            _bound(next(iter(statement.digest.piece.nodes), None)) if statement is not None else (None, None)
        )
        return target is not None and value is not None and self._said(value) == said

    def _learn(self, name: str, said: str, value: ast.expr) -> None:
        if said.endswith("capability"):
            self._capabilities[name] = said == "capability"
        elif said == "mark":
            self._named_marks.add(name)
        else:
            self._kept[name] = said == "yes"
        if isinstance(value, ast.IfExp) and _is_none(value.orelse) and self._means(value.test, True):
            self._optional.add(name)

    def _only_reads(self, name: str, at: int) -> bool:
        """Return whether a name is only read at an offset, and not bound or declared as a parameter there."""
        text, line = self._facts.text, self._branches.indents.header_at(at)
        self._facts.work.search(line.start, at)
        before = text[line.start : at]
        # inside parentheses, `name=` is a keyword argument or a parameter
        if before.count("(") > before.count(")") and not before.startswith("("):
            bound = _NAMED.match(text, at + len(name))
        else:
            bound = _BOUND.match(text, at + len(name))
        bound = bound or _LOOPS.search(text, line.start, at)
        return line.word not in ("def", "class", "import", "from", "global") and bound is None

    @cached_property
    def _stretches(self) -> list[Stretch]:
        found = list(dict.fromkeys(chain.from_iterable(map(self._of, self._asking.values()))))
        for function in callers(sorted(self._refusing), self._branches):
            if self._is_run_first(function) and always_calls(function, self._refusing, self._branches):
                self._late.add((0, len(self._facts.text)))
                return [(0, len(self._facts.text))]
        return found

    @cached_property
    def _called(self) -> Called | None:
        """An object that finds functions and constants which are used only in guarded code, i.e. in code that runs only
        if a condition for which `Apart` searches is true. None if `Apart` was created without a path, or if no code of
        the text is guarded by a condition for which `Apart` searches."""
        return Called(self._stretches, self._facts, self._path) if self._stretches and self._path is not None else None

    def _of(self, statement: Statement) -> Iterator[Stretch]:
        indents = self._branches.indents
        line = indents.header_at(statement.start)
        node = next(iter(statement.digest.piece.nodes), None)
        if line.word in _CLAUSES and isinstance(node, ast.If):
            yield from self._of_test(line, node.test)
        elif line.word == "assert" and isinstance(node, ast.Assert):
            if self._means(node.test, True):
                yield statement.end, indents.block_end_of(line.start)
        elif self._skips(_marks(line.word, statement)):
            if line.word != "@":
                marked = (line.start, indents.block_end_of(line.start))  # `pytestmark` marks the rest of the block
                self._late.add(marked)
                yield marked
                return
            start = self._first_mark(line)
            while line.word == "@":
                line = indents.header_at(line.end)
            yield start, indents.extent(line.start)

    def _first_mark(self, line: Header) -> int:
        """Return the start of the first decorator of the function or class to which the decorator on this line
        belongs."""
        before = self._facts.text[: self._facts.layout.line_start(line.start)].rstrip("\n").rpartition("\n")[2]
        if not before.lstrip().startswith(("@", ")")):
            return line.start
        return self._branches.indents.decorated(line.start)

    def _of_test(self, header: Header, test: ast.expr) -> Iterator[Stretch]:
        indents = self._branches.indents
        if self._means(test, True):
            yield header.start, indents.extent(header.start)
        if self._means(test, False):
            clauses = indents.clauses(header)
            others = [clause for clause in clauses if clause.start > header.start]
            yield from ((clause.start, indents.extent(clause.start)) for clause in others)
        if header.word == "if" and self._means(test, False, torchs=True) and len(indents.clauses(header)) == 1:
            if not self._branches.leaves(header):
                return
            above = indents.header_above(header.start)
            if self._is_run_first(above):
                self._late.add((0, len(self._facts.text)))
                yield 0, len(self._facts.text)
                return
            if above is not None and above.indent == 0 and (name := FUNCTION.match(self._facts.text, above.start)):
                if leaving.raises(last_of(header, self._facts)) and self._is_first(header, above):
                    self._refusing.add(name[1])
            if self._means(test, False):
                yield indents.extent(header.start), indents.block_end_of(header.start)

    def _is_first(self, header: Header, function: Header) -> bool:
        """Return whether a function certainly reaches an `if` in it: no `return` is above the `if`."""
        self._facts.work.search(function.start, header.start)
        self._facts.layout.reads(function.start, header.start)
        return _RETURN.search(self._facts.text, function.end, header.start) is None

    def _is_run_first(self, block: Header | None) -> bool:
        """Return whether a block runs when the file is run as a script: it is below `if __name__ == "__main__"`, or in
        a function that is called only there."""
        if block is None:
            return False
        text, indents = self._facts.text, self._branches.indents
        if _SCRIPT.match(text, block.start, block.end):
            return True
        defined = FUNCTION.match(text, block.start) if block.indent == 0 else None
        if defined is None:
            return False
        name = defined[1]
        calls = self._facts.searches.find(("apart", name), uses(name, True))
        calls = [at for at in calls if not block.start <= at < block.end and not self._facts.layout.token_at(at)]
        above = [list(indents.headers(at))[-1:] for at in calls[:_MANY]]
        return bool(above) and all(line and _SCRIPT.match(text, line[0].start, line[0].end) for line in above)

    def _skips(self, marks: Iterable[ast.AST]) -> bool:
        """Return whether a pytest or unittest mark skips the code unless a condition of the searched kind, such as
        `platform.is_cuda()`, is true."""
        for call in marks:
            self._facts.work.compare()
            if isinstance(call, (ast.Name, ast.Attribute)) and ast.unparse(call) in self._named_marks:
                return True
            if isinstance(call, ast.Call) and call.args:
                name = last_word(call.func)
                if name in _SKIPPED_IF | _SKIPPED_UNLESS and self._means(call.args[0], name in _SKIPPED_UNLESS):
                    return True
        return False

    def _beside(self, node: ast.AST, statement: Statement) -> bool:
        """Return whether a part of an expression is evaluated only if another part of the expression is true, and this
        other part is one of the searched conditions: `f()` in `platform.is_cuda() and f()`."""
        inner = node
        for outer in statement.digest.ancestors(node):
            if isinstance(outer, ast.IfExp) and inner is not outer.test:
                if self._means(outer.test, inner is outer.body):
                    return True
            elif isinstance(outer, ast.BoolOp) and inner in self._behind(outer):
                return True
            inner = outer
        return False

    def _behind(self, operation: ast.BoolOp) -> Collection[ast.AST]:
        """Return the operands that are evaluated only if one of the searched conditions is true, because this condition
        is an earlier operand: `b` and `c` in `condition and b and c`."""
        if operation not in self._parts:
            means = (self._means(value, isinstance(operation.op, ast.And)) for value in operation.values)
            first = next((at for at, found in enumerate(means) if found), len(operation.values))
            self._parts[operation] = frozenset(operation.values[first + 1 :])
        return self._parts[operation]

    def _means(self, test: ast.expr, answer: bool, torchs: bool = False) -> bool:
        """Return whether a condition can have the result `answer` only if a condition that this object searches for,
        such as `platform.is_cuda()`, is true. `torchs`: whether this object also searches for comparisons of a compute
        capability that torch returned with one exact capability."""
        self._facts.work.compare()
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self._means(test.operand, not answer, torchs)
        if isinstance(test, ast.BoolOp):
            some = isinstance(test.op, ast.And) is answer
            values = (value for value in test.values if not _is_pytest(value))
            return (any if some else all)(self._means(value, answer, torchs) for value in values)
        if isinstance(test, ast.NamedExpr):
            return self._means(test.value, answer, torchs)
        if isinstance(test, ast.IfExp) and answer and _is_nothing(test.orelse):
            return self._means(test.test, True, torchs) or self._means(test.body, True, torchs)
        if self._capable and capability.asks_capability(test, answer, self._capabilities, torchs):
            return True
        return self._says(test, answer) or self._is_kept(test, answer)

    def _is_kept(self, test: ast.expr, answer: bool) -> bool:
        """Return whether `test` reads a variable that holds the result of a condition for which `Apart` searches, or a
        variable that is None unless a condition for which `Apart` searches is true."""
        if self._optional and isinstance(test, ast.Compare) and _is_none(test.comparators[0]):
            left = test.left.value if isinstance(test.left, ast.NamedExpr) else test.left
            asks = isinstance(test.ops[0], ast.IsNot if answer else ast.Is)
            return asks and len(test.ops) == 1 and ast.unparse(left) in self._optional
        named = bool(self._kept) and isinstance(test, (ast.Name, ast.Attribute))
        return named and self._kept.get(ast.unparse(test)) is answer


def _bound(node: ast.AST | None) -> tuple[ast.expr | None, ast.expr | None]:
    """Return the target and the value of an assignment with a single target; (None, None) for other nodes."""
    if isinstance(node, ast.AnnAssign):
        return node.target, node.value
    return (node.targets[0], node.value) if isinstance(node, ast.Assign) and len(node.targets) == 1 else (None, None)


def _is_pytest(node: ast.expr) -> bool:
    """Return whether a node is the module name in a condition such as `if pytest and not platform.is_cuda():
    pytest.skip(…)`."""
    return isinstance(node, ast.Name) and node.id == "pytest"


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_nothing(node: ast.expr) -> bool:
    """Return whether a node is a constant that is false: None, False, zero or an empty string."""
    return isinstance(node, ast.Constant) and not node.value


def _asks_rocm(test: ast.expr, answer: bool) -> bool:
    if not isinstance(test, ast.Compare):
        return answer and _is_rocm(test)
    if len(test.ops) != 1:
        return False
    value = getattr(test.comparators[0], "value", ...)
    if isinstance(test.ops[0], (ast.Is, ast.Eq) if not answer else (ast.IsNot, ast.NotEq)) and value is None:
        return _is_rocm(test.left)
    named = value == "rocm" or (value == "hip" and _PLATFORM.search(last_word(test.left)) is not None)
    return named and isinstance(test.ops[0], ast.Eq if answer else ast.NotEq)


def _is_rocm(node: ast.expr) -> bool:
    """Whether an expression is a name that means ROCm. The name `hip` alone may mean the part of the body, but
    `torch.version.hip` cannot."""
    word = last_word(node).removesuffix("()").lower()
    of_version = word == "hip" and isinstance(node, ast.Attribute) and last_word(node.value) == "version"
    return of_version or _NAME.fullmatch(word) is not None


def _marks(word: str, statement: Statement) -> Sequence[ast.AST]:
    """Return the marks in a statement: the call in a decorator, or the items of `pytestmark`."""
    nodes = statement.digest.piece.nodes
    if word == "@":
        return nodes
    node = next(iter(nodes), None)
    if not isinstance(node, ast.Assign) or not any(last_word(target) == "pytestmark" for target in node.targets):
        return ()
    return node.value.elts if isinstance(node.value, (ast.List, ast.Tuple)) else [node.value]


def _asks_platform(test: ast.expr, answer: bool, among: frozenset[str]) -> bool:
    """Return whether an expression is a call such as `platform.is_xpu()`, which returns True on none of the targets."""
    if not answer or not isinstance(test, ast.Call) or not isinstance(test.func, ast.Attribute):
        return False
    return test.func.attr in among and last_word(test.func.value).endswith("platform")


def _asks_bytes(test: ast.expr, answer: bool) -> bool:
    if not any(isinstance(getattr(node, "value", None), bytes) for node in ast.walk(test)):
        return False
    denies = isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.NotIn, ast.NotEq))
    return denies is not answer
