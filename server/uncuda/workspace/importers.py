"""Finds modules of a project that import a library which takes tensors and graphs only on CUDA and on the CPU, or a
gradient scaler that is CUDA's. Code that imports such a module hands it the objects for the library."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from uncuda import lazy_re
from uncuda.byte_search import contains
from uncuda.module_names import imported_from, module_at
from uncuda.project import SCALERS

from .calls import FROM, NAMED


class Importers:
    """Finds the imports of some libraries. `libraries`: the dotted names of modules, and of functions in them."""

    def __init__(self, libraries: Collection[str]) -> None:
        self._libraries = frozenset(libraries) | SCALERS
        names = sorted({name.partition(".")[0] for name in self._libraries})
        self._roots = frozenset(name.encode() for name in names)
        roots = "|".join(map(re.escape, names))
        # the pattern begins with a line break, which is fast to search for
        pattern = rf"\n(?:from[ \t]+((?:{roots})\b[\w.]*)[ \t]+import[ \t]*(\([^)]{{0,4000}}\)|[^\n]*)"
        others = r"(?:[\w.]+(?:[ \t]+as[ \t]+\w+)?[ \t]*,[ \t]*){0,20}"
        self._import = lazy_re.compile(rf"{pattern}|import[ \t]+{others}((?:{roots})\b[\w.]*))".encode())

    def of(self, data: bytes, path: str, roots: Collection[bytes]) -> frozenset[str]:
        """Return "MODULE\\nLIBRARY" for each library that a file that names torch imports outside of all blocks.
        `roots`: the result of `import_roots` for the file."""
        if self._roots.isdisjoint(roots) or not contains(data, b"torch"):
            return frozenset()
        found = set(self._imported(b"\n" + data))
        module = module_at(path) if found else ""
        return frozenset(f"{module}\n{name}" for name in found if module)

    def _imported(self, data: bytes) -> Iterator[str]:
        for match in self._import.finditer(data):
            module = (match[1] or match[3]).decode()
            names = [one[1].decode() for one in NAMED.finditer(match[2])] if match[1] else []
            dotted = [module, *(f"{module}.{name}" for name in names)]
            yield from (one for name in dotted for one in _prefixes(name) if one in self._libraries)


def device_makers(data: bytes, path: str, users: Collection[str]) -> frozenset[str]:
    """Return the dotted names of the functions of other modules that may make the devices of a file: the file imports
    them by a name such as `get_device`, outside of all blocks. `users`: the result of `Importers.of` for this file;
    without such a library, the result is empty."""
    if all(user_and_library(user)[1] in SCALERS for user in users) or not contains(data, b"_device"):
        return frozenset()
    found = (
        f"{imported_from(match[1].decode(), path)}.{one[1].decode()}"
        for match in FROM.finditer(data)
        if data[match.start() - 1 : match.start()] in (b"", b"\n") and not match[1].startswith(b"torch.")
        for one in NAMED.finditer(match[2])
        if b"_device" in one[1]
    )
    return frozenset(found)


def user_and_library(user: str) -> tuple[str, str]:
    """Return the module and the library in an item of the result of `Importers.of`."""
    module, _, library = user.partition("\n")
    return module, library


def _prefixes(name: str) -> Iterator[str]:
    parts = name.split(".")
    return (".".join(parts[:size]) for size in range(1, len(parts) + 1))
