"""Ports programs with `strategy = "portable"` and runs the same ported source on four machines.

`PYTHONPATH=tests:server .venv/bin/python -m execution.portable [PROGRAM…]`; without a name, all programs that start one
process. The original program runs on simulated CUDA and on PyTorch's CPU; its port runs on both, and also on a
simulated NPU and MUSA. The port must print the same output; if it ends earlier, there must be a finding at a line in
which it ended.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .porter import port
from .programs import Program, load_programs

HERE = Path(__file__).parent
PYTHON = HERE.parents[1] / ".cache/execution/venv/bin/python"
MACHINES = {"cuda": "2.14", "npu": "2.14", "musa": "2.7.1", "cpu": ""}
_TIMES = re.compile(r"\d+(?:\.\d+)?(?= ?(?:ms|s|sec|seconds|samples/s|tokens/s)\b)|(?<=ms per step: )[\d.]+")
_FRAME = re.compile(r'File "(?:[^"]*/)?(\w+\.py)", line (\d+)')
_SECONDS = 600


def run(program: Program, folder: Path, machine: str) -> tuple[list[str], set[tuple[str, int]]]:
    """The output of a program on a machine, without times, and the lines of the program in which it ended, if it
    failed."""
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    start = ["-m", "simulator", "--target", machine, "--version", MACHINES[machine], "--"] if machine != "cpu" else []
    command = [str(PYTHON), *start, "main.py", *program.arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    lines = [_TIMES.sub("…", line) for line in done.stdout.splitlines()]
    own = {path.name for path in folder.glob("*.py")}
    frames = {(name, int(line)) for name, line in _FRAME.findall(done.stderr) if name in own}
    return [*lines, f"exit {done.returncode}"], frames if done.returncode else set()


def compared(program: Program, review: bool) -> dict[str, str]:
    """By machine: "same", "ends at a finding", or the first difference."""
    with tempfile.TemporaryDirectory(prefix="portable-") as room:
        before, after = Path(room) / "before", Path(room) / "after"
        shutil.copytree(program.folder, before)
        shutil.copytree(program.folder, after)
        job = {"folder": str(after), "options": ["--strategy", "portable"], "review": review}
        left = {(name, line) for name, line, *_ in port(job)["findings"]}
        known = {machine: run(program, before, machine)[0] for machine in ("cuda", "cpu")}
        return {machine: _verdict(run(program, after, machine), known[_like(machine)], left) for machine in MACHINES}


def _like(machine: str) -> str:
    return "cpu" if machine == "cpu" else "cuda"


def _verdict(ran: tuple[list[str], set[tuple[str, int]]], known: list[str], left: set[tuple[str, int]]) -> str:
    lines, ended = ran
    if lines == known:
        return "same"
    if ended & left:
        return "ends at a finding"
    first = next((pair for pair in zip(lines, known) if pair[0] != pair[1]), (lines[-1:], known[-1:]))
    return f"differs: {first[0]} instead of {first[1]}"


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
