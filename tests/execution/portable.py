"""Ports programs with `strategy = "portable"` and runs the same ported source on four machines.

`PYTHONPATH=tests:server .venv/bin/python -m execution.portable [PROGRAM…]`; without a name, all programs that start a
single process are run. The original program runs on simulated CUDA and on PyTorch's CPU; its port runs on these and on
a simulated NPU and MUSA. The port must print the same as the original; if it ends earlier, there must be a finding at a
line in which it ended. On CUDA and on the CPU the port must also execute the same operators on the same devices and the
same calls of `torch.cuda`, in the same order (`record.py`).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from .porter import port
from .programs import Program, load_programs

HERE = Path(__file__).parent
PYTHON = HERE.parents[1] / ".cache/execution/venv/bin/python"
MACHINES = {"cuda": "2.14", "npu": "2.14", "musa": "2.7.1", "cpu": ""}
_TIMES = re.compile(r"\d+(?:\.\d+)?(?= ?(?:ms|s|sec|seconds|samples/s|tokens/s)\b)|(?<=ms per step: )[\d.]+")
_FRAME = re.compile(r'File "(?:[^"]*/)?(\w+\.py)", line (\d+)')
_SECONDS = 600


class Ran(NamedTuple):
    """What a program did when it ran on a machine."""

    lines: list[str]
    """The lines that the program printed, without times."""
    ended: set[tuple[str, int]]
    """The lines of the program in which it ended, if it failed."""
    steps: list[str]
    """The program's operators and its calls of `torch.cuda`, recorded on CUDA and on the CPU."""


def run(program: Program, folder: Path, machine: str) -> Ran:
    """Run a program on a machine and return what it did."""
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    start = ["-m", "simulator", "--target", machine, "--version", MACHINES[machine], "--"] if machine != "cpu" else []
    record = folder.parent / "steps"
    record.write_text("", encoding="utf-8")
    recorder = [str(HERE / "record.py"), str(record)] if machine in ("cuda", "cpu") else []
    command = [str(PYTHON), *start, *recorder, "main.py", *program.arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    lines = [_TIMES.sub("…", line) for line in done.stdout.splitlines()]
    own = {path.name for path in folder.glob("*.py")}
    frames = {(name, int(line)) for name, line in _FRAME.findall(done.stderr) if name in own}
    steps = record.read_text(encoding="utf-8").splitlines()
    return Ran([*lines, f"exit {done.returncode}"], frames if done.returncode else set(), steps)


def compared(program: Program, review: bool) -> dict[str, str]:
    """Return for each machine: "same", "ends at a finding", or the first difference."""
    with tempfile.TemporaryDirectory(prefix="portable-") as room:
        before, after = Path(room) / "before", Path(room) / "after"
        shutil.copytree(program.folder, before)
        shutil.copytree(program.folder, after)
        job = {"folder": str(after), "options": ["--strategy", "portable"], "review": review}
        left = {(name, line) for name, line, *_ in port(job)["findings"]}
        known = {machine: run(program, before, machine) for machine in ("cuda", "cpu")}
        return {machine: _verdict(run(program, after, machine), known[_like(machine)], left) for machine in MACHINES}


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
    bad = 0
    for program in load_programs(tuple(names)):
        if program.processes > 1 and not names:
            continue
        for machine, verdict in compared(program, review=True).items():
            print(f"{program.name:24} {machine:5} {verdict}", flush=True)
            bad += verdict.startswith("differs")
    return min(bad, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
