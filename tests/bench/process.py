"""The CPU time and memory of a running process and its children, read from /proc."""

import contextlib
import os
import time
from pathlib import Path
from typing import NamedTuple

_TICK = os.sysconf("SC_CLK_TCK")
_PROC = Path("/proc")
# on Linux the id of the clock for a process's CPU time is (~pid << 3) | 2, which includes all its threads
_OF_PROCESS = 2


class Usage(NamedTuple):
    """The CPU seconds of a process, of its children, and of children that have ended; the memory in MiB of the process,
    and of all of them together."""

    cpu: float
    mebibytes: float
    all_mebibytes: float


def usage(pid: int) -> Usage:
    """The CPU time and memory that a process has used so far."""
    children: dict[int, list[int]] = {}
    for entry in _PROC.iterdir():
        if entry.name.isdigit() and (fields := _stat(entry)):
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    ticks, held, below = 0, [], [pid]
    while below:
        process = below.pop()
        below += children.get(process, [])
        fields = _stat(_PROC / str(process))
        ticks += sum(map(int, fields[11:15]))  # user and system time, also of child processes that have ended
        held.append(_memory(process))
    return Usage(ticks / _TICK, held[0], sum(held))


def settled(pid: int) -> Usage:
    """Return the CPU time and memory of a process and its children once all of them are idle."""
    last = usage(pid)
    while True:
        time.sleep(0.3)
        now = usage(pid)
        if now.cpu == last.cpu:
            return now
        last = now


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


class Clock:
    """Reads the CPU time of a running process and its descendants from the clocks of these processes, which is exact
    and fast.

    The CPU time of a process that has ended counts up to the last time it was read.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._seen: dict[int, float] = {}

    def spent(self) -> float:
        """CPU seconds so far, user and system."""
        below = [self._pid]
        while below:
            process = below.pop()
            with contextlib.suppress(OSError):
                self._seen[process] = time.clock_gettime((~process << 3) | _OF_PROCESS)
                for task in (_PROC / str(process) / "task").iterdir():
                    below += map(int, (task / "children").read_text(encoding="ascii").split())
        return sum(self._seen.values())
