"""Tests that comparisons of the type of the same device change together."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))
HEAD = "import torch\nimport torch_npu\n\n\n"
ENCODER = """\
class Encoder:
    def __init__(self, config):
        self.device = config.device
        if self.device.type == "cuda":
            self.batch = 8 if torch.cuda.get_device_properties(self.device).major > 8 else 4
        else:
            self.batch = 1

    def close(self):
        if {0}.type == "cuda":
            torch.cuda.empty_cache()
"""
FUNCTION = """\
def run(device, host, model):
    if device.type == "cuda":
        model(8 if torch.cuda.get_device_properties(device).major > 8 else 4)
    else:
        model(1)
    if {0}.type == "cuda":
        torch.cuda.empty_cache()
"""


@pytest.mark.parametrize("code", [ENCODER.format("self.device"), FUNCTION.format("device")], ids=["class", "function"])
def test_both_stay(code: str) -> None:
    """As in torch-aac's encoder.py: the size of the batch stays that of the CPU, while the memory would be freed."""
    assert ENGINE.fix(Source(HEAD + code)).text == HEAD + code


@pytest.mark.parametrize("code", [ENCODER.format("self.other"), FUNCTION.format("host")], ids=["class", "function"])
def test_another_device_moves(code: str) -> None:
    assert "torch.npu.empty_cache()" in ENGINE.fix(Source(HEAD + code)).text


def test_a_comparison_that_chooses_a_word_stays_alone() -> None:
    """As in ultralytics' exporter.py: the package stays, and the device may have moved in another file."""
    chosen = '        name = "onnxruntime-gpu" if self.device.type == "cuda" else "onnxruntime"\n'
    code = (
        f'class Exporter:\n    def export(self):\n{chosen}        self.build(name, cuda=self.device.type == "cuda")\n'
    )
    assert 'cuda=self.device.type == "npu"' in ENGINE.fix(Source(HEAD + code)).text


def test_a_device_of_another_class_moves() -> None:
    code = (
        ENCODER.format("self.other").replace("def close", "\n\nclass Other:\n    def close").replace("other", "device")
    )
    assert "torch.npu.empty_cache()" in ENGINE.fix(Source(HEAD + code)).text


@pytest.mark.parametrize("code", [ENCODER.format("self.device"), FUNCTION.format("device")], ids=["class", "function"])
def test_typed_equals_fresh(code: str) -> None:
    type_in_each_line(HEAD + code, ("if device.type == 'cuda': x()", "class Other:", "self.device.type == 'cuda'"), 3)


LISTED = """\
_TYPES = {0}


def default():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def required(device):
    if device.type not in _TYPES:
        label = str(device)
        {1}
    return device
"""


def test_devices_wait_for_the_list_of_those_that_the_file_refuses() -> None:
    """As in orbitquant's triton_cuda.py and torch-flash's config.py: the list, which other accelerators are in, stays,
    and the file would refuse its own default."""
    code = HEAD + LISTED.format('("cuda", "xpu", "mps")', 'raise ValueError(f"{label} is no accelerator")')
    assert ENGINE.fix(Source(code)).text == code


@pytest.mark.parametrize(
    ("listed", "then"),
    [
        ('("cuda", "cpu")', "raise ValueError(label)"),
        ('("cuda", "xpu", "mps")', "print(label)"),
        ('("xpu", "mps")', "raise ValueError(label)"),
    ],
    ids=["a list that moves", "nothing is raised", "a list without CUDA"],
)
def test_other_lists_hold_nothing(listed: str, then: str) -> None:
    assert (
        'torch.device("npu" if torch.npu.is_available()' in ENGINE.fix(Source(HEAD + LISTED.format(listed, then))).text
    )


def test_a_list_is_typed() -> None:
    code = HEAD + LISTED.format('("cuda", "xpu", "mps")', "raise ValueError(label)")
    type_in_each_line(code, ("if kind not in _TYPES: raise", "_TYPES = ('cuda',)", "raise"), 3)
