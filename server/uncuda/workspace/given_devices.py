"""Finds files that give a device which they got from elsewhere to a library with devices of its own, as in
`WhisperModel(size, device=device)` of faster-whisper."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from uncuda import lazy_re
from uncuda.byte_search import contains

from .calls import NAMED

# a variable or attribute whose name says that it is a device, but not an attribute of one: `x.device`
_GIVEN = rb"\bdevice[ \t]*=[ \t]*(?:(?:self|args|cfg|config|opts?)\.)?\w*device\b(?![ \t]*[.(\[=])"
_MOST = 2000  # the maximum number of characters between the name of the called object and its device
_ARGUMENT = re.compile(_GIVEN)


class GivenDevices:
    """Finds calls of some libraries with a device from elsewhere. `libraries`: the names of packages."""

    def __init__(self, libraries: Collection[str]) -> None:
        roots = "|".join(sorted(map(re.escape, libraries)))
        names = r"[ \t]+import[ \t]*(\([^)]{0,4000}\)|[^\n]*)"
        # the pattern begins with a line break, which is fast to search for
        pattern = (
            rf"\n[ \t]*(?:from[ \t]+({roots})\b[\w.]*{names}|import[ \t]+({roots})\b[\w.]*(?:[ \t]+as[ \t]+(\w+))?)"
        )
        self._import = lazy_re.compile(pattern.encode())
        self._any = bool(roots)

    def of(self, data: bytes) -> frozenset[str]:
        """Return the libraries to which a file gives such a device."""
        if not self._any or not contains(data, b"device") or not contains(data, b"import"):
            return frozenset()
        return frozenset(library for name, library in self._names(b"\n" + data) if _gives(name, data))

    def _names(self, data: bytes) -> Iterator[tuple[bytes, str]]:
        """Yield each name that the file imports from such a library, and the library."""
        for match in self._import.finditer(data):
            if match[3]:
                yield match[4] or match[3], match[3].decode()
            else:
                yield from ((one[2] or one[1], match[1].decode()) for one in NAMED.finditer(match[2]))


def _gives(name: bytes, data: bytes) -> bool:
    """Return whether a call of an imported name gets such a device."""
    for call in re.finditer(rb"(?<![\w.])%b(?:\.\w+)*\(" % re.escape(name), data):
        end = _closing(data, call.end())
        if _ARGUMENT.search(data, call.end(), end):
            return True
    return False


def _closing(data: bytes, start: int) -> int:
    """Return where the call whose arguments begin at `start` ends."""
    depth = 1
    for match in re.finditer(rb"[()]", data[start : start + _MOST]):
        depth += 1 if match[0] == b"(" else -1
        if not depth:
            return start + match.start()
    return start
