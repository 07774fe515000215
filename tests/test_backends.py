"""A module for CUDA that has a sibling module of the same name for the target gets no findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from uncuda.catalogue import load
from uncuda.settings import Settings
from uncuda.workspace import Engines, File, check_files
from uncuda.workspace.backends import cudas_own

WORDS = {"npu": ("npu", "hccl"), "musa": ("musa", "mccl")}
TEXT = "import torch\n\ntorch.cuda.synchronize()\n"


@pytest.mark.parametrize(
    ("path", "target", "own"),
    [
        ("a/npu_accelerator.py", "npu", "a/cuda_accelerator.py"),
        ("a/npu_accelerator.py", "npu", "a/gpu_accelerator.py"),
        ("npu.py", "npu", "cuda.py"),
        ("a/ops-musa.py", "musa", "a/ops-cuda.py"),
        ("a/hccl_backend.py", "npu", "a/nccl_backend.py"),
    ],
)
def test_a_module_has_twins_of_cudas_name(path: str, target: str, own: str) -> None:
    assert (target, str(Path(own))) in cudas_own([str(Path(path))], WORDS)


@pytest.mark.parametrize("path", ["a/input.py", "npu/ops.py", "a/cuda_ops.py", "a/npus.py"])
def test_other_modules_have_none(path: str) -> None:
    assert not cudas_own([path], WORDS)


def found(folder: Path, target: str, *names: str) -> dict[str, int]:
    """Check only these files, and return the number of findings in each."""
    settings = Settings(target=target)
    engines = Engines(load())
    look = engines.survey([File(str(folder / name), settings, given=True) for name in names])
    results = check_files(engines.worth(look), engines.engine_for)
    return {Path(result.file.path).name: len(result.report.findings) if result.report else 0 for result in results}


def test_the_targets_module_beside_it_silences_cudas_own(tmp_path: Path) -> None:
    for name in ("cuda_ops.py", "npu_ops.py", "ops.py"):
        (tmp_path / name).write_text(TEXT)
    assert found(tmp_path, "npu", "cuda_ops.py", "npu_ops.py", "ops.py") == {
        "cuda_ops.py": 0,
        "npu_ops.py": 1,
        "ops.py": 1,
    }
    assert found(tmp_path, "npu", "cuda_ops.py") == {"cuda_ops.py": 0}
    assert found(tmp_path, "musa", "cuda_ops.py") == {"cuda_ops.py": 1}


def test_modules_of_other_accelerators_are_their_own(tmp_path: Path) -> None:
    """The CUDA module may have another name: `cuda_build.py` beside `hpu/of.py` and `xpu/of.py`."""
    names = ("xpu/of.py", "hpu/of.py", "cuda_build.py", "mps/one.py")
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(TEXT)
    assert found(tmp_path, "npu", *names) == {"of.py": 0, "cuda_build.py": 1, "one.py": 1}
