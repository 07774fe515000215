"""Finds hits that must be decided alike, because the program would otherwise ask one device and use another: the
functions that read and set the random state, the conditions that choose the arguments of one call, those in the test
and in the message of one `assert`, those of `assert` statements that follow each other, the conditions of one `if`
chain that read the same attribute, and the equal conditions that wrap a model and read the wrapped model."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence

from ... import lazy_re
from ...checks import Hit
from ...checks.branches import Branches
from ...facts.layout import without_comments
from ...facts.role_calls import last_word
from ...facts.scans import matches, plain
from ...limits import Work
from .parts import in_test
from .questions import COUNT, is_question

_WRAPS, _MEMBER = "DataParallel(", ".module"
_READS = lazy_re.compile(r"\.module\b")
# code that works with and without a wrapper, or with another one
_CAREFUL = lazy_re.compile(r"Distributed|\bDDP\b|\bhasattr\(|\bisinstance\(|\bimport\b")
# "module." is the prefix of the names of the wrapper's parameters; `name[7:]` is the name without it
_UNWRAPS = lazy_re.compile(r"(?<!\bself)(?<!\bcls)\.module\b|[\"']module\.|\[7:\](?=[\s\S]{0,200}\.items\(\))")
_SCALES = lazy_re.compile(r"\*=?[ \t]*torch\.cuda\.device_count\(\)|torch\.cuda\.device_count\(\)[ \t]*\*")
# for each operator, the number on its other side with which it tells one device from several; by whether the number of
# devices is on the left
_TELLING: Mapping[bool, Mapping[type[ast.cmpop], int]] = {
    True: {ast.Gt: 1, ast.LtE: 1, ast.GtE: 2, ast.Lt: 2},
    False: {ast.Lt: 1, ast.GtE: 1, ast.LtE: 2, ast.Gt: 2},
}
_OF_TYPES = ("isinstance", "issubclass")
_TELLS = ("endswith", "startswith")
_ANSWERS = (ast.BoolOp, ast.Call, ast.Compare, ast.IfExp, ast.UnaryOp)
_STATES = frozenset({"get_rng_state", "get_rng_state_all", "set_rng_state", "set_rng_state_all"})


def alike(hits: Sequence[Hit], work: Work) -> Iterator[tuple[int, int]]:
    """Yield pairs of hits that change together: all hits in one file that read or set the random state, because a file
    may store the state under a key and read it again; and two conditions that choose the arguments of one call:
    `Trainer(device="gpu" if torch.cuda.is_available() else "cpu", precision=16 if torch.cuda.is_available() else 32)`;
    and the test of an `assert` and what its message says: `assert torch.cuda.is_available(),
    f"{torch.cuda.is_available()}"`; types in one tuple, `isinstance(x, (torch.cuda.FloatTensor,
    torch.cuda.DoubleTensor))`; and attributes that are compared, `x.is_cuda != y.is_cuda`."""
    first: dict[Hashable, int] = {}
    for index, hit in enumerate(hits):
        key = _key(hit, work)
        if key is not None and first.setdefault(key, index) != index:
            yield first[key], index


def _key(hit: Hit, work: Work) -> Hashable:
    """Return a key that is the same for all hits which must change together with this hit; None if there are none."""
    if hit.rule.check == "name" and hit.words.get("name", "").rpartition(".")[2] in _STATES:
        return "state"
    if hit.rule.check not in ("name", "method") or hit.node is None or hit.statement is None:
        return None
    if isinstance(hit.parent, ast.Compare) and hit.rule.check == "method":
        sides = (hit.parent.left, *hit.parent.comparators)
        if len({side.attr if isinstance(side, ast.Attribute) else "" for side in sides}) == 1:
            return hit.statement.start, hit.parent
    if hit.rule.check == "name" and isinstance(hit.parent, (ast.Tuple, ast.List, ast.Set)):
        outer = hit.statement.digest.parents.get(hit.parent)
        if isinstance(outer, ast.Compare) or (isinstance(outer, ast.Call) and last_word(outer.func) in _OF_TYPES):
            return hit.statement.start, hit.parent
    if not is_question(hit):
        return None
    inner, choice = hit.node, None
    for outer in hit.statement.digest.ancestors(hit.node):
        work.compare()
        if isinstance(outer, ast.IfExp) and inner is outer.test and choice is None:
            choice = outer
        elif isinstance(outer, ast.Assert):
            return hit.statement.start, outer
        elif choice is not None and not isinstance(outer, ast.keyword):
            return (hit.statement.start, outer) if isinstance(outer, ast.Call) and inner is not outer.func else None
        inner = outer
    return None


def answering(hits: Sequence[Hit], work: Work) -> Iterator[tuple[int, int]]:
    """Yield pairs of hits that change together: the questions that give the answers in the two arms of a conditional
    expression, `device.type == "cuda" if device is not None else torch.cuda.is_available()`."""
    first: dict[tuple[int, ast.AST], int] = {}
    for index, hit in enumerate(hits):
        if hit.rule.check not in ("name", "method", "string") or hit.statement is None or hit.node is None:
            continue
        inner: ast.AST = hit.node
        for outer in hit.statement.digest.ancestors(inner):
            work.compare()
            if isinstance(outer, ast.IfExp) and inner is not outer.test and _is_answer(inner):
                if first.setdefault((hit.statement.start, outer), index) != index:
                    yield first[hit.statement.start, outer], index
            elif not isinstance(outer, _ANSWERS) or (isinstance(outer, ast.Call) and not _passes(outer, inner)):
                break
            inner = outer


def _passes(call: ast.Call, inner: ast.AST) -> bool:
    """Return whether the value of a call tells of a part of it: `torch.cuda.is_available()`, `name.startswith("cuda")`,
    `torch.device("cuda")`."""
    return inner is call.func or last_word(call.func) in (*_TELLS, "device")


def _is_answer(node: ast.AST) -> bool:
    """Return whether an expression is true or false: a comparison, a question such as `torch.cuda.is_available()`, or
    several of them."""
    asked = node.func if isinstance(node, ast.Call) else node
    named = isinstance(asked, ast.Attribute) and (asked.attr.startswith("is_") or asked.attr in _TELLS)
    return named or isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp))


def chained(hits: Sequence[Hit], branches: Branches) -> Iterator[tuple[int, int]]:
    """Yield pairs of hits that change together: attributes of the same spelling in the conditions of one `if` chain, as
    in `if x.is_cuda == True: … elif x.is_cuda != True: …`, and in its blocks, which ask again: `if not x.is_cuda or
    x.shape[0] > 1: reason = "size" if x.is_cuda else "device"`."""
    first: dict[tuple[int, str], int] = {}
    inside: list[int] = []
    for index, hit in enumerate(hits):
        if hit.rule.check != "method" or hit.rule.get("call") or hit.statement is None or hit.node is None:
            continue
        header = branches.indents.header_at(hit.statement.start)
        if header.word in ("if", "elif") and in_test(hit.node, hit.statement, (ast.If,)):
            key = branches.indents.clauses(header)[0].start, ast.unparse(hit.node)
            if first.setdefault(key, index) != index:
                yield first[key], index
        else:
            inside.append(index)
    asked = {spelled for _, spelled in first}
    for index in inside if asked else ():
        yield from ((first[key], index) for key in _around(hits[index], asked, branches) if key in first)


def _around(hit: Hit, asked: Collection[str], branches: Branches) -> Iterator[tuple[int, str]]:
    """Yield the keys of an attribute in the `if` chains around it, as in `chained`, if it is one of those `asked`."""
    spelled = ast.unparse(hit.node) if hit.node is not None else ""
    above = (
        branches.indents.header_above(hit.statement.start) if hit.statement is not None and spelled in asked else None
    )
    while above is not None:
        branches.work.compare()
        if above.word in ("if", "elif", "else"):
            yield branches.indents.clauses(above)[0].start, spelled
        above = branches.indents.header_above(above.start) if above.word not in ("def", "class") else None


def asserted(hits: Sequence[Hit], branches: Branches) -> Iterator[tuple[int, int]]:
    """Yield pairs of hits that change together: attributes in `assert` statements that follow each other, as in `assert
    param.is_cuda` and `assert step.is_cuda` on the next line."""
    before: tuple[int, int] | None = None
    for index in sorted(range(len(hits)), key=lambda index: hits[index].start):
        hit = hits[index]
        is_asked = hit.rule.check == "method" and not hit.rule.get("call") and hit.statement is not None
        if not is_asked or hit.statement is None or not in_test(hit.node, hit.statement, (ast.Assert,)):
            continue
        if before is not None and not branches.text[before[1] : hit.statement.start].strip():
            yield before[0], index
        before = index, hit.statement.end


def wrapping(hits: Sequence[Hit], branches: Branches) -> Iterator[tuple[int, int]]:
    """Yield pairs of hits that change together: a condition that wraps a model in `DataParallel`, and one that asks the
    same and reads `.module`, which only the wrapped model has: `if torch.cuda.device_count() > 1: model =
    DataParallel(model)` … `if torch.cuda.device_count() > 1: model.module.eval()`. All conditions about the number of
    devices count as the same: `> 1`, `>= 2` and `== 1` with an `else`."""
    searches, layout = branches.facts.searches, branches.facts.layout
    if not (branches.says(_WRAPS) and branches.says(_MEMBER)):
        return
    wraps = searches.find(("text", _WRAPS), plain(_WRAPS))
    reads = [at for at in searches.find(("member", _MEMBER), matches(_READS, _MEMBER)) if not layout.token_at(at)]
    found: dict[str, tuple[list[int], list[int]]] = {}
    for index, hit in enumerate(hits if reads else ()):
        if hit.rule.check == "name" and hit.statement is not None and hit.node is not None and is_question(hit):
            start, end = _extent(hit, branches)
            wrapping_ones, reading = found.setdefault(_asked(hit, branches.work), ([], []))
            wrapping_ones += [index] if bisect_left(wraps, start) < bisect_left(wraps, end) else []
            reading += [index] if bisect_left(reads, start) < bisect_left(reads, end) else []
    for wrapping_ones, reading in found.values():
        if wrapping_ones and reading:
            yield from ((wrapping_ones[0], index) for index in (*wrapping_ones[1:], *reading))


def unwrapping(hits: Sequence[Hit], branches: Branches) -> Iterator[int]:
    """Yield the indices of the numbers of devices that decide whether code takes a model out of its wrapper, or names
    its parameters as in the wrapper: `if torch.cuda.device_count() > 1: model = model.module`, `"module." + key if
    torch.cuda.device_count() > 1 else key`; or makes the batches larger that the wrapper divides. Without its fix, such
    a number is 0, which counts as one device."""
    for index, hit in enumerate(hits):
        if hit.words.get("name") == COUNT and hit.statement is not None and _tells_several(hit):
            if in_test(hit.node, hit.statement, (ast.If, ast.IfExp)):
                start, end = _extent(hit, branches)
                branches.facts.layout.reads(start, end)
                branches.work.search(start, end)
                code = without_comments(branches.text[start:end])
                if (_UNWRAPS.search(code) or _SCALES.search(code)) and not _CAREFUL.search(code):
                    yield index


def _tells_several(hit: Hit) -> bool:
    """Return whether a number of devices is compared with 1 or 2 so that 0 counts as one device: `> 1`, `2 <=`."""
    call = hit.parent
    compared = hit.statement.digest.parents.get(call) if hit.statement is not None and call is not None else None
    if not isinstance(compared, ast.Compare) or len(compared.ops) > 1:
        return False
    number = compared.comparators[0] if compared.left is call else compared.left
    return (
        isinstance(number, ast.Constant) and _TELLING[compared.left is call].get(type(compared.ops[0])) == number.value
    )


def _extent(hit: Hit, branches: Branches) -> tuple[int, int]:
    """Return the span of the statement of a condition, with all branches of an `if`. A condition that a variable holds,
    or an `assert`, extends to the end of the text."""
    statement = hit.statement
    assert statement is not None
    header = branches.indents.header_at(statement.start)
    if header.word in ("if", "elif"):
        branches.work.compare()
        return statement.start, branches.indents.extent(branches.indents.clauses(header)[-1].start)
    alone = in_test(hit.node, statement, (ast.IfExp,))
    return statement.start, statement.end if alone else len(branches.text)


def _asked(hit: Hit, work: Work) -> str:
    """Return what a condition asks: the name of the function for the number of devices, otherwise the comparison or
    call."""
    if hit.words.get("name") == COUNT:
        return COUNT
    found = hit.node
    for outer in hit.statement.digest.ancestors(hit.node) if hit.statement is not None and hit.node is not None else ():
        work.compare()
        if not isinstance(outer, (ast.Call, ast.Compare)):
            break
        found = outer
    assert found is not None
    return ast.unparse(found)
