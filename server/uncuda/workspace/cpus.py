"""Decides how many processes read files in parallel, and which files each of them gets at a time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from .discover import File

T = TypeVar("T")

_LOOK, _CHECK = 15_000_000, 3_000_000
"""Bytes of Python files for each process: `_LOOK` while files are searched for words that rules look for, `_CHECK`
while files are checked. With fewer bytes per process, an additional process costs more CPU time than it saves."""
_BATCHES = 24
"""The number of batches into which the work of one process is divided, so that all processes finish at about the same
time."""
_LEAST, _MOST = 20_000, 400_000  # minimum and maximum bytes in a batch
_FILE = 2_000  # opening a file costs as much as reading this number of bytes
_HIGHEST = 16  # maximum number of processes that are started by default


def sizes_of(files: Iterable[File]) -> list[int]:
    """The sizes of files in bytes; 0 for a file that was deleted."""
    sizes = []
    for file in files:
        size = 0
        with suppress(OSError, ValueError):
            size = os.stat(file.path).st_size  # noqa: PTH116 to make a Path costs more
        sizes.append(size)
    return sizes


def wanted_for(files: Sequence[File]) -> int | None:
    """Return the number of processes that the settings of these files request, at most one for each CPU; None for the
    default."""
    wanted = files[0].settings.workers if files else 1
    return wanted and min(wanted, processors())


def number_for(sizes: Sequence[int], wanted: int | None, looked: bool) -> int:
    """Return how many worker processes to start for files of these sizes; 1: only this process works.

    `wanted`: the number that the user requests, None for the default. `looked`: whether all files were already searched
    for the words that rules look for, so that only files which may have findings are left.
    """
    if wanted is not None:
        return max(1, min(wanted, len(sizes)))
    share = sum(sizes) // (_CHECK if looked else _LOOK)
    return min(processors(), share, len(sizes), _HIGHEST) if share > 1 else 1


def batches_of(parts: Sequence[T], sizes: Sequence[int], number: int) -> list[list[T]]:
    """Split `parts` into batches of about equal size, in order, for `number` processes. `sizes`: for each element of
    `parts`, the size of its file in bytes."""
    weights = [_FILE + size for size in sizes]
    most = max(_LEAST, min(_MOST, sum(weights) // (number * _BATCHES)))
    batches: list[list[T]] = [[]]
    filled = 0
    for part, weight in zip(parts, weights, strict=True):
        if batches[-1] and filled + weight > most:
            batches.append([])
            filled = 0
        batches[-1].append(part)
        filled += weight
    return batches if parts else []


def processors() -> int:
    """The number of CPUs that this process may use."""
    if hasattr(os, "process_cpu_count"):  # exists since Python 3.13
        number = os.process_cpu_count()
    elif hasattr(os, "sched_getaffinity"):
        number = len(os.sched_getaffinity(0))
    else:
        number = os.cpu_count()
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text("ascii").split()  # the CPU limit of a container
        number = min(number or 1, max(1, int(quota) // int(period)))
    except (OSError, ValueError):
        pass  # there is no limit, or this file does not contain it
    return number or 1
