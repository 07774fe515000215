"""Tests that a device string needs review if other code takes a fixed number of characters of it."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

HEAD = "import torch\n"
GIVEN = [
    ("self.device = 'cuda:' + str(i)", "self.device[:4]"),
    ("device = f'cuda:{i}'", "int(device[5:])"),
    ("device = 'cuda:0' if fast else 'cpu'", "str(device)[:5]"),
    ("device = torch.device('cuda:0')", "str(device)[:4]"),
    ("parser.add_argument('--device', default='cuda:0')", "args.device[:4]"),
    ("config = {'device': 'cuda:0'}", "config['device'][5:]"),
    ("def f(device='cuda:0'): pass", "device[:4]"),
    ("f(device='cuda:0')", "self.device[4:]"),
    ("def f(i):\n    device = f'cuda:{i}'\n    return device[5:]", "1"),
]


def classes(text: str, target: str) -> set[str]:
    findings = engine_for(target, Settings(locale="en")).check(Source(text)).findings
    return {fix.applicability for finding in findings for fix in finding.fixes}


@pytest.mark.parametrize(("gives", "takes"), GIVEN)
def test_a_device_of_another_length(gives: str, takes: str) -> None:
    """`"npu:0"[:4]` is "npu:", for which PyTorch raises an exception; `musa` is as long as `cuda`."""
    text = f"{HEAD}{gives}\nx = {takes}\n"
    assert classes(text, "npu") == {"review"}
    assert classes(text, "musa") == {"safe"}


@pytest.mark.parametrize(
    "text",
    [
        "device = 'cuda' if gpu else 'cpu'\nx = batch.to(device)[:4]\n",
        "images = images.to('cuda')\nmake_grid(images[:4])\n",
        "preds = model(x.to('cuda'))\npreds[:5]\n",
        "def f():\n    device = torch.device('cuda:0')\n    x.to(device)\n\n\ndef g(device):\n    return device[4:]\n",
    ],
)
def test_a_part_of_a_tensor(text: str) -> None:
    assert classes(HEAD + text, "npu") == {"safe"}


@pytest.mark.parametrize(
    "text",
    [
        "self.device = 'cuda:0'\nx = self.device[5:]\nif not torch.cuda.is_available():\n    self.device = 'cpu'\n",
        "self.device = 'cuda:0'\nx = self.device[5:]\nif self.device == 'cuda:0':\n    torch.cuda.synchronize()\n",
    ],
)
def test_what_depends_on_the_device_stays(text: str) -> None:
    assert engine_for("npu", Settings(locale="en")).fix(Source(HEAD + text)).text == HEAD + text


@pytest.mark.parametrize("takes", ["name[:4]", "device[:3]", "device[0]", "'device[:4]'", "devices[:4]"])
def test_other_parts(takes: str) -> None:
    assert classes(f"{HEAD}device = 'cuda:0'\nx = {takes}\n", "npu") == {"safe"}


def test_it_is_typed() -> None:
    text = f"{HEAD}\n\ndef f(i):\n    device = f'cuda:{{i}}'\n    x.to(device)\n    y = device[:4]\n"
    type_in_each_line(text, ("y = device[5:]", "device = 'cuda:1'", "z[:4]", "# device[:4]"), 2)
