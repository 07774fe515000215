"""Finds the parts of a library that a file uses as attributes: `import flashinfer` and then `flashinfer.comm.f()`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from .. import lazy_re
from ..facts.scans import matches
from .base import Context

_NAME = r"\w+(?:\.\w+)*"
# Matches the text before a name in a line, if the name may stand for an imported module: the line is no import, and the
# name is no attribute, except of `self` or `cls`.
_BEFORE = lazy_re.compile(r"(?![ \t]*(?:from|import)\b)(?:[^\n]*[^\w.\n])?(?:self\.|cls\.)?")


@dataclass(frozen=True)
class Used:
    """The uses of one imported module in a file. `parts`: the submodules in the target's table that the file uses as
    attributes of the module, each with the offsets of its uses; `whole`: whether the file also uses other attributes,
    or no attribute at all."""

    parts: Mapping[str, Sequence[int]] = field(default_factory=dict)
    whole: bool = True


class Parts:
    """Finds the submodules in a target's table that a file uses as attributes of an imported module."""

    def __init__(self, modules: Collection[str]) -> None:
        self._modules = frozenset(modules)
        within: dict[str, set[str]] = {}
        for module in modules:
            words = module.split(".")
            for size in range(1, len(words)):
                within.setdefault(".".join(words[:size]), set()).add(re.escape(".".join(words[size:])))
        self._within = {base: "|".join(sorted(parts)) for base, parts in within.items()}

    def used(self, base: str, local: str, at: int, context: Context) -> Used:
        """Return the uses of the module `base`, which an import at `at` binds to the name `local`.

        For an import inside a function, only the uses in this function are returned; if there are none, all uses in the
        file.
        """
        if base not in self._within:
            return Used()
        context.asked.add(local)
        if not context.facts.searches.find(
            ("parts", base, local), matches(_attribute(local, self._within[base]), f"{local}.")
        ):
            return Used()
        attributes = list(_attributes(base, local, context))
        indents = context.facts.indents
        scope = indents.scope_of(at)
        own = [one for one in attributes if scope and scope[0] <= one[1] < indents.extent(scope[0])]
        parts: dict[str, list[int]] = {}
        whole = False
        for dotted, place in own or attributes:
            part = dotted
            while part != base and part not in self._modules:
                part = part.rpartition(".")[0]
            whole = whole or part == base
            if part != base:
                parts.setdefault(part, []).append(place)
        return Used(parts, whole or not parts)


def _attributes(base: str, local: str, context: Context) -> Iterator[tuple[str, int]]:
    """Yield (dotted name, offset) for each attribute of the imported module that the file uses, in source order."""
    layout, text, pattern = context.facts.layout, context.text, _attribute(local, _NAME)
    for at in context.facts.searches.find(("attributes", local), matches(pattern, f"{local}.")):
        match = pattern.match(text, at)
        if match is not None and _BEFORE.fullmatch(text, text.rfind("\n", 0, at) + 1, at) and not layout.token_at(at):
            yield f"{base}.{match[1]}", at


@lru_cache(maxsize=256)
def _attribute(local: str, wanted: str) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(local)}\.({wanted})(?!\w)")
