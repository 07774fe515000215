"""Runs a command and measures CPU time and memory, including every process that it started."""

import os
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

RUNS = 5


class Cost(NamedTuple):
    """CPU seconds (user + system, all processes together) and the peak memory in MiB of the largest process."""

    cpu: float
    mebibytes: float


def environment() -> dict[str, str]:
    """Return the environment of a command; byte code may be cached, as pip does when it installs a package."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


def once(command: list[str], codes: tuple[int, ...] = (0,)) -> Cost:
    """Run a command and discard its output; raises RuntimeError if its exit code is not one of `codes`.

    The kernel first counts the memory of a new process as that of its parent, so this measuring process must stay
    small.
    """
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, env=environment())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in codes:
        said = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stderr
        raise RuntimeError(f"exit code {process.returncode} from: {' '.join(command)}\n{said[-1000:]}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def median(command: list[str], codes: tuple[int, ...] = (0,), before: Callable[[], None] | None = None) -> Cost:
    """The median CPU time and the largest memory of RUNS runs after a warm-up; `before` is called before each run and
    not measured."""
    costs = []
    for _ in range(RUNS + 1):
        if before:
            before()
        costs.append(once(command, codes))
    return Cost(statistics.median(cost.cpu for cost in costs[1:]), max(cost.mebibytes for cost in costs[1:]))


def printed(command: list[str]) -> float:
    """The median of the number that a command prints, over RUNS runs after a warm-up."""
    outputs = [
        subprocess.run(command, capture_output=True, text=True, check=True, env=environment()).stdout
        for _ in range(RUNS + 1)
    ]
    return statistics.median(float(output) for output in outputs[1:])


def python_files(folder: Path) -> list[Path]:
    """The .py files below a folder."""
    return sorted(folder.rglob("*.py"))
