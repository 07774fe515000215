"""Modules that are CUDA's own: beside them stands one of the same name that is the target's."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

_PART = re.compile(r"(?<![a-z])(?:cuda|nccl|gpu)(?![a-z])")


def neighbours(path: str) -> list[str]:
    """The paths in the folder of a file whose name says CUDA; none for other files."""
    folder, name = os.path.split(path)
    if not _PART.search(name):
        return []
    try:
        return [os.path.join(folder, other) for other in os.listdir(folder or os.curdir)]  # noqa: PTH118, PTH208
    except OSError:
        return []


def cudas_own(paths: Iterable[str], words: Mapping[str, tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """(target, path) of the modules beside which a path is the target's: `cuda_ops.py` where there is one for it.

    `words`: of each target the names of its device and of its collective library.
    """
    said = {word: (target, names) for target, (device, ccl) in words.items() for word, names in
            ((device, ("cuda", "gpu")), (ccl, ("nccl",))) if word}  # fmt: skip
    either = "|".join(map(re.escape, sorted(said)))
    part = re.compile(rf"(?<![a-z])(?:{either})(?![a-z])")
    found = set()
    for path in paths if said else ():
        folder, name = os.path.split(path)
        for match in part.finditer(name):
            target, names = said[match[0]]
            twins = (f"{name[: match.start()]}{other}{name[match.end() :]}" for other in names)
            found |= {(target, os.path.join(folder, twin)) for twin in twins}  # noqa: PTH118
    return frozenset(found)
