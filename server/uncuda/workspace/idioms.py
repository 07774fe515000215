"""What a file does that decides how others may be written for every accelerator."""

from __future__ import annotations

import re

SCRIPTS, PACKS, STARRED = "TorchScript", "packed sequences", "* of "
"""A file compiles with TorchScript; makes packed sequences; imports `*` of a module, whose last word follows."""
_SCRIPTS = re.compile(rb"\bjit[ \t]*\.[ \t]*(?!trace|load|save)\w|\bfrom[ \t]+torch\.jit[ \t]+import\b|@[ \t]*script")
_PACKS = re.compile(rb"PackedSequence|pack_padded_sequence|pack_sequence")
_STARRED = re.compile(rb"^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]*(?:\(\s*)?\*", re.M)


def idioms(data: bytes, name: str) -> frozenset[str]:
    """The idioms in a file's bytes. `name`: the last word of its module."""
    found = set()
    if b"jit" in data and _SCRIPTS.search(data):
        found.add(SCRIPTS)
    if b"pack" in data or b"Packed" in data:
        found |= {PACKS} if _PACKS.search(data) else set()
    if b"import *" in data or b"import(*" in data or b"import (" in data:
        for module in _STARRED.findall(data):
            found.add(STARRED + (module.rpartition(b".")[2].decode("ascii", "replace") or name))
    return frozenset(found)
