"""Finds out whether a text may exchange values with other files: whether other files read a class's field that holds
the number of devices or a backend, or whether the text compares device strings with values of unknown origin."""

# Paths are strings here, because making a Path costs as much as reading a small file.
# ruff: noqa: PTH118
from __future__ import annotations

import ast
import os
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache

from ... import lazy_re
from ...facts.piece import parsed
from ...source import Span
from .callees import stamp_of, text_of

_VALUE = lazy_re.compile(r"\bdevice_count\b|nccl")
_READ = lazy_re.compile(r"\.([A-Za-z_]\w*)")
_CUDA = lazy_re.compile(r"cuda|nccl")
_TESTED = lazy_re.compile(r"([\w.]+)[ \t]*(?:[!=]=|\.startswith\(|(?:not[ \t]+)?in[ \t]*[\[({])[^\n=]*$")
_MOST = 4000  # maximum number of files in a folder and its subfolders that are searched for reads of a field


def readers(text: str, path: str, spans: Collection[Span], folder: str) -> Iterator[str]:
    """Yield the files below a folder that name CUDA and read one of these fields of classes in `text`: the fields whose
    value contains one of `spans`."""
    values = [span for span in spans if _VALUE.search(text, span.start, span.end)]
    fields = frozenset(_fields(text, values)) if values else frozenset()
    if fields:
        yield from _others(path, folder, lambda place, stamp: not fields.isdisjoint(_attributes(place, stamp)))


def tests_names(text: str, spans: Collection[Span]) -> bool:
    """Return whether one of the spans is a device string that the text compares with a value of unknown origin,
    `name.startswith("cuda")`."""
    return any(_tests_name(text, span.start) for span in spans)


def _others(path: str, folder: str, holds: Callable[[str, tuple[int, int]], bool]) -> Iterator[str]:
    """Yield the files below a folder, except the one at `path`, for which `holds` returns True. The arguments of
    `holds` are a file's path and the result of `stamp_of` for it."""
    for place in _files(folder):
        stamp = stamp_of(place)
        if place != path and stamp is not None and holds(place, stamp):
            yield place


def _tests_name(text: str, at: int) -> bool:
    """Return whether a string at an offset is compared with something else than the `type` of a device."""
    match = _TESTED.search(text, text.rfind("\n", 0, at) + 1, at) if text[at : at + 1] in ("'", '"') else None
    return match is not None and match[1].rpartition(".")[2] != "type"


def _fields(text: str, spans: Collection[Span]) -> Iterator[str]:
    """Yield the names of class fields to which a value is assigned that contains one of the spans."""
    lines = {text.count("\n", 0, span.start) + 1 for span in spans}
    tree = parsed(text)
    for node in ast.walk(tree) if tree is not None else ():
        for field in node.body if isinstance(node, ast.ClassDef) else ():
            target = field.targets[0] if isinstance(field, ast.Assign) else getattr(field, "target", None)
            if isinstance(field, (ast.Assign, ast.AnnAssign)) and isinstance(target, ast.Name):
                if not lines.isdisjoint(range(field.lineno, (field.end_lineno or field.lineno) + 1)):
                    yield target.id


def _files(folder: str) -> Iterator[str]:
    left = _MOST
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        every = [os.path.join(place, name) for name in sorted(names) if name.endswith(".py")]
        yield from every[:left]
        left -= len(every)
        if left <= 0:
            return


@lru_cache(maxsize=_MOST)
def _attributes(path: str, _version: tuple[int, int]) -> frozenset[str]:
    """Return the names of all attributes in a file; an empty set if the file contains neither `cuda` nor `nccl`."""
    text = text_of(path) or ""
    return frozenset(_READ.findall(text)) if _CUDA.search(text) else frozenset()
