"""Tests of the search for files without torch that give a device the value "cuda"."""

from __future__ import annotations

import pytest

from support.bounded import run_bounded
from uncuda.workspace.idioms import NAMES, idioms

GIVES = [
    'device = "cuda"',
    "my_device_name='cuda:1'",
    'device: str = "cuda"',
    'device: "str | None" = "cuda"',
    'options = {"device": "cuda"}',
    "options = {'kind': 'cpu', 'device' : 'cuda'}",
    'f(x, device="cuda")',
    'self.device: Annotated[str] = "cuda"',
]
GIVES_NOT = [
    'kind = "cuda"',
    'device == "cuda"',
    'device != "cuda"',
    'device = "cuda_fast"',
    'device, kind = "cuda"',
    'f(device, kind="cuda")',
    'device: str\nkind = "cuda"',
    'device = kind = "cuda"',
    'print("device", "cuda")',
    "device = cuda",
]
# `idioms` once took minutes or more for each text in this program.
HOSTILE = """
from uncuda.workspace.idioms import idioms

for word in ("device", "device:", "device :", "device_", "device\\t", "device=", 'device"', '"cuda":'):
    assert not idioms(b'x = "' + word.encode() * (600_000 // len(word)) + b' cuda"', "a", "a.py")
print("done")
"""


@pytest.mark.parametrize("text", [*GIVES, *GIVES_NOT])
def test_a_name_with_device_receives_the_value(text: str) -> None:
    expected = {NAMES + "a.py"} if text in GIVES else set()
    assert idioms(text.encode(), "a", "a.py") == expected


@pytest.mark.slow
def test_the_time_follows_the_size() -> None:
    assert run_bounded(HOSTILE) == "done\n"
