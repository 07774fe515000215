"""Finds conditions in a build script that decide how CUDA's toolkit compiles an extension: `if not
torch.cuda.is_available(): os.environ["TORCH_CUDA_ARCH_LIST"] = "8.0"`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from ...checks import Hit
from ...checks.branches import Branches
from .kernels import BUILDER
from .questions import Questions

_BUILDING, _EXTENSION = "torch.utils.cpp_extension.", "cpp_extension"
_SETUP = "setup.py"
_COMPILES = ("nvcc", "NVCC", "include_paths(")


def over_toolkit(hits: Sequence[Hit], questions: Questions, branches: Branches) -> Iterator[int]:
    """Yield the indices of conditions that guard code about CUDA's toolkit in a file that builds an extension for CUDA,
    if no fix changes this code. No fix ports the extension, so its build must not ask for another accelerator. Both
    branches of a condition count: a build script may also cross-compile where it finds no device. In a `setup.py` that
    builds extensions, and in a file that calls CUDA's compiler for one, or asks for the paths of CUDA's headers, and
    moves nothing to a device, every question counts."""
    moves = any(hit.rule.check in ("method", "string") for hit in hits)
    builds = PurePath(branches.path).name == _SETUP or any(map(branches.says, _COMPILES))
    if branches.says(_EXTENSION) and builds and not moves:
        yield from (index for index in questions if hits[index].rule.check == "name")
    if not any(hit.words.get("name") == BUILDER for hit in hits):
        return
    starts = sorted(hit.start for hit in hits if not hit.fixes and _is_of_toolkit(hit))
    for start in questions.conditions if starts else ():
        header = branches.indents.header_at(start)
        last = branches.indents.clauses(header)[-1] if header.word in ("if", "elif") else header
        at = bisect_left(starts, header.end)
        if at < len(starts) and starts[at] < branches.indents.extent(last.start):
            yield from questions.of(header)


def _is_of_toolkit(hit: Hit) -> bool:
    """Return whether a hit is a path or an environment variable of CUDA's toolkit."""
    name = hit.words.get("name", "")
    return hit.rule.check == "environment" or (name.startswith(_BUILDING) and name != BUILDER)
