"""Reads a tree of Python files before and after a fix and reports what is half-ported."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping

from . import filters, kits, patches, places, statements, values
from .exceptions import is_excepted
from .module import Module
from .project import Project
from .questions import Questions
from .record import KINDS, Record
from .words import TARGETS

# Words of code that may use a device without naming one: compiled kernels, names replaced by `patch` or `setattr`.
LEADS = re.compile(r"cpp_extension|triton\.jit|\bpatch(?:\.\w+)?\(|\bsetattr\(['\"]")
# In a file that the fix did not change, device names in docstrings, comments and imports are ignored.
PROSE = re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"""|#[^\n]*|^ *(?:from \S+ )?import [^\n]*', re.M | re.S)


def witness(before: Mapping[str, str], after: Mapping[str, str], target: str) -> list[Record]:
    """Return the places that the fix left half-ported; both mappings map relative paths to the texts of Python files.

    Every report involves a device word that the fix wrote and one that it did not change; code that already named both
    CUDA and the target before the fix is not reported. Files that do not parse are skipped. Of several reports
    on one line, only that whose kind comes first in `KINDS` is returned.
    """
    if dict(before) == dict(after):
        return []
    best: dict[tuple[str, int], Record] = {}
    for item in _read(before, after, target):
        if is_excepted(item):
            continue
        place = (item.path, item.line)
        if place not in best or KINDS.index(item.kind) < KINDS.index(best[place].kind):
            best[place] = item
    return sorted(best.values())


def _read(before: Mapping[str, str], after: Mapping[str, str], target: str) -> Iterator[Record]:
    device = TARGETS[target]
    word = re.compile(rf"(?<![A-Za-z])(?:cuda|nccl|{device.device}|{device.ccl})", re.IGNORECASE)
    modules = []
    for path, text in sorted(after.items()):
        said = word.search(text) and (before.get(path) != text or word.search(PROSE.sub("", text)))
        if said or LEADS.search(text):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    modules.append(Module(path, before.get(path), text, device))
            except (SyntaxError, ValueError, RecursionError):
                continue
    project = Project(modules, after)
    questions = Questions(project)
    yield from questions.records()
    yield from filters.records(project)
    yield from values.records(project, questions.over_cuda)
    yield from kits.records(project)
    yield from statements.records(project)
    for module in modules:
        yield from places.positions(project, module)
    yield from places.imports(project, dict(after), device)
    yield from patches.records(project)
