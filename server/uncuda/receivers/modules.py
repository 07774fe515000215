"""The modules that an answer is looked for in: their trees (parso), and where their names lead (jedi)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

_MOST_MODULES = 64


class Place(NamedTuple):
    """A name as it stands in a module; `leaf` is None for the module itself."""

    module: Module
    leaf: Any

    @property
    def definition(self) -> Any:
        """The statement, class, function, parameter or import that the name is defined by."""
        return self.leaf.get_definition(include_setitem=False) if self.leaf is not None else None

    @property
    def is_import(self) -> bool:
        """Whether an import binds the name."""
        definition = self.definition
        return definition is not None and definition.type in ("import_name", "import_from")

    @property
    def is_class(self) -> bool:
        """Whether the name is that of a class where it is defined."""
        definition = self.definition
        return definition is not None and definition.type == "classdef" and definition.name is self.leaf


class Modules:
    """Every module that was read, for one document after the other."""

    def __init__(self, roots: Sequence[str]) -> None:
        import jedi  # type: ignore[import-untyped]
        from parso.grammar import load_grammar

        # What callers pass to a function is not looked for: it takes long, and is never all.
        jedi.settings.dynamic_params = jedi.settings.dynamic_array_additions = False
        self._jedi = jedi
        self._roots = tuple(roots)
        # The grammar of the running Python, as jedi takes it: so both share one tree of every module.
        self.grammar = load_grammar()
        self._environment = jedi.InterpreterEnvironment()
        self._modules: dict[str, Module] = {}

    def document(self, path: str, text: str) -> Module:
        """The module at a path, with the text that an editor holds or that was read; other modules are from disk."""
        self._modules = {}
        module = self._modules[path] = Module(self, path, text)
        return module

    def module(self, path: str) -> Module:
        """The module of a file."""
        if path not in self._modules:
            if len(self._modules) >= _MOST_MODULES:
                self._modules.pop(next(iter(self._modules)))
            self._modules[path] = Module(self, path, None)
        return self._modules[path]

    def script(self, path: str, text: str | None) -> Any:
        """jedi's view of a module: no extensions, no environment but this process, nothing of sys.path."""
        folders = self._folders(path)
        project = self._jedi.Project(
            folders[0], sys_path=folders, smart_sys_path=False, load_unsafe_extensions=False, added_sys_path=()
        )
        return self._jedi.Script(text, path=path, project=project, environment=self._environment)

    def _folders(self, path: str) -> list[str]:
        """Where a module's imports are looked for: the folder of its outermost package, the roots, their src."""
        top = Path(path).parent
        while (top / "__init__.py").is_file() and top != top.parent:
            top = top.parent
        sources = [str(Path(root) / "src") for root in self._roots]
        return list(dict.fromkeys([str(top), *self._roots, *(source for source in sources if Path(source).is_dir())]))


class Module:
    """One module. `text`: None if it is the file's."""

    def __init__(self, modules: Modules, path: str, text: str | None) -> None:
        self.path = path
        self._modules = modules
        self._text = text

    @cached_property
    def tree(self) -> Any:
        """The tree of the module; what cannot be parsed stands in error nodes."""
        grammar = self._modules.grammar
        if self._text is None:
            return grammar.parse(path=self.path, cache=True, diff_cache=True)
        return grammar.parse(self._text, path=self.path, diff_cache=True)

    @cached_property
    def _script(self) -> Any:
        return self._modules.script(self.path, self._text)

    @property
    def standard(self) -> bool:
        """Whether this describes a module of the standard library."""
        return self.path.endswith(".pyi") and "typeshed" in Path(self.path).parts

    def leaf(self, line: int, column: int) -> Any:
        """The leaf that begins at a line (from 1) and a column (from 0)."""
        return self.tree.get_leaf_for_position((line, column + 1))

    def goto(self, leaf: Any) -> list[Place]:
        """Every definition of a name; an import whose module cannot be found counts as one.

        jedi follows imports, too, but is silent on those that it loses on the way.
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
