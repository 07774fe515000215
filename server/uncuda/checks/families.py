"""Classes of one text that do the same, each for an accelerator: `CudaBackend(Backend)`, `XpuBackend(Backend)`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from ..facts.read import Facts
from ..source import Span

OTHERS = ("cpu", "dcu", "gcu", "hip", "hpu", "ipu", "maca", "mlu", "mps", "rocm", "sdaa", "tpu", "vulkan", "xla", "xpu")
"""What accelerators besides CUDA's and the targets are called in names of classes and files; and the CPU."""
_CLASS = re.compile(r"^[ \t]*(class)[ \t]+(\w+)[ \t]*(?:\(([^()]*)\))?[ \t]*:", re.M)
_OF_CUDA = re.compile(r"class[ \t]+\w*C(?:uda|UDA)")
_COMMON = frozenset({"object", "ABC", "abc.ABC", "Enum", "str", "int", "Exception", "Protocol", "NamedTuple"})


class ClassFamily(NamedTuple):
    """`name`: the span of the name of CUDA's class; `devices`: whose classes stand beside it; `spans`: of all classes
    of the family, and of the bases that they share."""

    name: Span
    devices: frozenset[str]
    spans: tuple[Span, ...]


def families_in(facts: Facts, devices: Collection[str]) -> list[ClassFamily]:
    """The families of a text; `devices`: the targets' names. One with the CPU's class only, beside CUDA's, is none."""
    if not facts.searches.find(("family",), _cudas):
        return []
    facts.work.search(0, len(facts.text))
    classes = {}
    for match in _CLASS.finditer(facts.layout.text):
        if not facts.layout.token_at(match.start(1)):
            classes[match[2]] = match
    found = []
    for name, match in classes.items():
        if "cuda" not in name.lower():
            continue
        bases = _bases(match)
        members = {"cuda": match}
        for device in {*OTHERS, *devices} - {""}:
            twin = re.sub("cuda", device, name, flags=re.I).lower()
            facts.work.compare()
            for other, header in classes.items() if bases else ():
                if other.lower() == twin and bases & _bases(header):
                    members[device] = header
        if members.keys() - {"cuda", "cpu"}:
            shared = [classes[base] for base in bases if base in classes]
            starts = [header.start(1) for header in (*members.values(), *shared)]
            spans = tuple(Span(start, facts.indents.extent(start)) for start in starts)
            found.append(ClassFamily(Span(*match.span(2)), frozenset(members), spans))
    return found


def _cudas(text: str, start: int, end: int) -> Iterator[int]:
    at = text.find("class ", start, end)
    while at >= 0:
        if _OF_CUDA.match(text, at) and not text[text.rfind("\n", 0, at) + 1 : at].strip():
            yield at
        at = text.find("class ", at + 6, end)


def _bases(match: re.Match[str]) -> set[str]:
    return {base.strip() for base in (match[3] or "").split(",")} - _COMMON - {""}
