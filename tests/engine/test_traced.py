"""Tests of files that load a model that was traced on CUDA."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

TRACED = """import torch


def pipeline(path, device="cuda"):
    return unet(path, device=device)


def unet(path, device: str = "cuda"):
    if device == "cpu" or device.startswith("mps"):
        return None
    return torch.jit.load(path)


def synchronize():
    torch.cuda.synchronize()
"""
ENGINE = engine_for("npu", Settings(locale="en"))


def test_a_model_that_was_traced_on_cuda() -> None:
    """As in riffusion: unported, the default device falls back to the CPU, where no traced model is loaded."""
    assert ENGINE.fix(Source(TRACED)).text == TRACED.replace("torch.cuda", "torch.npu").replace(
        "import torch\n", "import torch\nimport torch_npu\n"
    )
    assert "traced on CUDA" in ENGINE.check(Source(TRACED)).findings[0].message


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("load(path)", "load(path, map_location=device)"),
        ("load(path)", "load(path, device)"),
        ("torch.jit.load(path)", "torch.load(path)"),
        ('device == "cpu"', 'kind == "cpu"'),
        ("return torch.jit.load(path)", "return path  # torch.jit.load(path)"),
        ("        return None\n", "        threads = 1\n"),
    ],
)
def test_other_models(old: str, new: str) -> None:
    fixed = ENGINE.fix(Source(TRACED.replace(old, new))).text
    assert 'device="npu"' in fixed and 'device: str = "npu"' in fixed


def test_other_functions_of_the_file() -> None:
    other = '\n\ndef train(model, device="cuda"):\n    if torch.cuda.is_available():\n        model.to(device)\n'
    fixed = ENGINE.fix(Source(TRACED + other)).text
    assert 'def train(model, device="npu")' in fixed and 'def unet(path, device: str = "cuda")' in fixed


def test_it_is_typed() -> None:
    typed = ("    return torch.jit.load(path, device)", '    if kind == "cpu":', "def f(x):", 'x = f(device="cuda")')
    type_in_each_line(TRACED, typed, 2)
