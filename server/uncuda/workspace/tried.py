"""What one file of a project imports from another where it can, and goes on without: `try: from pkg.fast import f`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

_SAYS = (b"ImportError", b"ModuleNotFoundError", b"AVAILABLE")
# It begins with a literal, which is fast to search for.
_IMPORT = re.compile(
    rb"\n([ \t]*)(?:(try)[ \t]*:|if[ \t]+\w*AVAILABLE\w*[ \t]*:)[^\S\n]*\n"
    rb"[ \t]+from[ \t]+(\.*)([A-Za-z_][\w.]*)[ \t]+import[ \t]*\(?\s*(\w+)"
)
_FAR = 4000  # characters in which a `try` must catch the missing module
_CATCHES = rb"\n%b(?:except)\b([^\n]*):[^\S\n]*(?:#[^\n]*)?\n[ \t]+(\w+)"
_CAUGHT = re.compile(rb"\A[^\S\n]*\Z|ImportError|ModuleNotFoundError|\bException\b")


def tried(data: bytes, path: str) -> frozenset[str]:
    """The dotted names, each with its module's, that a file imports first in such a block from its own package."""
    return frozenset(_tried(b"\n" + data, PurePath(path))) if any(word in data for word in _SAYS) else frozenset()


def _tried(data: bytes, path: PurePath) -> Iterator[str]:
    for match in _IMPORT.finditer(data):
        indent, is_try, dots, module, name = match.groups()
        dotted = _dotted(len(dots), module.decode(), path)
        if dotted and (not is_try or _goes_on(data, match.end(), indent)):
            yield f"{dotted}.{name.decode()}"


def _dotted(dots: int, module: str, path: PurePath) -> str:
    """The dotted name of a module, as far as the file's path shows it; "" for one of another package."""
    folders = path.parts[:-1]
    if not dots:
        return module if module.partition(".")[0] in folders and "." in module else ""
    above = folders[: len(folders) - dots + 1]
    return ".".join([*above[-2:], module]) if above else ""


def _goes_on(data: bytes, at: int, indent: bytes) -> bool:
    """Whether the first handler of a `try` catches the missing module and does not raise."""
    handler = re.compile(_CATCHES % re.escape(indent)).search(data, at, at + _FAR)
    return handler is not None and _CAUGHT.search(handler[1]) is not None and handler[2] != b"raise"
