"""Tests of conditions that choose a library for CUDA by its name."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

HEAD = "import torch\n"
STAYS = [
    'def f(points):\n    if points.is_cuda:\n        implementation = "warp"\n',
    'def f(points, found):\n    if points.is_cuda and found:\n        if found.available:\n            return "warp"\n',
    "def f(x):\n    return \"torch\" if not x.is_cuda else 'cupy'\n",
    'use_cuda = torch.cuda.is_available()\nbackend = "xformers" if use_cuda else "eager"\n',
    'if not torch.cuda.is_available():\n    kind = "scipy"\nelse:\n    kind = "spconv"\n',
    'def f(x, kind):\n    if x.is_cuda and kind == "flash_attn":\n        run(x, kind)\n',
    'if torch.cuda.is_available():\n    model = build(attention="flash_attn")\n',
    'drivers = [None, *(["gesvd", "gesvdj"] if torch.cuda.is_available() else [])]\n',
]
MOVES = [
    'def f(points):\n    if points.is_cuda:\n        kind = "fast"\n    else:\n        kind = "warp"\n',
    'def f(points):\n    if points.is_cuda:\n        implementation = "fast"  # not "warp"\n',
    'def f(points):\n    if points.is_cuda:\n        """Not\n        "warp" here."""\n        kind = 1\n',
    'def f(points):\n    if points.is_cuda:\n        implementation = "time warp"\n',
    'def f(points):\n    if points.is_cuda:\n        logging.info("warp")\n',
    'backend = "warp"\nuse_cuda = torch.cuda.is_available()\nif use_cuda:\n    backend = "fast"\n',
]


@pytest.mark.parametrize("target", ["npu", "musa"])
@pytest.mark.parametrize("text", STAYS)
def test_a_condition_that_names_a_library_for_cuda_stays(text: str, target: str) -> None:
    """The library takes no tensors of the target, and the program runs without it if no CUDA is found."""
    engine = engine_for(target, Settings(locale="en"))
    report = engine.check(Source(HEAD + text))
    assert {fix.applicability for finding in report.findings for fix in finding.fixes} == {"review"}
    assert all("what it guards is not changed" in finding.message for finding in report.findings)


@pytest.mark.parametrize("text", MOVES)
def test_other_words_move(text: str) -> None:
    fixed = engine_for("npu", Settings(locale="en")).fix(Source(HEAD + text)).text
    assert fixed.replace("import torch_npu\n", "") == HEAD + text.replace("cuda.is", "npu.is").replace(
        "points.is_cuda", "points.is_npu"
    )


def test_typing_equals_a_new_check() -> None:
    parts = [text.replace("def f", f"def f{index}") for index, text in enumerate(STAYS[:5] + MOVES[:3])]
    type_in_each_line(HEAD + "\n".join(parts), ('mode = "warp"', "if points.is_cuda:", '"""', "# a"), 1)


SKIPPED = "@pytest.mark.skipif(not torch.cuda.is_available(), reason='')\ndef test_linear():\n    Linear()\n"
OWN = [
    "if torch.cuda.is_available():\n    from .cuda import Linear\nelse:\n    from .cpp import Linear\n",
    "def best():\n    if x.is_cuda:\n        from ..layers.cuda.linear import Linear\n        return Linear\n",
    "if not torch.cuda.is_available():\n    Linear = None\nelse:\n    from . import cutlass\n",
    "if torch.cuda.is_available():\n    from .cuda import (\n        Linear,\n    )\n\n\n" + SKIPPED,
]


@pytest.mark.parametrize("target", ["npu", "musa"])
@pytest.mark.parametrize("text", OWN)
def test_a_condition_that_imports_the_projects_package_for_cuda_stays(text: str, target: str) -> None:
    """As in bitorch-engine: the compiled extension for the CPU was chosen before, a placeholder afterwards."""
    assert engine_for(target, Settings(locale="en")).fix(Source(HEAD + text)).text == HEAD + text


@pytest.mark.parametrize(
    "text",
    [
        "if torch.cuda.is_available():\n    from torch.cuda.amp import autocast\n",
        "if torch.cuda.is_available():\n    # from .cuda import Linear\n    pass\n",
        "from .cuda import synchronize\nif torch.cuda.is_available():\n    synchronize()\n",
        "if torch.cuda.is_available():\n    from .cudagraph import replay\n",
    ],
)
def test_other_imports_move(text: str) -> None:
    assert "npu.is_available" in engine_for("npu", Settings(locale="en")).fix(Source(HEAD + text)).text


def test_a_test_of_the_projects_package_for_cuda_stays_skipped() -> None:
    text = (
        "import torch\nfrom pkg.functions.cuda import pack\n\n\n"
        "@pytest.mark.skipif(not torch.cuda.is_available(), reason='')\ndef test_pack():\n    pack()\n"
    )
    engine = engine_for("npu", Settings(locale="en"))
    assert engine.fix(Source(text, "tests/test_pack.py")).text == text
    assert "npu" in engine.fix(Source(text, "pkg/check.py")).text


def test_devices_stay_beside_the_choice_of_the_projects_code() -> None:
    """The code for the CPU, which the target uses, would get tensors of the target."""
    text = f"{HEAD}{OWN[0]}device = 'cuda' if torch.cuda.is_available() else 'cpu'\n"
    assert engine_for("npu", Settings(locale="en")).fix(Source(text)).text == text


@pytest.mark.parametrize("line", ["from . import cuda", "import pkg.kernels.cuda as K", "from pkg.cutlass import K"])
def test_spellings_of_the_projects_package_for_cuda(line: str) -> None:
    text = f"{HEAD}def f(x):\n    if x.is_cuda:\n        {line}\n"
    engine = engine_for("npu", Settings(locale="en"))
    assert engine.fix(Source(text, "pkg/ops.py")).text == text
    assert line.startswith("from .") or "is_npu" in engine.fix(Source(text, "other/ops.py")).text


def test_the_projects_package_for_cuda_is_typed() -> None:
    text = HEAD + "\n\n".join(OWN)
    type_in_each_line(text, ("from .cuda import Linear", "if torch.cuda.is_available():", "    Linear()"), 1)


@pytest.mark.parametrize(
    ("condition", "stays"),
    [
        ("TRITON_AVAILABLE and q.is_cuda", True),
        ("q.is_cuda and fast and self.has_triton", True),
        ("is_triton_available() and torch.cuda.is_available()", True),
        ("q.device.type == 'cuda' and HAS_TRITON", True),
        ("not q.is_cuda or not HAS_TRITON", True),
        ("q.is_cuda and fast", False),
        ("fast(HAS_TRITON) and q.is_cuda", False),
    ],
)
def test_a_question_beside_one_for_triton_stays(condition: str, stays: bool) -> None:
    """As in PoPE-pytorch, whose kernels are in another file."""
    text = f"{HEAD}fused = default(fused, {condition})\n"
    assert (engine_for("npu", Settings(locale="en")).fix(Source(text)).text == text) == stays


def test_a_question_beside_one_for_triton_is_typed() -> None:
    text = f"{HEAD}HAS_TRITON = True\nfused = HAS_TRITON and q.is_cuda\n"
    type_in_each_line(text, ("fused = q.is_cuda", "fused = q.is_cuda and HAS_TRITON", "x = 1"), 1)


def test_a_question_over_the_torch_of_a_function_stays() -> None:
    """As in silver-torch's pipeline.py: the device would be the target's, and the call CUDA's."""
    text = f"{HEAD}def f(device):\n    if device.startswith('cuda'):\n        _torch().cuda.synchronize()\n"
    engine = engine_for("npu", Settings(locale="en"))
    assert engine.fix(Source(text)).text == text
    assert "npu" in engine.fix(Source(text.replace("_torch().cuda.", "torch.cuda."))).text
    assert "npu" in engine.fix(Source(text.replace("_torch().cuda.", "# _torch().cuda.\n        run."))).text


TF32 = """import torch
import torch_npu


def arguments(device, bf16):
    is_cuda = device.type == "cuda"
    found = {"fp16": is_cuda and not bf16}
    if is_cuda:
        found["tf32"] = True
    return found
"""


def test_a_question_that_turns_on_tf32_stays() -> None:
    """As in doc2lora: transformers' TrainingArguments raises an exception for TF32 without CUDA."""
    engine = engine_for("npu", Settings(locale="en"))
    assert engine.fix(Source(TF32)).text == TF32
    text = TF32.replace('found["tf32"] = True', "print(\"the key 'tf32': True\")\n        tf32 = True")
    for other in (TF32.replace('["tf32"] = True', '["tf32"] = False'), TF32.replace('"tf32"', '"bf16"'), text):
        assert engine.fix(Source(other)).text == other.replace('"cuda"', '"npu"')


def test_a_question_that_turns_on_tf32_is_typed() -> None:
    type_in_each_line(TF32, ('found["tf32"] = True', "tf32 = True", "if is_cuda:"), 3)
