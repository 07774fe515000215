"""Tests that the choice of a device for float64 tensors needs review on a target that lacks float64."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.counted import steps
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

HEAD = "import torch\nfrom argparse import Namespace\n"
DEVICE = "torch.device('cuda' if torch.cuda.is_available() else 'cpu')"
CHOSEN = f"device = {DEVICE}\n"
BRANCHES = "if torch.cuda.is_available():\n    device = torch.device('cuda')\nelse:\n    device = torch.device('cpu')\n"
DOUBLES = [
    f"torch.set_default_dtype(torch.float64)\n{CHOSEN}",
    f"{CHOSEN}torch.set_default_tensor_type('torch.DoubleTensor')\n",
    f"dtype = torch.double\ntorch.set_default_dtype(dtype)\n{CHOSEN}",
    f"def main():\n    torch.set_default_dtype(torch.float64)\n    {CHOSEN}",
    f"{CHOSEN}tkwargs = {{'device': device, 'dtype': torch.double}}\n",
    f"{CHOSEN}tkwargs = dict(dtype=torch.float64, device=device)\n",
    f"cfg = Namespace(device={DEVICE}, dtype=torch.double)\n",
    f"{BRANCHES}tkwargs = {{'device': device, 'dtype': torch.double}}\n",
    "torch.set_default_dtype(torch.double)\nif torch.cuda.is_available():\n    model.cuda()\n",
    "torch.set_default_dtype(torch.double)\nuse_cuda = torch.cuda.is_available()\nif use_cuda:\n    model.cuda()\n",
    f"{CHOSEN}\n\ndef f(x):\n    kwargs = {{'device': device, 'dtype': torch.double}}\n    return x.to(**kwargs)\n",
]


def classes(text: str, target: str) -> set[str]:
    findings = engine_for(target, Settings(locale="en")).check(Source(text)).findings
    return {fix.applicability for finding in findings for fix in finding.fixes}


@pytest.mark.parametrize("text", DOUBLES)
def test_a_device_of_float64_tensors(text: str) -> None:
    """On the CPU, which the program chooses without CUDA, they work."""
    assert engine_for("npu", Settings(locale="en")).fix(Source(HEAD + text)).text == HEAD + text
    assert classes(HEAD + text, "npu") == {"review"}
    assert classes(HEAD + text, "musa") == {"safe"}


@pytest.mark.parametrize(
    "text",
    [
        f"{CHOSEN}x = torch.zeros(3, dtype=torch.double)\n",
        f"torch.set_default_dtype(torch.float32)\n{CHOSEN}x = x.to(torch.float64)\n",
        f"def test_double():\n    torch.set_default_dtype(torch.float64)\n\n\ndef main():\n    {CHOSEN}",
        f"{CHOSEN}tkwargs = {{'device': 'cpu', 'dtype': torch.double}}\n",
        "device = torch.device('cuda')\ntkwargs = {'device': device, 'dtype': torch.double}\n",
        "tkwargs = {'device': 'cuda', 'dtype': torch.double}\n",
        "torch.set_default_dtype(torch.double)\nif torch.cuda.is_available():\n    torch.cuda.manual_seed_all(0)\n",
        "torch.set_default_dtype(torch.double)\nprint(torch.cuda.is_available())\n",
        f"{CHOSEN}def f(x, device='cpu'):\n    x.to(**{{'device': device, 'dtype': torch.double}})\n",
        "if __name__ == '__main__':\n    device = 'cuda'\n    kw = {'device': device, 'dtype': torch.double}\n",
        f"def f():\n    {CHOSEN}\n\ndef g(device):\n    return {{'device': device, 'dtype': torch.double}}\n",
    ],
)
def test_another_device(text: str) -> None:
    assert classes(HEAD + text, "npu") == {"safe"}


def test_dtypes_are_typed() -> None:
    text = HEAD + DOUBLES[2] + DOUBLES[4].replace("device", "other").replace("'other'", "'device'")
    lines = ("dtype = torch.float32", "    pass", "torch.set_default_dtype(dtype)", "device = 'cpu'")
    type_in_each_line(text, lines, 8)


@pytest.mark.parametrize(
    "item", ["{'device': 'cpu', 'dtype': torch.float64, 'n': 1},", "lambda: torch.set_default_dtype(torch.float64),"]
)
def test_many_dtypes_in_one_statement(item: str) -> None:
    """Each statement is read once."""
    engine = engine_for("npu", Settings(locale="en"))

    def cost(count: int) -> int:
        return steps(lambda: engine.check(Source(f"{HEAD}{CHOSEN}x = [{item * count}]\n"))).total()

    assert cost(400) < 6 * cost(100)
