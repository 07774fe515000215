"""Tests of questions in files that call CUDA's compiler for an extension."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

HEAD = "import os\nimport torch\nfrom torch.utils import cpp_extension\n\n"
STAYS = [
    HEAD
    + 'if torch.cuda.is_available():\n    os.environ["LIB"] = cpp_extension.include_paths(device_type="cuda")[-1]\n',
    HEAD + "class Compiler:\n    def __init__(self, fast):\n        if fast and torch.cuda.is_available():\n"
    "            assert self.find()\n        self.options = cpp_extension.COMMON_NVCC_FLAGS\n",
]
ENGINE = engine_for("npu", Settings(locale="en"))


@pytest.mark.parametrize("text", STAYS)
def test_a_question_beside_the_compiler_of_cuda_stays(text: str) -> None:
    """As in xlstm's cuda_init.py, which asks for the headers of CUDA, and in returnn's native_op_code_compiler.py."""
    assert ENGINE.fix(Source(text)).text == text


@pytest.mark.parametrize("text", STAYS)
def test_other_files_move(text: str) -> None:
    other = text.replace("cpp_extension", "extension").replace("from torch.utils import extension\n", "")
    assert "torch.npu.is_available" in ENGINE.fix(Source(other)).text


def test_a_question_in_a_setup_that_builds_extensions_stays() -> None:
    """As in bitorch-engine, whose setup.py would have built the extensions for CUDA without its compiler."""
    text = (
        "import torch\nfrom torch.utils.cpp_extension import BuildExtension\n\nskip = not torch.cuda.is_available()\n"
    )
    assert ENGINE.fix(Source(text, "setup.py")).text == text
    assert "torch.npu" in ENGINE.fix(Source(text, "pkg/load.py")).text
    assert "torch.npu" in ENGINE.fix(Source(text, "env_setup.py")).text


def test_a_program_that_moves_its_model_is_ported() -> None:
    """Its model and its data would otherwise be on two devices."""
    text = STAYS[1] + "\n\ndef main(model, x):\n    device = 'cuda' if torch.cuda.is_available() else 'cpu'\n"
    text += "    return model.to(device)(x.cuda())\n"
    fixed = ENGINE.fix(Source(text)).text
    assert "cuda" not in fixed.partition("def main")[2]


@pytest.mark.parametrize("asked", ["torch.cuda.device_count() > 0", "cuda.is_available()"])
def test_other_questions_stay(asked: str) -> None:
    text = STAYS[1].replace("torch.cuda.is_available()", asked).replace("import os\n", "from torch import cuda\n")
    assert ENGINE.fix(Source(text)).text == text


def test_it_is_typed() -> None:
    type_in_each_line(STAYS[1], ("        x = 'nvcc'", "import torch", "x = torch.cuda.is_available()", "x = 1"), 2)
