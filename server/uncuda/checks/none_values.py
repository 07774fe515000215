"""Finds code that fails because a value, such as `CUDA_HOME`, is None without CUDA: the code joins the value with text
although no `if` excludes None."""

from __future__ import annotations

import ast
import re
from functools import cache
from itertools import islice

from ..catalogue import Rule
from ..facts.model import Name, Statement
from ..facts.role_calls import last_word
from ..facts.scans import matches
from ..facts.scopes import Header
from . import leaving
from .base import Context
from .branch_words import last_of
from .parameters import Parameters

_MANY = 20  # maximum number of `if` and `assert` lines above a use that are searched for the name
_NEXT = re.compile(r"\s*(?:(?P<raise>raise\b)|\S|\Z)")
_JOINING = frozenset({"join", "Path", "joinpath"})


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
    return last_word(parent.func) in _JOINING or _is_joined(parent, parent.args.index(node), statement, context)


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
    tests = (facts.text[line.start : line.end] for line in lines if line.word in ("if", "elif", "assert", "while"))
    return any(re.search(rf"(?<![\w.]){re.escape(name)}\b", test) for test in tests)


def _is_joined(call: ast.Call, given: int, statement: Statement, context: Context) -> bool:
    """Return whether a call passes an argument to a function of the file, and this function joins the parameter with
    text and does not check the parameter in an `if`. `given`: the index of the argument in the call."""
    parameter, header = Parameters(context.facts, context.asked).parameter(call, given, statement)
    if not parameter or header is None:
        return False
    facts, end = context.facts, context.facts.indents.extent(header.start)
    joined = facts.searches.find(("joined", parameter), matches(_joins(parameter)))
    tested = facts.searches.find(("tested", parameter), matches(_tests(parameter)))
    facts.work.compare(len(joined) + len(tested))
    return any(header.end <= at < end for at in joined) and not any(header.end <= at < end for at in tested)


@cache
def _joins(name: str) -> re.Pattern[str]:
    name = re.escape(name)
    return re.compile(rf"(?<![\w.]){name}[ \t]*\+[ \t]*[\"']|(?<!\w)(?:join|Path)\([ \t]*{name}\b")


@cache
def _tests(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:el)?if\b[^\n]*(?<![\w.]){re.escape(name)}\b")
