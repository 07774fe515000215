"""Finds files that give a device, or an answer for CUDA, which they got from elsewhere to a library with devices of its
own, as in `WhisperModel(size, device=device)` of faster-whisper."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from uncuda import lazy_re
from uncuda.module_names import imported_from, module_at

from .calls import FROM, NAMED

# a variable or attribute whose name says that it is a device, but not an attribute of one: `x.device`
_GIVEN = rb"\bdevice[ \t]*=[ \t]*(?:(?:self|args|cfg|config|opts?)\.)?\w*device\b(?![ \t]*[.(\[=])"
_MOST = 2000  # the maximum number of characters between the name of the called object and its device
_FEW = 8  # the maximum number of names for each of which the file is searched
_CALL, _PART = lazy_re.compile(rb"(?:\.\w+)*\("), lazy_re.compile(rb"[\w.]")
_ARGUMENT = lazy_re.compile(_GIVEN)
# a function that is called for such an argument
_ANSWER = lazy_re.compile(rb"\b(?:device|cuda|gpu|use_cuda|use_gpu)[ \t]*=[ \t]*(?:not[ \t]+)?(\w+)\(")


GIVES = b"cuda="
"""Of the files in which no rule finds anything, only those with these words are searched: they may give an answer."""


class Given(NamedTuple):
    """What a file gives to libraries with devices of their own. `libraries`: those that get a device from elsewhere,
    each as "MODULE\\nLIBRARY" with the module; `makers`: the dotted names of the functions of other modules whose
    results such a library gets: `calculate_metrics(cuda=is_cuda_available())`."""

    libraries: frozenset[str] = frozenset()
    makers: frozenset[str] = frozenset()


NOTHING = Given()


class GivenDevices:
    """Finds calls of some libraries with a device from elsewhere. `libraries`: the names of packages."""

    def __init__(self, libraries: Collection[str]) -> None:
        self._roots = frozenset(name.encode() for name in libraries)
        roots = "|".join(sorted(map(re.escape, libraries)))
        # each pattern begins with a literal, which is fast to search for
        self._from = lazy_re.compile(rf"from ({roots})\b[\w.]*[ \t]+import[ \t]*(\([^)]{{0,4000}}\)|[^\n]*)".encode())
        self._plain = lazy_re.compile(rf"import ({roots})\b[\w.]*(?:[ \t]+as[ \t]+(\w+))?".encode())

    def of(self, data: bytes, path: str, roots: Collection[bytes]) -> Given:
        """Return what a file gives to such libraries. `roots`: the result of `import_roots` for the file."""
        if self._roots.isdisjoint(roots):
            return NOTHING
        calls = list(_calls(dict(self._names(data)), data))
        called = {match[1] for _, call in calls for match in _ANSWER.finditer(data, *call)}
        makers = (
            f"{imported_from(match[1].decode(), path)}.{one[1].decode()}"
            for match in (FROM.finditer(data) if called else ())
            for one in NAMED.finditer(match[2])
            if (one[2] or one[1]) in called
        )
        given = {library for library, call in calls if _ARGUMENT.search(data, *call)}
        module = module_at(path) if given else ""
        return Given(frozenset(f"{module}\n{library}" for library in given), frozenset(makers))

    def _names(self, data: bytes) -> Iterator[tuple[bytes, str]]:
        """Yield each name that the file imports from such a library, and the library."""
        for match in self._from.finditer(data):
            yield from ((one[2] or one[1], match[1].decode()) for one in NAMED.finditer(match[2]))
        for match in self._plain.finditer(data):
            yield match[2] or match[1], match[1].decode()


def _calls(names: Mapping[bytes, str], data: bytes) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the library, and the span of the arguments, of each call of an imported name, or of a name in it. `names`:
    the imported names, each with its library."""
    if len(names) > _FEW:
        either = b"|".join(map(re.escape, names))
        for match in re.finditer(rb"(?<![\w.])(%b)(?:\.\w+)*\(" % either, data):
            yield names[match[1]], (match.end(), _closing(data, match.end()))
        return
    for name, library in names.items():
        at = data.find(name)  # many times as fast as a pattern
        while at >= 0:
            end = at + len(name)
            if (call := _CALL.match(data, end)) and not _PART.match(data, at - 1, at):
                yield library, (call.end(), _closing(data, call.end()))
            at = data.find(name, end)


def _closing(data: bytes, start: int) -> int:
    """Return where the call whose arguments begin at `start` ends."""
    depth = 1
    for match in re.finditer(rb"[()]", data[start : start + _MOST]):
        depth += 1 if match[0] == b"(" else -1
        if not depth:
            return start + match.start()
    return start
