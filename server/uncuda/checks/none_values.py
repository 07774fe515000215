"""Finds code that fails because a value, such as `CUDA_HOME`, is None without CUDA: the code joins the value with text
although no `if` excludes None."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice

from .. import lazy_re
from ..catalogue import Rule
from ..facts.model import Name, Statement
from ..facts.role_calls import last_word
from ..facts.scans import matches
from ..facts.scopes import Header
from . import leaving
from .base import Context
from .branch_words import last_of

_MANY = 20  # maximum number of `if` and `assert` lines above a use that are searched for the name
_ARGUMENTS = 40  # maximum number of positional arguments of one call that are followed into the called function
_NEXT = lazy_re.compile(r"\s*(?:(?P<raise>raise\b)|\S|\Z)")
_JOINING = frozenset({"join", "Path", "joinpath"})
_NAME = lazy_re.compile(r"(?<![\w.])\w+")
_JOINS = lazy_re.compile(r"(?<![\w.])(\w+)[ \t]*\+[ \t]*[\"']|(?<!\w)(?:join|Path)\([ \t]*(\w+)")
_TESTS = lazy_re.compile(r"(?<!\w)(?:el)?if\b[^\n]*")


def fails(reference: Name, rule: Rule, context: Context) -> bool:
    """Return whether a use of a name that is None without CUDA raises an exception without CUDA: the code joins the
    value with text, passes it to a function of the file that joins it with text, or executes `raise`
    if the value is None."""
    if reference.dotted not in rule.get("none", ()):
        return False
    node, statement = reference.chain.node, reference.statement
    own = context.facts.indents.header_at(statement.start)
    if own.word in ("if", "elif", "assert", "while"):
        return own.word == "if" and _is_refused(own, context)
    if any(isinstance(outer, (ast.IfExp, ast.BoolOp)) for outer in statement.digest.ancestors(node)):
        return False
    if _is_tested(reference.chain.root, statement, context):
        return False
    parent = statement.digest.parents.get(node)
    if isinstance(parent, ast.BinOp):
        return isinstance(parent.op, ast.Add)
    if not isinstance(parent, ast.Call) or node not in parent.args:
        return False
    if last_word(parent.func) in _JOINING:
        return True
    given = parent.args.index(node)
    return given < _ARGUMENTS and _is_joined(parent, given, statement, context)


def _is_refused(own: Header, context: Context) -> bool:
    """Return whether an `if x is not None:` leaves its function, and the next statement raises an exception."""
    facts = context.facts
    facts.work.search(own.start, own.end)
    if not re.search(r"\bis[ \t]+not[ \t]+None[ \t]*:", facts.text[own.start : own.end]):
        return False
    last, end = last_of(own, facts), facts.indents.extent(own.start)
    inside = end < facts.indents.block_end_of(own.start)
    after = _NEXT.match(facts.text, end)
    facts.layout.reads(end, after.end() if after is not None else end)
    raises = after is not None and after["raise"] is not None
    return inside and leaving.leaves(last) and not leaving.raises(last) and raises


def _is_tested(name: str, statement: Statement, context: Context) -> bool:
    """Return whether the condition of a block around a statement, or of an earlier `if` or `assert` in its block,
    contains a name."""
    facts = context.facts
    lines = [*facts.indents.headers(statement.start)]
    lines += islice(facts.indents.lines_above(statement.start, "if", "assert"), _MANY)
    facts.work.compare(len(lines))
    lines = [line for line in lines if line.word in ("if", "elif", "assert", "while")]
    return any(name in _names_in(line, context) for line in lines)


def _names_in(line: Header, context: Context) -> frozenset[str]:
    """Return the names in a condition."""
    known = context.conditions.get(line.start)
    if known is None:
        context.facts.work.search(line.start, line.end)
        known = frozenset(_NAME.findall(context.text, line.start, line.end))
        context.conditions[line.start] = known
    return known


def _is_joined(call: ast.Call, given: int, statement: Statement, context: Context) -> bool:
    """Return whether a call passes an argument to a function of the file, and this function joins the parameter with
    text and does not check the parameter in an `if`. `given`: the index of the argument in the call."""
    parameter, header = context.parameters.parameter(call, given, statement)
    if not parameter or header is None:
        return False
    end = context.facts.indents.extent(header.start)
    joined, tested = (
        _is_between(header.end, end, _by_name(use, context).get(parameter, ())) for use in ("joined", "tested")
    )
    return joined and not tested


def _is_between(start: int, end: int, offsets: Sequence[int]) -> bool:
    """Return whether one of the sorted offsets is in [start, end)."""
    first = bisect_left(offsets, start)
    return first < len(offsets) and offsets[first] < end


def _by_name(use: str, context: Context) -> dict[str, list[int]]:
    """Return, for each name, the offsets of all places in the file that join the name with text (`use` is "joined"), or
    of all `if` whose line contains the name ("tested")."""
    if use not in context.uses:
        found: dict[str, list[int]] = {}
        pattern = _JOINS if use == "joined" else _TESTS
        for at in context.facts.searches.find(("of any name", use), matches(pattern)):
            for name in _named(at, use, context):
                found.setdefault(name, []).append(at)
        context.uses[use] = found
    return context.uses[use]


def _named(at: int, use: str, context: Context) -> Iterator[str]:
    """Yield the name that is joined with text at an offset, or the names in the line of the `if` at the offset."""
    if use == "joined":
        match = _JOINS.match(context.text, at)
        yield from (name for name in (match.groups() if match is not None else ()) if name)
        return
    match = _TESTS.match(context.text, at)
    end = match.end() if match is not None else at
    context.facts.work.search(at, end)
    yield from frozenset(_NAME.findall(context.text, at, end))
