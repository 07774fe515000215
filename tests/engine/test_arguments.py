"""Tests of a condition that is written several times in the arguments of one call."""

from __future__ import annotations

import pytest

from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))
HEAD = "import torch\nimport torch_npu\nfrom pytorch_lightning import Trainer\n"
HAS = "torch.cuda.is_available()"
ACCELERATOR = f'accelerator="gpu" if {HAS} else "cpu"'
STAYS = [
    f"Trainer({ACCELERATOR}, devices=-1 if {HAS} else 1)\n",
    f"Trainer(\n    devices=-1 if {HAS} else 1,\n    {ACCELERATOR},\n    plugins=[],\n)\n",
    f'Trainer({ACCELERATOR}, strategy=Strategy(process_group_backend="nccl") if {HAS} else "auto")\n',
]
MOVES = [
    f"run(count=-1 if {HAS} else 1, workers=4 if {HAS} else 0)\n",
    f"run(count=-1 if {HAS} else 1)\nTrainer(devices=2)\n",
]


@pytest.mark.parametrize("text", STAYS)
def test_a_condition_stays_in_all_arguments_of_a_call_or_in_none(text: str) -> None:
    assert ENGINE.fix(Source(HEAD + text)).text == HEAD + text


@pytest.mark.parametrize("text", MOVES)
def test_conditions_over_nothing_that_stays_move(text: str) -> None:
    assert ENGINE.fix(Source(HEAD + text)).text == HEAD + text.replace("cuda", "npu")


def test_conditions_in_other_calls_are_apart() -> None:
    fixed = ENGINE.fix(Source(f"{HEAD}Trainer({ACCELERATOR})\nrun(count=-1 if {HAS} else 1)\n")).text
    assert fixed == f"{HEAD}Trainer({ACCELERATOR})\nrun(count=-1 if torch.npu.is_available() else 1)\n"
