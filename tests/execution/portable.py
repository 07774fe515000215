"""Ports programs with `strategy = "portable"` and runs the same ported source on four machines.

`PYTHONPATH=tests:server .venv/bin/python -m execution.portable [PROGRAM…]`; without a name, all programs are run. The
original program runs on simulated CUDA and on PyTorch's CPU; its port runs on these and on a simulated NPU and MUSA.
The port must print the same as the original; if it ends earlier, there must be a finding at a line in which it ended.
On CUDA and on the CPU the port must also execute the same operators on the same devices and the same calls of
`torch.cuda`, in the same order (`record.py`).
"""

from __future__ import annotations

import re
import sys
import tempfile
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple

from .porter import port
from .programs import Program, load_programs
from .workers import Runners, read_texts, written

MACHINES = {"cuda": "2.14", "npu": "2.14", "musa": "2.7.1", "cpu": ""}
_WORKERS = 2
_SECONDS = 300  # the limit of CPU seconds for one process of a program
_TIMES = re.compile(r"\d+(?:\.\d+)?(?= ?(?:ms|s|sec|seconds|samples/s|tokens/s)\b)|(?<=ms per step: )[\d.]+")
_FRAME = re.compile(r'File "(?:[^"]*/)?(\w+\.py)", line (\d+)')


class Ran(NamedTuple):
    """What a program did when it ran on a machine."""

    lines: list[str]
    """The lines that the program printed, without times."""
    ended: set[tuple[str, int]]
    """The lines of the program in which it ended, if it failed."""
    steps: list[str]
    """The program's operators and its calls of `torch.cuda`, recorded on CUDA and on the CPU."""


class Machines:
    """Runs programs on the machines, several at once."""

    def __init__(self) -> None:
        self._runners = Runners(_WORKERS)

    def start(self, program: Program, folder: Path, machine: str) -> Future[Any]:
        """Start a program in a folder on a machine; `ran` returns what it did."""
        return self._runners.ask(
            {
                "folder": str(folder),
                "file": "main.py",
                "arguments": list(program.arguments),
                "processes": program.processes,
                "target": "" if machine == "cpu" else machine,
                "version": MACHINES[machine],
                "devices": 2,
                "seconds": _SECONDS,
                "steps": True,
            }
        )

    def close(self) -> None:
        self._runners.close()


def ran(answer: Future[Any], machine: str, own: set[str]) -> Ran:
    """Return what a program did; `own`: the names of its files."""
    done = answer.result()
    lines = [_TIMES.sub("…", line) for line in done["output"].splitlines()]
    frames = {(name, int(line)) for name, line in _FRAME.findall(done["errors"]) if name in own}
    steps = [step for process in done["steps"] for step in process] if machine in ("cuda", "cpu") else []
    return Ran([*lines, f"exit {done['code']}"], frames if done["code"] else set(), steps)


def compared(program: Program, review: bool, machines: Machines) -> dict[str, str]:
    """Return for each machine: "same", "ends at a finding", or the first difference."""
    with tempfile.TemporaryDirectory(prefix="portable-") as room:
        texts = read_texts(program.folder)
        before = {machine: written(Path(room) / f"before-{machine}", texts) for machine in ("cuda", "cpu")}
        known = {machine: machines.start(program, folder, machine) for machine, folder in before.items()}
        job = {"folder": str(written(Path(room) / "after", texts)), "options": ["--strategy", "portable"]}
        left = {(name, line) for name, line, *_ in port({**job, "review": review})["findings"]}
        ported = read_texts(Path(room) / "after")
        after = {machine: written(Path(room) / f"after-{machine}", ported) for machine in MACHINES}
        runs = {machine: machines.start(program, folder, machine) for machine, folder in after.items()}
        own = {Path(name).name for name in ported}
        originals = {machine: ran(run, machine, own) for machine, run in known.items()}
        return {
            machine: _verdict(ran(run, machine, own), originals[_like(machine)], left) for machine, run in runs.items()
        }


def _like(machine: str) -> str:
    return "cpu" if machine == "cpu" else "cuda"


def _verdict(ran: Ran, known: Ran, left: set[tuple[str, int]]) -> str:
    if ran.lines == known.lines:
        if not ran.steps:
            return "same"
        if ran.steps == known.steps:
            return f"same, {len(ran.steps):,} steps in the same order"
        return f"differs: {_first(ran.steps, known.steps)}"
    if ran.ended & left:
        return "ends at a finding"
    return f"differs: {_first(ran.lines, known.lines)}"


def _first(lines: list[str], known: list[str]) -> str:
    first = next((pair for pair in zip(lines, known) if pair[0] != pair[1]), (lines[-1:], known[-1:]))
    return f"{first[0]} instead of {first[1]}"


def main(names: list[str]) -> int:
    """Print the result of each program; returns 1 if one differs."""
    bad, machines = 0, Machines()
    for program in load_programs(tuple(names)):
        for machine, verdict in compared(program, review=True, machines=machines).items():
            print(f"{program.name:24} {machine:5} {verdict}", flush=True)
            bad += verdict.startswith("differs")
    machines.close()
    return min(bad, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
