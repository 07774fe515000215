"""Tests of functions that use CUDA's device of the program's own list of devices."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

CHOICE = """import torch
from .primitives import Device


def load(device, model):
    if device == Device.auto and torch.cuda.is_available():
        device = Device.cuda
    if device == "cuda":
        model.half()


def other(x):
    return x.cuda()
"""
LIST = """import torch
from enum import Enum, auto


class DeviceType(Enum):
    CPU = auto()
    CUDA = auto()


def available():
    if not torch.cuda.is_available():
        return []
    return [(DeviceType.CUDA, index) for index in range(torch.cuda.device_count())]
"""
MOVES = [
    CHOICE.replace("from .primitives", "from torch.own"),
    CHOICE.replace("Device.cuda", "Device.cuda_graphs"),
    CHOICE.replace("Device.cuda", "Device.mps"),
    CHOICE.replace("        device = Device.cuda", "        device = 1  # Device.cuda"),
    CHOICE.replace("from .primitives import Device\n", "Device = others()\n"),
]


def classes(text: str, target: str = "npu") -> list[str]:
    engine = engine_for(target, Settings(locale="en"))
    return [finding.fixes[0].applicability for finding in engine.check(Source(text)).findings if finding.fixes]


@pytest.mark.parametrize("target", ["npu", "musa"])
def test_a_function_with_a_device_of_the_own_list_needs_review(target: str) -> None:
    """As in infinity_emb: the list has no device of the target, so the condition stays false."""
    assert classes(CHOICE, target) == ["review", "review", "safe"]
    assert classes(LIST, target) == ["review", "review"]
    assert classes(CHOICE.replace("Device.cuda", "Device.cuda.value"), target) == ["review", "review", "safe"]


@pytest.mark.parametrize("text", MOVES)
def test_other_functions_move(text: str) -> None:
    assert classes(text) == ["safe", "safe", "safe"]


def test_a_list_with_the_target_is_another_matter() -> None:
    """The function then chooses between devices, which is decided elsewhere."""
    text = CHOICE.replace("        model.half()", "        model.half()\n    return Device.npu")
    assert "safe" in classes(text)


def test_typing_equals_a_new_check() -> None:
    typed = ("device = Device.cuda", "def load(x):", "x = Device.npu", '"""', "class Device:")
    type_in_each_line(CHOICE, typed, 1)
