"""Computes all objects that the value of an expression can be, from all assignments and return statements that may
produce it.

jedi returns where a name is defined, but not whether it missed a possibility: for `Batch() if small else
torch.zeros(3)` it returns only `Batch`. The results of this module also say whether they are complete, i.e. whether the
expression can have no other value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .bindings import (
    bindings,
    decorators,
    dotted_imports,
    named_in_module,
    owner,
    parts_of,
    plain_value,
    rebound,
    spelled,
)
from .classes import lineage, members
from .modules import Module, Place
from .values import (
    NOTHING,
    UNKNOWN,
    Values,
    crosses,
    imported_from,
    instance,
    is_nothing,
    known,
    one,
    union,
)

_PROPERTIES = frozenset({"property", "cached_property", "functools.cached_property"})
_HARMLESS = frozenset({"staticmethod", "classmethod"}) | _PROPERTIES
_STRANGE = frozenset({"torch", "library"})
_STEPS = 400
_DEPTH = 24


class Reader:
    """Reads the definitions that one question needs, with a limit on the number of steps and on the length of a
    chain of definitions that refer to each other."""

    def __init__(self) -> None:
        self._steps = _STEPS
        self._open: set[tuple[str, str, tuple[int, int]]] = set()

    def _guarded(self, what: str, module: Module, node: Any, look: Callable[[], Values]) -> Values:
        """The result of `look()`; NOTHING if a definition refers to itself, UNKNOWN if the limit of steps or depth is
        reached."""
        key = (what, module.path, node.start_pos)
        if key in self._open:
            return NOTHING
        self._steps -= 1
        if self._steps < 0 or len(self._open) > _DEPTH:
            return UNKNOWN
        self._open.add(key)
        try:
            return look()
        finally:
            self._open.discard(key)

    def value(self, module: Module, node: Any) -> Values:
        """Return the objects that the value of an expression can be."""
        kind = node.type
        if kind == "name":
            return self._name(module, node)
        if kind == "keyword":
            return NOTHING if node.value == "None" else UNKNOWN
        if kind in ("atom_expr", "power"):
            return self.chain(module, list(node.children))
        if kind == "atom" and node.children[0] == "(" and len(node.children) == 3:
            return self.value(module, node.children[1])
        if kind in ("test", "ternary"):
            return self.value(module, node.children[0]) | self.value(module, node.children[4])
        if kind == "or_test":
            return union(self.value(module, child) for child in node.children[::2])
        if kind == "namedexpr_test":
            return self.value(module, node.children[2])
        return UNKNOWN

    def chain(self, module: Module, parts: list[Any]) -> Values:
        """Return the objects that the value of an expression with trailers (`.name`, calls) can be; `parts`: the
        expression, then its trailers."""
        last = parts[-1]
        if len(parts) == 1:
            return self.value(module, last)
        if last.type != "trailer" or parts[0].type == "keyword":
            return UNKNOWN
        if last.children[0] == "(":
            return self._called(module, parts[:-1])
        return self._attribute(module, parts) if last.children[0] == "." else UNKNOWN

    def _dotted(self, module: Module, parts: list[Any]) -> Values | None:
        """Return the objects that the value of a plain dotted name can be, as far as the file's imports show; None if
        they do not show it."""
        chain = spelled(parts)
        if chain is None:
            return None
        root, attributes = chain
        found = [known(".".join([dotted, *attributes])) for dotted in dotted_imports(root)]
        if not any(found):
            return None
        result = union(values or UNKNOWN for values in found)
        if any(origin.kind == "library" for origin in result.origins):
            if not all(place.is_import or is_nothing(place) for place in module.goto(root)):
                return None  # a module of the project has the library's name, so the object is not the library's
        return result

    def _called(self, module: Module, callee: list[Any]) -> Values:
        """The objects that a call can return. `callee`: the called expression and its trailers."""
        if (found := self._dotted(module, callee)) is not None:
            return found
        last = callee[-1]
        if last.type == "name":
            targets = _targets(module, last)
            return union(map(self._result, targets)) if targets else UNKNOWN
        if last.type == "trailer" and last.children[0] == ".":
            return self._of(module, callee, self._result)
        return UNKNOWN

    def _of(self, module: Module, parts: list[Any], found_at: Callable[[Place], Values]) -> Values:
        """Return the objects that the value of an attribute can be. The object before the dot is computed separately,
        because jedi would compute it repeatedly and take more steps."""
        leaf = parts[-1].children[1]
        owners = self._guarded("owner", module, leaf, lambda: self.chain(module, parts[:-1]))
        kinds = {origin.kind for origin in owners.origins}
        if not kinds or (kinds <= _STRANGE and crosses(leaf.value)):
            return UNKNOWN
        found = Values(complete=owners.complete)
        for origin in owners.origins:
            if origin.kind in _STRANGE:
                found |= one(origin.kind)
            else:
                places = members(lineage(origin.place), leaf.value) if origin.place else module.goto(leaf)
                found |= union(map(found_at, places)) if places else UNKNOWN
        return found

    def _result(self, place: Place) -> Values:
        """Return the objects that a call of the name defined at `place` can return."""
        definition = place.definition
        if definition is None or place.is_class or place.is_import or is_nothing(place):
            return instance(place)
        if definition.type == "funcdef":
            return self._returned(place.module, definition)
        if definition.type == "param" and (found := owner(definition, "cls")) is not None:
            return one("class", place=Place(place.module, found.name))
        value = plain_value(definition) if definition.type == "expr_stmt" else None
        if value is not None and spelled(parts_of(value)) is not None:
            return self._guarded("called", place.module, value, lambda: self._called(place.module, parts_of(value)))
        return UNKNOWN

    def _returned(self, module: Module, function: Any) -> Values:
        """Return the objects that a function of the project can return, according to its annotation; without an
        annotation, according to its return statements."""
        if module.standard and function.name.value == "parse_args":
            # the object is a namespace of argparse, whose attributes are the options of the command line
            return one("library", "argparse.Namespace")
        if not set(decorators(function)) <= _HARMLESS or function.is_generator():
            return UNKNOWN
        if function.parent.type in ("async_stmt", "async_funcdef"):
            return UNKNOWN
        if function.annotation is not None:
            return self._annotated(module, function.annotation)
        returns = [statement.children[1] for statement in function.iter_return_stmts() if len(statement.children) > 1]
        if not returns:
            return UNKNOWN
        return self._guarded("returns", module, function, lambda: union(self.value(module, node) for node in returns))

    def _attribute(self, module: Module, parts: list[Any]) -> Values:
        if (found := self._dotted(module, parts)) is not None:
            return found
        return self._of(module, parts, self._bound)

    def _name(self, module: Module, leaf: Any) -> Values:
        found = [Place(module, name) for name in bindings(leaf)] or module.goto(leaf)
        return union(map(self._bound, found)) if found and not rebound(leaf) else UNKNOWN

    def _bound(self, place: Place) -> Values:
        """Return the possible values of a name according to one of its definitions (`place`)."""
        if place.leaf is None:
            return one("module", place.module.path)
        return self._guarded("bound", place.module, place.leaf, lambda: self._defined(place))

    def _defined(self, place: Place) -> Values:
        module, leaf, definition = place.module, place.leaf, place.definition
        if definition is None:
            return UNKNOWN
        if place.is_class:
            return one("type", place=place)
        if definition.type == "expr_stmt":
            return self._assigned(module, leaf, definition)
        if definition.type == "param":
            return self._parameter(module, definition)
        if definition.type == "namedexpr_test":
            return self.value(module, definition.children[2])
        if definition.type == "funcdef" and set(decorators(definition)) & _PROPERTIES:
            return self._returned(module, definition)
        if place.is_import:
            found = imported_from(place)
            if any(origin.kind == "torch" for origin in found.origins):
                return found
            targets = [target for target in module.goto(leaf) if target != place]
            return union(map(self._bound, targets)) if targets else found
        return UNKNOWN

    def _assigned(self, module: Module, leaf: Any, statement: Any) -> Values:
        if statement.children[1].type == "annassign":
            return self._annotated(module, statement.children[1].children[1])
        value = plain_value(statement)
        if value is None or not any(_is_target(target, leaf) for target in statement.children[:-1:2]):
            return UNKNOWN
        return self.value(module, value)

    def _parameter(self, module: Module, parameter: Any) -> Values:
        if parameter.star_count:
            return UNKNOWN
        if parameter.annotation is not None:
            return self._annotated(module, parameter.annotation)
        found = owner(parameter, "self")
        return one("class", place=Place(module, found.name)) if found is not None else UNKNOWN

    def _annotated(self, module: Module, node: Any) -> Values:
        """The objects that an annotation describes."""
        if node.type == "keyword":
            return NOTHING if node.value == "None" else UNKNOWN
        if node.type == "string":
            names = named_in_module(module.tree, node.value.strip("\"'"))
            return union(map(instance, _followed(module, names))) if names else UNKNOWN
        if node.type in ("expr", "arith_expr") and all(operator == "|" for operator in node.children[1::2]):
            return union(self._annotated(module, child) for child in node.children[::2])
        parts = parts_of(node)
        if parts[-1].type == "trailer" and parts[-1].children[0] == "[":
            inner = parts[-1].children[1]
            head = parts[-2].get_last_leaf().value
            if head == "Union" and inner.type == "subscriptlist":
                return union(self._annotated(module, child) for child in inner.children[::2])
            return self._annotated(module, inner) if head == "Optional" else UNKNOWN
        if spelled(parts) is None:
            return UNKNOWN
        if (found := self._dotted(module, parts)) is not None:
            return found
        targets = _targets(module, parts[0]) if len(parts) == 1 else module.goto(parts[-1].children[1])
        return union(map(instance, targets)) if targets else UNKNOWN


def _targets(module: Module, leaf: Any) -> list[Place]:
    """Return the definitions of a name, with imports resolved."""
    return _followed(module, bindings(leaf)) or module.goto(leaf)


def _followed(module: Module, names: list[Any]) -> list[Place]:
    found: list[Place] = []
    for name in names:
        place = Place(module, name)
        found += module.goto(name) if place.is_import else [place]
    return found


def _is_target(target: Any, leaf: Any) -> bool:
    return target is leaf or (target.type in ("atom_expr", "power") and target.get_last_leaf() is leaf)
