"""Tests that `torch.is_autocast_enabled()` has a safe fix, unless its result decides whether code for CUDA runs."""

from __future__ import annotations

import pytest

from engine.typist import Typist, prepared, type_in_each_line
from support.engines import engine_for
from uncuda.catalogue import load
from uncuda.edits import apply_edits
from uncuda.engine import Finding
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source
from uncuda.workspace.scan import Scanner
from uncuda.workspace.words import Words

HEAD = "import torch\nimport torch_npu\n"
KERNEL = "import fast_cuda as fast\n"
ASKED = "torch.is_autocast_enabled()"
OVER_KERNELS = {
    "a condition": f"if x.half or {ASKED}:\n    fast.run(x)\n",
    "a denied condition that leaves": f"def f(x):\n    if not {ASKED}:\n        return x\n    return fast.run(x)\n",
    "the other branch of a denied condition": f"if not {ASKED}:\n    pass\nelse:\n    fast.run(x)\n",
    "a comparison": f"def f(x):\n    if {ASKED} is False:\n        return x\n    return fast.run(x)\n",
    "a conditional expression": f"y = fast.run(x) if {ASKED} else x\n",
    "a denied conditional expression": f"y = x if not {ASKED} else fast.run(x)\n",
    "and": f"y = {ASKED} and fast.run(x)\n",
    "or": f"y = not {ASKED} or fast.run(x)\n",
    "a name": f"half = {ASKED}\nif half:\n    fast.run(x)\n",
    "an attribute": f"class M:\n    def f(self):\n        self.half = {ASKED}\n    def g(self, x):\n"
    "        if self.half:\n            fast.run(x)\n",
    "a function": f"def is_half():\n    return {ASKED}\ndef f(x):\n    if is_half():\n        fast.run(x)\n",
    "a list": f"half = [{ASKED}]\nif half[0]:\n    fast.run(x)\n",
    "beside another flag": (
        f"gpu = torch.cuda.is_available()\nif not {ASKED} and gpu:\n    y = x\nelse:\n    fast.run(x)\n"
    ),
    "a subscript": f"y = (torch.relu, fast.run)[{ASKED}](x)\n",
}
FREE = {
    "a cast": f"if {ASKED}:\n    x = x.to(torch.get_autocast_gpu_dtype())\n",
    "a list": f"half = [{ASKED}]\n",
    "beside a question for CUDA": f"if x.is_cuda and {ASKED}:\n    x = x.half()\n",
}


def findings(text: str, version: str | None = None) -> list[Finding]:
    settings = Settings(locale="en", target_version=version)
    found = engine_for("npu", settings).check(Source(HEAD + text)).findings
    return [finding for finding in found if finding.rule == "autocast-enabled"]


def classes(text: str, version: str | None = None) -> list[str]:
    return [one.fixes[0].applicability if one.fixes else "by hand" for one in findings(text, version)]


@pytest.mark.parametrize("name", OVER_KERNELS)
def test_an_answer_that_decides_about_a_kernel_stays(name: str) -> None:
    assert "safe" not in classes(KERNEL + OVER_KERNELS[name])
    text = OVER_KERNELS[name].replace("fast.", "slow.")
    assert classes(text) == ["safe"]  # nothing shows that the guarded code is for CUDA


@pytest.mark.parametrize("name", FREE)
def test_any_other_answer_is_the_targets(name: str) -> None:
    assert classes(FREE[name]) == ["safe"]


def test_a_file_that_turns_autocast_on_itself_is_read_by_a_person() -> None:
    assert classes(f"before = {ASKED}\ntorch.set_autocast_enabled(True)\n") == ["review"]


@pytest.mark.parametrize(
    "dtype", ["get_autocast_gpu_dtype()", 'get_autocast_dtype("cuda")', "get_autocast_dtype(x.type)"]
)
def test_the_dtype_of_autocast_changes_with_the_question_or_neither_does(dtype: str) -> None:
    kept = f"def f(x):\n    if torch.cuda.is_available():\n        fast.run(x)\n        x = x.to(torch.{dtype})\n"
    asks = f"def g(x):\n    return x.half() if {ASKED} else x\n"
    assert classes(KERNEL + kept + asks) == ["safe" if "type)" in dtype else "review"]


def test_an_older_version_of_pytorch_is_not_given_the_argument() -> None:
    assert classes(f"{ASKED}\n", "2.1.0.post17") == ["by hand"]
    (finding,) = findings(f"{ASKED}\n", "2.1.0.post17")
    assert "torch.npu.is_autocast_enabled" in finding.message
    assert classes(f"{ASKED}\n", "2.6.0.post5") == ["safe"]


def test_a_question_for_cuda_beside_it_keeps_its_own_meaning() -> None:
    text = f"gpu = torch.cuda.is_available()\nif not {ASKED} and gpu:\n    fast.run(x)\n"
    found = engine_for("npu", Settings(locale="en")).check(Source(HEAD + KERNEL + text)).findings
    assert [one.rule for one in found if one.fixes and one.fixes[0].applicability == "safe"] == []


BESIDE = (
    "import torch\nfrom accelerator import get_accelerator\n\n\ndef f(x):\n    if torch.is_autocast_enabled():\n"
    "        return 1\n\n\ndef g(x, device):\n    with torch.autocast({0}):\n        pass\n"
)


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("device_type=get_accelerator().device_name()", "is_autocast_enabled(get_accelerator().device_name())"),
        ("get_accelerator().device.type", "is_autocast_enabled(get_accelerator().device.type)"),
        ("device_type=device.type", 'is_autocast_enabled("npu")'),
        ('"cuda"', 'is_autocast_enabled("npu")'),
        ("device_type=get_accelerator().name(x)", 'is_autocast_enabled("npu")'),
    ],
)
def test_the_device_type_is_the_one_that_the_file_computes(given: str, written: str) -> None:
    """As in deepspeed/runtime/torch_autocast.py of DeepSpeed."""
    engine = engine_for("npu", Settings(select=("autocast-enabled",), locale="en"))
    (found,) = engine.check(Source(BESIDE.format(given))).findings
    assert found.fixes[0].applicability == ("safe" if '"npu"' in written else "review")
    assert written in apply_edits(BESIDE.format(given), found.fixes[0].edits)


def test_a_device_type_that_the_file_computes_is_typed() -> None:
    typist = Typist(BESIDE.format("device_type=get_accelerator().device_name()"), prepared("npu"))
    at = typist.text.index("device_name()")
    typist.erase(at + 13, 6)
    typist.type(at + 7, "e.type")
    typist.type(typist.text.index("accelerator import"), "b.")
    at = typist.text.index("get_accelerator().")
    typist.replace(at, at + len("get_accelerator().devic"), '"npu" or x')


@pytest.mark.parametrize(
    ("scaler", "due"),
    [
        ("from timm.utils import NativeScaler\nscaler = NativeScaler()", "review"),
        ("import timm\nscaler = timm.utils.NativeScaler()", "review"),
        ("from timm.utils import NativeScaler\nscaler = NativeScaler(device=d)", "safe"),
        ("from .misc import NativeScaler\nscaler = NativeScaler()", "safe"),
        ("scaler = torch.amp.GradScaler()", "safe"),
        ("scaler = torch.cuda.amp.GradScaler()", "safe"),
    ],
)
def test_autocast_moves_only_with_its_scaler(scaler: str, due: str) -> None:
    """As in wavemlp_pytorch/train.py of Efficient-AI-Backbones: timm's scaler is CUDA's unless it is told otherwise."""
    text = f"{HEAD}{scaler}\nwith torch.cuda.amp.autocast():\n    f()\n"
    found = engine_for("npu", Settings(locale="en")).check(Source(text)).findings
    assert [one.fixes[0].applicability for one in found if one.subject.endswith("autocast")] == [due]


STEP = """\
import torch
import torch_npu


def train(model, x, loss_scaler, optimizer):
    with torch.cuda.amp.autocast():
        loss = model(x)
    loss_scaler(loss, optimizer)
"""


def test_autocast_moves_only_with_the_scaler_of_another_file() -> None:
    """As in Conformer, with DeiT's engine.py and main.py: timm's scaler switches itself off without CUDA."""
    words = Words.of_catalogue(load())
    scanner = Scanner(words)
    scanner.add(
        b"import torch\nfrom timm.utils import NativeScaler, ModelEma\n\nscaler = NativeScaler()\n", path="main.py"
    )
    project = scanner.project(["main.py", "engine.py"])
    assert project.scales_on_cuda
    settings = Settings(locale="en")
    assert engine_for("npu", settings, project).fix(Source(STEP, "engine.py")).text == STEP
    assert "npu.amp" in engine_for("npu", settings, Project()).fix(Source(STEP, "engine.py")).text
    other = STEP.replace("loss_scaler(loss, optimizer)", "loss.backward()")
    assert "npu.amp" in engine_for("npu", settings, project).fix(Source(other, "engine.py")).text
    type_in_each_line(STEP, ("loss_scaler(loss, optimizer)", "loss.backward()"), 4, "engine.py", project)


def test_scalers_beside_autocast_are_typed() -> None:
    text = (
        f"{HEAD}from timm.utils import NativeScaler\n\n\ndef f():\n    with torch.cuda.amp.autocast():\n        pass\n"
    )
    typed = ("scaler = NativeScaler()", "scaler = NativeScaler(device=d)", "scaler = torch.amp.GradScaler()")
    type_in_each_line(text, typed, 5)


MADE = """import torch
{}


class Model:
    {}
    def forward(self, x):
        with torch.autocast("cuda"):
            return x
"""


@pytest.mark.parametrize(
    ("imported", "decorator", "due"),
    [
        ("", "@torch.cuda.amp.autocast(enabled=False)", {"review"}),
        ("", '@torch.autocast(device_type="cuda", enabled=False)', {"review"}),
        ("from torch.cuda.amp import autocast", "@autocast(enabled=False)", {"review"}),
        ("from torch.amp import autocast", "@autocast('cuda', enabled=False)", {"review"}),
        ("from torch.cuda.amp import autocast", "@staticmethod", {"safe"}),
        ("from torch.cuda.amp import custom_fwd, autocast", "@custom_fwd", {"safe"}),
        ("", '@torch.device("cuda")  # autocast(', {"safe"}),
    ],
)
def test_an_autocast_that_the_import_makes(imported: str, decorator: str, due: set[str]) -> None:
    """torch_npu starts the device for it, as in Open-Sora and in denoising-diffusion-pytorch; torch_musa does not."""
    text = MADE.format(imported, decorator)
    for target, expected in (("npu", due), ("musa", {"safe"})):
        findings = engine_for(target, Settings(locale="en")).check(Source(text)).findings
        assert {one.fixes[0].applicability for one in findings} == expected
        told = {one.fixes[0].applicability for one in findings if "starts the device" in one.message}
        assert told == expected - {"safe"}
        assert any("the decorator that turns autocast off" in one.message for one in findings) == (
            "False" in decorator and target == "npu"
        )


@pytest.mark.parametrize(
    "call", ['with torch.autocast(\n            "cuda", dtype=x.dtype\n        ):', "with torch.cuda.amp.autocast():"]
)
def test_a_decorator_of_several_lines_keeps_calls_of_several_lines(call: str) -> None:
    """Other code of the same lines changes all the same."""
    text = MADE.replace('with torch.autocast("cuda"):', call).format(
        "", '@torch.autocast(\n        "cuda", enabled=False\n    )'
    )
    text += "        y = x.cuda()  # outside of autocast\n"
    assert engine_for("npu", Settings(locale="en")).fix(Source(text)).text.replace(
        "import torch_npu\n", ""
    ) == text.replace("x.cuda()", "x.npu()")


def test_a_decorator_that_turns_autocast_on_keeps_no_other() -> None:
    text = MADE.format("", "@torch.autocast('cuda')")
    assert 'autocast("npu")' in engine_for("npu", Settings(locale="en")).fix(Source(text)).text


def test_a_program_turns_autocast_off_everywhere_or_nowhere() -> None:
    """As in espnet, with a decorator for one method and a `with` for another one. As in torch-merf, autocast is not
    turned on either where a decorator stays that turns it off."""
    text = MADE.format("", "@torch.autocast('cuda', enabled=False)")
    text += "    def f(self):\n        with torch.autocast('cuda', enabled=False):\n            pass\n"
    fixed = engine_for("npu", Settings(locale="en")).fix(Source(text)).text
    assert "autocast('npu'" not in fixed and 'autocast("npu"' not in fixed
    assert "cuda" not in engine_for("musa", Settings(locale="en")).fix(Source(text)).text


def test_an_autocast_that_the_import_makes_is_typed() -> None:
    text = MADE.format("from torch.cuda.amp import autocast", "@autocast(enabled=False)")
    typed = ("@torch.autocast('cuda')", "from torch.cuda.amp import autocast", "x = '''", "@f", "autocast(")
    type_in_each_line(text, typed, 5)


@pytest.mark.parametrize("target", ["npu", "musa"])
@pytest.mark.parametrize(
    ("header", "call", "due"),
    [
        ("device=torch.device('cpu')", "torch.cuda.amp.GradScaler()", "review"),
        ("device: str = 'cpu'", "torch.cuda.amp.GradScaler(enabled=True)", "review"),
        ("device: torch.device = torch.device('cpu')", "torch.cuda.amp.GradScaler(1.0)", "review"),
        ("device='cpu'", "torch.amp.GradScaler()", "safe"),
        ("device='cpu'", "torch.cuda.amp.GradScaler(enabled=amp)", "review"),
        ("device='cpu'", "torch.cuda.amp.GradScaler(enabled=False)", "safe"),
        ("device='cpu'", "torch.cuda.amp.GradScaler(enabled=device != 'cpu')", "safe"),
        ("device=None, kind='cpu'", "torch.cuda.amp.GradScaler()", "review"),
        ("device", "torch.cuda.amp.GradScaler()", "review"),
        ("of_device", "torch.cuda.amp.GradScaler(); y.cuda(0)", "safe"),
    ],
)
def test_a_scaler_in_a_function_for_the_cpu(target: str, header: str, call: str, due: str) -> None:
    """As in rethge-torch: CUDA's scaler switches itself off on the target, the target's raises for a loss on the
    CPU. That of torch_musa, as `torch.amp.GradScaler`, takes it."""
    text = f"import torch\n\n\ndef train(model, amp, {header}):\n    scaler = {call}\n"
    findings = engine_for(target, Settings(locale="en")).check(Source(text)).findings
    assert {one.fixes[0].applicability for one in findings} == {due if target == "npu" else "safe"}


@pytest.mark.parametrize(
    ("body", "due"),
    [
        ("    scaler = GradScaler()\n", "review"),
        ("    if device == 'cuda':\n        scaler = GradScaler()\n", "safe"),
        ("    if amp and device.startswith('cuda'):\n        scaler = GradScaler()\n", "safe"),
        ("    scaler = GradScaler() if device == 'cuda' else None\n", "safe"),
        ("    if torch.cuda.is_available():\n        scaler = GradScaler()\n", "safe"),
    ],
)
def test_an_imported_scaler_in_a_function_for_the_cpu(body: str, due: str) -> None:
    text = f"import torch\nfrom torch.cuda.amp import GradScaler\n\n\ndef train(amp, device='cpu'):\n{body}"
    findings = engine_for("npu", Settings(locale="en")).check(Source(text)).findings
    assert {one.fixes[0].applicability for one in findings} == {due}


OF_CLASS = """import torch
import torch_npu


class Trainer:
    def __init__(
        self,
        model,
        device=None,
    ):
        self.model = model.to(device or "cuda")

    def train(self):
        scaler = torch.cuda.amp.GradScaler(enabled=self.amp)
"""


WITHOUT_DEVICE = """import torch
import torch_npu


def scaler_of(old):
    if old:
        return torch.cuda.amp.GradScaler()
    return torch.amp.GradScaler(device="cuda")
"""


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        (OF_CLASS, False),
        (
            OF_CLASS.replace("import torch_npu", "import torch_npu\nfrom torch.cuda import amp").replace(
                "torch.cuda.amp.", "amp."
            ),
            False,
        ),
        (OF_CLASS.replace("        device=None,\n", "").replace("device or ", ""), True),
        (OF_CLASS + "\n\nif __name__ == '__main__':\n    Trainer(Net()).train()\n", True),
        ("import torch\nimport torch_npu\n\n\nclass Amp:\n    scaler = torch.cuda.amp.GradScaler()\n", False),
        (WITHOUT_DEVICE, False),
    ],
)
def test_a_scaler_for_a_device_that_the_caller_chooses(text: str, moves: bool) -> None:
    """As in pytorch-kerosene and torchflare, whose training on the CPU stopped."""
    text += "\n\ndef f(y):\n    with torch.autocast('cuda'), torch.cuda.amp.autocast():\n        return y\n"
    fixed = engine_for("npu", Settings(locale="en")).fix(Source(text)).text
    assert ("torch.npu.amp.GradScaler" in fixed) is moves
    assert ("torch.autocast('npu'), torch.npu.amp.autocast()" in fixed) is moves


def test_a_scaler_for_a_device_that_the_caller_chooses_is_typed() -> None:
    type_in_each_line(OF_CLASS, ("def __init__(self, device):", "x = '__main__'", "class A:", "y.cuda()"), 5)


def test_a_scaler_in_a_function_for_the_cpu_is_typed() -> None:
    text = "import torch\n\n\ndef train(model, device='cpu'):\n    x = 1\n    scaler = torch.cuda.amp.GradScaler()\n"
    type_in_each_line(text, ("device = 'cpu'", "def train(model, device):", "scaler = torch.amp.GradScaler()"), 3)
