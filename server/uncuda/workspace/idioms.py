"""What a file does that decides how others may be written for every accelerator."""

from __future__ import annotations

import re
from collections.abc import Iterator

PACKS, STARRED, TORCH_OF = "packed sequences", "* of ", "torch of "
"""A file makes packed sequences; imports `*` or `torch` of a module, whose last word follows."""
# Each pattern begins with a literal, which is fast to search for.
_PACKS = (b"PackedSequence", b"pack_padded_sequence", b"pack_sequence")
_STAR = re.compile(rb"import[ \t]*\*")
_STARRED = re.compile(rb"[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]*\*")
_OF = re.compile(rb"\.torch\b")
_WORD_BEFORE = re.compile(rb"\w+\Z")
_FROM = re.compile(rb"from[ \t]+([.\w]{1,99})[ \t]+import[ \t]+(?:\([^)]{0,999}|[\w, ]{0,999},[ \t]*)?\btorch\b")
_LONGEST = 99  # characters of a name before `.torch`


def idioms(data: bytes, name: str) -> frozenset[str]:
    """The idioms in a file's bytes. `name`: the last word of its module."""
    found = set()
    if any(word in data for word in _PACKS):
        found.add(PACKS)
    for star in _STAR.finditer(data) if b"import" in data else ():
        if match := _STARRED.match(data, data.rfind(b"\n", 0, star.start()) + 1):
            found.add(STARRED + _last(match[1], name))
    for module in _sources_of_torch(data) if b"torch" in data else ():
        found.add(TORCH_OF + _last(module, name))
    return frozenset(found)


def _sources_of_torch(data: bytes) -> Iterator[bytes]:
    """The modules and names that a file takes `torch` from."""
    for match in _OF.finditer(data):
        if before := _WORD_BEFORE.search(data, max(0, match.start() - _LONGEST), match.start()):
            yield before[0]
    for match in _FROM.finditer(data):
        if not _WORD_BEFORE.search(data, max(0, match.start() - 1), match.start()):
            yield match[1]


def _last(module: bytes, name: str) -> str:
    """The last word of a module; `name` if it has none, as in `from . import`."""
    return module.rpartition(b".")[2].decode("ascii", "replace") or name
