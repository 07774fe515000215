"""Tests that a condition that asks for CUDA changes together with the code that it guards in the same expression, or
not at all."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.edits import apply_edits
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))
WAITS = {  # the guarded code needs review, so the condition that guards it does, too
    "and": "ok = d.type == 'cuda' and torch.cuda.get_device_name(device=d)[0] >= 'B'",
    "and, further on": "ok = x and d.type == 'cuda' and y and f(torch.cuda.get_device_name(device=d)[0]) >= 9",
    "or": "ok = d.type != 'cuda' or torch.cuda.get_device_name(device=d)[0] < 'B'",
    "or, with not": "ok = not torch.cuda.is_available() or torch.cuda.get_device_name(device=0)[0] < 'B'",
    "conditional": "name = torch.cuda.get_device_name(device=0) if torch.cuda.is_available() else None",
    "conditional, turned round": "x = None if not torch.cuda.is_available() else torch.cuda.get_device_name(device=0)",
}
GOES_ON = {  # the condition does not guard get_device_name(), whose fix needs review
    "before": "ok = torch.cuda.get_device_name(device=0)[0] >= 9 and d.type == 'cuda'",
    "or": "ok = d.type == 'cuda' or torch.cuda.get_device_name(device=0)[0] >= 'B'",
    "the other arm": "name = 1 if torch.cuda.is_available() else torch.cuda.get_device_name(device=0)",
    "an argument": "f(d.type == 'cuda', torch.cuda.get_device_name(device=0))",
}


def classes(text: str) -> set[str]:
    return {fix.applicability for finding in ENGINE.check(Source(text)).findings for fix in finding.fixes[:1]}


@pytest.mark.parametrize("name", WAITS)
def test_a_question_waits_for_what_it_guards(name: str) -> None:
    text = "import torch\nimport torch_npu\n" + WAITS[name] + "\n"
    assert classes(text) == {"review"}
    assert ENGINE.fix(Source(text)).text == text
    assert "cuda" not in ENGINE.fix(Source(text), review=True).text


@pytest.mark.parametrize("name", GOES_ON)
def test_a_question_does_not_wait_for_the_rest(name: str) -> None:
    assert classes("import torch\nimport torch_npu\n" + GOES_ON[name] + "\n") == {"safe", "review"}


def test_a_question_stays_where_what_it_guards_has_no_counterpart() -> None:
    text = "import torch\nif torch.cuda.is_available() and torch.cuda.clock_rate() > 9:\n    y()\n"
    assert [finding.fixes for finding in ENGINE.check(Source(text)).findings] == [(), ()]


def test_the_fix_of_a_question_takes_along_what_it_guards_but_not_the_other_way_round() -> None:
    text = "import torch\nimport torch_npu\nn = torch.cuda.device_count() if torch.cuda.is_available() else 0\n"
    guarded, question = ENGINE.check(Source(text)).findings
    assert apply_edits(text, question.fixes[0].edits).count("npu.") == 2
    assert apply_edits(text, guarded.fixes[0].edits).count("npu.") == 1


@pytest.mark.parametrize(
    "value",
    [
        "'cuda:{}'.format(torch.cuda.current_device())",
        "f'cuda:{torch.cuda.current_device()}'",
        "'cuda:%d' % torch.cuda.current_device()",
        "'cuda:' + str(torch.cuda.current_device())",
    ],
)
def test_a_string_and_what_is_filled_in_change_together(value: str) -> None:
    head = "import torch\nimport torch_npu\n"
    text = f"{head}name = {value}\n"
    assert classes(text) == {"review"}
    for finding in ENGINE.check(Source(text)).findings:
        assert "cuda" not in apply_edits(text, finding.fixes[0].edits)
    assert ENGINE.fix(Source(f"{head}x.to({value})\n")).text == f"{head}x.to({value})\n".replace("cuda", "npu")
    assert classes(f"{head}print({value})\n") == {"safe"}


def test_a_question_waits_for_the_device_that_it_picks_from_a_list() -> None:
    text = "import torch\nimport torch_npu\n{} = ['cpu', 'cuda'][torch.cuda.is_available()]\n"
    assert classes(text.format("name")) == {"review"}
    assert classes(text.format("device")) == {"safe"}
    found = ENGINE.check(Source(text.format("device"))).findings
    assert "cuda" not in apply_edits(text.format("device"), found[1].fixes[0].edits)
    assert classes("import torch\nname = {True: 'cuda', False: 'cpu'}[x.is_cuda]\n") == {"review"}


def test_a_question_that_picks_a_driver_of_cuda_asks_for_review() -> None:
    text = "import torch\nimport torch_npu\ny = f(x, driver='gesvd' if x.is_cuda else None)\n"
    assert classes(text) == {"safe"}
    assert classes(text.replace("f(", "torch.linalg.svd(")) == {"review"}


SERVED = (
    "import torch\n\n\ndef initialize(self, context):\n    properties = context.{}\n"
    "    where = 'cuda' if torch.cuda.is_available() else 'cpu'\n"
    "    self.device = torch.device(where + ':' + str(properties.get('{}')) if {} else where)\n"
)


@pytest.mark.parametrize(
    ("given", "number", "question", "due"),
    [
        ("system_properties", "gpu_id", "torch.cuda.is_available()", ["review"] * 3),
        ("system_properties", "model_dir", "torch.cuda.is_available()", ["safe"] * 3),
        ("properties", "gpu_id", "torch.cuda.is_available()", ["safe"] * 3),
        (
            "system_properties",
            "gpu_id",
            "torch.cuda.is_available() and properties.get('gpu_id') is not None",
            ["safe"] * 3,
        ),
    ],
)
def test_the_number_of_a_gpu_that_torchserve_gives(given: str, number: str, question: str, due: list[str]) -> None:
    """As in tools/torchserve/mmtrack_handler.py of mmtracking: TorchServe counts no accelerators of other makers, so
    `torch.device("npu:None")` would fail where the model ran on the CPU, and without the number all workers would
    share one device."""
    found = ENGINE.check(Source(SERVED.format(given, number, question))).findings
    assert [one.fixes[0].applicability for one in found] == due


def test_the_number_of_a_gpu_that_torchserve_gives_is_typed() -> None:
    text = SERVED.format("system_properties", "gpu_id", "torch.cuda.is_available()")
    type_in_each_line(text, ("x = context.system_properties", "number = properties['gpu_id']", "where = 1"), 3)


TRACED = """import torch
import torch_npu


def load(path, device):
    if device {} torch.device("cuda:0"):
        model = {}
    else:
        model = {}
    return model
"""
MAPPED, UNMAPPED = "torch.jit.load(path, map_location='cpu').to(device)", "torch.jit.load(path).to(device)"


@pytest.mark.parametrize(("test", "one", "other"), [("!=", MAPPED, UNMAPPED), ("==", UNMAPPED, MAPPED)])
def test_a_device_decides_how_a_traced_model_is_loaded(test: str, one: str, other: str) -> None:
    """As in chai-lab, whose model was traced on `cuda:0`: on the target, it loads only by way of the CPU."""
    text = TRACED.format(test, one, other)
    assert classes(text) == {"review"}
    assert classes(TRACED.format(test, other, one)) == {"safe"}
    type_in_each_line(text, ("model = 1", 'if device == "cpu":', "def f(device):"), 3)


FLAGGED = """import torch
import torch_npu
import lightning as L


def version(x):
    on_cuda = x.device == torch.device("cuda:0")
    if on_cuda:
        torch.cuda.nccl.version()


def trainer(net):
    is_gpu = net.device != torch.device("cpu") and net.device == torch.device("cuda:0")
    return L.Trainer(accelerator="gpu" if is_gpu else "cpu", devices=1 if is_gpu else 4)
"""


def test_a_flag_that_compares_devices_is_followed() -> None:
    """As in NeuralTSNE's neural_tsne.py: Lightning's accelerator "gpu" is CUDA's."""
    engine = engine_for("npu", Settings(locale="en"))
    assert engine.fix(Source(FLAGGED)).text == FLAGGED
    other = FLAGGED.replace("torch.cuda.nccl.version()", "torch.cuda.synchronize()").replace('"gpu" if', '"a" if')
    other = other.replace("L.Trainer(", "train(")
    assert engine.fix(Source(other)).text == other.replace("cuda:0", "npu:0").replace("torch.cuda", "torch.npu")


def test_a_flag_that_compares_devices_is_typed() -> None:
    type_in_each_line(FLAGGED, ('is_gpu = x == torch.device("cuda")', "is_gpu = True", "torch.cuda.f()"), 3)


OWN_CUDA = """import torch
import torch_npu


class Mask:
    def __init__(self):
        self.filter = torch.nn.Linear(3, 3)
        if torch.cuda.is_available():
            self.cuda()

    def cuda(self):
        self.filter.cuda()
        self.device = "cuda"
"""


def test_the_own_method_of_an_object_stays_with_the_question_around_its_call() -> None:
    """As in pytorch-mighty's mask.py: the method moved, and was never called on the target."""
    engine = engine_for("npu", Settings(locale="en"))
    assert engine.fix(Source(OWN_CUDA)).text == OWN_CUDA
    other = OWN_CUDA.replace("            self.cuda()", "            pass")
    assert 'self.device = "npu"' in engine.fix(Source(other)).text


WHOLE_MODULE = """import torch
import torch_npu


class Fake:
    def is_available(self):
        return True


torch.cuda = Fake()
print(torch.cuda.is_available())
"""


def test_a_program_that_replaces_the_whole_module_keeps_it() -> None:
    """As in torchrun's torch_shim.py: `torch.npu = Fake()` would take the target's own module away."""
    engine = engine_for("npu", Settings(locale="en"))
    assert engine.fix(Source(WHOLE_MODULE)).text == WHOLE_MODULE
    other = WHOLE_MODULE.replace("torch.cuda = Fake()", "cuda = Fake()")
    assert engine.fix(Source(other)).text == other.replace("torch.cuda", "torch.npu")


def test_a_program_that_replaces_a_part_of_the_module_keeps_it() -> None:
    text = "import torch\nimport torch_npu\n\ntorch.cuda.amp = Fake()\nx = torch.cuda.amp.autocast()\ny.cuda()\n"
    engine = engine_for("npu", Settings(locale="en"))
    assert engine.fix(Source(text)).text == text.replace("y.cuda", "y.npu")


def test_a_program_that_replaces_the_whole_module_is_typed() -> None:
    type_in_each_line(WHOLE_MODULE, ("torch.cuda = None", "cuda = Fake()", "x = torch.cuda.is_available()"), 3)


def test_the_own_method_of_an_object_is_typed() -> None:
    type_in_each_line(OWN_CUDA, ("self.cuda()", "def cuda(self, device=None):", "torch.cuda.synchronize()"), 3)
