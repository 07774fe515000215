"""Derives the verdict on a finding ("silent", "review" or "unknown") from the classes and libraries to which its
receiver (`x` in `x.cuda()`) may belong."""

from __future__ import annotations

from typing import Any, NamedTuple

from uncuda.edits import REVIEW
from uncuda.project import SILENT, UNKNOWN

from .classes import lineage, members
from .modules import Module
from .reader import Reader
from .values import Origin

# Classes whose objects have only the attributes that the user's code assigns to them.
_RECORDS = frozenset({"Namespace", "SimpleNamespace"})


class Question(NamedTuple):
    """A question for the child process: line and column of the attribute's name, and how the finding uses the
    attribute. See `uncuda.project.Site`."""

    line: int
    column: int
    argument: bool
    lacking: tuple[str, ...]


def answer(module: Module, question: Question) -> str:
    """Return the verdict on the finding that the question is about: "silent", "review" or "unknown"."""
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
    found = members(family, attribute)
    if not found:
        return UNKNOWN
    if question.argument:
        return UNKNOWN if _takes_device(found[0].definition) else REVIEW
    return SILENT if family.complete and not family.foreign else REVIEW


def _takes_device(member: Any) -> bool:
    """Return whether the first argument of a class member may be a device, judged by the parameter's name; True for
    `*args`, for a method without parameters, and for a member that is not a method."""
    if member.type != "funcdef":
        return True
    parameters = member.get_params()[1:]
    return not parameters or bool(parameters[0].star_count) or "dev" in parameters[0].name.value.lower()
