"""Tells how a file uses the result of a call: which fields of the result it reads, and which numbers in the
result it compares, as in `get_device_capability()[0] >= 8`.

If `_strict` is set, every use of the result that is not known to be harmless counts as a read of the result.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ..catalogue import Rule
from ..facts.model import Name
from ..facts.role_calls import COMPREHENSIONS, last_word
from . import result_words as words
from .base import Context
from .name_calls import asked, call_of
from .result_names import Followed
from .result_values import NUMBER, NUMBERS, OBJECT, PAIR, Read, Value, computes

FIELD = "field-not-filled"
"""The id of the sentence that says: the file reads a field of a call's result, but the target does not fill it."""
LOST = "answer-not-followed"
"""The id in rules/limits.tsv of the sentence that says: a result differs on the target, and uncuda cannot trace how the
code uses it."""
_MANY = 200  # maximum number of expressions that are checked to find the uses of one call's result
_WRAPPERS = (ast.Await, ast.BoolOp, ast.NamedExpr, ast.IfExp, ast.UnaryOp)


class Results(Followed):
    """Traces the results of calls through the variables, attributes, loops and functions of one file."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._numbers: frozenset[str] = frozenset()
        self._left = 0
        self._keyed = False  # if true, reads of dictionary keys are yielded, too

    def apart(self, reference: Name, rule: Rule) -> tuple[str, str] | None:
        """Return why the fix of a call needs review: the file uses the result of the call in a way that may be wrong on
        the target. The returned pair is the id of the sentence for this reason, and the source text of the code that
        uses the result. None: the file does not use the result of the call in a way that may be wrong on the target.

        The rule's key `fields` lists functions whose result has fields that the target does not fill; its key `numbers`
        lists functions whose result contains numbers that mean something only for CUDA.
        """
        fields, numbers = rule.get("fields", ()), rule.get("numbers", {})
        dotted, node = _named_by(reference, self._context.text)
        if dotted not in fields and dotted not in numbers:
            return None
        target = self._context.target
        filled = target.fields.get(dotted, frozenset())
        same = target.has("capability")
        lost: Read | None = None
        self._start(numbers.get(dotted, ()), strict=True)
        value = Value(node, reference.statement, OBJECT if dotted in fields else PAIR)
        for read in self._named_function(value, 0):
            if read.field in filled or (same and not read.field):
                continue
            if not read.lost:
                return FIELD if read.field else str(target.features["capability"]), read.source
            lost = lost or read
        return (LOST, lost.source) if lost else None

    def _start(self, numbers: Iterable[str] = (), strict: bool = False) -> None:
        self._seen, self._left, self._strict = set(), _MANY, strict
        self._numbers = frozenset(numbers)

    def reads(self, reference: Name) -> Iterator[Read]:
        """Yield the places where the code reads the result of a call. `reference`: the name of the called function; if
        the code does not call it, nothing is yielded."""
        call = call_of(reference)
        if call is not None:
            self._start()
            yield from self._follow(Value(call, reference.statement, OBJECT), 0)

    def keys(self, reference: Name) -> frozenset[str]:
        """The keys that the file reads from the dictionary that a call returns. The key `segments` is returned as the
        string "['segments']"."""
        self._keyed = True
        taken = frozenset(read.field for read in self.reads(reference) if read.field.startswith("["))
        self._keyed = False
        return taken

    def _follow(self, value: Value, depth: int) -> Iterator[Read]:
        self._context.facts.work.compare(4)
        self._left -= 1
        node, parent = value.node, value.parent
        if self._left < 0:
            yield from self._lost(value)
        elif isinstance(parent, ast.Attribute):
            yield from self._attribute(value, parent, depth)
        elif isinstance(parent, ast.Call):
            yield from self._given(value, parent, parent.args.index(node) if node in parent.args else -1, depth)
        elif isinstance(parent, ast.keyword):
            call = value.statement.digest.parents.get(parent)
            if isinstance(call, ast.Call) and parent.arg:
                yield from self._given(value, call, parent.arg, depth)
            else:
                yield from self._lost(value, call)
        elif isinstance(parent, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and node is parent.value:
            for target in parent.targets if isinstance(parent, ast.Assign) else [parent.target]:
                yield from self._bound(value, target, depth)
        elif isinstance(parent, ast.Return):
            yield from self._returned(value, depth)
        elif isinstance(parent, (ast.For, ast.AsyncFor, ast.comprehension)) and node is parent.iter:
            yield from self._item(value, parent, parent.target, depth)
        elif isinstance(parent, (ast.If, ast.While, ast.Assert, ast.comprehension)):
            yield from self._tested(value, parent)
        elif not isinstance(parent, (ast.Expr, ast.Delete)):
            yield from self._part(value, parent, depth)

    def _tested(self, value: Value, parent: ast.AST) -> Iterator[Read]:
        """Yield the read of a number in a condition such as `if value:`, which compares the number with zero. If
        the value is an object, `if value:` reads nothing, because an object is always true."""
        if value.kind == NUMBER and not value.listed and value.node is not getattr(parent, "msg", None):
            yield from self._lost(value)

    def _part(self, value: Value, parent: ast.AST | None, depth: int) -> Iterator[Read]:
        """Yield the places where the code reads `value`, which is a part of the larger expression `parent`."""
        node = value.node
        if isinstance(parent, ast.Compare):
            yield from self._compared(value, parent)
        elif isinstance(parent, ast.Subscript) and node is parent.value:
            yield from self._key(value, parent.slice)
            item = value.listed and not isinstance(parent.slice, ast.Slice)
            kind = NUMBER if value.kind == PAIR and not value.listed and not isinstance(parent.slice, ast.Slice) else ""
            found = Value(parent, value.statement, kind or value.kind, value.listed and not item)
            yield from self._follow(found, depth)
        elif isinstance(parent, ast.Starred):
            yield from self._spread(value, parent, depth)
        elif isinstance(parent, (ast.Tuple, ast.List, ast.Set)):
            yield from self._beside(value, parent, depth)
        elif isinstance(parent, (ast.Dict, ast.DictComp)):
            values: list[ast.expr] = parent.values if isinstance(parent, ast.Dict) else [parent.value]
            found = Value(parent, value.statement, value.kind, True)
            yield from self._follow(found, depth) if node in values else self._lost(value, parent)
        elif isinstance(parent, COMPREHENSIONS) and node is parent.elt:
            yield from self._follow(Value(parent, value.statement, value.kind, True), depth)
        elif isinstance(parent, (ast.JoinedStr, ast.BinOp)):
            yield from self._computed(value, parent, depth)
        elif isinstance(parent, _WRAPPERS):
            if node is getattr(parent, "test", None) or isinstance(getattr(parent, "op", None), ast.Not):
                yield from self._tested(value, parent)
                return
            if isinstance(parent, ast.NamedExpr):
                yield from self._bound(value, parent.target, depth, kept=False)
            yield from self._follow(value._replace(node=parent), depth)
        else:
            yield from self._lost(value, parent if isinstance(parent, ast.expr) else None)

    def _compared(self, value: Value, compare: ast.Compare) -> Iterator[Read]:
        if all(isinstance(op, (ast.Is, ast.IsNot)) for op in compare.ops):
            return
        if value.kind in NUMBERS:
            yield Read("", ast.unparse(compare))
        elif not value.listed:
            yield from self._lost(value, compare)

    def _computed(self, value: Value, whole: ast.JoinedStr | ast.BinOp, depth: int) -> Iterator[Read]:
        """Yield the reads of a value that is a part of an f-string, or an operand such as `value` in `value + 1`."""
        text = isinstance(whole, ast.JoinedStr) or not computes(whole, value.node)
        if value.kind in NUMBERS:
            yield from self._follow(Value(whole, value.statement, NUMBER, value.listed and not text), depth)
        elif value.kind == OBJECT and not text:
            found = value._replace(node=whole)
            yield from self._follow(found, depth) if value.listed else self._lost(value, whole)

    def _spread(self, value: Value, starred: ast.Starred, depth: int) -> Iterator[Read]:
        call = value.statement.digest.parents.get(starred)
        if isinstance(call, ast.Call):
            if value.kind == PAIR and not value.listed and last_word(call.func) not in words.SPREAD:
                yield Read("", ast.unparse(call))
            else:
                yield from self._given(value, call, -1, depth)
        elif isinstance(call, (ast.Tuple, ast.List, ast.Set)):
            yield from self._follow(Value(call, value.statement, value.kind, True), depth)
        else:
            yield from self._lost(value, call)

    def _attribute(self, value: Value, node: ast.Attribute, depth: int) -> Iterator[Read]:
        call = value.statement.digest.parents.get(node)
        called = isinstance(call, ast.Call) and call.func is node
        if value.listed and call is not None and called:
            if node.attr in words.TABLES_OWN or node.attr in words.TABLES_ITEM:
                yield from self._follow(value._replace(node=call, listed=node.attr in words.TABLES_OWN), depth)
            elif node.attr not in words.TABLES_PLAIN:
                yield from self._lost(value, node)
        elif value.kind == OBJECT and not value.listed:
            if isinstance(call, ast.Call) and called and node.attr == "get" and call.args:
                yield from self._key(value, call.args[0])
            yield from self._field(value, node, node.attr, depth)
        elif value.kind in NUMBERS and called and node.attr in words.TEXTS_OWN:
            yield from self._follow(Value(call, value.statement, NUMBER), depth)  # type: ignore[arg-type]
        else:
            yield from self._lost(value, node)

    def _key(self, value: Value, key: ast.expr) -> Iterator[Read]:
        if self._keyed and not value.listed and isinstance(key, ast.Constant):
            yield Read(f"[{key.value!r}]", ast.unparse(value.node))

    def _field(self, value: Value, node: ast.expr, name: str, depth: int) -> Iterator[Read]:
        yield Read(name, ast.unparse(node))
        if name in self._numbers:
            yield from self._follow(Value(node, value.statement, NUMBER), depth)

    def _given(self, value: Value, call: ast.Call, given: int | str, depth: int) -> Iterator[Read]:
        """Yield the reads of a value that is passed to a call: those by the call itself, such as `getattr(value,
        "name")`, or those in the called function. `given`: the index or keyword of the argument; -1 if it is
        unknown."""
        word = last_word(call.func)
        asked = call.args[1] if word in ("getattr", "hasattr") and given == 0 and len(call.args) > 1 else None
        if isinstance(asked, ast.Constant) and isinstance(asked.value, str):
            yield from self._field(value, call, asked.value, depth)
            return
        if call.func is value.node:
            yield from self._lost(value, call)
            return
        name, header = self._parameters.parameter(call, given, value.statement) if given != -1 else ("", None)
        if name and header is not None and word not in words.SAME:
            yield from self._named(value, name, header.start, depth + 1)
        elif header is not None and word not in words.SAME:
            yield from self._lost(value, call)
        else:
            yield from self._worded(value, call, given, word, depth)

    def _worded(self, value: Value, call: ast.Call, given: int | str, word: str, depth: int) -> Iterator[Read]:
        """Yield the reads of a value that is passed to a function whose effect is known by its name, such as `print` or
        `sorted`."""
        text, digest = word in words.TEXT, value.statement.digest
        if text and value.kind == OBJECT:
            return
        if word in words.SAME:
            yield from self._follow(value._replace(node=call, listed=value.listed and word not in words.ITEM), depth)
        elif word in words.KEEPING and isinstance(call.func, ast.Attribute):
            yield from self._bound(value._replace(listed=True), call.func.value, depth)
        elif word == "enumerate":
            yield from self._follow(value._replace(node=call), depth)
        elif text:
            yield from self._follow(Value(call, value.statement, NUMBER), depth)
        elif word == "zip" and isinstance(
            loop := value.statement.digest.parents.get(call), (ast.For, ast.comprehension)
        ):
            yield from self._zipped(value, loop, given, depth)
        elif word in ("dict", "zip"):
            yield from self._follow(value._replace(node=call, listed=True), depth)
        elif word == "map" and given != 0 and last_word(call.args[0]) in words.SAME | words.TEXT:
            if value.kind != OBJECT:
                yield from self._follow(Value(call, value.statement, NUMBER, True), depth)
        elif word not in words.NOTHING and not words.shows(call, digest):
            yield from self._lost(value, call)

    def _zipped(self, value: Value, loop: ast.For | ast.comprehension, given: int | str, depth: int) -> Iterator[Read]:
        """Yield the reads of a value in a loop over `zip(…)`, through the loop variable that receives the value's
        items."""
        own = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
        kind = value.kind if value.listed else NUMBER if value.kind in NUMBERS else OBJECT
        one = own[given] if isinstance(given, int) and 0 <= given < len(own) > 1 else loop.target
        yield from self._bound(Value(value.node, value.statement, kind), one, depth, kept=False)

    def _beside(self, value: Value, holder: ast.Tuple | ast.List | ast.Set, depth: int) -> Iterator[Read]:
        """Yield the reads of a value that is an item of a list or tuple: `a, b = p.major, p.minor`, `(p.major, p.minor)
        >= (8, 0)`."""
        outer = value.statement.digest.parents.get(holder)
        if isinstance(outer, ast.Subscript) and holder is outer.slice:
            yield from self._lost(value, outer)
            return
        for target in outer.targets if isinstance(outer, ast.Assign) and holder is outer.value else ():
            if isinstance(target, (ast.Tuple, ast.List)) and len(target.elts) == len(holder.elts):
                yield from self._bound(value, target.elts[holder.elts.index(value.node)], depth)  # type: ignore[arg-type]
                return
        alone = value.kind == NUMBER and not value.listed
        found = Value(holder, value.statement, PAIR if alone else value.kind, not alone)
        yield from self._follow(found, depth)


def _named_by(reference: Name, text: str) -> tuple[str, ast.AST]:
    """Return the dotted name of an API, and the AST node of the expression that stands for this API: the reference
    itself, or a call such as `getattr(torch.cuda, "synchronize")`, whose argument is the reference."""
    node, taken = reference.chain.node, asked(reference, text)
    call = reference.statement.digest.parents.get(node)
    if taken is None or not isinstance(call, ast.Call) or last_word(call.func) != "getattr":
        return reference.dotted, node
    return f"{reference.dotted}.{taken.name}", call
