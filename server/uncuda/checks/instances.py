"""Finds out, from one file, whether an object belongs to torch or to a class of the checked project that defines the
method called on it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from .. import lazy_re
from ..facts.changes import FAR
from ..facts.digest import Digest
from ..facts.model import Statement
from ..facts.role_calls import chain_of, last_word
from ..project import ACTS, FIELD, MOVES, PATCHES
from .base import Context
from .owners import IS_CUDA, called_so
from .unpacking import given, is_name, is_numbered

TORCH, OWN, OTHER = "torch", "own", ""
_SAME = "same"  # the code does not show where the object comes from: for example, a variable is computed from itself
_FREE = "free"  # the name is a variable of an outer scope
_DEEP, _MANY = 12, 60
# `for inputs in loader`, `for inputs in tqdm(loader)`, `for step, inputs in enumerate(loader)`
_BATCHES = lazy_re.compile(
    r"for[ \t]+(?:(?P<whole>\w+)[ \t]+in[ \t]+(?:tqdm\()?"
    r"|\(?\w+[ \t]*,[ \t]*(?P<counted>\w+)\)?[ \t]+in[ \t]+[\w.]*enumerate\()[^:\n]*loader"
)
_CLASS = lazy_re.compile(r"class[ \t]+(\w+)[ \t]*(?:\(([^()]*)\))?")
_WORD = lazy_re.compile(r"\w+")
# Functions and modules of torch that return objects of unknown type.
_ANYTHING = frozenset(
    {"load", "compile", "jit", "hub", "utils", "package", "export", "fx", "ops", "classes", "library"}
)
# Methods that return an object of the same type.
_KEEPING = frozenset(
    {"to", "cuda", "cpu", "eval", "train", "half", "float", "double", "bfloat16", "clone", "copy", "detach", "type",
     "contiguous", "requires_grad_", "share_memory", "apply"}
)  # fmt: skip
_PLAIN = frozenset({"tolist", "numpy", "item", "size", "numel", "named_parameters", "state_dict"})
_CASTS = frozenset({"typing.cast", "typing_extensions.cast"})
_MANY_OF = frozenset({"List", "list", "Sequence", "Iterable", "Iterator", "Collection", "Set", "set"})
_TENSORS = frozenset({"torch.Tensor", "torch.FloatTensor", "torch.LongTensor", "torch.nn.Parameter"})


def may_be_own(context: Context, statement: Statement, node: ast.Attribute) -> bool:
    """Return whether a class of the checked project may define the method that an attribute names.

    If the project replaces torch's method, the function returns True for every object. If the project does not
    replace torch's method, the function returns False for an object of torch, and True for an object of a class
    that defines the method. For an object of unknown type, the function returns True if some class of the project
    has a method of this name that does more than move the object to a device. For an object of unknown type in a
    variable such as `batch`, the function also returns True if a class of the project with a similar name, such as
    `GraphBatch`, has a method of this name that only moves the members of its object, or a field of this name. The
    function returns True for the result of a method of such a class (`Batch().joined().cuda()`), and inside a `try`
    with `except AttributeError`, too, because there the code expects objects of several types. The function also
    returns True for a name that the file imports from anything but torch and binds to no other value: it may be a
    module with a function of this name.
    """
    if isinstance(node.value, ast.Name) and context.foreign_name(node.value.id):
        if node.attr == IS_CUDA or context.means_import(node.value.id, statement.start):
            return True
    owners = [owner for owner in context.owners if owner.method == node.attr]
    if not owners:
        return _may_define(context, node.attr)
    if any(owner.kind == PATCHES for owner in owners):
        return True
    names = frozenset(owner.name for owner in owners if owner.name)
    acts = any(owner.kind == ACTS for owner in owners)
    kind = Instances(context, names).of(node.value, statement) if acts or context.mentions(names) else OTHER
    if kind != OTHER:
        return kind == OWN
    named = frozenset(owner.name for owner in owners if owner.kind in (MOVES, FIELD))
    return acts or _may_move(context, statement, node, named)


def _may_define(context: Context, method: str) -> bool:
    """Return whether a file may define a method, as far as its words show. A function of the module is no method,
    unless the file may give it to a class or an object, as in `Batch.cuda = cuda`."""
    if not context.facts.says(f"def {method}("):
        return False
    given = (f".{method} =", f"{method} = {method}", f"({method}", f", {method})")
    words = (*(f"{indent}def {method}(" for indent in " \t"), f"def {method}(self", *given)
    return any(map(context.facts.says, words))


def _may_move(context: Context, statement: Statement, node: ast.Attribute, names: frozenset[str]) -> bool:
    """Return whether an object of unknown type may belong to one of these classes, whose method only moves the members
    of its object."""
    if not names:
        return False
    if called_so(node.value, names) or _expects_others(context, statement) or _is_batch(context, statement, node.value):
        return True
    return context.mentions(names) and Instances(context, names, fluent=True).of(node.value, statement) == OWN


def _is_batch(context: Context, statement: Statement, node: ast.expr) -> bool:
    """Return whether a variable holds a whole batch of a data loader around the statement: `for inputs in loader` or
    `for step, inputs in enumerate(loader)`. Its class is what the loader's `collate_fn` returns."""
    if not isinstance(node, ast.Name):
        return False
    for header in context.facts.indents.headers(statement.start):
        if header.word == "for":
            match = _BATCHES.match(context.text, header.start, header.end)
            if match is not None and (match["whole"] or match["counted"]) == node.id:
                return True
        elif header.word in ("def", "class"):
            return False
    return False


def _expects_others(context: Context, statement: Statement) -> bool:
    """Return whether a statement is in a `try` with `except AttributeError`."""
    if not context.facts.says("AttributeError"):
        return False
    indents, text = context.facts.indents, context.text
    for header in indents.headers(statement.start):
        if header.word == "try":
            clauses = [clause for clause in indents.clauses(header) if clause.word == "except"]
            if any(re.search(r"\bAttributeError\b", text[one.start : one.end]) for one in clauses):
                return True
        elif header.word in ("def", "class"):
            return False
    return False


class Instances:
    """Tells whether an object in one file belongs to torch, to certain classes of the project, or is unknown. `names`:
    the names of the project's classes that define a method such as `cuda`, and of functions that return their
    objects. `fluent`: whether the result of a method of these classes counts as an object of these classes, too."""

    def __init__(self, context: Context, names: frozenset[str], fluent: bool = False) -> None:
        self._context = context
        self._names = names
        self._fluent = fluent
        self._known: dict[tuple[str, int], str] = {}

    def of(self, node: ast.expr, statement: Statement) -> str:
        """Return TORCH if the file proves that an expression is an object of torch, OWN if the file proves that it is
        an object of a class of the project, otherwise OTHER. The result does not depend on earlier calls."""
        self._known.clear()
        kind = self.kind(node, statement)
        return OTHER if kind == _SAME else kind

    def kind(self, node: ast.expr, statement: Statement, depth: int = 0) -> str:
        """Return the kind of an expression (TORCH, OWN or OTHER), or _SAME if the expression leads back to the variable
        whose kind is being determined (`x` in `x = x.half()`). The search stops after `_DEEP` steps."""
        self._context.facts.work.compare(4)
        if depth > _DEEP:
            return OTHER
        if isinstance(node, ast.Call):
            return self._call(node, statement, depth + 1)
        if isinstance(node, ast.Name):
            return self._named(node.id, statement, depth + 1)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, statement, depth + 1)
        if isinstance(node, (ast.Subscript, ast.Await, ast.NamedExpr)):
            return self.kind(node.value, statement, depth + 1)
        if isinstance(node, ast.IfExp):
            return _together((self.kind(part, statement, depth + 1) for part in (node.body, node.orelse)), _SAME)
        if isinstance(node, ast.BinOp):
            found = [self.kind(part, statement, depth + 1) for part in (node.left, node.right)]
            return next((kind for kind in (OWN, TORCH, _SAME) if kind in found), OTHER)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            return self._items(node, statement, depth + 1)
        return OTHER

    def _items(self, node: ast.expr, statement: Statement, depth: int) -> str:
        """Return OWN if an item of a list, tuple, set, dictionary or comprehension has the kind OWN; else OTHER."""
        items = (
            node.values if isinstance(node, ast.Dict) else getattr(node, "elts", None) or [getattr(node, "elt", None)]
        )
        shown = (self.kind(item, statement, depth) for item in items[:_MANY] if item is not None)
        return OWN if OWN in shown else OTHER

    def _call(self, node: ast.Call, statement: Statement, depth: int) -> str:
        function = node.func
        spelled = self._spelled(function, statement)
        if spelled.startswith("torch."):
            parts = spelled.split(".")
            return OTHER if parts[1] in _ANYTHING or (parts[1] == "nn" and len(parts) == 2) else TORCH
        if not self._names.isdisjoint(spelled.split(".")):
            return OWN
        if spelled in _CASTS and len(node.args) == 2:
            return self._says(node.args[0], statement)
        if isinstance(function, ast.Name) and self._returns_tensor(function.id):
            return TORCH
        if isinstance(function, ast.Name) and function.id == "super":
            return self._super(statement)
        if isinstance(function, ast.Attribute):
            inner = self.kind(function.value, statement, depth)
            if inner in (TORCH, _SAME):
                return OTHER if function.attr in _PLAIN else inner
            kept = function.attr in _KEEPING or (self._fluent and function.attr not in _PLAIN)
            return inner if kept else OTHER
        return OTHER

    def _returns_tensor(self, name: str) -> bool:
        """Whether the file has a single function of this name, and its annotation says that it returns a tensor."""
        facts, pattern = self._context.facts, rf"\bdef[ \t]+{re.escape(name)}\b"
        if not facts.says(f"def {name}"):
            return False
        self._context.asked.update((name, f"def {name}"))
        found = list(self._statements(name, pattern, 0, len(facts.text)))
        node = found[0].digest.piece.nodes[0] if len(found) == 1 else None
        if not isinstance(node, ast.FunctionDef) or node.returns is None or self._is_decorated(found[0]):
            return False
        plain = facts.indents.scope_of(found[0].start) is None and facts.indents.header_above(found[0].start) is None
        return plain and self._says(node.returns, found[0]) == TORCH

    def _is_decorated(self, function: Statement) -> bool:
        text, at = self._context.text, function.start
        while at and text[at - 1].isspace():
            at -= 1
        return at > 0 and text.startswith("@", self._context.facts.layout.logical_line(at - 1)[0])

    def _attribute(self, node: ast.Attribute, statement: Statement, depth: int) -> str:
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            return self._stored(node.attr, statement, depth)
        if self._spelled(node, statement).startswith("torch."):
            return OTHER
        return TORCH if self.kind(node.value, statement, depth) == TORCH else OTHER

    def _spelled(self, node: ast.expr, statement: Statement) -> str:
        """The dotted name of an expression, with its first part resolved through imports; "" for other expressions."""
        base, parts = chain_of(node)
        if not isinstance(base, ast.Name):
            return ""
        context = self._context
        found = context.resolve(node, statement)
        root = base.id if context.facts.names.bindings(base.id) else context.imported.get(base.id, base.id)
        root = context.foreign_name(base.id) or root
        return found or ".".join([root, *parts])

    def _super(self, statement: Statement) -> str:
        header = self._class_around(statement)
        match = _CLASS.match(self._context.text, header) if header >= 0 else None
        words = set(_WORD.findall(match[2] or "")) if match else set()
        if words & self._names:
            return OWN
        return TORCH if words & {"Module", "Tensor", "Parameter"} else OTHER

    def _class_around(self, statement: Statement) -> int:
        """The offset of the header of the class whose method contains a statement; -1 if there is none."""
        indents = self._context.facts.indents
        scope = indents.scope_of(statement.start)
        while scope is not None and scope[1] != "class":
            scope = indents.scope_of(scope[0])
        return scope[0] if scope is not None else -1

    def _named(self, name: str, statement: Statement, depth: int) -> str:
        indents = self._context.facts.indents
        if name in ("self", "cls"):
            header = self._class_around(statement)
            match = _CLASS.match(self._context.text, header) if header >= 0 else None
            return OWN if match and match[1] in self._names else OTHER
        if any(binding.name == name and binding.kind == "parameter" for binding in statement.digest.bindings):
            return self._parameter(name, statement, depth)  # the body of the function is on the same line as its header
        scope = indents.scope_of(statement.start)
        while True:
            start = scope[0] if scope is not None else -1
            if scope is None or scope[1] == "def":
                found = self._in_scope(name, start, depth)
                if found != _FREE or scope is None:
                    return found if found != _FREE else OTHER
            assert scope is not None
            scope = indents.scope_of(scope[0])

    def _in_scope(self, name: str, start: int, depth: int) -> str:
        """Return the kind (such as TORCH) of the variable `name` of the function that begins at `start`, or of the
        module if `start` is -1; _FREE if the variable belongs to an outer scope."""
        key = name, start
        if key not in self._known:
            self._known[key] = _SAME  # what the next line finds here if the variable is computed from itself
            self._known[key] = _together(self._values(name, start, depth), _FREE)
        return self._known[key]

    def _values(self, name: str, start: int, depth: int) -> Iterator[str]:
        indents = self._context.facts.indents
        end = indents.extent(start) if start >= 0 else len(self._context.text)
        header = self._context.facts.peek(start) if start >= 0 else None
        every = [*([header] if header else []), *self._statements(name, _binding(name), max(start, 0), end)]
        if len(every) > _MANY:
            yield OTHER  # the limit is exceeded: further bindings are not checked
        for found in every:
            for binding in found.digest.bindings:
                if binding.name != name:
                    continue
                if binding.kind == "parameter":
                    if found.start == start:
                        yield self._parameter(name, found, depth)
                elif (indents.scope_of(found.start) or (-1, ""))[0] != start or binding.kind in ("global", "nonlocal"):
                    continue
                elif binding.value is not None:
                    yield _together([self.kind(binding.value, found, depth), self._annotated(found, name)], _SAME)
                elif not any(isinstance(node, ast.AugAssign) for node in found.digest.piece.nodes):
                    unpacked = list(self._unpacked(found, name, depth))
                    yield from unpacked or [self._annotated(found, name)]

    def _annotated(self, statement: Statement, name: str) -> str:
        """Return the kind of a variable according to its annotation; _SAME if it has no annotation."""
        for node in statement.digest.piece.nodes:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
                return self._says(node.annotation, statement)
            if isinstance(node, ast.Assign) and any(is_name(target, name) for target in node.targets):
                return _SAME
        return OTHER

    def _unpacked(self, statement: Statement, name: str, depth: int) -> Iterator[str]:
        """Yield the kind of each value that a statement assigns to the variable `name` by unpacking (`a, NAME = x, y`)
        or by a loop (`for NAME in …`)."""
        for node in statement.digest.piece.nodes:
            if isinstance(node, (ast.For, ast.AsyncFor)):
                if is_name(node.target, name):
                    yield self._item(node.iter, statement, depth)
                elif is_numbered(node, name) and isinstance(node.iter, ast.Call):
                    yield self._item(node.iter.args[0], statement, depth)
            elif isinstance(node, ast.Assign) and len(node.targets) == 1:
                yield from (self.kind(value, statement, depth) for value in given(node.targets[0], node.value, name))

    def _item(self, node: ast.expr, statement: Statement, depth: int) -> str:
        """The kind of the items of a list or another iterable, as `kind` returns it for an expression."""
        kind = self.kind(node, statement, depth)
        if kind == OTHER and isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return _together(self.kind(one, statement, depth) for one in node.elts[:_MANY])
        if kind == OTHER and isinstance(node, ast.Name):
            return self._item_of_parameter(node.id, statement)
        return kind

    def _item_of_parameter(self, name: str, statement: Statement) -> str:
        """Return the kind of the items of a function's parameter, according to its annotation; `statement`: a statement
        in the function."""
        indents, facts = self._context.facts.indents, self._context.facts
        scope = indents.scope_of(statement.start)
        header = facts.peek(scope[0]) if scope is not None and scope[1] == "def" else None
        function = header.digest.piece.nodes[0] if header is not None else None
        if header is None or scope is None or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return OTHER
        every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        said = next((argument.annotation for argument in every if argument.arg == name), None)
        if any(self._statements(name, _binding(name), header.end, indents.extent(scope[0]))):
            return OTHER
        if not isinstance(said, ast.Subscript) or last_word(said.value) not in _MANY_OF:
            return OTHER
        return self._says(said.slice, header)

    def _says(self, annotation: ast.expr, statement: Statement) -> str:
        text = ast.unparse(annotation)
        if not self._names.isdisjoint(_WORD.findall(text)):
            return OWN
        return TORCH if self._spelled(annotation, statement) in _TENSORS else OTHER

    def _parameter(self, name: str, header: Statement, depth: int) -> str:
        function = header.digest.piece.nodes[0]
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return OTHER
        every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        annotation = next((argument.annotation for argument in every if argument.arg == name), None)
        if annotation is not None:
            return self._says(annotation, header)
        names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
        index = names.index(name) if name in names else -1
        self._context.asked.add(function.name)
        passed = self._passed(function.name, name, index - (names[:1] in (["self"], ["cls"])), depth)
        return OWN if OWN in passed else OTHER

    def _passed(self, function: str, name: str, index: int, depth: int) -> Iterator[str]:
        """Yield the kind (see `kind`) of each argument that is passed for the parameter `name` in the calls of a
        function in this file."""
        for found in self._statements(function, rf"\b{re.escape(function)}\(", 0, len(self._context.text)):
            for call in _calls(found.digest, function):
                values = [keyword.value for keyword in call.keywords if keyword.arg == name]
                if 0 <= index < len(call.args) and not any(isinstance(one, ast.Starred) for one in call.args):
                    values.append(call.args[index])
                for value in values:
                    yield self.kind(value, found, depth)

    def _stored(self, name: str, statement: Statement, depth: int) -> str:
        """Return the kind (TORCH, OWN, OTHER or _SAME) of the values that the surrounding class assigns to
        `self.name`."""
        header = self._class_around(statement)
        key = f"self.{name}", header
        if header >= 0 and key not in self._known:
            self._known[key] = _SAME
            end = self._context.facts.indents.extent(header)
            kinds = []
            for found in self._statements(name, rf"\bself\.{re.escape(name)}[ \t]*[:=,]", header, end):
                for node in found.digest.piece.nodes:
                    if isinstance(node, ast.AnnAssign) and _is_own(node.target, name):
                        kinds.append(self._says(node.annotation, found))
                    elif isinstance(node, ast.Assign) and any(_is_own(target, name) for target in node.targets):
                        kinds.append(self.kind(node.value, found, depth))
                    elif isinstance(node, ast.Assign):
                        kinds.append(OTHER)
            self._known[key] = _together(kinds)
        return self._known.get(key, OTHER)

    def _statements(self, word: str, pattern: str, start: int, end: int) -> Iterator[Statement]:
        """Yield each statement that contains a match of a pattern, once; a match must be inside one line and contain
        `word`."""
        facts, done, count = self._context.facts, start, 0
        for at in self._matches(word, pattern, start, end):
            if at < done or count > _MANY:
                continue
            facts.work.search(done, at)
            statement = facts.peek(at)
            done = statement.end if statement is not None else at
            if statement is not None:
                count += 1
                yield statement

    def _matches(self, word: str, pattern: str, start: int, end: int) -> Iterator[int]:
        text, done = self._context.facts.text, start
        if not word.isascii() or end - start < FAR:
            part = text[start:end]
            if word in part:
                yield from (start + match.start() for match in re.finditer(pattern, part))
            return
        compiled = re.compile(pattern)
        for at in self._context.facts.places(word, start, end):
            if at >= done:
                line, stop = max(start, text.rfind("\n", 0, at) + 1), text.find("\n", at)
                done = min(stop, end) if stop >= 0 else end
                yield from (match.start() for match in compiled.finditer(text, line, done))


def _binding(name: str) -> str:
    """Return a pattern that finds the statements that bind a name, with few false matches; it does not find parameters
    of functions."""
    word = rf"\b{re.escape(name)}\b"
    assigned = rf"{word}[ \t]*(?::[^=\n]*)?:?=(?!=)|{word}[\w., \t()\[\]*]*=(?!=)|{word}[ \t]*[^\w\s=!<>(\[.,:]{{1,2}}="
    return rf"{assigned}|\bfor\b[^:\n]*{word}[^:\n]*\bin\b|\b(?:as|import|del|def|class)\b[^\n]*{word}"


def _calls(digest: Digest, function: str) -> Iterator[ast.Call]:
    for chain in digest.chains:
        call = digest.parents.get(chain.node)
        if (chain.parts or (chain.root,))[-1] == function and isinstance(call, ast.Call) and call.func is chain.node:
            yield call


def _is_own(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == name and is_name(node.value, "self")


def _together(kinds: Iterable[str], none: str = OTHER) -> str:
    """Return OWN if any kind is OWN, TORCH if all kinds are TORCH, `none` if no kind is known, otherwise OTHER."""
    found = {kind for kind in kinds if kind != _SAME}
    if OWN in found:
        return OWN
    return (TORCH if found == {TORCH} else OTHER) if found else none
