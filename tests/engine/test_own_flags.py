"""Tests that a question for CUDA needs review if a variable of the module keeps the answer beside one about another
accelerator: other files may choose code for NVIDIA's GPUs by it."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

HEAD = "import torch\nfrom lib import find\n"
BESIDE = [
    "is_cuda_available = torch.cuda.is_available()\nis_npu_available = find()\n",
    "IS_MLU_AVAILABLE = find()\nIS_CUDA_AVAILABLE: bool = torch.cuda.is_available()\n",
    "HAS_CUDA = find() and torch.cuda.is_available()\nHAS_XPU = hasattr(torch, 'xpu') and torch.xpu.is_available()\n",
    "if find():\n    has_npu = True\nelse:\n    has_npu = False\nhas_cuda = torch.cuda.is_available()\n",
]
ALONE = [
    "is_cuda_available = torch.cuda.is_available()\n",
    "is_cuda_available = torch.cuda.is_available()\nis_mps_available = torch.backends.mps.is_available()\n",
    "is_available = torch.cuda.is_available()\nis_npu_available = find()\n",
    "has_cuda = torch.cuda.is_available()\nprint('has_xpu')  # has_xpu\n",
    "use_cuda = torch.cuda.is_available()\nuse_xpu = find()\n",
    "has_cuda = torch.cuda.is_available()\nhas_xpu = find()\nif __name__ == '__main__':\n    run(has_cuda)\n",
    "def f():\n    has_cuda = torch.cuda.is_available()\n    has_xpu = find()\n    return has_cuda or has_xpu\n",
    "has_cuda = find(torch.cuda.is_available())\nx = find(has_xpu=1)\n",
]


def classes(text: str, target: str = "musa") -> set[str]:
    findings = engine_for(target, Settings(locale="en")).check(Source(HEAD + text)).findings
    return {fix.applicability for finding in findings for fix in finding.fixes if finding.rule == "cuda-api"}


@pytest.mark.parametrize("text", BESIDE)
def test_beside_the_flag_of_another_accelerator(text: str) -> None:
    assert classes(text) == {"review"}


@pytest.mark.parametrize("text", ALONE)
def test_a_flag_alone(text: str) -> None:
    assert classes(text) == {"safe"}


def test_what_the_flag_guards_stays() -> None:
    text = f"{HEAD}{BESIDE[0]}\n\ndef name():\n    if is_cuda_available:\n        return 'cuda'\n    return 'cpu'\n"
    assert engine_for("musa", Settings(locale="en")).fix(Source(text)).text == text


def test_the_reason_is_given() -> None:
    findings = engine_for("musa", Settings(locale="en")).check(Source(HEAD + BESIDE[0])).findings
    assert any("a variable about another accelerator" in finding.message for finding in findings)


@pytest.mark.parametrize("text", BESIDE + ALONE)
def test_typed(text: str) -> None:
    type_in_each_line(HEAD + text, ("is_xpu_available = find()", "use_npu = 1", "x = 1"), 2)
