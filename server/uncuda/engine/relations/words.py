"""Finds device strings that are used only if a condition finds CUDA, `["cuda"] if torch.cuda.is_available() else []`.

Also finds comparisons with `device.type`, if the same function makes `device` from a string; comparisons of a result
with a string, if a call receives another string for it; strings that a comparison chooses; and results that a test
expects for a value that it patches.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ... import lazy_re
from ...checks import Hit
from ...checks.branches import Branches
from ...checks.unpacking import target_of
from ...facts.layout import without_comments
from ...facts.read import Facts, Statement
from ...facts.role_calls import last_word, option_name
from ...facts.scopes import Header
from ...limits import Work
from .flags import parsed_options
from .parts import in_test, is_within, taken_as, taker
from .questions import is_question

_CHOICES = "choices"
_CUDA = "cuda"
_PARAM = "request.param"
# a call that replaces a name by a device; the call may be in several lines
_PATCHED = lazy_re.compile(
    r"(?:setattr|patch(?:\.object)?)\([^()]{0,300}[\"'](cuda(?::\d+)?)[\"']\s*"
    r"(?:,\s*(?:(?:raising|create)=\w+\s*(?:,\s*)?)?)?\)"
)


def questioned(hits: Sequence[Hit], work: Work) -> Iterator[tuple[int, int | None]]:
    """Yield, for each device string whose use depends on a condition: the index of the string's hit, and the index of
    the condition's hit (None if the condition has no hit).

    A device string whose condition has no hit is yielded only if nothing else in the file shows that the string is a
    device.
    """
    asking = [index for index, hit in enumerate(hits) if hit.question is not None]
    if not asking:
        return
    work.compare(len(hits))
    starts = {hit.start: index for index, hit in enumerate(hits) if hit.question is None and hit.rule.check != "string"}
    for index in asking:
        question = hits[index].question
        found = starts.get(question[0]) if question is not None else None
        if question is not None and (found is not None or question[1]):
            yield index, found


def compared(hits: Sequence[Hit], branches: Branches) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of hits about the same device variable in one function. The hits are strings with which
    the device's type is compared (`device.type == "cuda"`), and strings from which the device is made
    (`device = torch.device("cuda:1")`). If a function has both, the pairs connect all these hits."""
    tests: dict[tuple[int, str], list[int]] = {}
    values: dict[tuple[int, str], list[int]] = {}
    branches.work.compare(len(hits))
    for index, hit in enumerate(hits):
        if hit.rule.check != "string" or hit.statement is None or hit.node is None:
            continue
        name, found = _tested(hit.node, hit.statement), tests
        if not name:
            name, found = _made(hit.node, hit.statement), values
        if name:
            found.setdefault((branches.indents.scope_start(hit.statement.start), name), []).append(index)
    for key, (first, *others) in tests.items():
        # to pair each comparison with each value would take time that grows with the square of their number
        found_values = values.get(key, [])
        yield from ((first, value) for value in found_values)
        yield from ((index, first) for index in others if found_values)


def _tested(node: ast.AST, statement: Statement) -> str:
    """The variable `x` if a string is compared with `x.type`."""
    compare = statement.digest.parents.get(node)
    if not isinstance(compare, ast.Compare) or len(compare.ops) != 1:
        return ""
    other = compare.comparators[0] if node is compare.left else compare.left
    device = other.value if isinstance(other, ast.Attribute) and other.attr == "type" else None
    return device.id if isinstance(device, ast.Name) else ""


def _made(node: ast.AST, statement: Statement) -> str:
    """The variable to which a device is assigned that `torch.device` makes from a string."""
    call = statement.digest.parents.get(node)
    if not isinstance(call, ast.Call) or last_word(call.func) != "device" or call.args[:1] != [node]:
        return ""
    target = target_of(statement.digest.parents.get(call), call)
    return target.id if isinstance(target, ast.Name) else ""


def conjoined(hits: Sequence[Hit], work: Work) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of hits that the same `and` joins: a question for CUDA, and a string with which a value is
    compared: `torch.cuda.is_available() is False and "cuda" in name`. The question changes only if the string does."""
    asked: dict[int, list[int]] = {}
    told: dict[int, int] = {}
    for index, hit in enumerate(hits):
        is_word = hit.rule.check == "string"
        if (
            hit.statement is None
            or hit.node is None
            or not (is_word or (hit.rule.check == "name" and is_question(hit)))
        ):
            continue
        inside = False
        for outer in hit.statement.digest.ancestors(hit.node):
            work.compare()
            begins = isinstance(outer, ast.Call) and last_word(outer.func) == "startswith"
            inside = inside or begins or isinstance(outer, ast.Compare)
            if isinstance(outer, ast.BoolOp):
                if isinstance(outer.op, ast.And) and inside and is_word:
                    told.setdefault(id(outer), index)
                elif isinstance(outer.op, ast.And) and not is_word:
                    asked.setdefault(id(outer), []).append(index)
                break
    yield from ((index, told[both]) for both, found in asked.items() if both in told for index in found)


def expected(hits: Sequence[Hit], work: Work) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of hits that change together: a string with which the result of a call is compared, and a
    string that the call receives, `backend_of("cuda") == "nccl"`."""
    told: dict[tuple[int, int], list[int]] = {}
    given: dict[tuple[int, int], list[int]] = {}
    work.compare(len(hits))
    for index, hit in enumerate(hits):
        if hit.rule.check == "string" and hit.statement is not None and hit.node is not None:
            inner = hit.node
            for outer in hit.statement.digest.ancestors(hit.node):
                work.compare()
                if isinstance(outer, ast.Compare) and len(outer.ops) == 1:
                    found = told if inner is hit.node else given if isinstance(inner, ast.Call) else {}
                    found.setdefault((hit.statement.start, id(outer)), []).append(index)
                    break
                inner = outer
    for key, (first, *_) in told.items():
        for index in given.get(key, ()):
            yield from ((first, index), (index, first))


def chosen(hits: Sequence[Hit], branches: Branches) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of hits: a device string with which a condition compares a value, and a string that the
    block of this condition only returns or assigns, `if device == "cuda": return "CUDA_VISIBLE_DEVICES"`."""
    tests: dict[int, list[int]] = {}
    branches.work.compare(2 * len(hits))
    for index, hit in enumerate(hits):
        if hit.rule.check == "string" and hit.statement is not None and in_test(hit.node, hit.statement):
            tests.setdefault(hit.statement.start, []).append(index)
    for index, hit in enumerate(hits) if tests else ():
        named = hit.rule.check == "string" and "information" not in (hit.severity, hit.rule.severity)
        binds = named or hit.rule.check == "environment"
        if binds and hit.statement is not None and _is_value(hit.node, hit.statement):
            header = branches.indents.header_above(hit.statement.start)
            if header is not None and header.start in tests and _is_only(hit.statement, header, branches):
                yield from ((one, index) for one in tests[header.start])


def keyed(hits: Sequence[Hit], work: Work) -> Iterator[tuple[int, None]]:
    """Yield the indices, each with None, of questions for CUDA that are the value for the key "cuda" of a dictionary:
    `{"cuda": torch.cuda.is_available(), "npu": f()}`, or that choose the name of a method, `getattr(x, ("cpu",
    "cuda")[x.is_cuda])()`. The program may take the key for the device that it found, and no fix changes the key or the
    name."""
    for index, hit in enumerate(hits):
        if hit.rule.check in ("name", "method") and hit.statement is not None and is_question(hit):
            inner = hit.node
            for outer in hit.statement.digest.ancestors(inner) if inner is not None else ():
                assert inner is not None
                work.compare()
                if _is_keyed(outer, inner, hit.statement) or (inner is not hit.node and _names_attribute(outer, inner)):
                    yield index, None
                    break
                inner = outer


def offered(hits: Sequence[Hit], branches: Branches) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of hits: a string with which the file compares a variable, and a string among the choices
    that a widget offers, `gr.Dropdown(choices=["cuda", "cpu"])`. The person's choice may be the variable's value, so
    the comparison changes only if the choice does."""
    if not branches.says(_CHOICES):
        return
    strings = [(index, hit) for index, hit in enumerate(hits) if hit.rule.check == "string"]
    choices = [index for index, hit in strings if _is_offered(hit)]
    tests = [index for index, hit in strings if choices and _is_compared_with_variable(hit)]
    # to pair each comparison with each choice would take time that grows with the square of their number
    held = min(choices, key=lambda index: (hits[index].is_safe, hits[index].start), default=0)
    yield from ((test, held) for test in tests)


def typed(hits: Sequence[Hit], facts: Facts) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of hits: a test whether a variable or option contains a device's name, and the name of a
    tensor type that it may have: `"cuda" in args.type` for `add_argument("--type", default="torch.cuda.FloatTensor")`.
    The test changes only if the type does."""
    types: dict[str, int] = {}
    for index, hit in enumerate(hits):
        if hit.rule.check == "string" and hit.words.get("old", "").endswith("Tensor") and (name := taker(hit)):
            types[name] = min(types.get(name, index), index, key=lambda one: (hits[one].is_safe, hits[one].start))
    roots = parsed_options(facts) if types else frozenset()
    for index, hit in enumerate(hits) if types else ():
        outer = hit.parent
        if hit.rule.check == "string" and isinstance(outer, ast.Compare) and hit.node is outer.left:
            facts.work.compare()
            tested = outer.comparators[0]
            of_option = isinstance(tested, ast.Attribute) and ast.unparse(tested.value) in roots
            if isinstance(outer.ops[0], (ast.In, ast.NotIn)) and (of_option or isinstance(tested, ast.Name)):
                if (name := last_word(tested)) in types:
                    yield index, types[name]


def _is_offered(hit: Hit) -> bool:
    """Return whether a string is in the list of choices of a call that declares no command-line option."""
    parents, listed = hit.statement.digest.parents if hit.statement is not None else {}, hit.parent
    keyword = parents.get(listed) if isinstance(listed, (ast.List, ast.Tuple)) else None
    call = parents.get(keyword) if isinstance(keyword, ast.keyword) and keyword.arg == _CHOICES else None
    return isinstance(call, ast.Call) and not option_name(call)


def _is_compared_with_variable(hit: Hit) -> bool:
    outer = hit.parent
    return isinstance(outer, ast.Compare) and any(isinstance(one, ast.Name) for one in (outer.left, *outer.comparators))


def parametrized(hits: Sequence[Hit], branches: Branches) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of hits, in both orders: a string with which a fixture of pytest compares `request.param`,
    and a string among the fixture's `params`."""
    if not branches.says(_PARAM):
        return
    tests: dict[int, list[int]] = {}
    above: dict[int, list[int]] = {}
    for index, hit in enumerate(hits):
        statement, node = hit.statement, hit.node
        if hit.rule.check != "string" or statement is None or node is None:
            continue
        if branches.text.startswith("@", statement.start):
            above.setdefault(statement.start, []).append(index)
        elif _is_compared_with_param(node, statement):
            tests.setdefault(branches.indents.scope_start(statement.start), []).append(index)
    for start, compared_there in tests.items() if above else ():
        decorators = branches.indents.decorators(start) if start >= 0 else ()
        values = [index for line in decorators for index in above.get(line.start, ())]
        # to pair each comparison with each value would take time that grows with the square of their number
        for index in (*values[1:], *compared_there) if values else ():
            yield from ((values[0], index), (index, values[0]))


def _is_compared_with_param(node: ast.AST, statement: Statement) -> bool:
    """Return whether a string, or a list with it, is compared with `request.param`."""
    outer = statement.digest.parents.get(node)
    if isinstance(outer, (ast.List, ast.Set, ast.Tuple)):
        outer = statement.digest.parents.get(outer)
    sides = (outer.left, *outer.comparators) if isinstance(outer, ast.Compare) else ()
    return any(isinstance(side, ast.Attribute) and ast.unparse(side) == _PARAM for side in sides)


def _names_attribute(outer: ast.AST, inner: ast.AST) -> bool:
    """Return whether a node is in the name of the attribute that a call of `getattr` returns, if it may be "cuda"."""
    if not isinstance(outer, ast.Call) or last_word(outer.func) != "getattr" or inner not in outer.args[1:2]:
        return False
    return any(isinstance(node, ast.Constant) and node.value == _CUDA for node in ast.walk(inner))


def _is_keyed(outer: ast.AST, inner: ast.AST, statement: Statement) -> bool:
    """Return whether a dictionary has the value `inner` for the key "cuda": in a display or a call of `dict`, or after
    an assignment `x["cuda"] = …`."""
    if isinstance(outer, ast.Assign):
        keys = [target.slice for target in outer.targets if isinstance(target, ast.Subscript)]
        return inner is outer.value and any(isinstance(key, ast.Constant) and key.value == _CUDA for key in keys)
    if taken_as(outer, inner) != _CUDA:
        return False
    call = statement.digest.parents.get(outer)
    return isinstance(outer, ast.Dict) or (isinstance(call, ast.Call) and last_word(call.func) == "dict")


def _is_value(node: ast.AST | None, statement: Statement) -> bool:
    """Return whether a statement only returns or assigns the value of a node."""
    holder = statement.digest.parents.get(node) if node is not None else None
    return isinstance(holder, (ast.Return, ast.Assign, ast.AnnAssign)) and holder.value is node


def _is_only(statement: Statement, header: Header, branches: Branches) -> bool:
    """Return whether the block of a condition that asks for CUDA consists of one statement."""
    if branches.asks_cuda(header.start, header.end) <= 0:
        return False
    end = branches.indents.extent(header.start)
    branches.work.search(header.end, end)
    branches.facts.layout.reads(header.end, end)
    beside = branches.text[header.end : statement.start], branches.text[statement.end : end]
    return not any(without_comments(text).strip() for text in beside)


def patched(hits: Sequence[Hit], branches: Branches) -> Iterator[tuple[int, None]]:
    """Yield the indices, each with None, of device strings in comparisons of a test that gives a name of another file
    the value "cuda", which no safe fix changes: `monkeypatch.setattr("app.utils.device_type", "cuda")`."""
    if not (branches.says("setattr(") or branches.says("patch")):
        return
    safe = sorted(hit.start for hit in hits if hit.is_safe)
    known: dict[int, bool] = {}
    for index, hit in enumerate(hits):
        if hit.rule.check != "string" or hit.statement is None:
            continue
        scope = branches.indents.scope_of(hit.statement.start)
        if scope is None or scope[1] != "def" or not is_within(hit.node, hit.statement, (ast.Compare,)):
            continue
        if scope[0] not in known:
            start, end = scope[0], branches.indents.extent(scope[0])
            branches.work.search(start, end)
            branches.facts.layout.reads(start, end)
            known[start] = any(not _holds(match, safe) for match in _PATCHED.finditer(branches.text, start, end))
        if known[scope[0]]:
            yield index, None


def _holds(match: re.Match[str], starts: Sequence[int]) -> bool:
    """Return whether one of these offsets, which are sorted, is in a match."""
    at = bisect_left(starts, match.start())
    return at < len(starts) and starts[at] < match.end()
