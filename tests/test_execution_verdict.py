"""Tests of the verdict on a run of a ported program, compared with the run of the original."""

from __future__ import annotations

import math

import pytest

from execution.programs import Program, load_programs
from execution.verdict import curve, judge, same_curve, share
from execution.workers import Finding, Run

PROGRAM = Program("mnist", "MNIST", (), 1, True, False)
LOSSES = "step 0 loss 0.5\nstep 1 loss: 2.5e-1\nno number\nLoss=nan\n"
OPERATORS = ["addmm", "relu", "addmm", "mse_loss", "add_"] * 20
LEFT = (Finding("main.py", 7, "cuda-stream", "review"),)


def run(
    output: str = LOSSES,
    operators: list[str] | None = None,
    code: int = 0,
    error: str = "",
    at: int = 0,
    **more: object,
) -> Run:
    record: dict[str, object] = {"operators": OPERATORS if operators is None else operators, "changed": [True], **more}
    if error:
        record |= {"error": error, "at": ["main.py", at] if at else []}
    return Run(code, output, (record,), 1.0)


def test_a_curve_is_what_is_printed_as_loss() -> None:
    found = curve(run())
    assert found[:2] == [0.5, 0.25]
    assert math.isnan(found[2])


@pytest.mark.parametrize(
    "one, other, tolerance, same",
    [
        ([0.5, math.nan], [0.5, math.nan], 0.0, True),
        ([0.5], [0.5, 0.4], 1.0, False),
        ([0.5], [0.5000001], 0.0, False),
        ([0.5], [0.5000001], 1e-5, True),
    ],
)
def test_curves_are_compared_digit_by_digit(one: list[float], other: list[float], tolerance: float, same: bool) -> None:
    assert same_curve(one, other, tolerance) is same


def test_operators_count_in_their_order() -> None:
    assert share(OPERATORS, OPERATORS) == 1
    assert share([], OPERATORS) == 0
    assert share(OPERATORS[::-1], OPERATORS) < 0.95
    # two operators can be swapped if two threads of autograd run them
    swapped = [OPERATORS[1], OPERATORS[0], *OPERATORS[2:]]
    assert share(swapped, OPERATORS) == 1 - 1 / len(OPERATORS)
    assert share(["to", *OPERATORS], OPERATORS) == 1


@pytest.mark.parametrize(
    "ported, findings, word",
    [
        (run(), (), "same"),
        (run(LOSSES.replace("0.5", "0.6")), (), "differs"),
        (run(changed=[False]), (), "differs"),
        (run(operators=OPERATORS[:90]), (), "differs"),
        (run(operators=OPERATORS[:90]), LEFT, "reported"),
        (run(operators=[]), (), "differs"),
        (run(operators=[]), LEFT, "reported"),
        (run(code=1, error="NotSimulated: musart()"), LEFT, "not simulated"),
        (run(code=1, error="TypeError: no", at=7), LEFT, "reported"),
        (run(code=1, error="TypeError: no", at=8), LEFT, "fails"),
        (run(code=1, error="RuntimeError: Found no NVIDIA driver", at=8), LEFT, "reported"),
        (run(code=1, error="RuntimeError: Found no NVIDIA driver", at=8), (), "fails"),
    ],
)
def test_verdicts(ported: Run, findings: tuple[Finding, ...], word: str) -> None:
    assert judge(PROGRAM, ported, run(), findings, run(operators=[])).word == word


def test_a_safe_port_does_not_end_where_the_program_runs_on_the_cpu() -> None:
    ported = run(code=1, error="RuntimeError: Found no NVIDIA driver", at=7)
    assert judge(PROGRAM, ported, run(), LEFT, run(operators=[]), safe=True).word == "fails"
    assert judge(PROGRAM, ported, run(), LEFT, None, safe=True).word == "reported"


def test_every_program_is_there_and_at_least_ten_are_blind() -> None:
    programs = load_programs()
    assert len(programs) >= 30
    assert sum(program.blind for program in programs) >= 10
    assert all((program.folder / "main.py").is_file() for program in programs)
    assert all(program.reason for program in programs if program.tolerance)
    with pytest.raises(ValueError, match="no program is called nothing"):
        load_programs(("nothing",))
