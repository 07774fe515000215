"""Tests of the helper module itself, which runs with a small module in place of PyTorch that records which functions
are called."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from uncuda.catalogue import load
from uncuda.engine.portable.template import helper_text

TARGETS = [load().target(name) for name in ("npu", "musa")]
TORCH = """
import types

asked = []

class device:
    def __init__(self, *given):
        self.given = given

def module(name, there):
    made = types.ModuleType(name)
    made.is_available = lambda: (asked.append(name), there)[1]
    return made

cuda = module("cuda", False)
"""
ASK = """
import json, sys, warnings
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    import helper
import torch
after = list(torch.asked)
answers = [helper.accelerator_type(), helper.backend(), helper.visible_devices(), helper.device_module().__name__]
helper.device(), helper.device(0), helper.device("cpu"), helper.device(helper.device(1))
print(json.dumps([answers, after, list(torch.asked), len(said), helper.device_type(), helper.device(3).given]))
"""
PLUGIN = "import torch\ntorch.{0} = torch.module('{0}', {1})\n"
CUDA = ["cuda", "nccl", "CUDA_VISIBLE_DEVICES", "cuda"]
NPU = ["npu", "hccl", "ASCEND_RT_VISIBLE_DEVICES", "npu"]
MUSA = ["musa", "mccl", "MUSA_VISIBLE_DEVICES", "musa"]


def run(folder: Path, files: dict[str, str]) -> list[Any]:
    text = helper_text(TARGETS)
    for name, content in {"torch.py": TORCH, "helper.py": text, "ask.py": ASK, **files}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    done = subprocess.run([sys.executable, "ask.py"], cwd=folder, capture_output=True, text=True, check=True)
    found: list[Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    "files, answers, warned",
    [
        ({}, CUDA, 0),
        ({"torch_npu.py": PLUGIN.format("npu", True)}, NPU, 0),
        ({"torch_musa.py": PLUGIN.format("musa", False)}, MUSA, 0),
        ({"torch_npu/readme.txt": "a mere folder"}, CUDA, 0),
        ({"torch_npu.py": "raise ImportError('libascendcl.so')"}, CUDA, 1),
        ({"torch_npu.py": PLUGIN.format("npu", True) + "raise ImportError('libascendcl.so')"}, CUDA, 1),
        ({"torch.py": TORCH + "npu = module('npu', True)\n"}, NPU, 0),
    ],
)
def test_what_it_answers(tmp_path: Path, files: dict[str, str], answers: list[str], warned: int) -> None:
    """None of the functions checks whether a device is available, because that starts the driver and breaks processes
    that are forked later."""
    found, after_import, asked, said, _, made = run(tmp_path, files)
    assert found == answers
    assert after_import == asked == []
    assert said == warned
    assert made == [answers[0], 3]


def test_a_device_type_is_the_cpu_where_nothing_is_available(tmp_path: Path) -> None:
    assert run(tmp_path, {})[4] == "cpu"
    assert run(tmp_path, {"torch_npu.py": PLUGIN.format("npu", True)})[4] == "npu"


@pytest.mark.parametrize("npu, musa, answers", [(True, False, NPU), (False, True, MUSA), (False, False, NPU)])
def test_of_two_plugins_the_one_with_a_device(tmp_path: Path, npu: bool, musa: bool, answers: list[str]) -> None:
    files = {"torch_npu.py": PLUGIN.format("npu", npu), "torch_musa.py": PLUGIN.format("musa", musa)}
    found, after_import, *_ = run(tmp_path, files)
    assert found == answers
    assert after_import == ["npu", "musa"]


@pytest.mark.slow
def test_it_is_formatted_and_typed(tmp_path: Path) -> None:
    path = tmp_path / "device.py"
    path.write_text(helper_text(TARGETS), encoding="utf-8")
    strict = [
        "-m",
        "mypy",
        "--strict",
        "--ignore-missing-imports",
        "--config-file",
        "",
        "--cache-dir",
        str(tmp_path / "c"),
    ]
    for command in (
        ["-m", "ruff", "check", "--isolated", "--select", "E,F,I,UP,W", "--line-length", "106", str(path)],
        ["-m", "ruff", "format", "--isolated", "--check", str(path)],
        [*strict, str(path)],
    ):
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_it_is_source_of_every_python_and_sorted_in_every_style() -> None:
    text = helper_text(TARGETS)
    ast.parse(text, feature_version=(3, 6))
    assert "__future__" not in text  # `from __future__ import annotations` is new in Python 3.7
    head = text[text.index("import importlib") : text.index("\n\nimport torch")].splitlines()
    assert head == sorted(head)
    assert all(line.startswith("import ") for line in head)  # import styles disagree on where `from` imports belong
    for node in ast.walk(ast.parse(text)):
        annotations = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        assert not any(isinstance(one, ast.BinOp) for one in annotations), "evaluated before Python 3.10"
