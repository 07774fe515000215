"""The values of the names in a plugin's source, as far as reading the source shows them."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TypeAlias

C_PARTS = frozenset({"_C", "_MUSAC"})  # modules of plugins that are written in C


@dataclass(frozen=True)
class Text:
    """A string."""

    value: str


@dataclass(frozen=True)
class Number:
    """An integer, which may be used as an index."""

    value: int


@dataclass(frozen=True)
class Many:
    """A list, a tuple or a set."""

    items: tuple[Value, ...]


@dataclass(frozen=True)
class Table:
    """A dictionary."""

    items: tuple[tuple[Value, Value], ...]


@dataclass(frozen=True)
class Outside:
    """An object of torch, of another package or of the plugin's C part, by its dotted name."""

    dotted: str


@dataclass(frozen=True)
class Module:
    """A module of the plugin."""

    name: str


@dataclass(frozen=True)
class Space:
    """The `__dict__` of a module of the plugin."""

    module: str


@dataclass(frozen=True, eq=False)
class Function:
    """A function of the plugin, with the names that are visible in it."""

    node: ast.FunctionDef | ast.AsyncFunctionDef
    frame: Frame


@dataclass(frozen=True, eq=False)
class Class:
    """A class of the plugin, with the names that are visible in it and with its bases."""

    node: ast.ClassDef
    frame: Frame
    bases: tuple[Value, ...]

    def method(self, name: str) -> ast.FunctionDef | None:
        """The method with a name, if the class's own body defines it."""
        for node in self.node.body:
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return node
        return None


@dataclass(frozen=True)
class Instance:
    """An object of a class of the plugin."""

    of: Class


Value: TypeAlias = Text | Number | Many | Table | Outside | Module | Space | Function | Class | Instance | None


@dataclass(eq=False)
class Frame:
    """The names that statements see: the names of a module, or those of a call and its enclosing scopes."""

    module: str
    names: dict[str, Value]
    outer: Frame | None = None
    shared: set[str] = field(default_factory=set)
    result: Value = None

    def find(self, name: str) -> Value:
        """The value of a name."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.names:
                return frame.names[name]
            frame = frame.outer
        return None

    def bind(self, name: str, value: Value) -> None:
        """Bind a name to a value, in the module if the function declares it `global`."""
        frame = self
        while name in self.shared and frame.outer is not None:
            frame = frame.outer
        frame.names[name] = value


def texts(value: Value) -> list[str]:
    """The strings of a list."""
    items = value.items if isinstance(value, Many) else ()
    return [item.value for item in items if isinstance(item, Text)]


def constant(value: object) -> Value:
    """The value of a literal."""
    if isinstance(value, str):
        return Text(value)
    return Number(value) if isinstance(value, int) and not isinstance(value, bool) else None
