"""From what a receiver can be to what that means for a finding."""

from __future__ import annotations

import builtins
import sys
from typing import Any, NamedTuple

from uncuda.edits import REVIEW
from uncuda.project import SILENT, UNKNOWN

from .bindings import class_around, dotted_imports, parts_of, spelled
from .modules import Module, Place
from .reader import Reader
from .values import Origin, known

# Objects whose attributes are those that the program gave them.
_RECORDS = frozenset({"Namespace", "SimpleNamespace"})


class Question(NamedTuple):
    """What is asked: where the attribute's name stands, and how the finding uses it. See `uncuda.project.Site`."""

    line: int
    column: int
    argument: bool
    lacking: tuple[str, ...]


class Lineage(NamedTuple):
    """A class and what it derives from. `foreign`: a class that is not the project's: "torch", "library" or ""."""

    classes: list[Place]
    complete: bool
    foreign: str


def answer(module: Module, question: Question) -> str:
    """`silent`, `review` or `unknown`."""
    leaf = module.leaf(question.line, question.column)
    trailer = leaf.parent if leaf is not None and leaf.type == "name" else None
    if trailer is None or trailer.type != "trailer" or trailer.parent.type not in ("atom_expr", "power"):
        return UNKNOWN
    parts = list(trailer.parent.children)
    values = Reader().chain(module, parts[: parts.index(trailer)])
    verdicts = [_verdict(origin, leaf.value, question) for origin in values.origins]
    if values.complete and verdicts and all(verdict == SILENT for verdict in verdicts):
        return SILENT
    return REVIEW if any(verdict != UNKNOWN for verdict in verdicts) else UNKNOWN


def _verdict(origin: Origin, attribute: str, question: Question) -> str:
    if origin.kind == "library":
        return SILENT
    if origin.kind == "torch":
        return REVIEW if origin.name.rpartition(".")[2] in question.lacking else UNKNOWN
    if origin.kind != "class" or origin.place is None:
        return UNKNOWN
    if origin.place.module.standard:
        return SILENT if origin.place.leaf.value in _RECORDS else UNKNOWN
    family = lineage(origin.place)
    if family.foreign == "library":
        return SILENT
    member = next((found for place in family.classes if (found := _member(place, attribute)) is not None), None)
    if member is None:
        return UNKNOWN
    if question.argument:
        return UNKNOWN if _takes_device(member) else REVIEW
    return SILENT if family.complete and not family.foreign else REVIEW


def lineage(place: Place) -> Lineage:
    """A class with all that it derives from, as far as that can be found."""
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


def _bases(definition: Any) -> list[Any]:
    arguments = definition.get_super_arglist()
    if arguments is None:
        return []
    nodes = arguments.children[::2] if arguments.type == "arglist" else [arguments]
    return [node for node in nodes if node.type != "argument" or node.children[0] == "*"]


def _base(module: Module, node: Any) -> list[Place] | str:
    """A base class: where the project defines it; "torch", "library", "" (known, neither) or "unknown"."""
    parts = parts_of(node)
    while parts[-1].type == "trailer" and parts[-1].children[0] == "[":
        parts = parts[:-1]
    chain = spelled(parts)
    if chain is None:
        return "unknown"
    root, attributes = chain
    leaf = parts[-1] if len(parts) == 1 else parts[-1].children[1]
    places = [place for place in module.goto(leaf) if place.leaf is not None and not place.is_import]
    own = [place for place in places if not place.module.standard]
    if own and all(place.is_class for place in own):
        return own
    dotted = dotted_imports(root)
    if not dotted:
        return "" if len(parts) == 1 and hasattr(builtins, root.value) and not own else "unknown"
    kinds = {_kind(".".join([name, *attributes])) for name in dotted}
    return kinds.pop() if len(kinds) == 1 else "torch" if "torch" in kinds else "unknown"


def _kind(dotted: str) -> str:
    found = known(dotted)
    if found is not None:
        return next((origin.kind for origin in found.origins), "unknown")
    return "" if dotted.partition(".")[0] in sys.stdlib_module_names else "unknown"


def _member(place: Place, attribute: str) -> Any:
    """The definition of an attribute in a class: a method, a field, `self.name = …` in one of its methods."""
    for name in place.module.tree.get_used_names().get(attribute, ()):
        definition = name.get_definition(include_setitem=False)
        if definition is None or definition.type not in ("funcdef", "expr_stmt"):
            continue
        around = definition.parent
        while around.type in ("simple_stmt", "suite", "decorated", "async_stmt", "async_funcdef"):
            around = around.parent
        if name.parent.type == "trailer" and around.type == "funcdef":
            around = class_around(around) if name.parent.parent.children[0] == "self" else None
        if around is place.definition:
            return definition
    return None


def _takes_device(member: Any) -> bool:
    """Whether a method's first argument is a device, as far as its name says so, or is passed on unseen."""
    if member.type != "funcdef":
        return True
    parameters = member.get_params()[1:]
    return not parameters or bool(parameters[0].star_count) or "dev" in parameters[0].name.value.lower()
