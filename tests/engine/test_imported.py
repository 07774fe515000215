"""Tests that an import of `torch.cuda`, or of a function that asks for CUDA, stays unchanged if a condition that calls
the function guards code for CUDA: the finding is at the import, and at no call."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))
HEAD = "import torch\nimport torch_npu\nimport selective_scan_cuda\n"
RUN = "def f(x):\n    if {}:\n        return selective_scan_cuda.fwd(x)\n    return x\n"
ELSE = "def f(x):\n    if not {}:\n        return x\n    return selective_scan_cuda.fwd(x)\n"
NUMBER = (
    "def f(model, dev=None):\n    from torch import cuda\n    if cuda.device_count() > 0:\n        dev = 0\n"
    "    else:\n        dev = -1\n    if dev >= 0:\n        model = model.cuda(dev)\n    return model\n"
)
HELD = {
    "the module": "from torch import cuda\n" + RUN.format("cuda.is_available()"),
    "the module by another name": "import torch.cuda as tc\n" + RUN.format("x.sum() and tc.device_count() > 0"),
    "a function": "from torch.cuda import is_available\n" + RUN.format("is_available()"),
    "a function by another name": "from torch.cuda import is_available as ok\n" + ELSE.format("ok()"),
    "a variable": "from torch.cuda import is_available\nok = is_available()\n" + RUN.format("ok"),
    "an import in a function": RUN.format("cuda.is_available()").replace(
        "    if", "    from torch import cuda\n    if"
    ),
    "a number": NUMBER,
}
FREE = {
    "no condition": "from torch import cuda\ncuda.synchronize()\n",
    "code that moves": "from torch import cuda\nif cuda.is_available():\n    train(model.cuda())\n",
    "the way without CUDA": "from torch import cuda\n" + RUN.format("not cuda.is_available()"),
    "another function": "def g():\n    from torch import cuda\n    cuda.synchronize()\n"
    + RUN.format("cuda.is_available()"),
    "a variable of this name": "from torch.cuda import is_available\nis_available()\n"
    + RUN.format("self.is_available()"),
}


def classes_of(code: str) -> set[str]:
    """Return the fix classes of the findings at imports of `torch.cuda` in `code`."""
    found = (one for one in ENGINE.check(Source(HEAD + code)).findings if one.rule == "cuda-api")
    return {one.fixes[0].applicability if one.fixes else "manual" for one in found}


@pytest.mark.parametrize("code", HELD.values(), ids=HELD)
def test_the_import_stays(code: str) -> None:
    assert classes_of(code) in ({"review"}, {"manual"})
    assert classes_of(code.replace("\n", "\r\n")) == classes_of(code)


@pytest.mark.parametrize(
    "choice",
    [
        'torch.device(f"cuda:{i}" if cuda.is_available() else "cpu")',
        'torch.device("cpu") if not cuda.is_available() else torch.device("cuda")',
        'torch.device("cuda") if x and cuda.is_available() else torch.device("cpu")',
        'cuda.is_available() and x.to("cuda")',
    ],
)
def test_what_an_expression_chooses_stays_with_the_import(choice: str) -> None:
    """The import stays because of a private name; the answer of the condition stays that of CUDA."""
    text = f"import torch\nimport torch_npu\nfrom torch import cuda\ny = {choice}\ncuda.memory._dump_snapshot(p)\n"
    assert ENGINE.fix(Source(text)).text == text
    moves = text.replace("cuda.memory._dump_snapshot(p)", "cuda.synchronize()")
    after = ENGINE.fix(Source(moves)).text
    assert "import npu as cuda" in after and '"cuda' not in after


def test_code_behind_it_stays() -> None:
    """The unchanged condition finds no device, so that the target never runs the code below it."""
    code = (
        HEAD
        + "from torch.cuda import is_available\n"
        + RUN.format("is_available()").replace("return", "x.cuda(); return", 1)
    )
    (found,) = (one for one in ENGINE.check(Source(code)).findings if one.rule == "cuda-method")
    assert found.fixes[0].applicability == "review"


@pytest.mark.parametrize("code", FREE.values(), ids=FREE)
def test_other_imports_are_safe(code: str) -> None:
    assert classes_of(code) == {"safe"}


def test_typing_says_what_a_fresh_look_says() -> None:
    typed = ("if cuda.is_available(): pass", "from torch import cuda", "ok = cuda.device_count()", "cuda = 1")
    type_in_each_line(HEAD + HELD["the module"] + NUMBER.replace("def f", "def g"), typed, 3)
