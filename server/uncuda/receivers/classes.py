"""Finds the classes of the project: from which classes they derive, and where they define an attribute."""

from __future__ import annotations

import builtins
import sys
from typing import Any, NamedTuple

from .bindings import class_around, dotted_imports, parts_of, spelled
from .modules import Module, Place
from .values import known

_AROUND = ("simple_stmt", "suite", "decorated", "async_funcdef", "async_stmt", "if_stmt", "for_stmt", "while_stmt",
           "with_stmt", "try_stmt")  # fmt: skip


class Lineage(NamedTuple):
    """A class and its base classes; `complete`: whether every base class was found.

    `foreign`: where base classes outside of the project come from: "torch", "library" (another known library), or ""
    for neither.
    """

    classes: list[Place]
    complete: bool
    foreign: str


def lineage(place: Place) -> Lineage:
    """Return the class at a definition and all project classes that it derives from; the class itself comes first."""
    classes: list[Place] = []
    complete, foreign = True, ""
    waiting = [place]
    while waiting:
        current = waiting.pop(0)
        if current in classes:
            continue
        classes.append(current)
        for base in _bases(current.definition):
            found = _base(current.module, base)
            if isinstance(found, list):
                waiting += found
            elif found == "unknown":
                complete = False
            else:
                foreign = "torch" if "torch" in (foreign, found) else found or foreign
    return Lineage(classes, complete, foreign)


def members(family: Lineage, attribute: str) -> list[Place]:
    """Return where a class and its base classes define an attribute. If the attribute is a method in the first of these
    classes that defines it, only the definitions in that class are returned; otherwise, the definitions in all of these
    classes."""
    found: list[Place] = []
    for owner in family.classes:
        own = _own(owner, attribute)
        if not found and any(place.definition.type == "funcdef" for place in own):
            return own
        found += own
    return found


def _bases(definition: Any) -> list[Any]:
    arguments = definition.get_super_arglist()
    if arguments is None:
        return []
    nodes = arguments.children[::2] if arguments.type == "arglist" else [arguments]
    return [node for node in nodes if node.type != "argument" or node.children[0] == "*"]


def _base(module: Module, node: Any) -> list[Place] | str:
    """Return where the project defines a base class; for a class outside of the project: "torch", "library", "" (known,
    but neither) or "unknown"."""
    parts = parts_of(node)
    while parts[-1].type == "trailer" and parts[-1].children[0] == "[":
        parts = parts[:-1]
    chain = spelled(parts)
    if chain is None:
        return "unknown"
    root, attributes = chain
    dotted = [".".join([name, *attributes]) for name in dotted_imports(root)]
    kinds = {_kind(name) for name in dotted}
    if "torch" in kinds:
        return "torch"
    leaf = parts[-1] if len(parts) == 1 else parts[-1].children[1]
    places = [place for place in module.goto(leaf) if place.leaf is not None and not place.is_import]
    own = [place for place in places if not place.module.standard]
    if own and all(place.is_class for place in own):
        return own
    if not dotted:
        return "" if len(parts) == 1 and hasattr(builtins, root.value) and not own else "unknown"
    return kinds.pop() if len(kinds) == 1 else "unknown"


def _kind(dotted: str) -> str:
    found = known(dotted)
    if found is not None:
        return next((origin.kind for origin in found.origins), "unknown")
    return "" if dotted.partition(".")[0] in sys.stdlib_module_names else "unknown"


def _own(owner: Place, attribute: str) -> list[Place]:
    """Return where a class itself defines an attribute: as a method, as a field, or by `self.name = …` in one of its
    methods."""
    names = owner.module.tree.get_used_names().get(attribute, ())
    return [Place(owner.module, name) for name in names if _class_of(name) is owner.definition]


def _class_of(name: Any) -> Any:
    """Return the class of which `name` defines an attribute; None if `name` defines no attribute."""
    definition = name.get_definition(include_setitem=False)
    if definition is None or definition.type not in ("funcdef", "expr_stmt"):
        return None
    around = definition.parent
    while around.type in _AROUND:
        around = around.parent
    if name.parent.type != "trailer":
        return around
    target = name.parent.parent.children
    if around.type != "funcdef" or target[1] is not name.parent or target[0].type != "name":
        return None
    return class_around(around) if target[0].value == _first_parameter(around) else None


def _first_parameter(function: Any) -> str:
    parameters = function.get_params()
    return str(parameters[0].name.value) if parameters else ""
