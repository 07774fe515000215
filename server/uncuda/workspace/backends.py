"""Recognises modules that exist once for each accelerator, by file names that differ only in the device."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from uncuda import lazy_re
from uncuda.checks.families import OTHERS

_PART = lazy_re.compile(r"(?<![a-z])(?:cuda|nccl|gpu)(?![a-z])")


_BASES = ("base", "abstract", "default", "interface")
_APART = frozenset(
    {"test", "tests", "testing", "doc", "docs", "example", "examples", "third_party", "thirdparty", "3rdparty",
     "vendor", "vendored", "_vendor", "external", "extern", "benchmark", "benchmarks"}
)  # fmt: skip
_AROUND = 4  # `is_apart` looks at the names of this many folders above a file
_CUDA, _CPU = "cuda", "cpu"
_DEVICES = frozenset(OTHERS) - {_CPU}
_NVIDIA, _AMD = "nvidia", "amd"
# sibling folders with these names are for CUDA and ROCm
_MADE = lazy_re.compile(rf"(?:(.*)[/\\])?({_NVIDIA}|{_AMD})[/\\]")


class Families(NamedTuple):
    """`neutral`: paths of modules for other accelerators, and of base modules such as `base.py`. `lacking`:
    (target, path) of CUDA modules without a corresponding module for the target. `serving`: whether the project
    supports accelerators other than GPUs."""

    neutral: frozenset[str]
    lacking: frozenset[tuple[str, str]]
    serving: bool


def is_apart(path: str) -> bool:
    """Return whether a file does not show which devices a project supports: tests, documentation, third-party code."""
    folders = path.replace(os.sep, "/").split("/")[-1 - _AROUND :]
    return not _APART.isdisjoint(folders[:-1]) or folders[-1].startswith(("test_", "conftest"))


class ByName:
    """The accelerators that a project supports, according to the names of its modules. `devices`: the device name of
    each target."""

    def __init__(self, devices: Mapping[str, str]) -> None:
        self._devices = {device: target for target, device in devices.items() if device}
        either = "|".join(sorted(map(re.escape, {_CUDA, *OTHERS, *self._devices, *_BASES}), key=len, reverse=True))
        self._word = re.compile(rf"(?<![a-z])(?:{either})(?![a-z])")

    def tells(self, path: str) -> bool:
        """Return True if the name of a module's file may show that the module is for one accelerator, or is the common
        base of such modules, as `base.py` and `interface.py` are."""
        return path.endswith(".py") and (self._word.search(_end_of(path)) is not None or _MADE.match(path) is not None)

    def families(self, paths: Iterable[str]) -> Families:
        """Groups of modules or folders whose names differ only in the accelerator; `base.py` may belong to a group.

        Three modules form a group if the first is for CUDA, and the second for another accelerator (not the CPU); the
        third may be a base module, such as `base.py`, or a module for any other device, even the CPU. Two modules for
        different accelerators, neither of them CUDA, are a group even if no third module exists: `xpu/build.py` beside
        `hpu/build.py`. If a folder has the subfolders `nvidia` and `amd`, the modules in these two subfolders also form
        a group. If a folder has a subfolder `nvidia` but no subfolder `amd`, and a folder beside it has both, the
        modules in this subfolder `nvidia` form a group of their own.
        """
        groups: dict[str, dict[str, str]] = {}
        made: dict[str, dict[str, list[str]]] = {}
        for path in paths:
            if not self.tells(path) or is_apart(path):
                continue
            if (found := _MADE.match(path)) is not None:
                made.setdefault(found[1] or "", {}).setdefault(found[2], []).append(path)
            end = _end_of(path)
            for match in self._word.finditer(end):
                key = f"{path[: len(path) - len(end)]}{end[: match.start()]}*{end[match.end() :]}"
                groups.setdefault(key, {})[match[0]] = path
        neutral: set[str] = set()
        theirs: set[str] = set()
        lacking: set[tuple[str, str]] = set()
        for members in groups.values():
            devices = members.keys() - set(_BASES)
            if _CUDA in devices and devices - {_CUDA, _CPU} and len(members) > 2:
                neutral.update(path for device, path in members.items() if device != _CUDA)
                absent = (target for device, target in self._devices.items() if device not in devices)
                lacking.update((target, members[_CUDA]) for target in absent)
            others = devices & _DEVICES
            if len(others) > 1 or (others and self._devices.keys() & devices):
                theirs.update(members[device] for device in others)
        serving = bool(neutral)
        chosen = {os.path.split(folder)[0] for folder, makers in made.items() if len(makers) > 1}
        for folder, makers in made.items():
            nvidias = sorted(makers.get(_NVIDIA, ()))
            # the modules in the subfolder `nvidia` of `folder` form a group if `folder`, or a sibling of `folder`, has
            # both subfolders `nvidia` and `amd`
            if nvidias and os.path.split(folder)[0] in chosen:
                neutral.update(nvidias[1:], makers.get(_AMD, ()))
                # that a module for the target is missing is reported at the first of the modules in `nvidia`
                lacking.update((target, nvidias[0]) for target in self._devices.values())
        return Families(frozenset(neutral | theirs), frozenset(lacking), serving)


def _end_of(path: str) -> str:
    """Return the last two parts of a path: folder and file name."""
    return path[path.rfind(os.sep, 0, max(0, path.rfind(os.sep))) + 1 :]


def neighbours(path: str) -> list[str]:
    """Return all paths in a file's folder if the file has "cuda" in its name; otherwise an empty list."""
    folder, name = os.path.split(path)
    if not _PART.search(name):
        return []
    try:
        return [os.path.join(folder, other) for other in os.listdir(folder or os.curdir)]  # noqa: PTH118, PTH208
    except OSError:
        return []


def cudas_own(paths: Iterable[str], words: Mapping[str, tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """(target, path) of CUDA modules with a sibling for the target, such as `cuda_ops.py` beside `npu_ops.py`.

    `words` maps each target to the names of its device and of its collective library.
    """
    said = {word: (target, names) for target, (device, ccl) in words.items() for word, names in
            ((device, ("cuda", "gpu")), (ccl, ("nccl",))) if word}  # fmt: skip
    either = "|".join(map(re.escape, sorted(said)))
    part = re.compile(rf"(?<![a-z])(?:{either})(?![a-z])")
    found = set()
    for path in paths if said else ():
        folder, name = os.path.split(path)
        for match in part.finditer(name) if any(word in name for word in said) else ():
            target, names = said[match[0]]
            twins = (f"{name[: match.start()]}{other}{name[match.end() :]}" for other in names)
            found |= {(target, os.path.join(folder, twin)) for twin in twins}  # noqa: PTH118
    return frozenset(found)
