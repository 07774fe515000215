"""Groups of classes in one file that do the same job for different accelerators: `CudaBackend(Backend)`,
`XpuBackend(Backend)`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from .. import lazy_re
from ..facts.read import Facts
from ..source import Span

OTHERS = (
    "amd", "cpu", "dcu", "gcu", "hip", "hpu", "ipu", "maca", "mlu", "mps", "rocm", "sdaa", "tpu", "vulkan", "xla", "xpu"
)  # fmt: skip
"""Words in names of classes and files that mean the CPU or an accelerator other than CUDA and the targets."""
_CLASS = lazy_re.compile(r"class[ \t]+(\w+)[ \t]*(?:\(([^()]*)\))?[ \t]*:", re.M)
_FIRST = lazy_re.compile(r"\n[ \t]*(?=class\b)")  # searched in a text to which a line break was prepended
_OF_CUDA = lazy_re.compile(r"class[ \t]+\w*C(?:uda|UDA)")
_COMMON = frozenset({"object", "ABC", "abc.ABC", "Enum", "str", "int", "Exception", "Protocol", "NamedTuple"})


class ClassFamily(NamedTuple):
    """A family: classes that do the same job for different devices. `name`: the span of the name of CUDA's class;
    `devices`: the devices that have a class; `spans`: the spans of all classes of the family and of their common base
    classes."""

    name: Span
    devices: frozenset[str]
    spans: tuple[Span, ...]


def families_in(facts: Facts, devices: Collection[str]) -> list[ClassFamily]:
    """Return the families in a file: groups of classes that do the same job for different devices; `devices`: the
    device names of the targets. Groups that have classes only for CUDA and the CPU are not returned."""
    places = facts.searches.find(("family",), _cudas)
    text = facts.layout.text
    if not any(_bases(match) for at in places if (match := _CLASS.match(text, at))):
        return []
    facts.work.search(0, len(text))
    headers = (_CLASS.match(text, line.end() - 1) for line in _FIRST.finditer("\n" + text))
    classes = {match[1]: match for match in headers if match and not facts.layout.token_at(match.start())}
    spelled: dict[str, list[str]] = {}
    for name in classes:
        spelled.setdefault(name.lower(), []).append(name)
    found = []
    for name, match in classes.items():
        bases = _bases(match)
        if "cuda" not in name.lower() or not bases:
            continue
        members = {"cuda": match}
        for device in {*OTHERS, *devices} - {""}:
            twins = spelled.get(name.lower().replace("cuda", device), ())
            facts.work.compare(1 + len(twins))
            for twin in twins:
                if bases & _bases(classes[twin]):
                    members[device] = classes[twin]
        if members.keys() - {"cuda", "cpu"}:
            shared = [classes[base] for base in bases if base in classes]
            starts = [header.start() for header in (*members.values(), *shared)]
            spans = tuple(Span(start, facts.indents.extent(start)) for start in starts)
            found.append(ClassFamily(Span(*match.span(1)), frozenset(members), spans))
    return found


def _cudas(text: str, start: int, end: int) -> Iterator[int]:
    at = text.find("class ", start, end)
    while at >= 0:
        after = at + 6
        if _OF_CUDA.match(text, at):
            if not text[text.rfind("\n", 0, at) + 1 : at].strip():
                yield at
            after = text.find("\n", at, end) + 1 or end  # a line defines at most one class
        at = text.find("class ", after, end)


def _bases(match: re.Match[str]) -> set[str]:
    return {base.strip() for base in (match[2] or "").split(",")} - _COMMON - {""}
