"""Tests that memory formats, and uses of the variable that chooses the devices, need review if one of a file does."""

from __future__ import annotations

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))
FORMATS = """\
import torch


def prepare(model):
    return model.cuda().to(memory_format=torch.channels_last)


def {0}(model):
    return model.to(memory_format=torch.channels_last)
"""
MANAGER = """\
import os
import torch


def chosen():
    return os.environ.get("CUDA_VISIBLE_DEVICES", "0")


def started(ids):
    {0}
    environment = os.environ.copy()
    environment["CUDA_VISIBLE_DEVICES"] = ids
    return environment
"""


def test_a_memory_format_stays_beside_one_that_stays() -> None:
    """As in executorch's aot_arm_compiler.py: the inputs keep the format that the model would lose."""
    assert "contiguous" not in ENGINE.fix(Source(FORMATS.format("to_channels_last"))).text
    assert ENGINE.fix(Source(FORMATS.format("moved"))).text.count("torch.contiguous_format") == 2


def test_the_variable_stays_where_another_use_of_it_does() -> None:
    """As in llm-optimized-inference's replica_manager.py, which asks nvidia-smi for the devices of each replica."""
    code = MANAGER.format("print(os.system('nvidia-smi'))")
    assert ENGINE.fix(Source(code)).text == code
    assert ENGINE.fix(Source(MANAGER.format("print(ids)"))).text.count("ASCEND_RT_VISIBLE_DEVICES") == 2


def test_typed_equals_fresh() -> None:
    type_in_each_line(FORMATS.format("to_channels_last"), ("x = torch.channels_last", "def channels_last(x):"), 3)
    type_in_each_line(
        MANAGER.format("os.system('nvidia-smi')"), ("os.environ['CUDA_VISIBLE_DEVICES']", "nvidia-smi"), 3
    )
