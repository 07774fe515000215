"""Searches a file for code that limits how other files of a portable project may be fixed."""

from __future__ import annotations

from collections.abc import Iterator

from uncuda import lazy_re
from uncuda.byte_search import contains, contains_any

PACKS, STARRED, TORCH_OF, NAMES = "packed sequences", "* of ", "torch of ", "names cuda in "
"""Each string that `idioms` returns begins with `PACKS`, `STARRED`, `TORCH_OF` or `NAMES`.
`PACKS`, with nothing after it: the file creates packed sequences.
`STARRED + MODULE`: the file imports `*` from a module; MODULE is the last part of the module's name.
`TORCH_OF + MODULE`: the file imports `torch` from a module; MODULE is the last part of the module's name.
`NAMES + PATH`: the file assigns "cuda" to a name that contains `device` (`device: str = "cuda"`), and does not contain
the word `torch`; PATH is the file's own path."""
# `_STAR`, `_OF` and `_FROM` begin with fixed text, because a search of a whole file for fixed text is fast
_PACKS = (b"PackedSequence", b"pack_padded_sequence", b"pack_sequence")
_STAR = lazy_re.compile(rb"import[ \t]*\*")
_STARRED = lazy_re.compile(rb"[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]*\*")
_OF = lazy_re.compile(rb"\.torch\b")
_WORD_BEFORE = lazy_re.compile(rb"\w+\Z")
_FROM = lazy_re.compile(rb"from[ \t]+([.\w]{1,99})[ \t]+import[ \t]+(?:\([^)]{0,999}|[\w, ]{0,999},[ \t]*)?\btorch\b")
_CUDA = lazy_re.compile(rb"""["']cuda(?::\d+)?["']""")
_APART = lazy_re.compile(rb"[=\n,()]")
_NAMED = lazy_re.compile(rb"""(?<!\w)(\w+)["']?[ \t]*(?=:|\Z)""")
_LONGEST = 99  # maximum number of characters of a name before `.torch`
_WIDEST = 300  # maximum number of characters between the beginning of a name with `device` and the value "cuda"


def idioms(data: bytes, name: str, path: str) -> frozenset[str]:
    """Return the facts about a file with these bytes: strings that begin with PACKS, STARRED, TORCH_OF or NAMES.
    `name`: the last part of the file's own module name."""
    found = set()
    if contains_any(data, _PACKS):
        found.add(PACKS)
    for star in _STAR.finditer(data) if contains(data, b"import") else ():
        if match := _STARRED.match(data, data.rfind(b"\n", 0, star.start()) + 1):
            found.add(STARRED + _last(match[1], name))
    for module in _sources_of_torch(data) if contains(data, b"torch") else ():
        found.add(TORCH_OF + _last(module, name))
    if path.endswith(".py") and contains(data, b"cuda") and not contains(data, b"torch") and _gives_cuda(data):
        found.add(NAMES + path)
    return frozenset(found)


def _sources_of_torch(data: bytes) -> Iterator[bytes]:
    """Yield the modules from which a file takes `torch`: `m` for `from m import torch` and for `m.torch`."""
    for match in _OF.finditer(data):
        if before := _WORD_BEFORE.search(data, max(0, match.start() - _LONGEST), match.start()):
            yield before[0]
    for match in _FROM.finditer(data):
        if not _WORD_BEFORE.search(data, max(0, match.start() - 1), match.start()):
            yield match[1]


def _gives_cuda(data: bytes) -> bool:
    """Return whether a file gives the value "cuda" to a name with `device` in it: `device: str = "cuda"`."""
    for match in _CUDA.finditer(data):
        before = data[max(0, match.start() - _WIDEST) : match.start()].rstrip(b" \t")
        if before.endswith((b"=", b":")):
            target = _APART.split(before[:-1])[-1]
            if any(b"device" in name[1] for name in _NAMED.finditer(target)):
                return True
    return False


def _last(module: bytes, name: str) -> str:
    """Return the last part of the dotted name `module`; if `module` is only dots, as in `from . import x`, return
    `name`."""
    return module.rpartition(b".")[2].decode("ascii", "replace") or name
