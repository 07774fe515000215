"""Finds conditions such as `x.is_cuda` with a branch that passes a tensor to a function of an unknown library, while
the other branch computes the result itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from sys import stdlib_module_names

from ... import lazy_re
from ...checks import Hit
from ...checks.branches import Branches
from ...facts.names import from_imports, plain_imports
from ...facts.read import Statement
from ...facts.role_calls import chain_of
from .guarded import Held
from .questions import Questions

_COMPUTED = r"[^\n]*[(+*/@-]"
_COMPUTES = lazy_re.compile(rf"return\b{_COMPUTED}")
_KNOWN = stdlib_module_names | {"torch", "torchvision", "torchaudio", "numpy", "scipy"}


def to_unknown(hits: Sequence[Hit], questions: Questions, branches: Branches) -> Iterator[Held]:
    """Yield conditions such as that of `if x.is_cuda: return other(x)`, if `other` is a function of an unknown library,
    and the code for other devices computes the result itself."""
    foreign: dict[str, str] | None = None
    for index in questions:
        if (given := _chosen(hits[index])) is not None:
            foreign = foreign_names(branches) if foreign is None else foreign
            if callee := _callee(given, foreign):
                yield Held(index, callee)
    for start, asking in questions.tests.items():
        header = branches.indents.header_at(start)
        if header.word != "if" or questions.polarity(header, asking) < 0:
            continue
        if not questions.leaves(header) and branches.indents.clauses(header)[-1].word != "else":
            continue
        tensors = {name for index in asking if (name := _tensor(hits[index]))}
        last = _last(start, branches)
        if not tensors or last is None:
            continue
        foreign = foreign_names(branches) if foreign is None else foreign
        callee, target = _handed(last, tensors, foreign)
        if callee and _computes(start, target, questions, branches):
            yield from (Held(index, callee) for index in asking)


def _tensor(hit: Hit) -> str:
    """The source of the tensor whose device a hit asks for: `x` for `x.is_cuda` and for `x.device.type == "cuda"`."""
    node = hit.node
    if hit.rule.check == "method" and isinstance(node, ast.Attribute):
        return ast.unparse(node.value)
    if hit.rule.check == "string" and hit.statement is not None and node is not None:
        outer = hit.statement.digest.parents.get(node)
        left = outer.left if isinstance(outer, ast.Compare) else None
        if isinstance(left, ast.Attribute) and left.attr == "type":
            left = left.value
            return ast.unparse(left.value) if isinstance(left, ast.Attribute) and left.attr == "device" else ""
    return ""


def _last(start: int, branches: Branches) -> Statement | None:
    """Return the last statement in the block of an `if`; None if the block is empty."""
    end = branches.indents.extent(start)
    branches.facts.layout.reads(start, end)
    body = branches.text[start:end].rstrip()
    while (line := body.rfind("\n") + 1) and body[line:].lstrip().startswith("#"):
        body = body[:line].rstrip()
    statement = branches.facts.peek(start + len(body) - 1)
    return statement if statement is not None and statement.start > start else None


def foreign_names(branches: Branches) -> dict[str, str]:
    """Return the local names that are imported from modules other than torch, its companion packages and the standard
    library, each with its dotted name."""
    found = [*plain_imports(branches.facts.searches), *from_imports(branches.facts.searches)]
    return {local: name for local, name in found if name.lstrip(".").partition(".")[0] not in _KNOWN}


def _chosen(hit: Hit) -> ast.Call | None:
    """Return the call that receives a device only if the device is CUDA: `f(device=d if d.type == "cuda" else
    None)`."""
    statement, node = hit.statement, hit.node
    test = statement.digest.parents.get(node) if statement is not None and node is not None else None
    if statement is None or not isinstance(test, ast.Compare):
        return None
    if not isinstance(test.left, ast.Attribute) or test.left.attr != "type":
        return None
    for outer in statement.digest.ancestors(test):
        if isinstance(outer, ast.IfExp) and ast.unparse(outer.body) == ast.unparse(test.left.value):
            holder = statement.digest.parents.get(outer)
            call = statement.digest.parents.get(holder) if isinstance(holder, ast.keyword) else holder
            return call if isinstance(call, ast.Call) else None
        if not isinstance(outer, ast.BoolOp):
            return None
    return None


def _callee(call: ast.Call, foreign: dict[str, str]) -> str:
    root, _ = chain_of(call.func)
    return ast.unparse(call.func) if isinstance(root, ast.Name) and root.id in foreign else ""


def _handed(statement: Statement, tensors: set[str], foreign: dict[str, str]) -> tuple[str, str]:
    """Return the function of another library whose result a statement returns or assigns, as the source spells it
    (`lib.attention`), and the target of the assignment, "" for a `return`; ("", "") if there is none. An argument of
    the call must be in `tensors`. `foreign`: the names that belong to other libraries."""
    for node in statement.digest.piece.nodes:
        call = node.value if isinstance(node, (ast.Assign, ast.Return)) else None
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(call, ast.Call) and len(targets) < 2:
            given = {ast.unparse(value) for value in [*call.args, *(keyword.value for keyword in call.keywords)]}
            if given & tensors and (callee := _callee(call, foreign)):
                names = targets[0].elts if targets and isinstance(targets[0], ast.Tuple) else targets
                return callee, ", ".join(map(ast.unparse, names))
    return "", ""


def _computes(start: int, target: str, questions: Questions, branches: Branches) -> bool:
    """Whether the branch for other devices computes the result that it returns, or assigns to `target`."""
    header = branches.indents.header_at(start)
    clauses = branches.indents.clauses(header)
    if clauses[-1].word == "else":
        last = questions.last(clauses[-1])
        if target:
            branches.facts.layout.reads(clauses[-1].start, branches.indents.extent(clauses[-1].start))
            return re.match(rf"{re.escape(target)}[ \t]*=(?!=){_COMPUTED}", last) is not None
        return bool(_COMPUTES.match(last))
    if len(clauses) > 1 or target:
        return False
    below, end = questions.below(header)
    branches.facts.layout.reads(below, end)
    return bool(re.search(r"^[ \t]*" + _COMPUTES.pattern, branches.text[below:end], re.M))
