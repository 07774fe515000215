"""Tests that a condition such as `x.is_cuda`, which chooses a name that holds None where another condition stays
CUDA's, is fixed only together with that condition."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.edits import apply_edits
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))
HEAD = "import torch\nimport torch_npu\n"
FILLS = """\
class Attend:
    def __init__(self, flash):
        self.cpu_config = (True, True)
        self.cuda_config = None
        if not torch.cuda.is_available() or not flash:
            return
        p = torch.cuda.get_device_properties(torch.device("cuda"))
        if p.major == 8:
            self.cuda_config = (True, False)
        else:
            self.cuda_config = (False, True)
"""
LOCAL = """\
def f(q):
    config = None
    if torch.cuda.is_available():
        config = torch.cuda.get_device_properties(0).major
"""
SHARED = """\
config = None
def load():
    global config
    if torch.cuda.is_available():
        config = torch.cuda.get_device_properties(0).major
"""
METHOD = "    def f(self, q):\n"
CHOICE = "        return self.cuda_config if q.is_cuda else self.cpu_config\n"
HELD = {
    "in an expression": FILLS + METHOD + CHOICE,
    "through a variable": FILLS
    + METHOD
    + "        is_cuda = q.is_cuda\n        config = self.cuda_config if is_cuda else self.cpu_config\n",
    "through one of several variables": FILLS
    + METHOD
    + "        _, n, is_cuda = *q.shape, q.is_cuda\n        c = self.cuda_config if is_cuda else 1\n",
    "the other way first": FILLS + METHOD + "        return self.cpu_config if not q.is_cuda else self.cuda_config\n",
    "in a block": FILLS
    + METHOD
    + "        if q.is_cuda:\n            return self.cuda_config[0]\n        return False\n",
    "below a return": FILLS
    + METHOD
    + "        if not q.is_cuda:\n            return False\n        return self.cuda_config[0]\n",
    "a local name": LOCAL + "    return config.bit_length() if q.is_cuda else 0\n",
    "a name of the module": SHARED + "def f(q):\n    return config.bit_length() if q.is_cuda else 0\n",
}
FREE = {
    "a value for other devices": FILLS.replace("= None", "= (True, True)") + METHOD + CHOICE,
    "a value elsewhere": FILLS + "    def g(self, it):\n        self.cuda_config = it\n" + METHOD + CHOICE,
    "a test of the name": FILLS
    + METHOD
    + "        if q.is_cuda and self.cuda_config is not None:\n            return self.cuda_config[0]\n",
    "a test around": FILLS
    + METHOD
    + "        if self.cuda_config:\n            return self.cuda_config[0] if q.is_cuda else 1\n",
    "a test that returns": FILLS
    + METHOD
    + "        if self.cuda_config is None:\n            return 1\n"
    + "        return self.cuda_config[0] if q.is_cuda else 1\n",
    "a value to fall back to": FILLS
    + METHOD
    + "        return (self.cuda_config or self.cpu_config) if q.is_cuda else self.cpu_config\n",
    "the way without CUDA": FILLS + METHOD + "        return self.cpu_config if q.is_cuda else self.cuda_config\n",
    "another name": FILLS + METHOD + "        return q.cuda_config if q.is_cuda else self.cpu_config\n",
    "another class": FILLS
    + "class Other:\n    def f(self, q):\n        return self.cuda_config if q.is_cuda else self.cpu_config\n",
    "another function": LOCAL + "def g(q, config):\n    return config.bit_length() if q.is_cuda else 0\n",
    "a parameter": LOCAL.replace("f(q)", "f(q, config=None)").replace("    config = None\n", "")
    + "    return config.bit_length() if q.is_cuda else 0\n",
    "a question that moves": FILLS.replace("p.major == 8", "p.total_memory > 8") + METHOD + CHOICE,
}


def classes_of(code: str) -> str:
    """Return the fix class of `q.is_cuda` in `code`; "manual" if it has no fix."""
    findings = ENGINE.check(Source(HEAD + code)).findings
    (found,) = (one for one in findings if one.rule == "is-cuda")
    return found.fixes[0].applicability if found.fixes else "manual"


@pytest.mark.parametrize("code", HELD.values(), ids=HELD)
def test_a_test_that_chooses_an_empty_name_needs_review(code: str) -> None:
    assert classes_of(code) == "review"
    assert classes_of(code.replace("\n", "\r\n")) == "review"
    fixed = ENGINE.fix(Source(HEAD + code)).text
    assert "q.is_cuda" in fixed
    assert "torch.cuda.is_available" in fixed


@pytest.mark.parametrize("code", FREE.values(), ids=FREE)
def test_other_tests_keep_their_class(code: str) -> None:
    assert classes_of(code) == "safe"
    assert classes_of(code.replace("\n", "\r\n")) == "safe"


def test_both_change_together() -> None:
    text = HEAD + HELD["in an expression"]
    for name in ("is_available", "is_cuda"):
        (found,) = (one for one in ENGINE.check(Source(text)).findings if text[: one.span.end].endswith(name))
        fixed = apply_edits(text, found.fixes[0].edits)
        assert "torch.npu.is_available" in fixed
        assert "q.is_npu" in fixed


def test_the_message_says_why() -> None:
    text = HEAD + HELD["in an expression"]
    (found,) = (one for one in ENGINE.check(Source(text)).findings if one.rule == "is-cuda")
    assert "a name that stays None: `self.cuda_config`" in found.message
    chinese = engine_for("npu", Settings(locale="zh"))
    (found,) = (one for one in chinese.check(Source(text)).findings if one.rule == "is-cuda")
    assert "一直为 None 的名称：`self.cuda_config`" in found.message


def test_typing_says_what_a_fresh_look_says() -> None:
    """An assignment of the name, and a test of the name, may be typed in any line."""
    typed = ("self.cuda_config = it", "self.cuda_config = None", "if self.cuda_config: pass", "return", "g()")
    type_in_each_line(HEAD + HELD["in a block"], typed, 3)
