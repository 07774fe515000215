"""Finds imports that fail on accelerators other than CUDA, because the imported file of the project imports an
extension for CUDA."""

from __future__ import annotations

import re

from ... import lazy_re
from ...checks.base import Context
from ..relations.kernels import Libraries
from .callees import imported, read_module
from .module_files import file_of

_IMPORT = lazy_re.compile(r"^[ \t]*(?:from|import)[ \t]", re.M)
_FAR = 2  # how many files an import is followed through: a package's `__init__.py` and a module that it imports


def imports_extension(context: Context, start: int, end: int, libraries: Libraries) -> bool:
    """Return whether code in a span of a text imports a file of the project that cannot be imported without an
    extension for CUDA."""
    facts = context.facts
    facts.work.search(start, end)
    for match in _IMPORT.finditer(context.text, start, end):
        statement = facts.peek(match.end())
        named = imported(statement.digest.piece.nodes) if statement is not None else ()
        if any(_needs(context.path, module, name, libraries) for module, name in named):
            return True
    return False


def _needs(path: str, module: str, name: str, libraries: Libraries, far: int = _FAR) -> bool:
    """Return whether an import loads a file of the project that imports an extension, directly or through another
    file."""
    if not path or not far:
        return False
    submodule = f"{module}{name}" if module.endswith(".") else f"{module}.{name}"
    for place in dict.fromkeys((file_of(path, module), file_of(path, submodule) if name else None)):
        if place is None or place == path or (read := read_module(place)) is None:
            continue
        for other, part in read.imported:
            if _is_extension(other, part, libraries) or _needs(place, other, part, libraries, far - 1):
                return True
    return False


def _is_extension(module: str, name: str, libraries: Libraries) -> bool:
    words = module.lstrip(".")
    dotted = f"{words}.{name}" if words and name else words or name
    return libraries.are_cuda(dotted, relative=words != module)
