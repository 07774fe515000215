"""Tests of `torch.cuda._lazy_call(f)`: the call changes together with the code of `f`."""

from __future__ import annotations

import pytest

from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))
OLD_MUSA = engine_for("musa", Settings(locale="en", strategy="rewrite", target_version="2.7.0"))
HEAD = "import torch\nimport torch_npu\n"
STATE = """\
def set_state(state, device):
    def cb():
        generator = torch.cuda.default_generators[torch.cuda.current_device()]
        generator.set_state(state)
    {}_lazy_call(cb)
"""
SPELLED = [
    STATE.format("torch.cuda."),
    "from torch.cuda import _lazy_call\n" + STATE.format(""),
    "torch.cuda._lazy_call(lambda: torch.cuda.synchronize())\n",
    "def f():\n    torch.cuda.synchronize()\ndef g():\n    torch.cuda._lazy_call(f)\n",
]
PRIVATE = """\
def set_state(state):
    if hasattr(torch._C, "_cuda_setRNGState") and callable(torch._C._cuda_setRNGState):
        def cb():
            torch._C._cuda_setRNGState(state)
    else:
        def cb():
            torch.cuda.default_generators[0].set_state(state)
    torch.cuda._lazy_call(cb)
"""
UNKNOWN = [
    "from callbacks import cb\ntorch.cuda._lazy_call(cb)\n",
    "torch.cuda._lazy_call(self.cb)\n",
    "def cb():\n    torch.cuda.nccl.version()\n    torch.cuda.synchronize()\ntorch.cuda._lazy_call(cb)\n",
]


@pytest.mark.parametrize("text", SPELLED)
def test_a_call_and_the_function_that_it_receives_change_together(text: str) -> None:
    fixed = ENGINE.fix(Source(HEAD + text)).text
    assert "cuda" not in fixed and "_lazy_call" in fixed
    report = ENGINE.check(Source(HEAD + text))
    assert len({str(finding.fixes[0].edits) for finding in report.findings}) == 1


def test_code_that_runs_on_an_older_torch_only_holds_nothing_back() -> None:
    fixed = ENGINE.fix(Source(HEAD + PRIVATE)).text
    assert "torch.npu._lazy_call" in fixed and "torch.npu.default_generators" in fixed


@pytest.mark.parametrize("text", UNKNOWN)
def test_a_call_waits_for_a_function_that_stays_or_is_not_seen(text: str) -> None:
    assert ENGINE.fix(Source(HEAD + text)).text == HEAD + text


@pytest.mark.parametrize("text", SPELLED)
def test_a_function_stays_with_a_call_that_stays(text: str) -> None:
    """The version is older than the first whose `_lazy_call` was read."""
    assert OLD_MUSA.fix(Source(HEAD + text)).text == HEAD + text
