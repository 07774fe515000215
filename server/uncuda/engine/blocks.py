"""Questions that keep the target from what would raise there: `if x.is_cuda:` above `torch.cuda.cudart()`."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence

from ..checks import Hit
from ..checks.branches import Branches
from ..edits import SAFE
from ..facts.read import Statement
from ..facts.scopes import Header
from .relations.questions import in_test

_ASIDE = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_ASKING = ("if", "elif")
_VARIABLE = re.compile(r"[A-Za-z_][\w.]*")
_NOT_ALWAYS = frozenset({"elif", "else", "except", "finally", "case", "def", "class"})

Pair = tuple[int, int]
Block = tuple[int, int]  # where its header stands, or -1; its indentation


def barred(hits: Sequence[Hit], classes: Sequence[str | None], branches: Branches) -> Iterator[Pair]:
    """Pairs of a safe question and a call that runs, and raises, wherever the question is answered with yes.

    Both as positions in `hits`. Only questions that change alone: others answer for more than their own block.
    """
    branches.work.compare(2 * len(hits))
    asking: dict[int, list[int]] = {}
    flags: dict[str, list[int]] = {}
    for index, hit in enumerate(hits):
        if classes[index] == SAFE and not hit.links and hit.statement is not None:
            if branches.text.startswith(_ASKING, hit.statement.start) and in_test(hit.node, hit.statement, (ast.If,)):
                asking.setdefault(hit.statement.start, []).append(index)
            elif flag := _flag(hit, hit.statement):
                flags.setdefault(flag, []).append(index)
    if not asking and not flags:
        return
    denied: dict[Block, list[int]] = {}
    for start in sorted(asking):
        if _leaves_the_rest(start, branches):
            denied.setdefault(_block(branches.indents.header_at(start), branches), []).append(start)
    for index, hit in enumerate(hits):
        if classes[index] != SAFE and hit.statement is not None and _raises(hit):
            for start in _guards(hit, hit.statement, denied, branches):
                named = _named(start, flags, hits, branches) if flags else ()
                yield from ((question, index) for question in (*asking.get(start, ()), *named))


def _flag(hit: Hit, statement: Statement) -> str:
    """The variable that keeps the answer of a question: `use_cuda = torch.cuda.is_available() and …`; or ""."""
    inner = hit.node
    for outer in statement.digest.ancestors(inner) if inner is not None else ():
        if isinstance(outer, ast.Assign):
            target = outer.targets[0]
            return ast.unparse(target) if isinstance(target, (ast.Name, ast.Attribute)) and inner is outer.value else ""
        asks = isinstance(outer, ast.Call) and inner is outer.func and not outer.args
        if not asks and not (isinstance(outer, ast.BoolOp) and isinstance(outer.op, ast.And)):
            return ""
        inner = outer
    return ""


def _named(start: int, flags: Mapping[str, Sequence[int]], hits: Sequence[Hit], branches: Branches) -> Iterator[int]:
    """The questions whose answers a condition looks up, in variables of a function around it or of the module."""
    indents, line = branches.indents, branches.indents.header_at(start)
    around = {header.start for header in indents.headers(start)}
    branches.work.search(line.start, line.start + 16 * (line.end - line.start))
    for name in dict.fromkeys(_VARIABLE.findall(branches.text, line.start, line.end)):
        branches.work.compare(4 * len(flags.get(name, ())))
        for index in flags.get(name, ()):
            statement = hits[index].statement
            scope = indents.scope_of(statement.start) if statement is not None else None
            if scope is None or scope[0] in around or "." in name:
                yield index


def _under(hit: Hit, statement: Statement, holds: Callable[[ast.AST, ast.AST], bool]) -> bool:
    inner = hit.node
    for outer in statement.digest.ancestors(inner) if inner is not None else ():
        assert inner is not None
        if holds(outer, inner):
            return True
        inner = outer
    return False


def _raises(hit: Hit) -> bool:
    """Whether a hit is a call, of a name or a method, that fails on the target wherever its statement is run."""
    node, statement = hit.node, hit.statement
    if hit.rule.check not in ("name", "method") or node is None or statement is None:
        return False
    call = statement.digest.parents.get(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return False
    fails = (hit.severity or hit.rule.severity) == "error" or _of_none(hit, node)
    return fails and not _under(hit, statement, _perhaps)


def _of_none(hit: Hit, node: ast.AST) -> bool:
    """Whether a method of the value is called, where nothing takes the value's place: `torch.version.cuda.split()`."""
    name = hit.words.get("name", "").rpartition(".")[2]
    return not hit.fixes and isinstance(node, ast.Attribute) and node.attr != name


def _perhaps(outer: ast.AST, inner: ast.AST) -> bool:
    """Whether a part of an expression is evaluated later, or not always."""
    if isinstance(outer, ast.IfExp):
        return inner is not outer.test
    if isinstance(outer, ast.BoolOp):
        return inner is not outer.values[0]
    return isinstance(outer, _ASIDE)


def _leaves_the_rest(start: int, branches: Branches) -> bool:
    """Whether an `if` leaves where there is no CUDA, so that it guards what follows in its block."""
    header = branches.indents.header_at(start)
    return header.word == "if" and branches.asks_cuda(header.start, header.end) < 0 and branches.leaves(header)


def _block(line: Header, branches: Branches) -> Block:
    """The block that a line belongs to."""
    above = branches.indents.header_above(line.start)
    return above.start if above is not None else -1, line.indent


def _guards(hit: Hit, statement: Statement, denied: Mapping[Block, Sequence[int]], branches: Branches) -> Iterator[int]:
    """Where the conditions stand that let nothing but CUDA reach a statement, and always let CUDA reach it."""
    indents, line = branches.indents, branches.indents.header_at(statement.start)
    if line.word in _ASKING and not in_test(hit.node, statement, (ast.If,)):
        yield line.start  # `if x.is_cuda: torch.cuda.cudart()`
        return
    if line.word in _NOT_ALWAYS:
        return
    while True:
        leaving = denied.get(_block(line, branches), ()) if denied else ()
        if at := bisect_left(leaving, line.start):
            yield leaving[at - 1]  # nothing comes past it
            return
        header = indents.header_above(line.start)
        if header is None or header.word not in ("if", "elif", "else", "with"):
            return
        if header.word == "with" and "suppress" in branches.text[header.start : header.end]:
            return
        if header.word != "with":
            clauses = indents.clauses(header)
            if clauses[0].word == "if" and branches.is_for_cuda(header, clauses):
                asked = clauses if header.word == "else" else [header]
                yield from (clause.start for clause in asked)
            return
        line = header
