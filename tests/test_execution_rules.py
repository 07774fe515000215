"""Tests of those helpers of tests/execution that need no simulated run: the lines that a fix wrote, and the names of
the plugin that these lines use."""

from __future__ import annotations

import pytest

from execution.signatures import compare, not_reached, written

BEFORE = "import torch\n\n\ndef f(x):\n    return x\n\n\nx = torch.cuda.graph(x)\n"


def _npu(call: str) -> str:
    return f"import torch\nimport torch_npu\n\n\ndef f(x):\n    return x\n\n\nx = {call}\n"


@pytest.mark.parametrize("call", ["torch.npu.graph(x)", "torch.npu.graph(npu_graph=x, pool=None)", "torch.npu.graph"])
def test_names_that_are_there(call: str) -> None:
    named, wrong = compare("npu", "2.14.0", BEFORE, _npu(call))
    assert "torch_npu.npu.graph" in named
    assert not wrong


@pytest.mark.parametrize(
    "call, complaint",
    [
        ("torch.npu.graf(x)", "torch_npu.npu.graf is not known"),
        ("torch.npu.graph(cuda_graph=x)", "torch_npu.npu.graph: missing a required argument: 'npu_graph'"),
        ("torch.npu.graph(x, other=1)", "torch_npu.npu.graph: got an unexpected keyword argument 'other'"),
    ],
)
def test_names_that_are_not(call: str, complaint: str) -> None:
    assert compare("npu", "2.14.0", BEFORE, _npu(call))[1] == [complaint]


def test_names_that_the_fix_did_not_write() -> None:
    text = _npu("torch.npu.graf(x)")
    assert compare("npu", "2.14.0", text, text) == ([], [])


def test_other_names_of_modules() -> None:
    before = "import torch\n\nprint(torch.cuda.nccl.version())\n"
    named, wrong = compare(
        "musa", "2.7.1", before, "import torch\nimport torch_musa\n\nprint(torch.musa.mccl.version())\n"
    )
    assert "torch_musa.core.mccl.version" in named
    assert not wrong


def test_lines_that_were_not_reached() -> None:
    after = "import torch\n\n\ndef f(x):\n    return x.npu(\n        0\n    )\n\n\n"
    after += "try:\n    f(x)\nexcept OSError:\n    pass\n"
    before = after.replace("npu", "cuda").replace("OSError", "ValueError")
    assert written(before, after) == {5, 12}
    assert not_reached(before, after, frozenset({1, 4, 6, 10, 12})) == []
    assert not_reached(before, after, frozenset({1, 4, 10, 11})) == ["return x.npu(", "except OSError:"]
