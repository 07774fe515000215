"""Decides which parts of an expression are evaluated only if another part is true; and whether a node is inside nodes
of given types. Also names what takes a value."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile

from ...checks import Hit
from ...facts.read import Statement
from ...facts.role_calls import last_word, option_name, parameter_of
from ...facts.roles import keys_of_values

TESTING = (ast.If, ast.While, ast.Assert, ast.match_case)
ASIDE = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_KEEPS = frozenset({"device", "str", "format", "get"})  # functions whose result has the device of a string in it


def spans_of(hits: Iterable[Hit]) -> list[tuple[int, int]]:
    """Return the spans of the hits, sorted; see `is_covered`."""
    return sorted((hit.start, hit.end) for hit in hits)


def is_covered(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether an offset is in the hit that begins last before it; `spans`: the result of `spans_of`."""
    before = bisect_left(spans, (at + 1,)) - 1
    return before >= 0 and at < spans[before][1]


def guarded_parts(outer: ast.AST, question: ast.AST, denies: Callable[[ast.AST], bool]) -> list[ast.AST]:
    """Return the parts of an expression that are evaluated only if the part `question` finds CUDA."""
    if isinstance(outer, ast.IfExp):
        return [outer.orelse if denies(question) else outer.body] if question is outer.test else []
    if isinstance(outer, ast.BoolOp):
        values: list[ast.AST] = [*outer.values]
        if question not in values or isinstance(outer.op, ast.Or) is not denies(question):
            return []
        return values[values.index(question) + 1 :]
    if isinstance(outer, ASIDE) and isinstance(question, ast.comprehension):
        return [outer.key, outer.value] if isinstance(outer, ast.DictComp) else [outer.elt]
    return []


def asking_parts(outer: ast.AST, guarded: ast.AST, denies: Callable[[ast.AST], bool]) -> Iterator[ast.AST]:
    """Yield the parts of an expression that ask for CUDA so that the part `guarded` is evaluated only if they find it.
    The opposite of `guarded_parts`, which returns the parts that a given condition guards."""
    if isinstance(outer, ast.IfExp):
        if guarded is not outer.test and guarded is (outer.orelse if denies(outer.test) else outer.body):
            yield outer.test
    elif isinstance(outer, ast.BoolOp):
        before = takewhile(lambda value: value is not guarded, outer.values)
        yield from (value for value in before if isinstance(outer.op, ast.Or) is denies(value))


def is_within(node: ast.AST | None, statement: Statement, kinds: tuple[type[ast.AST], ...]) -> bool:
    """Return whether a node is inside another node whose type is in `kinds`."""
    return node is not None and any(isinstance(outer, kinds) for outer in statement.digest.ancestors(node))


def in_test(node: ast.AST | None, statement: Statement, kinds: tuple[type[ast.AST], ...] = TESTING) -> bool:
    """Return whether a node is in the condition, or in the pattern of a `case`, of a node whose type is in `kinds`."""
    inner = node
    for outer in statement.digest.ancestors(inner) if inner is not None else ():
        if isinstance(outer, kinds) and inner is getattr(outer, "test", getattr(outer, "pattern", None)):
            return True
        inner = outer
    return False


def choice_of(hit: Hit) -> ast.IfExp | None:
    """Return the conditional expression whose whole condition is the call of a hit's name: `a if
    torch.cuda.is_available() else b`; None if there is none."""
    call = hit.parent
    choice = hit.statement.digest.parents.get(call) if hit.statement is not None and call is not None else None
    return choice if isinstance(choice, ast.IfExp) and choice.test is call else None


def taken_as(outer: ast.AST, inner: ast.AST) -> str | None:
    """Return the keyword, or the key of a dictionary, under which `outer` takes a value."""
    if isinstance(outer, ast.keyword):
        return outer.arg
    key = keys_of_values(outer).get(inner) if isinstance(outer, ast.Dict) else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None


def taker(hit: Hit) -> str:
    """Return the last word of what takes the value that the code of a hit is a part of: the variable or attribute of an
    assignment, a keyword argument, the key of a dictionary, a parameter for its default, or the attribute that a
    command-line option sets; "" for other code. The result of a function in `_KEEPS`, such as `torch.device("cuda:0")`,
    counts as the value of its argument."""
    inner, statement = hit.node, hit.statement
    for outer in statement.digest.ancestors(inner) if statement is not None and inner is not None else ():
        assert inner is not None
        if isinstance(outer, ast.arguments):
            parameter = parameter_of(outer, inner)
            return parameter.arg if parameter is not None else ""
        if isinstance(outer, ast.Call):
            if option := option_name(outer):
                return option
            if inner is not outer.func and last_word(outer.func) not in _KEEPS:
                return ""
        if isinstance(outer, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            return last_word(outer.targets[-1] if isinstance(outer, ast.Assign) else outer.target)
        if (taken := taken_as(outer, inner)) is not None and not _declares(outer, statement):
            return taken
        inner = outer
    return ""


def _declares(keyword: ast.AST, statement: Statement | None) -> bool:
    """Return whether a node is a keyword argument of a call that declares a command-line option."""
    call = statement.digest.parents.get(keyword) if statement is not None else None
    return isinstance(call, ast.Call) and bool(option_name(call))
