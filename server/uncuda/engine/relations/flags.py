"""Finds the variables, attributes and functions whose value is the result of a condition that asks for CUDA, such as
`torch.cuda.is_available()`."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

from ... import lazy_re
from ...checks import leaving
from ...checks.branch_words import last_of
from ...checks.branches import Branches
from ...checks.parameters import Parameters
from ...checks.unpacking import item_target, target_of
from ...facts.read import Facts, Statement
from ...facts.role_calls import last_word, option_name
from ...facts.scans import plain, uses
from ...facts.scopes import FUNCTION, Header

CONDITIONS = frozenset({"if", "elif", "while", "case"})
"""The first words of statements whose condition may ask for CUDA."""
_VARIABLE = lazy_re.compile(r"[A-Za-z_][\w.]*")
_ANSWERS = lazy_re.compile(r"return[ \t(]+(True|False|1|0)\b")
_RETURNED = lazy_re.compile(r"^[ \t]*return\b([^\r\n]*)", re.M)
_FALSE = lazy_re.compile(r"[ \t(]*(?:False|0)[ \t)]*(?:#.*)?")
_SETS = lazy_re.compile(r"[:\r\n][ \t]*([A-Za-z_][\w.]*)[ \t]*=[ \t]*(?:True|(False|-[ \t]*\d+))[ \t]*(?:[#;\r\n]|\Z)")
_GIVES = lazy_re.compile(r"return\b|[\w.]+(?:[ \t]*,[ \t]*[\w.]+)*[ \t]*(?::[^=\n]+)?=(?!=)")
_PARSES = (".parse_args(", ".parse_known_args(")
_PARSED = lazy_re.compile(r"[ \t]*([\w.]+)[ \t]*(?:,[ \t]*\w+[ \t]*)?(?::[^=\n]+)?=")
# names that variables with the options of the command line usually have
_OPTIONS = frozenset({"args", "opt", "opts", "options", "hparams", "params", "flags", "FLAGS", "config", "cfg", "conf"})
_WIDEST = 50  # maximum number of values in a tuple, or of assignments in a block, that are matched with variables
_MANY = 200  # maximum number of variables in one file that receive a condition's result from another variable

Flag = tuple[str, int | None]
"""A variable, attribute or function, and the scope in which it is visible: the offset of the scope's header, or None
for the module."""


class Flags:
    """The variables, attributes and functions of one file that hold the results of conditions which ask for CUDA. A
    condition that asks for CUDA is given by the index of its hit in the list of hits."""

    def __init__(self, branches: Branches) -> None:
        self._branches, self._facts = branches, branches.facts
        self._text, self._indents, self._work = branches.text, branches.indents, branches.work
        self._held: dict[str, dict[tuple[int, int | None], None]] = {}
        self._of: dict[int, list[str]] = {}
        self._saying: dict[str, dict[int, Header]] = {}  # for each name: the conditions that contain it
        self._switches: dict[int, list[Flag]] = {}  # caches the result of `_switched` by the offset of the condition
        self._parameters = Parameters(self._facts, set())
        self.lost: list[int] = []
        """The conditions whose result also reaches variables that are not traced, because the file has too many such
        variables (see `_MANY`)."""

    def __bool__(self) -> bool:
        return bool(self._held)

    def __iter__(self) -> Iterator[str]:
        """The names that hold the result of any condition."""
        return iter(self._held)

    def of(self, index: int) -> list[str]:
        """Return the names that hold the result of the condition with this index in the list of hits."""
        return self._of.get(index, [])

    def assigned(self, index: int, node: ast.AST | None, statement: Statement) -> None:
        """Record the variable, function or option of the command line that receives the result of the condition at a
        node of a statement."""
        if (option := _default_of(node, statement)) and not isinstance(node, ast.Constant):
            for root in self._roots_of_options:
                self._hold(index, f"{root}.{option}", None)
        elif (found := self._receiver(node, statement)) is not None:
            self._hold(index, *found)

    @cached_property
    def _roots_of_options(self) -> list[str]:
        return sorted(root for root in parsed_options(self._facts) if self._facts.says(f"{root}."))

    def returned(self, index: int, statement: Statement) -> None:
        """Record the function around a condition if it returns a true value only with CUDA: below `if is_available():`
        it returns True, or below `if not is_available():` it returns False; and variables that the block sets so."""
        header = self._indents.header_at(statement.start)
        end = self._indents.extent(header.start)
        self._work.search(header.start, end)
        self._facts.layout.reads(header.start, end)
        may = self._text.find("return", header.start, end) >= 0  # a quick search: most blocks do not return
        answer = self._answer(header, end) if may and header.word in CONDITIONS else None
        asked = self._branches.asks_cuda(header.start, header.end) if answer is not None else 0
        if answer is not None and (asked >= 0) is answer and (found := self._function(statement)):
            self._hold(index, *found)
        if header.word in ("if", "elif"):
            for flag in (switched := self._switched(header, end))[:_WIDEST]:
                self._hold(index, *flag)
            self.lost += [index] if len(switched) > _WIDEST else []

    def _answer(self, header: Header, end: int) -> bool | None:
        """Return the truth value that a block returns; None if it returns other values, or may return none. A block
        that only returns False or raises an exception counts as one that returns False."""
        last = last_of(header, self._facts)
        if match := _ANSWERS.match(last):
            return match[1] in ("True", "1")
        returned = _RETURNED.findall(self._text, header.end, end) if leaving.raises(last) else ()
        return False if returned and all(map(_FALSE.fullmatch, returned)) else None

    def _switched(self, header: Header, end: int) -> list[Flag]:
        """Return the variables that the branches of a condition make true only with CUDA: below `if is_available():`
        the block assigns True, or the block of its `else` False or a negative number; below `if not is_available():`
        it is the other way round. `end`: the end of the block."""
        if header.start not in self._switches:
            found = self._switches[header.start] = list[Flag]()
            scope = self._indents.scope_of(header.start)
            for branch in self._branches_of(header):
                last = end if branch is header else self._indents.extent(branch.start)
                self._work.search(branch.start, last)
                self._facts.layout.reads(branch.start, last)
                for match in _SETS.finditer(self._text, branch.start, last):
                    self._work.compare()
                    line = self._indents.header_at(match.start(1))
                    stop = match.start(1) if line.start == header.start else header.end
                    cuda = bool(match[2]) is not (branch is header)
                    if self._is_in_block(match.start(1), line, branch) and self._decides(header.start, stop, cuda):
                        found.append((match[1], scope[0] if scope is not None else None))
        return self._switches[header.start]

    def _branches_of(self, header: Header) -> list[Header]:
        """Return the header of an `if`, and that of its `else` if the statement has no further branch."""
        clauses = self._indents.clauses(header) if header.word == "if" else [header]
        return [header, clauses[1]] if len(clauses) == 2 and clauses[1].word == "else" else [header]

    def _is_in_block(self, at: int, line: Header, header: Header) -> bool:
        """Whether a statement at an offset is directly in the block of `header`, and not in a string; `line`: the
        logical line of the statement."""
        if self._facts.layout.token_at(at):
            return False
        if line.start == header.start:
            return True
        above = self._indents.header_above(line.start) if line.start == at else None
        return above is not None and above.start == header.start

    def _decides(self, start: int, end: int, cuda: bool) -> bool:
        """Whether a condition depends only on CUDA, and is true with CUDA if `cuda`, otherwise without CUDA."""
        denies = self._branches.asks_cuda(start, end) < 0
        return denies is not cuda and not re.search(r"\band\b" if denies else r"\bor\b", self._text[start:end])

    def spread(self) -> None:
        """Record the variables that receive the result of a condition from another variable: `self.fast = use_cuda and
        not slow`."""
        waiting, spread = list(self._held), 0
        while waiting:
            flag, done = waiting.pop(), -1
            for at in self._facts.searches.find(("flag", flag), uses(flag, True)):
                line = self._indents.header_at(at)
                if line.start == done or not self._gives(line, at):
                    continue
                done = line.start
                held = self._holder(flag, line)
                if held is None or held[0] == flag:
                    continue
                fresh = [index for index in self.known_at(flag, line) if self._hold(index, *held)]
                if fresh:
                    waiting.append(held[0])
                    spread += 1
                if spread > _MANY:
                    self.lost += fresh
                    return

    def known_at(self, name: str, header: Header) -> list[int]:
        """Return the conditions whose result the variable `name` holds in the statement at `header`."""
        flags = self._held.get(name, ())
        self._work.compare(len(flags))
        around = {None, *(line.start for line in self._indents.headers(header.start))} if flags else set()
        return [index for index, scope in flags if scope in around]

    def conditions(self, flag: str) -> dict[int, Header]:
        """The statements such as `if` whose condition contains a name, by their start offset."""
        if flag not in self._saying:
            lines = self.lines(flag).items()
            self._saying[flag] = {start: line for start, line in lines if line.word in CONDITIONS}
        return self._saying[flag]

    def lines(self, flag: str) -> dict[int, Header]:
        """The statements that contain a name, by their start offset."""
        lines = map(self._indents.header_at, self._facts.searches.find(("flag", flag), uses(flag, True)))
        return {line.start: line for line in lines}

    def places(self, name: str, start: int, end: int) -> list[int]:
        """Return the offsets of a name between two offsets, one for each line that contains the name."""
        every = self._facts.searches.find(("flag", name), uses(name, True))
        found = every[bisect_left(every, start) : bisect_left(every, end)]
        self._work.compare(len(found))
        return list({self._facts.layout.line_start(at): at for at in found}.values())

    def within(self, start: int, end: int) -> list[str]:
        """Return the names in a part of the source that hold the result of a condition, each name once."""
        if not self._held:
            return []
        self._work.search(start, start + 16 * (end - start))
        return [name for name in dict.fromkeys(_VARIABLE.findall(self._text, start, end)) if name in self._held]

    def _hold(self, index: int, flag: str, around: int | None) -> bool:
        """Record that a variable holds the result of a condition; return whether this was not known before.

        `around`: the start of the function or class around the variable.
        """
        held = index, None if "." in flag else around
        known = self._held.setdefault(flag, {})
        if held in known:
            return False
        known[held] = None
        flags = self._of.setdefault(index, [])
        if flag not in flags:
            flags.append(flag)
        return True

    def _gives(self, line: Header, at: int) -> bool:
        """Whether a statement assigns or returns the value at an offset."""
        self._work.search(line.start, at)
        return _GIVES.match(self._text, line.start, at) is not None

    def _holder(self, flag: str, line: Header) -> Flag | None:
        """Return the variable to which a statement assigns the value of `flag`, or the function that returns it."""
        statement = self._facts.peek(line.start)
        if statement is None:
            return None
        self._work.compare(len(statement.digest.chains))
        return next(filter(None, (self._receiver(node, statement, False) for node in spelled(flag, statement))), None)

    def _receiver(self, node: ast.AST | None, statement: Statement, compared: bool = True) -> Flag | None:
        """Return the variable or function that receives the result of the condition at `node`: `use_cuda` in
        `use_cuda = torch.cuda.is_available() and …`. `compared`: whether the result may be part of a comparison, as in
        `torch.cuda.device_count() > 1`."""
        inner, item, parents = node, node, statement.digest.parents
        for outer in statement.digest.ancestors(inner) if inner is not None else ():
            if isinstance(outer, (ast.Assign, ast.AnnAssign)):
                target = _target(outer, inner, item)
                if not isinstance(target, (ast.Name, ast.Attribute)):
                    return None
                scope = self._indents.scope_of(statement.start)
                return ast.unparse(target), scope[0] if scope is not None else None
            if isinstance(outer, ast.Return):
                return self._function(statement)
            made = isinstance(outer, ast.Call) and last_word(outer.func) == "device" and compared
            made = made and isinstance(parents.get(outer), ast.Compare)  # `x.device == torch.device("cuda")`
            if isinstance(outer, ast.Call) and inner is not outer.func and not _converts(outer) and not made:
                return self._parameters.holder(outer, inner, statement)
            compares = compared and isinstance(outer, ast.Compare)
            listed = isinstance(outer, (ast.List, ast.Set)) and isinstance(parents.get(outer), ast.Compare)
            passes = compares or listed or made or _is_false_else(outer, inner) or _needs(outer, inner)
            if not passes and not isinstance(outer, (ast.keyword, ast.Tuple)):
                return None
            inner, item = outer, inner if isinstance(outer, ast.Tuple) else outer
        return None

    def _function(self, statement: Statement) -> Flag | None:
        """Return the innermost function around a statement; None if there is none."""
        scope = self._indents.scope_of(statement.start)
        match = FUNCTION.match(self._text, scope[0]) if scope is not None else None
        above = self._indents.scope_of(scope[0]) if scope is not None else None
        method = above is not None and above[1] == "class"
        return (f"self.{match[1]}" if method else match[1], above[0] if above else None) if match else None


def _converts(call: ast.Call) -> bool:
    """Return whether a call is `bool(x)`."""
    return isinstance(call.func, ast.Name) and call.func.id == "bool"


def _needs(outer: ast.AST, inner: ast.AST | None) -> bool:
    """Return whether an expression is true only if the answer of the node `inner` in it is: the call of this function
    without arguments, `bool(a)`, `a and b` or `a & b`."""
    if isinstance(outer, ast.Call):
        return _converts(outer) or (inner is outer.func and not outer.args)
    joins = isinstance(outer, ast.BoolOp) and isinstance(outer.op, ast.And)
    return joins or (isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.BitAnd))


def parsed_options(facts: Facts) -> frozenset[str]:
    """Return the variables that may hold the options of the command line: those to which the file assigns the result of
    `parse_args()`, and the usual names, for files that parse the options in another function or file."""
    found = set(_OPTIONS)
    for word in _PARSES:
        for at in facts.searches.find(("text", word), plain(word)):
            if not facts.layout.token_at(at) and (match := _PARSED.match(facts.text, facts.layout.line_start(at), at)):
                found.add(match[1])
    return frozenset(found)


def _default_of(node: ast.AST | None, statement: Statement) -> str:
    """Return the option of the command line whose default is the result of the condition at a node, or is false if this
    result is; "" if there is none."""
    inner = node
    for outer in statement.digest.ancestors(inner) if inner is not None else ():
        if isinstance(outer, ast.keyword):
            call = statement.digest.parents.get(outer)
            return option_name(call) if outer.arg == "default" and isinstance(call, ast.Call) else ""
        if not isinstance(outer, ast.Compare) and not _needs(outer, inner):
            return ""
        inner = outer
    return ""


def spelled(name: str, statement: Statement) -> list[ast.expr]:
    """Return the nodes of a dotted name in a statement."""
    return [one.node for one in statement.digest.chains if one.spelled == name]


def _is_false_else(outer: ast.AST, inner: ast.AST | None) -> bool:
    """Return whether a conditional expression is false unless it gives one of its operands:
    `torch.cuda.device_count() if has_cuda else 0`, `0 if no_cuda else torch.cuda.device_count()`. `inner`: the operand
    of the expression that the caller has examined."""
    if not isinstance(outer, ast.IfExp):
        return False
    other = outer.body if inner is outer.orelse else outer.orelse
    if isinstance(other, ast.UnaryOp):
        return isinstance(other.op, ast.USub)  # -1 is no index of a device
    return isinstance(other, ast.Constant) and not other.value


def _target(assignment: ast.AST, value: ast.AST | None, item: ast.AST | None) -> ast.expr | None:
    """Return the target to which an assignment assigns `item`: `a` in `a, b = torch.cuda.is_available(), 1`. `value`:
    the whole value on the right; `item`: one item of this value if it is a tuple, otherwise the value itself."""
    target = target_of(assignment, value) if value is not None else None
    if not isinstance(value, ast.Tuple):
        return target
    return item_target(target, value, item) if len(value.elts) <= _WIDEST else None
