"""What a running process and those below it have used, from /proc."""

import os
from pathlib import Path
from typing import NamedTuple

_TICK = os.sysconf("SC_CLK_TCK")
_PROC = Path("/proc")


class Usage(NamedTuple):
    """CPU seconds of a process, of its children, and of those that have ended; the MiB of the process, and of all."""

    cpu: float
    mebibytes: float
    all_mebibytes: float


def usage(pid: int) -> Usage:
    """What a process has used so far."""
    children: dict[int, list[int]] = {}
    for entry in _PROC.iterdir():
        if entry.name.isdigit() and (fields := _stat(entry)):
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    ticks, held, below = 0, [], [pid]
    while below:
        process = below.pop()
        below += children.get(process, [])
        fields = _stat(_PROC / str(process))
        ticks += sum(map(int, fields[11:15]))  # user, system, and both of children that have ended
        held.append(_memory(process))
    return Usage(ticks / _TICK, held[0], sum(held))


def _stat(entry: Path) -> list[str]:
    """The fields of /proc/PID/stat after the command's name; empty if the process has ended."""
    try:
        return (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _memory(process: int) -> float:
    try:
        status = (_PROC / str(process) / "status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0.0
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024 if "VmRSS:" in status else 0.0
