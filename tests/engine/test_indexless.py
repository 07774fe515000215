"""Tests of functions that take a device only with an index."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

ASKS = """import torch


class Provider:
    def __init__(self, device: str = "cuda"):
        self.device = device

    def free(self):
        if str(self.device).startswith("cuda") and torch.cuda.is_available():
            return torch.cuda.mem_get_info(self.device)[0]
        return 0


def free(tensor):
    device = "cuda"
    return torch.cuda.mem_get_info(tensor.device), torch.cuda.mem_get_info(0), torch.cuda.mem_get_info(device=device)
"""
OLD = engine_for("npu", Settings(locale="en", target_version="2.7.1"))


def test_a_variable_holds_a_device_without_an_index() -> None:
    """As in rho-tts: before torch_npu 2.10, the function raises an exception for `npu`."""
    fixed = OLD.fix(Source(ASKS)).text
    assert "torch.cuda.mem_get_info(self.device)" in fixed and "torch.cuda.is_available()" in fixed
    assert "torch.npu.mem_get_info(tensor.device), torch.npu.mem_get_info(0), torch.cuda.mem_get_info(" in fixed
    assert "only with an index" in "".join(finding.message for finding in OLD.check(Source(ASKS)).findings)


@pytest.mark.parametrize("target", ["npu", "musa"])
def test_newer_plugins_take_it(target: str) -> None:
    assert "cuda" not in engine_for(target, Settings(locale="en")).fix(Source(ASKS)).text


def test_a_variable_holds_a_device_with_an_index() -> None:
    assert "cuda" not in OLD.fix(Source(ASKS.replace('"cuda"', '"cuda:0"', 1).replace('= "cuda"\n', "= 0\n"))).text


@pytest.mark.parametrize(
    ("code", "stays"),
    [
        ("device = 'cuda'\nx = torch.cuda.mem_get_info(device)\n", True),
        ("def f():\n    device = torch.cuda.current_device()\n    return torch.cuda.mem_get_info(device)\n", False),
        ("def f(device='cuda'):\n    return torch.cuda.mem_get_info(device)\n", True),
        ("def f(device):\n    return torch.cuda.mem_get_info(device)\n", True),
        ("def f(i):\n    return torch.cuda.mem_get_info(i)\n", False),
        ("def f(i):\n    device = torch.device('cuda', i)\n    return torch.cuda.mem_get_info(device)\n", False),
        ("def f(i):\n    device = f'cuda:{i}'\n    return torch.cuda.mem_get_info(device)\n", False),
        ("def f(other='cuda', gpu=0):\n    return torch.cuda.mem_get_info(gpu)\n", False),
    ],
)
def test_only_what_reaches_the_variable_counts(code: str, stays: bool) -> None:
    text = f"import torch\n{code}y = torch.zeros(1, device='cuda')\n"
    assert ("torch.cuda.mem_get_info" in OLD.fix(Source(text)).text) == stays


def test_devices_without_an_index_are_typed() -> None:
    type_in_each_line(ASKS, ('self.device = "cuda"', 'device = "cuda:1"', "x = torch.cuda.mem_get_info(device)"), 3)
