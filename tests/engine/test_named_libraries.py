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
