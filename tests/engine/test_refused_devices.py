"""Tests that what a file makes of a device waits for the list of devices of which the file refuses all others."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))
HEAD = "import torch\nimport torch_npu\n\n\n"
LISTED = """\
_TYPES = {0}


def default():
    torch.cuda.set_device(0)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def required(device):
    if device.type not in _TYPES:
        label = str(device)
        {1}
    return device
"""
OTHERS = '("cuda", "xpu", "mps")'


@pytest.mark.parametrize("listed", [OTHERS, f"frozenset({OTHERS})"])
def test_all_waits_for_the_list(listed: str) -> None:
    """As in orbitquant's triton_cuda.py and torch-flash's config.py: the list, which other accelerators are in, stays,
    and the file would refuse its own default."""
    code = HEAD + LISTED.format(listed, 'raise ValueError(f"{label} is no accelerator")')
    assert ENGINE.fix(Source(code)).text == code


@pytest.mark.parametrize(
    ("listed", "then"),
    [
        ('("cuda", "cpu")', "raise ValueError(label)"),
        (OTHERS, "print(label)"),
        (OTHERS, "# raise ValueError"),
        (OTHERS, "if label:\n            raise ValueError\n        print(label)"),
        ('("xpu", "mps")', "raise ValueError(label)"),
        ('("cuda", "driver", "host")', "raise KeyError(label)"),
    ],
    ids=["a list that moves", "nothing is raised", "a comment", "deeper", "a list without CUDA", "no list of devices"],
)
def test_other_lists_hold_nothing(listed: str, then: str) -> None:
    assert (
        'torch.device("npu" if torch.npu.is_available()' in ENGINE.fix(Source(HEAD + LISTED.format(listed, then))).text
    )


def test_a_list_is_typed() -> None:
    for then in ("raise ValueError(label)", "# on error: raise"):
        code = HEAD + LISTED.format(OTHERS, then)
        type_in_each_line(code, ("if kind not in _TYPES: raise", "_TYPES = ('cuda',)", "raise", "# raise"), 3)
