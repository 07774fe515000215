"""Finds the functions and classes that a file compiles with TorchScript, and the functions of other files that
TorchScript compiles with them.

`torch.jit.script` compiles a function together with the functions that it calls; it finds these by their names in the
function's module. The names in a compiled function show what else is compiled with it: functions of the same file, and
objects that the file imports. If no name shows what is compiled, for example because an `nn.Module` object or a
parameter of a function is passed to `torch.jit.script`, the file counts as open: it may compile any function or class.
"""

from __future__ import annotations

import ast
import builtins
import sys
import typing
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from ... import lazy_re
from ...facts.piece import parsed

_COMPILING = frozenset({"script", "script_if_tracing"})
_HARMLESS = frozenset(
    {
        *("trace", "trace_module", "TracerWarning", "TracingCheckError", "is_tracing", "load", "save"),
        *("freeze", "optimize_for_inference", "optimized_execution", "run_frozen_optimizations"),
        *("fuser", "set_fusion_strategy", "enable_onednn_fusion", "onednn_fusion_enabled"),
    }
)
"""Names of `torch.jit` that neither compile Python code nor mark code as compiled."""
_LIBRARIES = frozenset({"torch"}) | sys.stdlib_module_names
_TYPES = frozenset({"Tensor", *typing.__all__})
"""Names of types that TorchScript knows without an import."""
_TYPE_COMMENT = lazy_re.compile(r"#[ \t]*type:(?![ \t]*ignore)([^\n]*)")
_WORD = lazy_re.compile(r"[A-Za-z_]\w*")
_JIT = "jit"
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = ("body", "orelse", "handlers", "finalbody")
_NO_VALUES = (ast.Lambda, ast.comprehension, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)


class Taken(NamedTuple):
    """A name from another file that a compiled function uses."""

    module: str
    """The module as the import statement spells it, with leading dots."""
    name: str
    """The name that is imported from `module`; "" for a plain `import`, which names only the module."""
    by: str = ""
    """The name, which contains `jit`, of the function or decorator that receives the compiled function; "" for
    `torch.jit.script` itself."""


class Scripting(NamedTuple):
    """The functions and classes that one file compiles with TorchScript."""

    is_open: bool = False
    """Whether uncuda cannot find the names of everything that the file compiles, so that the file may compile any
    function or class."""
    names: frozenset[str] = frozenset()
    """The names of the file's functions and classes that may be compiled."""
    taken: frozenset[Taken] = frozenset()
    """The names from other files that may be compiled together with the file's functions and classes."""
    aliases: frozenset[str] = frozenset()
    """The file's own names for `torch.jit.script`, which other files may import; each name contains `jit`."""
    unclear: frozenset[str] = frozenset()
    """Names, each with `jit` in it, that the file uses. If one of these names is an alias of `torch.jit.script`, the
    file may compile any code of the project."""


_OPEN = Scripting(is_open=True)


@lru_cache(maxsize=8)
def scripting(text: str) -> Scripting:
    """Return the functions and classes that a file with this text compiles with TorchScript."""
    if _JIT not in text:
        return Scripting()
    tree = parsed(text)
    return _Roots(_Module(tree, text)).result() if tree is not None else _OPEN


def compiled_with(text: str, name: str) -> Scripting:
    """Return the functions and classes, of this text and of other files, that are compiled together with the function
    or class of this name."""
    tree = parsed(text)
    if tree is None:
        return _OPEN
    reached = _Reached(_Module(tree, text))
    reached.add(name)
    return reached.result()


class _Module:
    """The names that are bound at module level, with the statements that bind each."""

    def __init__(self, tree: ast.Module, text: str) -> None:
        self.tree, self.text = tree, text
        self.bound: dict[str, list[ast.stmt]] = {}
        self.starred = False
        for statement in _at_module_level(tree.body):
            for name in self._names(statement):
                self.bound.setdefault(name, []).append(statement)
        self.changed = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
        """Names that functions of the file assign with `global`."""

    def defined(self, name: str) -> list[_Definition]:
        """Return the definitions of functions and classes that bind a name."""
        return [one for one in self.bound.get(name, ()) if isinstance(one, _DEFINITIONS)]

    def _names(self, statement: ast.stmt) -> Iterator[str]:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            for alias in statement.names:
                self.starred |= alias.name == "*"
                yield (alias.asname or alias.name).partition(".")[0]
        elif isinstance(statement, _DEFINITIONS):
            yield statement.name
        else:
            stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
            yield from (node.id for node in stored if isinstance(node.ctx, ast.Store))


class _Reached:
    """Collects the functions and classes that are compiled together with given functions of a file."""

    def __init__(self, module: _Module, compiling: Collection[str] = ()) -> None:
        """`compiling`: the local names of TorchScript's decorators in this file."""
        self._module, self._compiling = module, compiling
        self._seen: set[str] = set()
        """The names for which `add` has collected the functions and classes, or is collecting them."""
        self._names: set[str] = set()
        self._taken: set[Taken] = set()
        self.is_open = False

    def result(self) -> Scripting:
        """Return the functions and classes that `add` has collected."""
        return Scripting(self.is_open, frozenset(self._names), frozenset(self._taken))

    def add(self, name: str) -> None:
        """Add the objects that a name of the module is bound to."""
        module = self._module
        if name in self._seen:
            return
        if name not in module.bound:
            self.is_open |= module.starred or not (hasattr(builtins, name) or name in _TYPES)
            return
        self._seen.add(name)
        self.is_open |= name in module.changed
        for statement in module.bound[name]:
            self.add_statement(statement, name)

    def _add_definition(self, definition: _Definition) -> None:
        """Add a function or class, and the names that its code uses."""
        self._names.add(definition.name)
        own = _locals(definition)
        said = ast.get_source_segment(self._module.text, definition) or ""
        words = [word for comment in _TYPE_COMMENT.findall(said) for word in _WORD.findall(comment)]
        for node in _compiled_nodes(definition):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._names.add(node.name)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in own:
                words.append(node.id)
        for annotation in _annotations(definition):
            quoted = [node.value for node in ast.walk(annotation) if isinstance(node, ast.Constant)]
            words += [word for one in quoted if isinstance(one, str) for word in _WORD.findall(one)]
        for word in words:
            self.add(word)

    def add_statement(self, statement: ast.stmt, name: str) -> None:
        """Add the functions and classes, of this file or imported, that a statement binds to a name."""
        if isinstance(statement, ast.Import):
            roots = {alias.name.partition(".")[0] for alias in statement.names}
            self._taken.update(Taken(root, "") for root in roots - _LIBRARIES)
        elif isinstance(statement, ast.ImportFrom):
            if not _is_librarys(statement):
                source = "." * statement.level + (statement.module or "")
                names = (alias.name for alias in statement.names if (alias.asname or alias.name) == name)
                self._taken.update(Taken(source, one) for one in names)
        elif isinstance(statement, _DEFINITIONS):
            self.is_open |= not all(map(self._may_be_jits, statement.decorator_list))
            self._add_definition(statement)
        elif isinstance(statement, ast.Assign):
            for node in ast.walk(statement.value):
                self._add_value(node)
        else:
            self.is_open = True

    def _may_be_jits(self, decorator: ast.expr) -> bool:
        """Return whether a decorator is TorchScript's own or may be an alias of it; such a decorator compiles the
        function instead of wrapping it."""
        name = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
        return _JIT in name or name in self._compiling

    def _add_value(self, node: ast.AST) -> None:
        """If a node is a variable, add the functions and classes that the variable stands for. The node is a part of a
        value that is assigned at module level."""
        if isinstance(node, ast.Name):
            self.add(node.id)
        elif isinstance(node, ast.Call):
            self.is_open |= not isinstance(node.func, ast.Attribute) and not self._is_librarys(node.func)
        elif isinstance(node, _NO_VALUES):
            self.is_open = True

    def _is_librarys(self, node: ast.expr) -> bool:
        """Return whether a called function is from torch or the standard library; such a function returns no function
        of the file."""
        bound = self._module.bound.get(node.id, []) if isinstance(node, ast.Name) else [node]
        return all(isinstance(one, ast.ImportFrom) and _is_librarys(one) for one in bound)


class _Roots:
    """Finds the functions and classes that a file passes to TorchScript, or to a name that may be an alias of
    TorchScript."""

    def __init__(self, module: _Module) -> None:
        self._module = module
        self._parents = {inner: outer for outer in ast.walk(module.tree) for inner in ast.iter_child_nodes(outer)}
        self._compiling: set[str] = set()
        self._found = Scripting()

    def result(self) -> Scripting:
        """Return the functions and classes that the file compiles."""
        for node in self._parents:
            if isinstance(node, ast.Import) and any(one.asname and _is_jits(one.name) for one in node.names):
                self._open()
            elif isinstance(node, ast.ImportFrom):
                self._imported(node.module or "", node.names)
        for node in self._parents:
            if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
                self._used(node)
        if not self._found.aliases.isdisjoint(self._found.unclear):
            self._open()
        return self._found

    def _imported(self, module: str, names: Iterable[ast.alias]) -> None:
        """Record the names by which an import makes TorchScript available; if an import may hide TorchScript under
        another name, record that the file may compile any code."""
        for alias in names:
            if _is_jits(module):
                if alias.name in _COMPILING and module == "torch.jit":
                    self._compiling.add(alias.asname or alias.name)
                elif alias.name not in _HARMLESS:
                    self._open()
            elif _JIT in alias.name and alias.asname not in (None, alias.name):
                self._open("" if (module, alias.name) == ("torch", _JIT) else alias.name)

    def _used(self, node: ast.Name | ast.Attribute) -> None:
        word = node.id if isinstance(node, ast.Name) else node.attr
        if isinstance(node, ast.Attribute) and _is_jits(ast.unparse(node.value)):
            if word in _COMPILING:
                self._applied(node, "")
            elif word not in _HARMLESS:
                self._open()
        elif isinstance(node, ast.Name) and word in self._compiling:
            self._applied(node, "")
        elif _JIT in word and word != _JIT:
            self._applied(node, word)

    def _applied(self, node: ast.expr, word: str) -> None:
        """Record the functions and classes that are compiled by a use of TorchScript, or of a name that may be an alias
        of it."""
        outer = self._parents[node]
        if isinstance(outer, ast.Call) and outer.func is node:
            if word and not outer.args and not outer.keywords:
                return  # `disable_jit()`
            if len(outer.args) == 1 and isinstance(outer.args[0], ast.Name):
                self._given(outer.args[0], word)
                return
            node, outer = outer, self._parents[outer]
        if isinstance(outer, _DEFINITIONS) and node in outer.decorator_list:
            self._compiled(outer, word)
        elif isinstance(outer, ast.Assign) and outer.value is node and not word:
            self._alias(outer.targets[0] if len(outer.targets) == 1 else None)
        else:
            self._open(word)

    def _given(self, argument: ast.Name, word: str) -> None:
        """Record that `torch.jit.script` receives a function of the file by its name; if this name is a parameter of
        another function, record that the other function compiles its argument."""
        outer: ast.AST | None = self._parents[argument]
        while outer is not None and not isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            outer = self._parents.get(outer)
        defined = self._module.defined(argument.id)
        if outer is not None and argument.id in _locals(outer):
            is_alias = isinstance(outer, ast.FunctionDef) and outer in self._module.tree.body and not word
            self._alias(outer) if is_alias else self._open(word)
        elif not defined or argument.id in self._module.changed:
            self._open(word)
        else:
            for one in defined:
                self._compiled(one, word)

    def _compiled(self, definition: _Definition, word: str) -> None:
        """Record a function or class, and the code that is compiled with it."""
        reached = _Reached(self._module, self._compiling)
        reached.add_statement(definition, definition.name)
        with_it = reached.result()
        known = self._found
        taken = frozenset(one._replace(by=word) for one in with_it.taken)
        self._found = known._replace(names=known.names | with_it.names, taken=known.taken | taken)
        if with_it.is_open:
            self._open(word)

    def _alias(self, named: ast.AST | None) -> None:
        """Record that a name is an alias of `torch.jit.script`. Uses of the alias in other files are found only if its
        name contains `jit`; if it does not, record instead that this file may compile any code of the project with
        TorchScript."""
        name = named.id if isinstance(named, ast.Name) else getattr(named, "name", "")
        if _JIT in name:
            self._found = self._found._replace(aliases=self._found.aliases | {name})
        else:
            self._open()

    def _open(self, word: str = "") -> None:
        """Record that the file may compile any function or class. If `word` is given, record instead that this is so
        only if some file of the project makes the name `word` an alias of `torch.jit.script`."""
        if word:
            self._found = self._found._replace(unclear=self._found.unclear | {word})
        else:
            self._found = self._found._replace(is_open=True)


def _is_librarys(statement: ast.ImportFrom) -> bool:
    return not statement.level and (statement.module or "").partition(".")[0] in _LIBRARIES


def _at_module_level(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module that are not inside functions or classes, also those inside compound
    statements. Of the compound statements themselves, only `for` and `with` are yielded."""
    for statement in body:
        blocks = [inner for field in _BLOCKS for inner in getattr(statement, field, ())]
        if isinstance(statement, _DEFINITIONS) or not blocks:
            yield statement
            continue
        if isinstance(statement, (ast.For, ast.AsyncFor, ast.With, ast.AsyncWith)):
            yield statement
        for inner in blocks:
            yield from _at_module_level(inner.body if isinstance(inner, ast.ExceptHandler) else [inner])


def _compiled_nodes(definition: _Definition) -> Iterator[ast.AST]:
    """Yield the nodes of a function or class that TorchScript may compile; decorators and defaults are left out,
    because Python evaluates them."""
    parts: list[ast.AST] = [*definition.body]
    if isinstance(definition, ast.ClassDef):
        parts += definition.bases
    else:
        parts += filter(None, (*_arguments(definition), definition.returns))
    for part in parts:
        yield from ast.walk(part)


def _arguments(function: _Function) -> list[ast.arg]:
    given = function.args
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]


def _annotations(definition: _Definition) -> Iterator[ast.expr]:
    for node in _compiled_nodes(definition):
        if isinstance(node, (ast.arg, ast.AnnAssign)) and node.annotation is not None:
            yield node.annotation
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.returns is not None:
            yield node.returns
    if not isinstance(definition, ast.ClassDef) and definition.returns is not None:
        yield definition.returns


def _locals(function: ast.AST) -> frozenset[str]:
    """Return the names that a function binds."""
    stored = (node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    return frozenset({*stored, *(node.arg for node in ast.walk(function) if isinstance(node, ast.arg))})


def _is_jits(dotted: str) -> bool:
    """Return whether a dotted name is `torch.jit` or a module in it."""
    return dotted in ("jit", "torch.jit") or dotted.startswith("torch.jit.")
