"""Finds kernels for Triton that contain inline assembly, such as PTX, the assembly language of NVIDIA's GPUs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import lazy_re
from ..facts.read import Facts
from ..facts.scans import matches

INLINE_ASSEMBLY = "inline-assembly"
"""The id in rules/limits.tsv of the sentence about kernels for Triton that contain inline assembly."""
_FUNCTION = "inline_asm_elementwise"
_CALL = matches(lazy_re.compile(rf"(?<!\w)(?<!def ){_FUNCTION}[ \t]*\("), _FUNCTION)
_FROM = lazy_re.compile(r"^[ \t]*from[ \t]+([\w.]+)[ \t]+import\b", re.M)
# the word PTX, or the name of the instructions for NVLink's multicast, in the name of a module
_ASSEMBLY = lazy_re.compile(r"(?<![a-z])ptx(?![a-z])|multimem")


def has_assembly(facts: Facts) -> bool:
    """Return whether a file has kernels that contain inline assembly, or imports functions that contain it."""
    searches, is_text = facts.searches, facts.layout.token_at
    places = searches.find(("assembly", "call"), _CALL)
    if facts.says("ptx") or facts.says("multimem"):
        places = [*places, *searches.find(("assembly", "import"), _helpers)]
    return any(not is_text(at) for at in places)


def _helpers(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets of imports from modules with functions that contain assembly."""
    for found in _FROM.finditer(text, start, end):
        if _ASSEMBLY.search(found[1]):
            yield found.start()
