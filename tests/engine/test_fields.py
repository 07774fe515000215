"""Tests that a device which is made from a string and kept in an attribute or variable changes together with the
strings that its text is compared with."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))
MAKES = """\
import torch
import torch_npu

class Trainer:
    def __init__(self, rank):
        self.device = torch.device("cuda", rank)
        torch.cuda.set_device(rank)

    def wrap(self):
"""
PLAIN = "        if 'cuda' in str(self.device):\n            self.parallel()\n"
SEVERAL = """\
        if (
            "cuda" in str(self.device)
            and torch.cuda.device_count() > 1
        ):
            self.model = torch.nn.DataParallel(self.model)
"""
LOCAL = """\
import torch
import torch_npu

def run(rank):
    device = torch.device("cuda", rank)
    if str(device).startswith("cuda"):
        return torch.cuda.mem_get_info(device)
"""


def classes_of(code: str) -> dict[int, set[str]]:
    """Return the fix classes of the findings in each line of `code`, which begins with line 1."""
    found = dict[int, set[str]]()
    for one in ENGINE.check(Source(code)).findings:
        line = code.count("\n", 0, one.span.start) + 1
        found.setdefault(line, set()).add(one.fixes[0].applicability if one.fixes else "manual")
    return found


@pytest.mark.parametrize("code", [MAKES + PLAIN, LOCAL], ids=["an attribute", "a variable"])
def test_both_are_safe(code: str) -> None:
    assert set().union(*classes_of(code).values()) == {"safe"}
    assert "cuda" not in ENGINE.fix(Source(code)).text


def test_a_wrapper_for_several_devices_keeps_only_the_number() -> None:
    """`DataParallel` stays, and the number of devices with it; other code asks for the same device."""
    fixed = ENGINE.fix(Source(MAKES + SEVERAL + PLAIN)).text
    assert 'torch.device("npu", rank)' in fixed
    assert '"npu" in str(self.device)\n            and torch.cuda.device_count() > 1' in fixed
    assert "if 'npu' in str(self.device):" in fixed


def test_a_wrapper_that_raises_keeps_only_the_number() -> None:
    """Before torch_npu 2.10, `DataParallel` raises an exception. The number alone keeps the target from it; were the
    text of the device to stay, too, no other code that asks for it would run, such as `DistributedDataParallel`."""
    engine = engine_for("npu", Settings(locale="en", target_version="2.7.1"))
    fixed = engine.fix(Source(MAKES + SEVERAL + PLAIN)).text
    assert 'torch.device("npu", rank)' in fixed
    assert '"npu" in str(self.device)\n            and torch.cuda.device_count() > 1' in fixed
    assert "if 'npu' in str(self.device):" in fixed
    for few in ("< 2", "<= 1", "> -1"):
        code = MAKES + SEVERAL.replace("> 1", few) + PLAIN
        assert '"cuda" in str(self.device)' in engine.fix(Source(code)).text
    either = SEVERAL.replace("and torch", "or torch")
    assert engine.fix(Source(MAKES + either + PLAIN)).text.count("cuda") == (MAKES + either + PLAIN).count("cuda") - 2


@pytest.mark.parametrize("made", ["torch.device('cuda', rank)", "torch.device(type='cuda')"])
@pytest.mark.parametrize(
    "test",
    [
        "str(self.device) == 'cuda' or re.match(r'cuda:[0-9]', it)",
        "str(self.device).startswith('cuda') or re.match(r'cuda:[0-9]', it)",
        "'cuda' in str(self.device) and torch.cuda.get_arch_list()",
    ],
)
def test_neither_changes(test: str, made: str) -> None:
    code = MAKES.replace('torch.device("cuda", rank)', made) + f"        if {test}:\n            self.g()\n"
    found = classes_of(code)
    assert "safe" not in found[6] | found[10]


def test_another_attribute_is_free() -> None:
    code = (
        MAKES.replace("self.device =", "self.other =")
        + "        if str(self.device) == 'cuda' or re.match('cuda:[0-9]', it):\n"
    )
    assert classes_of(code + "            self.g()\n")[6] == {"safe"}


def test_typing_says_what_a_fresh_look_says() -> None:
    typed = ('self.device = torch.device("cuda:1")', 'print("cuda" in str(self.device))', "g()", "return")
    type_in_each_line(MAKES + SEVERAL + PLAIN, typed, 4)


def test_a_test_over_a_kernel_stays_and_the_device_moves() -> None:
    """On the target, the program takes the way without the kernel."""
    code = MAKES.replace("import torch\n", "import torch, selective_scan_cuda\n", 1)
    found = classes_of(code + "        if 'cuda' in str(self.device):\n            selective_scan_cuda.fwd(self)\n")
    assert found[6] == {"safe"}
    assert found[10] == {"manual"}
