"""The modules that are searched to find the type of an object: their parso trees, and the definitions of their names,
which jedi finds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

_MOST_MODULES = 64


class Place(NamedTuple):
    """A name in a module's syntax tree; `leaf` is None for the module itself."""

    module: Module
    leaf: Any

    @property
    def definition(self) -> Any:
        """The statement, class, function, parameter or import that defines the name."""
        return self.leaf.get_definition(include_setitem=False) if self.leaf is not None else None

    @property
    def is_import(self) -> bool:
        """Whether an import binds the name."""
        definition = self.definition
        return definition is not None and definition.type in ("import_name", "import_from")

    @property
    def is_class(self) -> bool:
        """Whether the name is the name of a class in its `class` statement."""
        definition = self.definition
        return definition is not None and definition.type == "classdef" and definition.name is self.leaf


class Modules:
    """The modules that were read: one document, whose text the caller passes, and modules read from disk."""

    def __init__(self, roots: Sequence[str]) -> None:
        import jedi  # type: ignore[import-untyped]
        from parso.grammar import load_grammar

        # jedi must not search for the arguments that callers pass to a function, because that takes long and never
        # finds all of them.
        jedi.settings.dynamic_params = jedi.settings.dynamic_array_additions = False
        self._jedi = jedi
        self._roots = tuple(roots)
        # The grammar of the running Python; jedi uses the same grammar, so that each module is parsed only once.
        self.grammar = load_grammar()
        self._environment = jedi.InterpreterEnvironment()
        self._modules: dict[str, Module] = {}

    def document(self, path: str, text: str) -> Module:
        """Open a document with its text, which comes from the editor or was read from the file; all other modules are
        read from disk."""
        self._modules = {}
        module = self._modules[path] = Module(self, path, text)
        return module

    def module(self, path: str) -> Module:
        """The module at a path, read from disk unless it is the open document."""
        if path not in self._modules:
            if len(self._modules) >= _MOST_MODULES:
                self._modules.pop(next(iter(self._modules)))
            self._modules[path] = Module(self, path, None)
        return self._modules[path]

    def script(self, path: str, text: str | None) -> Any:
        """Return jedi's `Script` for a module; jedi loads no extension modules, uses this process as its environment,
        and does not use sys.path."""
        folders = self._folders(path)
        project = self._jedi.Project(
            folders[0], sys_path=folders, smart_sys_path=False, load_unsafe_extensions=False, added_sys_path=()
        )
        return self._jedi.Script(text, path=path, project=project, environment=self._environment)

    def _folders(self, path: str) -> list[str]:
        """Return the folders in which a module's imports are searched: the parent of its outermost package, the roots,
        and their `src` folders."""
        top = Path(path).parent
        while (top / "__init__.py").is_file() and top != top.parent:
            top = top.parent
        sources = [str(Path(root) / "src") for root in self._roots]
        return list(dict.fromkeys([str(top), *self._roots, *(source for source in sources if Path(source).is_dir())]))


class Module:
    """A module in which names are looked up: its path, its text and its parso tree. `text`: the source text; None if
    the module is read from the file."""

    def __init__(self, modules: Modules, path: str, text: str | None) -> None:
        self.path = path
        self._modules = modules
        self._text = text

    @cached_property
    def tree(self) -> Any:
        """The parso tree of the module; text that cannot be parsed is kept in error nodes."""
        grammar = self._modules.grammar
        if self._text is None:
            return grammar.parse(path=self.path, cache=True, diff_cache=True)
        return grammar.parse(self._text, path=self.path, diff_cache=True)

    @cached_property
    def _script(self) -> Any:
        return self._modules.script(self.path, self._text)

    @property
    def standard(self) -> bool:
        """Whether this is a stub (`.pyi`) of a module of the standard library."""
        return self.path.endswith(".pyi") and "typeshed" in Path(self.path).parts

    def leaf(self, line: int, column: int) -> Any:
        """The leaf of the tree that begins at a line (from 1) and a column (from 0)."""
        return self.tree.get_leaf_for_position((line, column + 1))

    def goto(self, leaf: Any) -> list[Place]:
        """Return every definition of a name, with imports resolved; an import whose module cannot be found counts as a
        definition.

        jedi's own resolution of imports silently drops imports that it cannot resolve.
        """
        here = Place(self, leaf)
        waiting = [here] if here.is_import else self._step(leaf)
        found: list[Place] = []
        seen: set[Place] = set()
        while waiting:
            place = waiting.pop()
            if place in seen:
                continue
            seen.add(place)
            further = place.module._step(place.leaf) if place.is_import else []
            waiting += further
            if not further:
                found.append(place)
        return found

    def _step(self, leaf: Any) -> list[Place]:
        line, column = leaf.start_pos
        places = [self._place(name) for name in self._script.goto(line, column)]
        return [place for place in places if place.leaf is not leaf]

    def _place(self, name: Any) -> Place:
        if name.module_path is None:
            return Place(self, None)
        path = str(name.module_path)
        module = self if path == self.path else self._modules.module(path)
        if name.line is None or (name.type == "module" and (name.line, name.column) == (1, 0)):
            return Place(module, None)
        leaf = module.leaf(name.line, name.column)
        return Place(module, leaf if leaf is not None and leaf.type == "name" else None)
