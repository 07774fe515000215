"""What a file does that decides how others may be written for every accelerator."""

from __future__ import annotations

import re

SCRIPTS, PACKS, STARRED, TORCH_OF = "TorchScript", "packed sequences", "* of ", "torch of "
"""A file compiles with TorchScript; makes packed sequences; imports `*` or `torch` of a module, whose last word
follows."""
_SCRIPTS = re.compile(rb"\bjit[ \t]*\.[ \t]*(?!trace|load|save)\w|\bfrom[ \t]+torch\.jit[ \t]+import\b|@[ \t]*script")
_PACKS = re.compile(rb"PackedSequence|pack_padded_sequence|pack_sequence")
_STARRED = re.compile(rb"^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]*(?:\(\s*)?\*", re.M)

_OF = re.compile(rb"(\w+)\.torch\b")
_FROM = re.compile(rb"\bfrom[ \t]+([.\w]+)[ \t]+import[ \t]+(?:\([^)]*|[\w, ]*,[ \t]*)?\btorch\b")


def idioms(data: bytes, name: str) -> frozenset[str]:
    """The idioms in a file's bytes. `name`: the last word of its module."""
    found = set()
    if b"jit" in data and _SCRIPTS.search(data):
        found.add(SCRIPTS)
    if b"pack" in data or b"Packed" in data:
        found |= {PACKS} if _PACKS.search(data) else set()
    if b"import *" in data or b"import(*" in data or b"import (" in data:
        for module in _STARRED.findall(data):
            found.add(STARRED + _last(module, name))
    taken = [*(_OF.findall(data) if b".torch" in data else ()), *(_FROM.findall(data) if b"torch" in data else ())]
    found.update(TORCH_OF + _last(module, name) for module in taken)
    return frozenset(found)


def _last(module: bytes, name: str) -> str:
    """The last word of a module; `name` if it has none, as in `from . import`."""
    return module.rpartition(b".")[2].decode("ascii", "replace") or name
