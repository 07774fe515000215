"""Tests that a question stays if it guards a call that is named for CUDA beside a twin for the CPU, or for NCCL, or
that starts NVML."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))
HEAD = (
    "import torch\nimport torch_npu\nimport native\nimport utils\n"
    "from .groups import NcclLink, ProcessGroupNCCL, setup_NCCL\n"
    "from .. import ext as wrap\nfrom pynvml import *\n\n\n"
)
TWIN = "def stitch(x, device):\n    if device.type == 'cuda':\n        return {0}(x)\n    return {1}(x)\n"
GUARDED = "def run():\n    if torch.cuda.is_available():\n        {0}\n"
STAYS = {
    "a function beside its twin": TWIN.format("wrap.cuda_stitch", "wrap.cpu_stitch"),
    "of an imported module": TWIN.format("native.stitch_cuda", "native.stitch_cpu"),
    "a class for NCCL": GUARDED.format("group = ProcessGroupNCCL()"),
    "a class for NCCL, spelled in another way": GUARDED.format("link = NcclLink(1)"),
    "NVML": GUARDED.format("nvmlInit()"),
    "NVML in a function": "def ask():\n    nvmlInit()\n\n\n" + GUARDED.format("ask()"),
    "a skipped test": "@unittest.skipUnless(torch.cuda.is_available(), 'CUDA')\ndef test():\n    ProcessGroupNCCL()\n",
}
MOVES = {
    "a module that may be Python": TWIN.format("utils.to_cuda", "utils.to_cpu"),
    "a twin in a comment": TWIN.format("wrap.cuda_stitch", "wrap.stitch") + "# wrap.cpu_stitch(x) was slower\n",
    "a function of the project": GUARDED.format("setup_NCCL()"),
    "a class of the file": "class OwnNCCL:\n    pass\n\n\n" + GUARDED.format("OwnNCCL()"),
    "no twin": TWIN.format("wrap.cuda_stitch", "wrap.stitch"),
    "own methods": TWIN.format("self.cuda_stitch", "self.cpu_stitch"),
    "methods of an object": TWIN.format("x.to_cuda", "x.to_cpu"),
    "a class that is not called": GUARDED.format("print(isinstance(group, ProcessGroupNCCL))"),
    "a definition": "class OwnNCCL(Base):\n    x = 1\n\n\n" + GUARDED.format("x = 1"),
    "a comment": GUARDED.format("x = 1  # ProcessGroupNCCL()"),
    "a text": GUARDED.format("print('nvmlInit()')"),
}


@pytest.mark.parametrize("code", STAYS.values(), ids=STAYS)
def test_the_question_stays(code: str) -> None:
    """As in graphlearn-torch's dist_neighbor_sampler.py and in tests of torchft: without CUDA, these calls fail."""
    assert ENGINE.fix(Source(HEAD + code)).text == HEAD + code


@pytest.mark.parametrize("code", MOVES.values(), ids=MOVES)
def test_other_questions_move(code: str) -> None:
    found = ENGINE.fix(Source(HEAD + code)).text
    assert "torch.npu.is_available()" in found or "device.type == 'npu'" in found


@pytest.mark.parametrize("code", [STAYS["a function beside its twin"], STAYS["a class for NCCL"], STAYS["NVML"]])
def test_typed_equals_fresh(code: str) -> None:
    added = ("wrap.cpu_stitch(1)", "import ext as wrap", "ProcessGroupNCCL()", "from torch import ProcessGroupNCCL")
    type_in_each_line(HEAD + code, added, 3)
