"""Judges the run of a port by comparing it with the run of the unported program."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from execution.programs import Program
from execution.workers import Finding, Run

_LOSS = re.compile(r"loss\s*[:=]?\s*([-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf))", re.I)
_OF_CUDA = re.compile(r"cuda|gpu|nvidia|nccl", re.I)
OPERATORS = 0.95  # the share of the original's operators that must run on the device, in the same order


@dataclass(frozen=True)
class Verdict:
    """`word`: "same", "reported", "differs", "fails" or "not simulated"; `note`: the reason, on one line."""

    word: str
    note: str = ""


def curve(run: Run) -> list[float]:
    """The losses that a program printed, in order, one process after the other."""
    return [float(found) for found in _LOSS.findall(run.output)]


def same_curve(one: Sequence[float], other: Sequence[float], tolerance: float) -> bool:
    """Whether two loss curves have the same length and are equal within the tolerance; nan equals nan."""
    return len(one) == len(other) and all(
        a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)
        for a, b in zip(one, other)
    )


def share(ported: Sequence[str], original: Sequence[str]) -> float:
    """Return the share (0 to 1) of the original's operators that the port runs on the device, in the same order."""
    if not original:
        return 1.0
    return _longest_common(ported, original) / len(original)


def _longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence, computed with the bits of one long number (Hyyrö 2004).
    difflib is not used, because it is greedy: if two threads of autograd swap a few of a program's 20,000 operators,
    difflib finds only 65 % of all operators."""
    masks: dict[str, int] = {}
    for at, name in enumerate(one):
        masks[name] = masks.get(name, 0) | 1 << at
    every = (1 << len(one)) - 1
    row = every
    for name in other:
        met = row & masks.get(name, 0)
        row = ((row + met) | (row - met)) & every
    return len(one) - row.bit_count()


def judge(
    program: Program,
    ported: Run,
    original: Run,
    findings: Sequence[Finding],
    on_cpu: Run | None = None,
    safe: bool = False,
) -> Verdict:
    """The verdict on the run of a ported program.

    `ported`: the port's run on the simulated target; `original`: the original program's run on simulated CUDA;
    `findings`: the findings left in the port. `on_cpu`: the original program's run on PyTorch's own CPU, if the program
    supports that; a port that stays on the CPU is compared with this run. `safe`: whether only safe fixes were applied.
    A port with only safe fixes must not fail if the original program runs on the CPU, whatever findings are left.
    """
    left = [finding for finding in findings if finding.kind != "information"]
    if ported.code:
        verdict = _failed(ported, original, left)
        if safe and verdict.word == "reported" and on_cpu is not None and not on_cpu.code:
            return Verdict("fails", f"{verdict.note}; the unported program runs on the CPU")
        return verdict
    beside = on_cpu if on_cpu is not None and not ported.operators else original
    if not same_curve(curve(ported), curve(beside), program.tolerance):
        return Verdict("differs", _first_difference(curve(ported), curve(beside)))
    changed = [record.get("changed") for record in ported.records]
    if changed != [record.get("changed") for record in beside.records]:
        return Verdict("differs", "other weights changed than in the unported program")
    part = share(ported.operators, original.operators)
    if part >= OPERATORS:
        return Verdict("same")
    where = f"{part:.0%} of the operators ran on the device"
    if left and not ported.operators:
        return Verdict("reported", f"the port runs on the CPU; findings left: {_rules(left)}")
    if left:
        return Verdict("reported", f"{where}; findings left: {_rules(left)}")
    return Verdict("differs", where)


def _failed(ported: Run, original: Run, left: Sequence[Finding]) -> Verdict:
    error = _short(ported.error) or f"exit code {ported.code}"
    if original.code:
        return Verdict("reported", f"the unported program fails on CUDA, too: {error}")
    if error.startswith("NotSimulated"):
        return Verdict("not simulated", error)
    here = [finding for finding in left if (finding.file, finding.line) in ported.places]
    if here:
        return Verdict("reported", f"{error}; findings left in the traceback: {_rules(here)}")
    if left and (_OF_CUDA.search(error) or _OF_CUDA.search(ported.output)):
        return Verdict("reported", f"{error}; findings left: {_rules(left)}")
    at = "".join(f" ({file}:{line})" for file, line in ported.places[:1])
    return Verdict("fails", f"{error}{at}")


def _rules(findings: Sequence[Finding]) -> str:
    return ", ".join(sorted({finding.rule for finding in findings}))


def _first_difference(ported: Sequence[float], original: Sequence[float]) -> str:
    if len(ported) != len(original):
        return f"{len(ported)} losses, {len(original)} in the unported program"
    at = next(index for index, (a, b) in enumerate(zip(ported, original)) if a != b)
    return f"loss {at} is {ported[at]}, in the unported program {original[at]}"


def _short(error: str) -> str:
    """The first sentence of an error, without the path of its temporary folder."""
    return re.sub(r"/tmp/[\w/-]*/", "", re.split(r"(?<=[^A-Z])\. |\n", error)[0])[:160]
