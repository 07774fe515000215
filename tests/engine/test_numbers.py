"""Tests that a condition or a number of devices which chooses the number of a device, or how often a loop runs, stays
unchanged if code that uses the number stays."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))
HEAD = "import torch\nimport torch_npu\n"
CHOSEN = "def f(model, dev=None):\n    if {}:\n        dev = {}\n    else:\n        dev = {}\n"
CHOICE = "def f(model):\n    dev = 0 if torch.cuda.is_available() else -1\n"
LEFT = "        model = model.cuda(dev)\n"  # needs review: Module.npu takes a number only
MOVED = "        model = model.cuda()\n"
LOOP = "def f():\n    for i in range({}):\n        add({})\n"
COUNTED = "class A:\n    def __init__(self):\n        self.n = torch.cuda.device_count()\n"
HELD = {
    "a branch": CHOSEN.format("torch.cuda.device_count() > 0", 0, -1) + "    if dev >= 0:\n" + LEFT,
    "a denied branch": CHOSEN.format("not torch.cuda.is_available()", -1, 0) + "    if dev >= 0:\n" + LEFT,
    "a way without CUDA": CHOSEN.format("torch.cuda.is_available()", 0, -1)
    + "    if dev < 0:\n        return model\n    else:\n"
    + LEFT,
    "a return without CUDA": CHOSEN.format("torch.cuda.is_available()", 0, -1)
    + "    if dev == -1:\n        return model\n    return model.cuda(dev)\n",
    "a switch": CHOSEN.format("torch.cuda.is_available()", "it()", "False") + "    if dev:\n" + LEFT,
    "an expression": CHOICE + "    if dev >= 0:\n" + LEFT,
    "a loop": LOOP.format("torch.cuda.device_count()", "f'cuda:{i}'"),
    "a loop over a variable": COUNTED
    + "        for i in range(self.n):\n            d = f'cuda:{i}'\n            add(d)\n",
    "a comprehension": "add([f'cuda:{i}' for i in range(torch.cuda.device_count())])\n",
}
FREE = {
    "the code moves": CHOSEN.format("torch.cuda.device_count() > 0", 0, -1) + "    if dev >= 0:\n" + MOVED,
    "another variable": CHOSEN.format("torch.cuda.is_available()", 0, -1) + "    if other >= 0:\n" + LEFT,
    "two numbers": CHOSEN.format("torch.cuda.is_available()", 32, 8) + "    if dev >= 0:\n" + LEFT,
    "a third branch": CHOSEN.format("torch.cuda.is_available()", "0\n    elif mps:\n        dev = 1", -1)
    + "    if dev >= 0:\n"
    + LEFT,
    "the way without CUDA": CHOSEN.format("torch.cuda.is_available()", 0, -1) + "    if dev < 0:\n" + LEFT,
    "a switch of its own": "ok = torch.cuda.is_available()\nif use_cuda:\n    net = net.cuda()\n",
    "training": "if torch.cuda.is_available():\n    train(model)\n",
    "a loop over numbers": LOOP.format("torch.cuda.device_count()", "torch.cuda.mem_get_info(i)"),
    "a loop over something else": LOOP.format("len(it)", "f'cuda:{i}'") + "    n = torch.cuda.device_count()\n",
}


def class_of(code: str) -> str:
    """Return the fix class of the condition, or of the number of devices, in `code`."""
    text = HEAD + code
    ends = ("is_available", "device_count")
    (found,) = (one for one in ENGINE.check(Source(text)).findings if text[: one.span.end].endswith(ends))
    return found.fixes[0].applicability if found.fixes else "manual"


@pytest.mark.parametrize("code", HELD.values(), ids=HELD)
def test_it_stays_with_the_code_that_uses_the_number(code: str) -> None:
    assert class_of(code) == "review"
    assert class_of(code.replace("\n", "\r\n")) == "review"


@pytest.mark.parametrize("code", FREE.values(), ids=FREE)
def test_other_conditions_are_safe(code: str) -> None:
    assert class_of(code) == "safe"


@pytest.mark.parametrize("name", ["a branch", "a loop over a variable"])
def test_typing_says_what_a_fresh_look_says(name: str) -> None:
    typed = ("dev = -1", "dev = 5", "if dev >= 0: pass", "self.n = 1", "for i in range(self.n): pass", "g()")
    type_in_each_line(HEAD + HELD[name], typed, 2)
