"""Ports programs with `strategy = "portable"` and runs each ported source on the CPU and on simulated CUDA, NPU and
MUSA.

`PYTHONPATH=tests:server .venv/bin/python -m execution.portable [PROGRAM…]`; without a name, all programs are run. The
original program runs on simulated CUDA and on PyTorch's CPU; its ports (after safe fixes, and after fixes that need
review) run on these and on a simulated NPU and MUSA. On CUDA and on the CPU, a port must print what the original
program prints. The port must also execute the same operators on the same devices, and make the same calls of
`torch.cuda`, in the same order as the original program (`record.py`). On NPU and MUSA, a port must print what the
original program prints; otherwise `verdict.py` judges the port, as it judges ports with other strategies. If fixes that
need review were applied, a port may also fail at a line that one of these fixes wrote. A difference counts if it occurs
twice: threads of autograd and processes of a program may run in another order. A difference that occurs twice is
accepted only if `portable.toml` gives a reason for it.
"""

from __future__ import annotations

import difflib
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from uncuda.settings.toml import parse_toml

from .programs import Program, load_programs
from .run import MODES
from .verdict import judge
from .workers import Port, Porter, Run, Runners, read_texts, written

MACHINES = {"cuda": "2.14", "npu": "2.14", "musa": "2.7.1", "cpu": ""}
REASONS = Path(__file__).parent / "portable.toml"
_WORKERS = 2
_SECONDS = 300  # the limit of CPU seconds for one process of a program
_TIMES = re.compile(r"\d+(?:\.\d+)?(?= ?(?:ms|s|sec|seconds|samples/s|tokens/s)\b)|(?<=ms per step: )[\d.]+")
_FRAME = re.compile(r'File "(?:[^"]*/)?(\w+\.py)", line (\d+)')


Place = tuple[str, int]  # a file of the program, and a line


class Ran(NamedTuple):
    """What a program did when it ran on a machine."""

    run: Run
    lines: list[str]
    """The lines that the program printed, without times."""
    ended: set[Place]
    """The lines of the program in which it ended, if it failed."""
    steps: list[str]
    """The program's operators and its calls of `torch.cuda`."""


@dataclass(frozen=True)
class Ported:
    """A port of a program. `reviewed`: the lines that fixes that need review wrote; they are found by comparing the
    port with the port by safe fixes alone."""

    port: Port
    reviewed: frozenset[Place]
    runs: Mapping[str, Future[Any]]
    """The runs of the port, by machine."""


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


def ran(answer: Future[Any], own: set[str]) -> Ran:
    """Return what a program did; `own`: the names of its files."""
    done = answer.result()
    lines = [_TIMES.sub("…", line) for line in done["output"].splitlines()]
    frames = {(name, int(line)) for name, line in _FRAME.findall(done["errors"]) if name in own}
    steps = [step for process in done["steps"] for step in process]
    run = Run(done["code"], done["output"] + done["errors"], tuple(done["records"]), done["seconds"])
    return Ran(run, [*lines, f"exit {done['code']}"], frames if done["code"] else set(), steps)


class Comparison:
    """Runs one program and its ports, and compares them."""

    def __init__(self, program: Program, room: Path, machines: Machines, porter: Porter) -> None:
        self.program, self._room, self._machines = program, room, machines
        texts = read_texts(program.folder)
        self._own = {Path(name).name for name in texts}
        self._originals = {machine: self._start(machine, "original", texts) for machine in ("cuda", "cpu")}
        ports = {mode: porter.port(program.folder, ["--strategy", "portable"], mode == "review") for mode in MODES}
        safe = ports["safe"].texts
        self._ports: dict[str, Ported] = {}
        for mode, port in ports.items():
            if mode == "safe" or port.texts != safe:
                known = self._originals if port.texts == texts else {}  # an unchanged program is not run again
                runs = {one: known.get(one) or self._start(one, mode, port.texts) for one in MACHINES}
                self._ports[mode] = Ported(port, frozenset(_changed(safe, port.texts)), runs)

    def _start(self, machine: str, name: str, texts: Mapping[str, str]) -> Future[Any]:
        return self._machines.start(self.program, written(self._room / f"{name}-{machine}", texts), machine)

    def verdicts(self) -> Iterator[tuple[str, str, str]]:
        """Yield each mode and machine with the result: "same", why the port ends before the original does, or the first
        difference between port and original."""
        originals = {machine: ran(run, self._own) for machine, run in self._originals.items()}
        for mode, ported in self._ports.items():
            for machine, run in ported.runs.items():
                yield mode, machine, self._verdict(mode, machine, ported, ran(run, self._own), originals)

    def _verdict(self, mode: str, machine: str, ported: Ported, done: Ran, originals: Mapping[str, Ran]) -> str:
        known = originals["cpu" if machine == "cpu" else "cuda"]
        here = machine in originals
        if done.lines == known.lines and (not here or done.steps == known.steps):
            return f"same, {len(done.steps):,} steps in the same order" if here else "same"
        if done.ended & ported.reviewed:
            return "ends at a line to review"
        if here:
            pair = (done.lines, known.lines) if done.lines != known.lines else (done.steps, known.steps)
            return f"differs: {_first(*pair)}"
        on_cpu = originals["cpu"].run if self.program.cpu else None
        verdict = judge(self.program, done.run, known.run, ported.port.findings, on_cpu, mode == "safe")
        if verdict.word in ("same", "reported"):
            return f"{verdict.word}: {verdict.note or 'the same losses'}"
        return f"differs: {verdict.note}"


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Place]:
    """Yield the lines that were changed or added: the name of the file, and the number of the line in `after`."""
    for name, text in after.items():
        matcher = difflib.SequenceMatcher(None, before.get(name, "").splitlines(), text.splitlines(), autojunk=False)
        for kind, _, _, start, end in matcher.get_opcodes():
            if kind != "equal":
                yield from ((Path(name).name, line + 1) for line in range(start, end))


def _first(lines: Sequence[str], known: Sequence[str]) -> str:
    first = next((pair for pair in zip(lines, known) if pair[0] != pair[1]), (lines[-1:], known[-1:]))
    return f"{first[0]} instead of {first[1]}"


def _compared(program: Program, machines: Machines, porter: Porter) -> dict[tuple[str, str], str]:
    with tempfile.TemporaryDirectory(prefix="portable-") as room:
        comparison = Comparison(program, Path(room), machines, porter)
        return {(mode, machine): verdict for mode, machine, verdict in comparison.verdicts()}


def _differs(verdict: str) -> bool:
    return verdict.startswith("differs")


def _differ(verdicts: Mapping[tuple[str, str], str]) -> bool:
    return any(map(_differs, verdicts.values()))


def main(names: list[str]) -> int:
    """Print the result of each program; returns 1 if a result differs and portable.toml gives no reason for it, or if
    portable.toml gives a reason for a result that does not differ."""
    bad, machines, porter = 0, Machines(), Porter()
    reasons = parse_toml(REASONS.read_text("utf-8"))
    needed = set()
    for program in load_programs(tuple(names)):
        first = _compared(program, machines, porter)
        again = _compared(program, machines, porter) if _differ(first) else first
        for (mode, machine), verdict in first.items():
            case, shown = f"{machine} {mode}", again[mode, machine] if _differs(verdict) else verdict
            reason = reasons.get(program.name, {}).get(case, "")
            if reason and _differs(shown):
                needed.add((program.name, case))
                shown = f"known: {reason} ({shown})"
            print(f"{program.name:24} {mode:6} {machine:5} {shown}", flush=True)
            bad += _differs(shown)
    machines.close()
    porter.close()
    for idle in [(name, key) for name, table in reasons.items() for key in table if not names]:
        if idle not in needed:
            print(f"{REASONS.name}: no longer needed: {' '.join(idle)}")
            bad += 1
    return min(bad, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
