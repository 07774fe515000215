"""Links hits in one call: hits in the arguments, the object and the function of a call are all fixed together, or none
is.

If the hits of a call were not linked, CUDA's API could receive the target's device, or a graph of CUDA could use a
stream of the target. A variable is followed from its assignment to its uses only if it holds an object of a device (a
stream, an event or a graph), not if it holds a number.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from ...checks import Hit
from ...checks.branches import Branches
from ...checks.parameters import Parameters
from ...facts.read import Statement
from ...facts.role_calls import last_word
from ...facts.scans import plain, uses
from ...limits import Work

# Functions that return objects for one device only, such as streams of CUDA; variables that hold them are traced.
_OBJECTS = frozenset(
    {"CUDAGraph", "Event", "ExternalStream", "MemPool", "Options", "Stream", "current_stream", "default_stream",
     "get_rng_state", "get_rng_state_all", "graph_pool_handle"}
)  # fmt: skip
_STREAMS = frozenset({"Stream", "StreamContext", "current_stream", "default_stream", "stream"})
# Functions whose result means the same device as the argument.
_SAME = frozenset({"device", "int", "max", "min", "str"})
_PARTS = (ast.Starred, ast.keyword, ast.List, ast.Tuple)
_GIVING = (ast.Return, ast.Yield, ast.Assign, ast.AnnAssign)
_SPINE = (ast.Attribute, ast.Subscript, ast.Call)

_WAITS = ".wait_stream("

Pair = tuple[int, int]
Key = tuple[int, str]  # the offset of the variable's scope (-1 for the module), and the variable's name


class Together:
    """Finds the pairs of hits in one file that must be fixed together; a pair is two indices in `hits`."""

    def __init__(self, hits: Sequence[Hit], branches: Branches) -> None:
        self._hits, self._branches, self._work = hits, branches, branches.work
        self._indents = branches.indents
        self._parameters = Parameters(branches.facts, set())
        self._at: dict[tuple[int, ast.AST], list[int]] = {}
        for index, hit in enumerate(hits):
            if hit.node is not None and hit.statement is not None:
                self._at.setdefault((hit.statement.start, hit.node), []).append(index)
        self._held = self._holders()
        self._names = {name for _, name in self._held}
        self._members: dict[str, list[int]] = {}  # for each attribute: the hits at calls whose results it holds
        for (_, name), found in self._held.items():
            if "." in name:
                self._members.setdefault(name.rpartition(".")[2], []).extend(found)
        # for each tuple that contains a device string: the first hit in the other items of the tuple
        self._first: dict[tuple[int, ast.AST], list[int]] = {}
        self._joined: set[int] = set()  # the ids of lists whose hits have already been linked to each other

    def pairs(self) -> Iterator[Pair]:
        """Yield pairs of hits that must be fixed together: one hit is at a call and the other in a part of this call,
        such as an argument, or both are in parts of one call."""
        yield from self._patched()
        yield from self._streams()
        yield from self._passed()
        yield from self._waiting()
        self._work.compare(len(self._at))
        for (_, node), found in self._at.items():
            statement = self._hits[found[0]].statement
            assert statement is not None
            yield from ((found[0], other) for other in found[1:])
            call = self._call_of_argument(node, statement)
            if call is not None:
                heads = [at for at in self._heads(call.func, statement) if self._is_cudas(at, call)]
                yield from ((found[0], at) for at in heads)
                yield from self._optional(call, found[0], statement)
            if self._held:
                yield from self._named(node, call, found[0], statement)
            if isinstance(node, ast.Attribute) and self._hits[found[0]].rule.check == "method":
                yield from self._with(found[0], self._holding(self._base(node.value), statement))
                yield from self._given_word(node, found[0], statement)
            yield from self._set_to(node, found[0], statement)
            yield from self._beside(node, found[0], statement)
            yield from self._marked(node, found[0], statement)

    def _patched(self) -> Iterator[Pair]:
        """Yield pairs of a name that a pytest test replaces with a mock, and a use of this name."""
        patched = {str(key[1]): at for at, hit in enumerate(self._hits) for key in hit.links if key[0] == "patched"}
        for index, hit in enumerate(self._hits) if patched else ():
            if hit.rule.check == "name" and (at := patched.get(hit.words.get("name", ""), index)) != index:
                yield at, index

    def _streams(self) -> Iterator[Pair]:
        """Yield pairs of streams in one function; they are linked because streams wait for each other."""
        first: dict[int, int] = {}
        named = ((hit.words.get("name", "").rpartition(".")[2], at) for at, hit in enumerate(self._hits))
        found = [at for name, at in named if name in _STREAMS and self._hits[at].rule.check == "name"]
        for index in found if len(found) > 1 else ():
            statement = self._hits[index].statement
            scope = self._scope("", statement.start) if statement is not None else -1
            if scope >= 0 and first.setdefault(scope, index) != index:
                yield first[scope], index

    def _passed(self) -> Iterator[Pair]:
        """Yield pairs of hits at one value, which is passed to a function.

        The first hit is at a call whose result is in a variable: `s = torch.cuda.Stream()`. The variable is passed to a
        function of this file: `launch(s)`. The second hit is at a use of the parameter in this function:
        `stream.cuda_stream` in `def launch(stream)`.
        """
        facts = self._branches.facts
        for name in self._names if len(self._hits) > 1 else ():
            for at in facts.searches.find(("flag", name), uses(name, True)) if "." not in name else ():
                self._work.compare()
                start = self._indents.header_at(at).start
                found = self._held.get((self._scope("", start), name))
                if not found or (statement := facts.peek(start)) is None:
                    continue
                self._work.compare(len(statement.digest.chains))
                for chain in statement.digest.chains:
                    taken = self._taken(chain.node, statement) if chain.spelled == name else None
                    yield from ((found[0], other) for other in (self._given.get(taken, ()) if taken else ()))

    def _waiting(self) -> Iterator[Pair]:
        """Yield pairs of hits whose results are streams in variables, of which one waits for the other:
        `self.copies.wait_stream(self.main)`."""
        facts = self._branches.facts
        for at in facts.searches.find(("text", _WAITS), plain(_WAITS)) if len(self._held) > 1 else ():
            if (statement := facts.peek(self._indents.header_at(at).start)) is None:
                continue
            for chain in statement.digest.chains:
                self._work.compare()
                call = statement.digest.parents.get(chain.node)
                if isinstance(call, ast.Call) and call.func is chain.node and last_word(chain.node) == _WAITS[1:-1]:
                    parts = (call.func, *call.args, *(keyword.value for keyword in call.keywords))
                    first, *others = (self._holding(self._base(part), statement) for part in parts)
                    for other in others if first else ():
                        yield from self._with(first[0], other)

    def _taken(self, node: ast.AST, statement: Statement) -> Key | None:
        """Return the parameter of a function of this file that receives an argument."""
        outer = statement.digest.parents.get(node)
        inner, call = (outer, statement.digest.parents.get(outer)) if isinstance(outer, ast.keyword) else (node, outer)
        if not isinstance(call, ast.Call) or inner is call.func:
            return None
        found = self._parameters.holder(call, inner, statement)
        return (found[1], found[0]) if found is not None else None

    @cached_property
    def _given(self) -> dict[Key, list[int]]:
        """For each function and variable: the hits at attributes of the variable (`s.cuda_stream`), and the hits at
        calls whose results are assigned to the variable (`s = torch.cuda.Stream()`)."""
        given = {key: list(found) for key, found in self._held.items()}
        for (start, node), found in self._at.items():
            base = self._base(node) if isinstance(node, ast.Attribute) else None
            if isinstance(base, ast.Name):
                given.setdefault((self._scope("", start), base.id), []).extend(found)
        return given

    def _named(self, node: ast.AST, call: ast.Call | None, index: int, statement: Statement) -> Iterator[Pair]:
        """Yield pairs of hits that must be fixed together because both take part in one call: the hit `index`, which is
        written in the call, and a hit whose result is in a variable. The variable with the result is an argument of
        the call, or the object whose method is called: `torch.cuda.stream(s)` after `s = torch.cuda.Stream()`."""
        if call is not None:
            yield from self._with(index, self._holding(self._base(call.func), statement))
        for outer in spine_of(node, statement):
            if isinstance(outer, ast.Call) and self._is_cudas(index, outer):
                self._work.compare(len(outer.args) + len(outer.keywords))
                for argument in (*outer.args, *(keyword.value for keyword in outer.keywords)):
                    yield from self._with(index, self._holding(self._base(argument), statement))

    def _optional(self, call: ast.Call, index: int, statement: Statement) -> Iterator[Pair]:
        """Yield pairs of the hit at `index`, the backend in a call, and a hit at the options of the process group:
        `new_group(backend="nccl", pg_options=ProcessGroupNCCL.Options())`."""
        for keyword in call.keywords if self._hits[index].rule.check == "string" else ():
            if keyword.arg == "pg_options":
                made = keyword.value.func if isinstance(keyword.value, ast.Call) else keyword.value
                yield from self._with(index, self._at.get((statement.start, made), ()))
                yield from self._with(index, self._holding(self._base(keyword.value), statement))

    def _with(self, index: int, found: Sequence[int]) -> Iterator[Pair]:
        """Yield pairs that link a hit to the hits in the list `found`, and, when this list is given for the first time,
        also pairs that link the hits in the list to each other."""
        if found:
            yield index, found[0]
            if id(found) not in self._joined:
                self._joined.add(id(found))
                yield from ((found[0], other) for other in found[1:])

    def _given_word(self, node: ast.Attribute, index: int, statement: Statement) -> Iterator[Pair]:
        """Yield pairs of hits: the first is at a method such as `x.cuda(device)`, the second at a device string that is
        assigned to the variable `device`."""
        call = statement.digest.parents.get(node)
        if not isinstance(call, ast.Call) or call.func is not node:
            return
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            if isinstance(argument, ast.Name) and self._words:
                scope = self._scope("", statement.start)
                yield from self._with(index, self._words.get((scope, argument.id), ()))

    def _set_to(self, node: ast.AST, index: int, statement: Statement) -> Iterator[Pair]:
        """Yield pairs of an environment variable, and a hit in the value assigned to it."""
        if self._hits[index].rule.check != "environment":
            return
        outer = statement.digest.parents.get(node)
        value: ast.AST | None = None
        if isinstance(outer, ast.Dict) and node in outer.keys:
            value = outer.values[outer.keys.index(node)]
        elif isinstance(outer, ast.Subscript) and isinstance(assign := statement.digest.parents.get(outer), ast.Assign):
            value = assign.value
        for part in ast.walk(value) if value is not None else ():
            self._work.compare()
            yield from ((index, other) for other in self._at.get((statement.start, part), ()))

    def _is_cudas(self, index: int, call: ast.Call) -> bool:
        """Return whether a hit shows that `call` is for CUDA: the hit is at the called method, or at a name such as
        `torch.cuda.stream`. A hit at `.cuda` in `DataParallel(model.cuda())` does not show this for the call of
        `DataParallel`."""
        hit = self._hits[index]
        if hit.rule.check == "method":
            return hit.node is call.func
        parts = hit.words.get("name", "").split(".")
        return hit.rule.check == "name" and parts[0] == "torch" and any(p.lstrip("_").startswith("cuda") for p in parts)

    def _beside(self, word: ast.AST, index: int, statement: Statement) -> Iterator[Pair]:
        """Yield pairs of a device string in a tuple, and another hit in this tuple: `return "cuda",
        torch.cuda.device_count()`."""
        parents = statement.digest.parents
        tuple_ = parents.get(word)
        if self._hits[index].rule.check != "string" or not isinstance(tuple_, ast.Tuple):
            return
        key = statement.start, tuple_
        if key not in self._first:
            self._work.compare(len(tuple_.elts))
            given = tuple_.elts if isinstance(parents.get(tuple_), _GIVING) else ()
            asked = [at for part in given if isinstance(part, _SPINE) for at in self._heads(part, statement)]
            self._first[key] = asked[:1]
            yield from ((asked[0], at) for at in asked[1:])
        yield from ((index, at) for at in self._first[key])

    def _marked(self, word: ast.AST, index: int, statement: Statement) -> Iterator[Pair]:
        """Yield pairs of a string in a parameter of a pytest test, and a hit in the marks of the parameter:
        `pytest.param("cuda", marks=skipif(…))`, `pytest.param(torch.device("cuda"), marks=skipif(…))`."""
        call = statement.digest.parents.get(word)
        if isinstance(call, ast.Call) and last_word(call.func) == "device":
            call = statement.digest.parents.get(call)
        if (
            self._hits[index].rule.check != "string"
            or not isinstance(call, ast.Call)
            or last_word(call.func) != "param"
        ):
            return
        for keyword in call.keywords:
            for part in ast.walk(keyword.value) if keyword.arg == "marks" else ():
                self._work.compare()
                yield from ((index, other) for other in self._at.get((statement.start, part), ()))

    def _call_of_argument(self, node: ast.AST, statement: Statement) -> ast.Call | None:
        return call_given(node, statement, self._work, lambda callee: (statement.start, callee) in self._at)

    def _heads(self, node: ast.AST, statement: Statement) -> Iterator[int]:
        """Yield the hits in a chain of names and calls such as `torch.cuda.current_stream().query()`, from the whole
        chain to its first name."""
        while True:
            self._work.compare()
            yield from self._at.get((statement.start, node), ())
            if not isinstance(node, _SPINE):
                return
            node = node.func if isinstance(node, ast.Call) else node.value

    def _holders(self) -> dict[Key, list[int]]:
        """Return, for each scope and variable, the hits at calls whose results are assigned to the variable."""
        held: dict[Key, list[int]] = {}
        for (_, node), found in self._at.items():
            hit = self._hits[found[0]]
            if hit.rule.check != "name" or hit.words.get("name", "").rpartition(".")[2] not in _OBJECTS:
                continue
            assert hit.statement is not None
            *spine, top = [node, *spine_of(node, hit.statement)]
            parent = hit.statement.digest.parents.get(top)
            if isinstance(parent, ast.IfExp) and top is not parent.test:  # `x = torch.cuda.Stream() if fast else None`
                parent = hit.statement.digest.parents.get(parent)
            if not isinstance(top, ast.Call) or len(spine) != 1 or not isinstance(parent, (ast.Assign, ast.AnnAssign)):
                continue
            for target in parent.targets if isinstance(parent, ast.Assign) else [parent.target]:
                if name := _spelled(target):
                    held.setdefault((self._scope(name, hit.statement.start), name), []).append(found[0])
        return held

    @cached_property
    def _words(self) -> dict[Key, list[int]]:
        """For each function and variable: the hits at strings that are assigned to the variable."""
        held: dict[Key, list[int]] = {}
        for (_, node), found in self._at.items():
            hit = self._hits[found[0]]
            if hit.rule.check != "string" or hit.statement is None:
                continue
            parents = hit.statement.digest.parents
            outer = parents.get(node)
            if isinstance(outer, ast.IfExp) and node is not outer.test:
                outer = parents.get(outer)
            if isinstance(outer, ast.Assign):
                for target in outer.targets:
                    if isinstance(target, ast.Name):
                        held.setdefault((self._scope("", hit.statement.start), target.id), []).append(found[0])
        return held

    def _holding(self, base: ast.AST, statement: Statement) -> Sequence[int]:
        """Return the hits at calls whose results a variable or attribute may hold at a statement."""
        name = _spelled(base)
        if isinstance(base, ast.Attribute) and not name:
            return self._members.get(base.attr, ())
        if name not in self._names:
            return ()
        scope = self._scope(name, statement.start)
        while True:
            self._work.compare()
            found = self._held.get((scope, name), ())
            if found or scope < 0 or "." in name:
                return found
            above = self._indents.scope_of(scope)
            scope = above[0] if above is not None else -1

    def _base(self, node: ast.AST) -> ast.AST:
        """Return the variable, or attribute of a variable, at the beginning of an expression: `s` for `s.pool()[0]`."""
        while isinstance(node, _SPINE):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.value.id in ("self", "cls") or node.attr in self._members:
                    return node
            node = node.func if isinstance(node, ast.Call) else node.value
        return node

    def _scope(self, name: str, offset: int) -> int:
        """Return the offset of the function that owns a variable, or of the class that owns an attribute; -1 for the
        module."""
        found = self._indents.scope_of(offset)
        while found is not None and "." in name and found[1] != "class":
            found = self._indents.scope_of(found[0])
        return found[0] if found is not None else -1


def call_given(
    node: ast.AST, statement: Statement, work: Work, stops: Callable[[ast.AST], bool] = lambda _: False
) -> ast.Call | None:
    """Return the call with `node`, or a value computed from `node`, as an argument. A call whose result means the same
    device as its argument, such as `str(device)`, is returned only if `stops` returns True for the called function."""
    inner = node
    for outer in statement.digest.ancestors(node):
        work.compare()
        if isinstance(outer, ast.Call) and inner is not outer.func:
            if last_word(outer.func) not in _SAME or stops(outer.func):
                return outer
        elif isinstance(outer, ast.IfExp):
            if inner is outer.test:
                return None
        elif isinstance(outer, ast.Subscript) and inner is not outer.value:
            return None
        elif isinstance(outer, ast.BinOp):
            if inner is outer.right and _is_text(outer.left):
                return None  # the value is formatted into a string
        elif not isinstance(outer, (*_PARTS, *_SPINE)):
            return None
        inner = outer
    return None


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def spine_of(node: ast.AST, statement: Statement) -> Iterator[ast.AST]:
    """Yield the calls, attributes and subscripts that are applied to `node`, from the inside out."""
    inner = node
    for outer in statement.digest.ancestors(node):
        if not isinstance(outer, _SPINE) or inner is not (outer.func if isinstance(outer, ast.Call) else outer.value):
            return
        yield outer
        inner = outer


def _spelled(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
        return f"self.{node.attr}"
    return ""
