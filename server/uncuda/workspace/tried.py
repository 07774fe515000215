"""Finds optional imports between files of a project, i.e. imports whose failure the importing file handles, as in
`try: from pkg.fast import f`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from uncuda import lazy_re
from uncuda.byte_search import contains, contains_any

_SAYS = (b"ImportError", b"ModuleNotFoundError", b"AVAILABLE")
# The patterns begin with a literal, by which they are listed here.
_NAMES = rb"[ \t]*:[^\S\n]*\n[ \t]+from[ \t]+(\.*)([A-Za-z_][\w.]*)[ \t]+import[ \t]*\(?\s*(\w+)"
_IMPORTS = {b"try": lazy_re.compile(rb"try" + _NAMES), b"AVAILABLE": lazy_re.compile(rb"AVAILABLE\w*" + _NAMES)}
_BEFORE = lazy_re.compile(rb"([ \t]*)(?:(try)|if[ \t]+\w*AVAILABLE)")
_FAR = 4000  # maximum number of characters between the import and the `except` that handles its failure
_CATCHES = rb"\n%b(?:except)\b([^\n]*):[^\S\n]*(?:#[^\n]*)?\n[ \t]+(\w+)"
_CAUGHT = lazy_re.compile(rb"\A[^\S\n]*\Z|ImportError|ModuleNotFoundError|\bException\b")


def tried(data: bytes, path: str) -> frozenset[str]:
    """Return what a file optionally imports from its own package, as dotted names of the module and the first imported
    name: `pkg.fast.f` for `try: from pkg.fast import f, g`."""
    return frozenset(_tried(data, path)) if contains_any(data, _SAYS) else frozenset()


def _matches(data: bytes) -> Iterator[re.Match[bytes]]:
    """Yield the imports that may be optional. `find` is many times as fast as a pattern at finding a word."""
    for start, pattern in _IMPORTS.items():
        at = data.find(start) if contains(data, start) else -1
        while at >= 0:
            if match := pattern.match(data, at):
                yield match
            at = data.find(start, at + 1)


def _tried(data: bytes, path: str) -> Iterator[str]:
    for match in _matches(data):
        line = data.rfind(b"\n", 0, match.start()) + 1
        before = _BEFORE.match(data, line)
        if before is None or before.end() < match.start():
            continue
        dots, module, name = match.groups()
        dotted = _dotted(len(dots), module.decode(), PurePath(path))
        if dotted and (not before[2] or _goes_on(data, match.end(), before[1])):
            yield f"{dotted}.{name.decode()}"


def _dotted(dots: int, module: str, path: PurePath) -> str:
    """Return the dotted name of an imported module. For a relative import, it begins with at most two folders of the
    file's path. For an absolute import, it is "" if no folder of the file's path has the name of the package."""
    folders = path.parts[:-1]
    if not dots:
        return module if module.partition(".")[0] in folders and "." in module else ""
    above = folders[: len(folders) - dots + 1]
    return ".".join([*above[-2:], module]) if above else ""


def _goes_on(data: bytes, at: int, indent: bytes) -> bool:
    """Return whether the first `except` clause of a `try` catches the failed import and does not raise."""
    handler = re.compile(_CATCHES % re.escape(indent)).search(data, at, at + _FAR)
    return handler is not None and _CAUGHT.search(handler[1]) is not None and handler[2] != b"raise"
