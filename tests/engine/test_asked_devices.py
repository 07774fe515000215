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


def test_a_device_of_another_class_moves() -> None:
    code = (
        ENCODER.format("self.other").replace("def close", "\n\nclass Other:\n    def close").replace("other", "device")
    )
    assert "torch.npu.empty_cache()" in ENGINE.fix(Source(HEAD + code)).text


@pytest.mark.parametrize("code", [ENCODER.format("self.device"), FUNCTION.format("device")], ids=["class", "function"])
def test_typed_equals_fresh(code: str) -> None:
    type_in_each_line(HEAD + code, ("if device.type == 'cuda': x()", "class Other:", "self.device.type == 'cuda'"), 3)
