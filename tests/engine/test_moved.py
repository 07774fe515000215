"""Tests that a device is not chosen for the target if the model moves only behind a condition that stays CUDA's."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

OLD = Settings(locale="en", target_version="2.7.1")
HEAD = "import torch\nimport torch_npu\nfrom torch.nn import DataParallel\n"
CHOSEN = "device = torch.device('cuda:0' if torch.cuda.is_available() else 'cpu')\n"
WRAPPED = "if torch.cuda.is_available():\n    model = DataParallel(model).cuda()\n"
KERNEL = "if torch.cuda.is_available():\n    import alt_cuda_corr\n    model.cuda()\n"
INDENTED = "".join(f"    {line}" for line in KERNEL.splitlines(keepends=True))
INDENTED_WRAPPED = "".join(f"    {line}" for line in WRAPPED.splitlines(keepends=True))
LOADED = "def load(x):\n    if torch.cuda.is_available():\n        x = x.cuda()\n    return x\n"
BOTH = "        model = model.cuda()\n        model = DataParallel(model)\n"
USED = "for x in loader:\n    model(x.to(device))\n"
HELD = [
    f"{CHOSEN}{WRAPPED}{USED}",
    f"def main():\n    model = f()\n    {CHOSEN}{INDENTED_WRAPPED}",
    f"{WRAPPED}{LOADED}",
    f"{WRAPPED}print(model)\nuse_cuda = torch.cuda.is_available()\nif use_cuda:\n    x = x.cuda()\n",
    f"{CHOSEN}{KERNEL}{USED}",
    f"def main():\n    if torch.cuda.is_available():\n{BOTH}{LOADED}",
    f"def main():\n    model = f()\n{INDENTED_WRAPPED}{LOADED}",
    f"{CHOSEN}{WRAPPED}other.to(device)\n",
    f"{CHOSEN}{WRAPPED}model.to('cpu')\nmodel.to(torch.float16)\nmodel = f(x.to(device))\nrun(model=x.to(device))\n",
    f"{CHOSEN}{WRAPPED}print('model.to(device)')\ndef other(model):\n    model.to(device)\n",
    f"{CHOSEN}{WRAPPED.replace('model =', 'wrapper =')}{USED}",
]
FREE = [
    f"{CHOSEN}model = build().to(device)\n{WRAPPED}{USED}",
    f"{CHOSEN}{WRAPPED}model.to(device)\n{USED}",
    f"{CHOSEN}{WRAPPED}model.module.half().to(device)\n{USED}",
    f"{CHOSEN}model: Net = build(device=device)\n{WRAPPED}{USED}",
    f"{CHOSEN}model, optimizer = build().to(device), 1\n{WRAPPED}{USED}",
    f"{CHOSEN}model = accelerator.prepare(build())\n{WRAPPED}{USED}",
    f"{WRAPPED}if torch.cuda.is_available():\n    model = model.cuda()\n",
    f"{WRAPPED.replace('model =', 'wrapper =')}if torch.cuda.is_available():\n    model = model.cuda()\n",
    f"{WRAPPED}train(DataLoader(x, pin_memory=torch.cuda.is_available()))\n",
    f"{WRAPPED}if torch.cuda.is_available():\n    torch.cuda.manual_seed_all(0)\n",
    f"{CHOSEN}if torch.cuda.is_available():\n    model.cuda()\n{USED}",
    f"def main():\n    if torch.cuda.is_available():\n{BOTH.replace('(model)', '(other)')}{LOADED}",
    f"def old(model):\n{INDENTED}use_cuda = torch.cuda.is_available()\nif use_cuda:\n    net = net.cuda()\n",
    f"def time():\n    model = build()\n{INDENTED}def main():\n    {CHOSEN}    return build().to(device)\n",
]


def changed(text: str) -> bool:
    return engine_for("npu", OLD).fix(Source(HEAD + text)).text != HEAD + text


@pytest.mark.parametrize("text", HELD)
def test_the_model_stays_where_it_is(text: str) -> None:
    """`DataParallel` of torch_npu before 2.10 raises an exception, so the condition around it stays."""
    assert not changed(text)


@pytest.mark.parametrize("text", FREE)
def test_another_model_or_another_choice(text: str) -> None:
    assert changed(text)


def test_tests_have_models_of_their_own() -> None:
    text = HEAD + HELD[2]
    assert engine_for("npu", OLD).fix(Source(text, "tests/test_a.py")).text != text


def test_a_version_that_wraps_models() -> None:
    assert engine_for("npu", Settings(locale="en")).fix(Source(HEAD + HELD[0])).text.count("npu") > 3


@pytest.mark.parametrize("text", [HELD[4], KERNEL + HELD[2].replace(WRAPPED, "")])
def test_typing_says_what_a_fresh_look_says(text: str) -> None:
    lines = ("model = model.to(device)", "if torch.cuda.is_available():", "model.cuda()", "model = x", "    pass")
    type_in_each_line(HEAD + text, lines, 3)


KEPT = (
    HEAD
    + """import onnxruntime


class Summarizer:
    def __init__(self, use_cuda, onnx):
        self.device = "cuda" if torch.cuda.is_available() and use_cuda else "cpu"
        if onnx:
            provider = "CUDAExecutionProvider" if "GPU" in onnxruntime.get_device() and self.device == "cuda" else None
        self.model = build(provider).to(self.device)

    def run(self, ids):
        ids = ids.to("cuda") if torch.cuda.is_available() else ids
        return self.model(ids)


class Other:
    def run(self, ids):
        return ids.to("cuda") if torch.cuda.is_available() else ids
"""
)


def test_a_class_that_keeps_the_device_of_its_model() -> None:
    """As in textsum/summarize.py: the device of the model stays because of ONNX Runtime, and so do its inputs."""
    fixed = engine_for("npu", OLD).fix(Source(KEPT)).text
    assert fixed.partition("class Other")[0].count("npu") == HEAD.count("npu")
    assert fixed.partition("class Other")[2].count("npu") == 2
    for old, new in (
        (".to(self.device)", ".to(device=self.device)"),
        ("self.device =", "self.device: str ="),
        ("self.device =", "device = self.device ="),
    ):
        spelled = engine_for("npu", OLD).fix(Source(KEPT.replace(old, new))).text
        assert spelled.partition("class Other")[0].count("npu") == HEAD.count("npu")
    free = KEPT.replace("build(provider).to(self.device)", "build(provider)")
    assert engine_for("npu", OLD).fix(Source(free)).text.count("npu") > fixed.count("npu")


def test_a_class_that_keeps_the_device_is_typed() -> None:
    lines = ("        self.model = build()", "        self.device = 'cuda'", "class Another:", "        x = ids.cuda()")
    type_in_each_line(KEPT, lines, 3)
