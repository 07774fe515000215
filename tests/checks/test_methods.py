"""Tests of rules about methods, arguments and modules: which fixes are safe, and which code is not reported."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.engine import Finding
from uncuda.project import ACTS, FIELD, Owner, Project
from uncuda.settings import Settings
from uncuda.source import Source
from uncuda.workspace import Scanner, Words


def findings(text: str, target: str = "npu", project: Project | None = None) -> list[Finding]:
    return list(engine_for(target, Settings(locale="en"), project).check(Source(text)).findings)


def fixed(text: str, target: str = "npu") -> str:
    return engine_for(target, Settings(locale="en")).fix(Source(text), review=True).text


def test_the_message_about_a_method_in_torchscript_names_the_method_alone() -> None:
    (finding,) = findings("import torch\n@torch.jit.script\ndef f(x):\n    return x.cuda()\n")
    assert finding.message.startswith("`.cuda()` moves to CUDA; on Ascend NPU it is `.to()`")
    assert finding.fixes[0].title == 'Replace with `.to("npu")`'


def test_an_attribute_of_what_is_imported_may_be_its_own() -> None:
    text = "import torch\nfrom .environment import device_config, net\nuse_amp = device_config.is_cuda\nnet.cuda()\n"
    assert [finding.fixes[0].applicability for finding in findings(text)] == ["review", "review"]


READ = """import torch
import torch_npu


def requests_cuda(device, tensors):
    if device is not None:
        return device.type == "cuda"
    return any(bool(getattr(tensor, "is_cuda", False)) for tensor in tensors)
"""


def test_an_attribute_that_getattr_reads() -> None:
    """As in torch-ans, where the test of the device moved, and that of the tensors stayed."""
    assert fixed(READ) == READ.replace("is_cuda", "is_npu").replace('"cuda"', '"npu"')
    review = READ.replace("getattr(tensor,", "getattr(self,")
    (found,) = (one for one in findings(review) if one.rule == "is-cuda")
    assert found.fixes[0].applicability == "review"


@pytest.mark.parametrize(
    "line",
    ['getattr(x, "is_cuda")', 'getattr(x, "is_cuda", None)', 'hasattr(x, "is_cuda")', 'getattr(x, "cuda", False)'],
)
def test_other_names_of_attributes(line: str) -> None:
    assert not findings(f"import torch\nif {line}:\n    pass\n")


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("from vllm.platforms import platform\nx = getattr(platform, 'is_cuda', False)\n", "review"),
        ("p = torch.nn.utils.rnn.pack_sequence(x)\ny = getattr(p, 'is_cuda', False)\n", "review"),
        ("def f(config):\n    config.is_cuda = True\n    return getattr(config, 'is_cuda', False)\n", ""),
        ("class A:\n    is_cuda: bool = field(default=False)\n\nx = getattr(y, 'is_cuda', False)\n", "review"),
    ],
)
def test_an_attribute_that_getattr_reads_of_another_object(text: str, due: str) -> None:
    found = [one for one in findings(f"import torch\n{text}") if one.rule == "is-cuda"]
    assert [one.fixes[0].applicability for one in found] == [due] * bool(due)


def test_an_attribute_that_getattr_reads_is_typed() -> None:
    type_in_each_line(READ, ('x = getattr(y, "is_cuda", False)', "z.is_cuda", "is_cuda: bool"), 3)


FIELD_OF_ANOTHER_FILE = Project(owners=frozenset(Owner("is_cuda", name, FIELD) for name in ("DeviceInfo", "info_of")))


@pytest.mark.parametrize(
    ("text", "applicability"),
    [
        ("from .device import info_of\ndi = info_of(x)\nif di.is_cuda: pass\n", "review"),
        ("from .device import DeviceInfo\ndef f(one: DeviceInfo):\n    return one.is_cuda\n", "review"),
        ("def f(self):\n    return self.device_info.is_cuda\n", "review"),
        ("def f(x):\n    return x.is_cuda\n", "safe"),
        ("from .device import DeviceInfo\ndef f(x):\n    return DeviceInfo(1, x.is_cuda)\n", "review"),
        ("def f(x):\n    return make(is_cuda=x.is_cuda)\n", "review"),
        ("def f(x):\n    return make(on_device=x.is_cuda)\n", "safe"),
        ("from .device import info_of\ndi = info_of(x)\nif torch.empty(3).is_cuda: pass\n", "safe"),
    ],
)
def test_fields_of_classes_of_other_files(text: str, applicability: str) -> None:
    (finding,) = findings(f"import torch\n{text}", project=FIELD_OF_ANOTHER_FILE)
    assert finding.fixes[0].applicability == applicability


@pytest.mark.parametrize(
    ("call", "applicability"),
    [
        ("x.cuda()", "safe"),
        ("x.cuda(0, non_blocking=True)", "safe"),
        ("self.model.cuda()", "safe"),
        ("x.cuda(*where)", "review"),
        ("x.cuda(blocking=False)", "review"),
        ("x.is_cuda", "safe"),
        ("self.is_cuda", "review"),
        ("f(x).is_cuda", "safe"),
        ("handle.cuda_stream", "review"),
        ("torch.cuda.default_stream().cuda_stream", "safe"),
    ],
)
def test_classes_of_methods(call: str, applicability: str) -> None:
    found = findings(f"import torch\n{call}\n")
    assert {fix.applicability for finding in found for fix in finding.fixes} == {applicability}


SCRIPTED = [
    "@torch.jit.script\ndef f(x):\n    return x.cuda() if x.is_cuda else x\n",
    "from torch.jit import script\n@script\ndef f(x):\n    return x.cuda()\n",
    "@a\n@torch.jit.script_if_tracing\n@b(\n    1)\ndef f(x):\n    def g():\n        return x.is_cuda\n",
    "def f(x):\n    return x.is_cuda\ng = torch.jit.script(f)\n",
    "class A(nn.Module):\n    def forward(self, x):\n        return x.is_cuda\ntorch.jit.script(A(1)).save(y)\n",
    "class A(nn.Module):\n    def forward(self, x):\n        return x.is_cuda\na = m.A(1)\ntorch.jit.script(a)\n",
    "class A(torch.jit.ScriptModule):\n    @torch.jit.script_method\n    def f(self, x):\n        return x.cuda()\n",
]
NOT_SCRIPTED = [
    "@torch.jit.script\ndef f(x):\n    return x\ndef g(x):\n    return x.is_cuda\n",
    "def f(x):\n    return x\nscripted = torch.jit.script(f)\nx.cuda()\n",
    "def f(x):\n    return x.is_cuda\ng = torch.jit.trace(f, y)\nscript(f)\n",
    "class A(Module):\n    @torch.jit.ignore\n    def f(self, x):\n        return x.is_cuda\ntorch.jit.script(A())\n",
]


@pytest.mark.parametrize("text", SCRIPTED)
def test_what_torchscript_compiles_needs_review(text: str) -> None:
    found = findings(f"import torch\n{text}")
    assert {fix.applicability for finding in found for fix in finding.fixes} == {"review"}


@pytest.mark.parametrize(
    "given, written",
    [
        ("if x.is_cuda:\n        return x.cuda()\n", 'if x.device.type == "npu":\n        return x.to("npu")\n'),
        ("return y if not x.is_cuda else x.cuda( )\n", 'return y if not x.device.type == "npu" else x.to("npu")\n'),
        ("a = x.is_cuda and y.is_cuda\n", 'a = x.device.type == "npu" and y.device.type == "npu"\n'),
        ("return x.is_cuda == y.is_cuda\n", None),
        ("return x.cuda(0)\n", None),
    ],
)
def test_torchscript_is_given_what_its_compiler_knows(given: str, written: str | None) -> None:
    head = "import torch\nimport torch_npu\n@torch.jit.script\ndef f(x: torch.Tensor, y: torch.Tensor):\n    "
    assert fixed(head + given) == head + (written or given)
    assert findings(head + given)


@pytest.mark.parametrize("text", NOT_SCRIPTED)
def test_what_torchscript_does_not_compile_is_safe(text: str) -> None:
    found = findings(f"import torch\n{text}")
    assert {fix.applicability for finding in found for fix in finding.fixes} == {"safe"}


PATCHES = (
    "torch.Tensor.cuda = traced\n",
    "torch.nn.Module.cuda = traced\n",
    "setattr(torch.Tensor, 'cuda', traced)\n",
    "nn.Module.cuda = traced\n",
)


@pytest.mark.parametrize("target", ["npu", "musa"])
@pytest.mark.parametrize("patch", PATCHES)
def test_a_method_of_torchs_that_the_program_replaces_is_for_review(patch: str, target: str) -> None:
    head, uses = "import torch\nfrom torch import nn\n", "net.cuda()\ntorch.zeros(1).cuda()\n"
    scanner = Scanner(Words({}, {}))
    scanner.add((head + patch).encode())
    for found in (findings(head + patch + uses, target), findings(head + uses, target, scanner.project())):
        assert {fix.applicability for one in found if one.rule == "cuda-method" for fix in one.fixes} == {"review"}


@pytest.mark.parametrize("patch", PATCHES)
def test_a_method_that_is_replaced_beside_a_class_with_its_own_is_for_review(patch: str) -> None:
    head = f"import torch\nfrom torch import nn\n{BATCH}"
    assert findings(f"{head}net.cuda()\n")[-1].fixes[0].applicability == "safe"
    assert findings(f"{head}{patch}net.cuda()\n")[-1].fixes[0].applicability == "review"


def test_a_method_that_another_class_or_a_comparison_has_replaces_none() -> None:
    text = "import torch\nself.Tensor.cuda == f\n# torch.Tensor.cuda = f\nOther.cuda = f\nx.cuda()\n"
    assert [fix.applicability for one in findings(text)[-1:] for fix in one.fixes] == ["safe"]


def test_a_class_of_the_project_that_defines_the_method_asks_for_review() -> None:
    (found,) = findings("import torch\nx.cuda()\n", project=Project(owners=frozenset({Owner("cuda", "Batch", ACTS)})))
    assert found.fixes[0].applicability == "review"
    (found,) = findings("import torch\nclass A:\n    def cuda(self): ...\nx.cuda()\n")
    assert found.fixes[0].applicability == "review"


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nself.is_cuda = 1\nif self.is_cuda: pass\n",
        "import torch\nself.cuda_stream: int = 0\nuse(self.cuda_stream)\n",
        "import torch\ndel x.is_cuda\n",
        'import torch\n"text".cuda()\n',
        "import torch\nimport cupy_like\ncupy_like.cuda()\n",
        "import torch\nx.is_cuda()\n",
        "x.double()\n",
    ],
)
def test_silent_methods(text: str) -> None:
    assert not findings(text)


def test_a_comparison_is_no_assignment() -> None:
    (found,) = findings("import torch\nif x.is_cuda == y: pass\n")
    assert found.rule == "is-cuda"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("GradScaler()", 'GradScaler("npu")'),
        ("GradScaler(enabled=a)", 'GradScaler(enabled=a, device="npu")'),
        ("GradScaler(enabled=a,)", 'GradScaler(enabled=a, device="npu")'),
        ("GradScaler(\n    enabled=a,\n)", 'GradScaler(\n    enabled=a,\n    device="npu",\n)'),
        ("GradScaler(\n    enabled=a\n)", 'GradScaler(\n    enabled=a, device="npu"\n)'),
    ],
)
def test_an_added_argument(before: str, after: str) -> None:
    head = "import torch\nimport torch_npu\nfrom torch.amp import GradScaler\n"
    assert fixed(f"{head}s = {before}\n") == f"{head}s = {after}\n"


@pytest.mark.parametrize("arguments", ["*args", "**options", "d", "device=d"])
def test_an_argument_that_may_be_there_is_not_added(arguments: str) -> None:
    assert not findings(f"from torch.amp import GradScaler\nGradScaler({arguments})\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(t)\n", "f(t)\n"),
        ("    x = 1\n", "    x = 1\n"),
    ],
)
def test_statements_in_place_of_a_call(before: str, after: str) -> None:
    text = (
        f"import torch\nimport torch_npu\nif gpu:\n    torch.set_default_tensor_type(torch.cuda.HalfTensor)\n{before}"
    )
    assert fixed(text) == (
        'import torch\nimport torch_npu\nif gpu:\n    torch.set_default_device("npu")\n'
        f"    torch.set_default_dtype(torch.float16)\n{after}"
    )


def test_statements_on_one_line_stay_on_it() -> None:
    head = "import torch\nimport torch_npu\nif gpu: "
    assert fixed(f"{head}torch.set_default_tensor_type('torch.cuda.FloatTensor')\n") == (
        f'{head}torch.set_default_device("npu"); torch.set_default_dtype(torch.float32)\n'
    )


def test_a_module_is_reported_once_an_import_and_apex_at_its_uses() -> None:
    found = findings("import torch\nfrom flash_attn import a, b\na()\n")
    assert [finding.rule for finding in found] == ["module-unsupported"]
    found = findings("import torch\nfrom apex import amp\namp.initialize()\n", "musa")
    assert [finding.rule for finding in found] == ["apex", "apex"]


def test_a_module_with_the_same_beginning_is_another_one() -> None:
    assert not findings("import torch\nimport cupyx_like\nimport numba\nimport nvidia.other\n")


def test_a_module_beside_torch_only() -> None:
    """A script that calls NVIDIA's driver library, for monitoring, need not use PyTorch; a script that uses apex always
    does."""
    assert not findings("import pynvml\n")
    assert [finding.rule for finding in findings("import apex\n")] == ["apex-adapted"]


def test_what_a_wrapper_gives_moves_on_its_own() -> None:
    """A person has to replace the wrapper (`DataParallel`). The `.cuda()` on the result of the wrapper has a fix, which
    is made together with the fix of the condition (`if device.type == "cuda":`) above it."""
    text = "import torch\nimport torch_npu\nfrom torch.nn import DataParallel\n"
    text += 'if device.type == "cuda":\n    model = DataParallel(model).cuda()\n'
    engine = engine_for("npu", Settings(locale="en"))
    ported = text.replace('"cuda"', '"npu"').replace(".cuda()", ".npu()")
    assert engine.fix(Source(text)).text == ported
    assert [finding.rule for finding in engine.check(Source(ported)).findings] == ["data-parallel"]


MODULE = "class Generator(nn.Module):\n    def cuda(self):\n        self.model.cuda()\n        return self\n"
BATCH = "class Batch:\n    def cuda(self):\n        self.x = self.x.cuda()\n        return self\n"
QUANTIZED = "class Parameter(nn.Parameter):\n    def cuda(self):\n        self.pack()\n        return super().cuda()\n"
CAMERA = "class Camera(nn.Module):\n    def to(self, d): ...\n    def cuda(self):\n        return self.to('cuda')\n"
TRIED = "def f(x):\n    try:\n        x = x.cuda()\n    except {}:\n        pass\n"
OTHERS = [
    # Tests of which classes are the project's own, and which are not.
    (MODULE, "def f(net): net.cuda()\n", "safe"),
    (MODULE, "g = Generator(1)\ng.cuda()\n", "review"),
    (MODULE, "class Aligned(Generator): pass\ndef f(g: Aligned): g.cuda()\n", "review"),
    (MODULE, "def f(g: 'Optional[Generator]'): g.cuda()\n", "review"),
    (MODULE, "def f(g):\n    g.cuda()\nf(Generator())\n", "review"),
    (MODULE, "def f(model, g):\n    g.cuda()\nf(1, g=Generator())\n", "review"),
    (MODULE, "def make() -> Generator: ...\nmake().cuda()\n", "review"),
    (MODULE, "def make(x):\n    return Generator(x)\nmake(1).eval().cuda()\n", "review"),
    (MODULE, "class A:\n    def f(self):\n        self.g = Generator()\n        self.g.cuda()\n", "review"),
    (MODULE, "g = Generator()\ndef f(g):\n    g.cuda()\n", "safe"),
    (BATCH, "def f(net): net.cuda()\n", "safe"),
    (BATCH, "for batch in loader:\n    batch.cuda()\n", "review"),
    (BATCH, "def f(src_batches): src_batches[0].cuda()\n", "review"),
    (BATCH, "Batch.of(1).cuda()\n", "review"),
    (BATCH, "x = [Batch()]\nx[0].cuda()\n", "review"),
    (BATCH, "x = {'a': (Batch(), 1)}\nx['a'][0].cuda()\n", "review"),
    (BATCH, "x = [Batch(one) for one in loader]\nfor one in x:\n    one.cuda()\n", "review"),
    (BATCH, "for one in [torch.ones(2), other()]:\n    one.cuda()\n", "safe"),
    (BATCH, "x = Batch().moved(1).eval()\nx = x.cuda()\n", "review"),
    (BATCH, "x = Batch().size().cuda()\n", "safe"),
    (BATCH, TRIED.format("AttributeError"), "review"),
    (BATCH, TRIED.format("(TypeError, AttributeError)"), "review"),
    (BATCH, TRIED.format("RuntimeError"), "safe"),
    (MODULE, TRIED.format("AttributeError"), "safe"),
    (MODULE, "x = Generator().sample(1)\nx.cuda()\n", "safe"),
    (CAMERA, "def f(x): x.cuda()\n", "review"),
    (CAMERA, "torch.ones(1).cuda()\n", "safe"),
    (CAMERA.replace("self.to('cuda')", "super().cuda()"), "def f(x): x.cuda()\n", "safe"),
    (QUANTIZED, "(x or y).cuda()\n", "review"),
    (QUANTIZED, "def f(net): net.cuda()\n", "review"),
    (QUANTIZED, "torch.zeros(1).cuda()\n", "safe"),
    (QUANTIZED, "torch.zeros(1).long().cuda()\n", "safe"),
    (QUANTIZED, "x = torch.ones(2)\nx = x + 1\nx = x.cuda()\n", "safe"),
    (QUANTIZED, "nn.Linear(1, 2).cuda()\n", "safe"),
    (QUANTIZED, "nn.functional.relu(x).cuda()\n", "safe"),
    (QUANTIZED, "torch.load(x).cuda()\n", "review"),
    (QUANTIZED, "def f(x: torch.Tensor): x.cuda()\n", "safe"),
    (QUANTIZED, "x = torch.ones(2)\nx = other()\nx.cuda()\n", "review"),
    (QUANTIZED, "class A:\n    def f(self):\n        self.x = torch.ones(2)\n        self.x.cuda()\n", "safe"),
    (QUANTIZED, "class A:\n    def f(self, x):\n        self.x: torch.Tensor = x\n        self.x.cuda()\n", "safe"),
    (QUANTIZED, "x = torch.ones(2)\nx = x.cuda() if a else x\n", "safe"),
    (QUANTIZED, "x = other()\nx = x.cuda() if a else x\n", "review"),
    (QUANTIZED, "for x in [torch.ones(1), torch.ones(2)]:\n    x.cuda()\n", "safe"),
    (QUANTIZED, "for x in [torch.ones(1), other()]:\n    x.cuda()\n", "review"),
    (QUANTIZED, "for x in [torch.ones(1), Parameter(1)]:\n    x.cuda()\n", "review"),
    (QUANTIZED, "a, b = torch.ones(1), torch.ones(2)\nfor x in (a, b):\n    x = x.cuda()\n", "safe"),
    (QUANTIZED, "a, b = torch.ones(1), other()\nb.cuda()\n", "review"),
    (QUANTIZED, "a, b = torch.ones(1), Parameter(1)\nb.cuda()\n", "review"),
    (QUANTIZED, "a, *b = torch.ones(1), torch.ones(1)\nb.cuda()\n", "review"),
    (QUANTIZED, "a, b = pair()\nb.cuda()\n", "review"),
    (QUANTIZED, "for i, x in enumerate([torch.ones(1)]):\n    x.cuda()\n", "safe"),
    (QUANTIZED, "for i, x in enumerate(other()):\n    x.cuda()\n", "review"),
    (QUANTIZED, "for x, i in enumerate([torch.ones(1)]):\n    x.cuda()\n", "review"),
    (QUANTIZED, "def f(xs: list[torch.Tensor]):\n    for x in xs:\n        x.cuda()\n", "safe"),
    (QUANTIZED, "def f(xs: list[Parameter]):\n    for x in xs:\n        x.cuda()\n", "review"),
    (QUANTIZED, "def f(xs: dict[torch.Tensor, int]):\n    for x in xs:\n        x.cuda()\n", "review"),
    (QUANTIZED, "def f(xs: list[torch.Tensor]):\n    xs = other(xs)\n    for x in xs:\n        x.cuda()\n", "review"),
    (QUANTIZED, "from typing import cast\nx = cast(torch.Tensor, other())\nx.cuda()\n", "safe"),
    (QUANTIZED, "from typing import cast\nx = cast(Parameter, other())\nx.cuda()\n", "review"),
    (QUANTIZED, "from own import cast\nx = cast(torch.Tensor, other())\nx.cuda()\n", "review"),
    (QUANTIZED, "def f(x) -> torch.Tensor: return x\nf(1).cuda()\n", "safe"),
    (QUANTIZED, "def f(x) -> Parameter: return x\nf(1).cuda()\n", "review"),
    (QUANTIZED, "def f(x): return x\nf(1).cuda()\n", "review"),
    (QUANTIZED, "if a:\n    def f() -> torch.Tensor: ...\nelse:\n    def f(): ...\nf().cuda()\n", "review"),
    (QUANTIZED, "@wrap(\n    1\n)\n\ndef f(x) -> torch.Tensor: return x\nf(1).cuda()\n", "review"),
    (QUANTIZED, "@wrap\ndef f(x) -> torch.Tensor: return x\nf(1).cuda()\n", "review"),
    (QUANTIZED, "x.view(x.size(0), -1).cuda()\n", "review"),
]  # fmt: skip


@pytest.mark.parametrize(("owner", "text", "applicability"), OTHERS)
def test_a_class_with_the_method_lowers_what_may_be_its_object(owner: str, text: str, applicability: str) -> None:
    """The class of the fix of `x.cuda()` is the same whether the Python class that defines its own method `cuda` is in
    the checked file or in another file of the project."""
    head = "import torch\nfrom torch import nn\n"
    scanner = Scanner(Words({}, {}))
    scanner.add(owner.encode())
    last = findings(head + owner + text)[-1]
    assert last.fixes[0].applicability == applicability
    found = findings(f"{head}from owner import *\n{text}", project=scanner.project())
    assert [finding.fixes[0].applicability for finding in found if finding.rule == "cuda-method"] == [applicability]


IMPORTED = [
    ("from package import utils as tools\ntools.cuda(x, here, non_blocking=True)\n", "review"),
    ("from .tools import net\ndef f():\n    net.cuda()\n", "review"),
    ("from .tools import net\nnet = net.Net()\nnet.cuda()\n", "safe"),
    ("from .tools import net\ndef f(net):\n    net.cuda()\n", "safe"),
    ("from .tools import net\ndef f():\n    for i, net in nets:\n        net.cuda()\n", "safe"),
    ("from .tools import net\nnet.Net().cuda()\n", "safe"),
    ("def cuda(x, here):\n    if here:\n        return x.cuda()\n", "safe"),
    ("def cuda(x):\n    pass\nBatch.cuda = cuda\ndef f(x):\n    x.cuda()\n", "review"),
    ("def cuda(self):\n    pass\ndef f(x):\n    x.cuda()\n", "review"),
    ("def cuda(x):\n    pass\ny.cuda = MethodType(cuda, y)\ndef f(x):\n    x.cuda()\n", "review"),
    ("def f():\n    def cuda(x):\n        pass\n    x.cuda()\n", "review"),
]


@pytest.mark.parametrize(("text", "applicability"), IMPORTED)
def test_an_imported_name_may_be_a_module_with_a_function_cuda(text: str, applicability: str) -> None:
    """As in ivadomed: `imed_utils.cuda(batch["gt"], cuda_available, non_blocking=True)`. A function of this name, other
    than a method, says nothing about objects."""
    (found,) = findings(f"import torch\n{text}")
    assert [fix.applicability for fix in found.fixes] == [applicability]


def test_an_imported_name_is_typed() -> None:
    text = "import torch\nfrom .tools import net\n\n\ndef f(x):\n    net.cuda()\n    x.cuda()\n"
    type_in_each_line(text, ("net = 1", "for net in x:", "def f(net):", "from .net import x", "def cuda(x):"), 1)


def test_what_moves_more_than_torch_would_is_no_plain_move() -> None:
    text = "class Gan(nn.Module):\n    def cuda(self):\n        self.noise = self.noise.cuda()\n        return self\n"
    scanner = Scanner(Words({}, {}))
    scanner.add(text.encode())
    (found,) = findings("import torch\nnet.cuda()\n", project=scanner.project())
    assert found.fixes[0].applicability == "review"


@pytest.mark.parametrize(
    ("given", "npu", "musa"),
    [
        ("model.cuda(0)", 'safe model.to("npu:0")', "safe model.musa(0)"),
        ("model.cuda(device=1)", 'safe model.to(device="npu:1")', "safe model.musa(device=1)"),
        ("model.cuda(device)", "safe model.to(device)", "safe model.musa(device)"),
        ("model.cuda(args.gpu)", "safe model.npu(args.gpu)", "safe model.musa(args.gpu)"),
        ("model.cuda(gpu_ids[0])", "safe model.npu(gpu_ids[0])", "safe model.musa(gpu_ids[0])"),
        ("model.cuda(dist.get_rank())", "safe model.npu(dist.get_rank())", "safe model.musa(dist.get_rank())"),
        ("model.cuda(self.device)", "review model.to(self.device)", "safe model.musa(self.device)"),
        ("model.cuda(None)", "review model.to(None)", "safe model.musa(None)"),
        ("model.cuda(other)", "review model.to(other)", "safe model.musa(other)"),
        ("model.cuda(now)", "safe model.npu(now)", "safe model.musa(now)"),
        ("model.cuda(device=now)", "safe model.npu(device=now)", None),
        ("model.cuda(other_number)", "review model.to(other_number)", None),
        ("model.cuda(given)", "review model.to(given)", None),
        ("model.cuda(late)", "review model.to(late)", None),
        ("model.cuda(mixed)", "review model.to(mixed)", None),
        ("x.cuda(args.gpu, non_blocking=True)", "safe x.npu(args.gpu, non_blocking=True)", None),
        ("torch.zeros(2).cuda(rank)", "safe torch.zeros(2).npu(rank)", None),
        ("torch.load(f).cuda(rank)", "safe torch.load(f).npu(rank)", None),
        ("model.cuda()", "safe model.npu()", "safe model.musa()"),
    ],
)
def test_a_device_that_a_module_of_npu_does_not_take(given: str, npu: str, musa: str | None) -> None:
    """Source: torch_npu/utils/_module.py: versions 2.1, 2.6 and 2.8 ignore the argument; 2.7.1, 2.13 and 2.14 accept
    only a number."""
    bound = "device = torch.device(name)\nother = pick() or torch.device(name)\n"
    bound += "now = 0\nnow = xm.current_device()\nmixed = torch.device(name)\nmixed = int(name)\n"
    bound += "other_number = 0\nif x: other_number = args.gpu_id\nelse: other_number = name\n"
    bound += "def f(\n    given: str\n): pass\ngiven = 0\nlate = 0\nx = 1; late = name\n"
    text = f"import torch\nimport torch_{{0}}\n{bound}{given}\n"
    for target, said in (("npu", npu), ("musa", musa)):
        if said is not None:
            (found,) = findings(text.format(target), target=target)
            applicability, _, new = said.partition(" ")
            assert found.fixes[0].applicability == applicability
            assert fixed(text.format(target), target).splitlines()[-1] == new


@pytest.mark.parametrize(
    ("asked", "applicability"),
    [
        ('device is not None and device != torch.device("cpu")', "safe"),
        ('verbose and device.type != "cpu"', "safe"),
        ('"cuda" in str(device)', "safe"),
        ('"cuda" not in str(device)', "review"),
        ('"cuda" in str(other)', "review"),
        ('device != torch.device("cpu")', "review"),
        ('device is None and device != torch.device("cpu")', "review"),
        ('x or device.type != "cpu"', "review"),
        ('other.type != "cpu"', "review"),
        ("device is not None", "review"),
    ],
)
def test_a_device_of_which_the_condition_asks(asked: str, applicability: str) -> None:
    """As in orb_models/forcefield/pretrained.py: the condition is passed neither by None nor by a number."""
    head = "import torch\n\n\ndef f(model, device):\n    device = pick(device)\n"
    text = f"{head}    if {asked}:\n        model.cuda(device)\n"
    moves = [finding for finding in findings(text) if finding.rule == "cuda-method"]
    assert [finding.fixes[0].applicability for finding in moves] == [applicability]


FAKED = """import torch


def fake():
    value = torch.tensor([1])
    value.is_cuda = True
    return value


def test(x):
    y = x.is_cuda
    assert copied(x).is_cuda
"""


def test_an_attribute_that_a_test_fakes() -> None:
    """As in classy_vision's generic_util_test.py: the fix would ask for what the fake object does not have."""
    assert [finding.fixes[0].applicability for finding in findings(FAKED)] == ["review"] * 2
    kept = FAKED.replace("value.is_cuda = True", "ctx.is_cuda = x.is_cuda")
    assert [finding.fixes[0].applicability for finding in findings(kept)] == ["safe", "safe", "review"]


def test_an_attribute_in_a_comment_fakes_nothing() -> None:
    text = FAKED.replace(
        "    value.is_cuda = True\n", "    # value.is_cuda = True on CUDA\n    ctx.is_cuda = x.is_cuda\n"
    )
    assert [finding.fixes[0].applicability for finding in findings(text)] == ["safe", "safe", "review"]


def test_a_device_that_is_set_below_the_condition() -> None:
    text = "import torch\n\n\ndef f(model, device):\n    if device.type != 'cpu':\n{}        model.cuda(device)\n"
    for line, due in (("        device = device.index\n", "review"), ("        x = device == 1\n", "safe")):
        moves = [finding for finding in findings(text.format(line)) if finding.rule == "cuda-method"]
        assert [finding.fixes[0].applicability for finding in moves] == [due]


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("import cv2\n\n\ndef get_device():\n    return 'cuda'\n", "safe"),
        ("import cv2\n\n\ndef run(device='cuda'):\n    net = cv2.dnn.readNet(device)\n", "review"),
        ("import dask\nimport cudf\n\n\ndef get_device():\n    return 'cuda'\n", "review"),
        ("import pyarrow\n\n\ndef get_device():\n    return 'cuda'\n", "review"),
    ],
)
def test_a_device_beside_a_library_with_devices_in_a_part(text: str, due: str) -> None:
    """OpenCV has devices of its own in `cv2.cuda` and `cv2.dnn` alone."""
    engine = engine_for("npu", Settings(locale="en"), Project(torch=True))
    found = [one for one in engine.check(Source(text, "a.py")).findings if one.rule == "device-string"]
    assert [one.fixes[0].applicability for one in found] == [due]


def test_an_attribute_that_a_test_fakes_is_typed() -> None:
    type_in_each_line(FAKED, ("    other.is_cuda = False", "    self.is_cuda = True", "    x = value.is_cuda"), 1)


LATE = """from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def f(x: Tensor):
    if x.is_cuda:
        x = x.cuda()
"""


def test_a_file_that_imports_torch_for_type_checkers_only() -> None:
    """As in wandb/integration/torch: there is no place for the plugin's import."""
    assert {finding.fixes[0].applicability for finding in findings(LATE)} == {"review"}
    assert "import torch_npu" in fixed(LATE.replace("if TYPE_CHECKING", "if True"))
    served = engine_for("npu", Settings(locale="en"), Project(plugins=frozenset({"npu"})))
    assert {one.fixes[0].applicability for one in served.check(Source(LATE)).findings} == {"safe"}


def test_type_checkers_are_asked_by_any_name_of_typing() -> None:
    """As in onediffusion: in the block for type checkers, the plugin's import would never run."""
    text = LATE.replace("from typing import TYPE_CHECKING", "import typing as t").replace("if TYPE", "if t.TYPE")
    assert {finding.fixes[0].applicability for finding in findings(text)} == {"review"}
    lazy = text.replace("from torch import Tensor", 'import torch\nelse:\n    torch = LazyLoader("torch")')
    ported = fixed(lazy.replace("x: Tensor", "x"))
    assert 'LazyLoader("torch")\n    import torch_npu\n' in ported


def test_a_file_that_imports_torch_for_type_checkers_is_typed() -> None:
    type_in_each_line(LATE, ("import torch", "if True:", "    import torch_npu", "x = 1"), 1)


def test_a_device_of_which_the_condition_asks_is_typed() -> None:
    text = "import torch\n\n\ndef f(model, device):\n    if device.type != 'cpu':\n        model.cuda(device)\n    x\n"
    type_in_each_line(text, ("if device is not None and device != torch.device('cpu'):", "else:", "device = 0"), 1)


@pytest.mark.parametrize("line", ["if w.is_cuda: mask = mask.cuda()", "while w.is_cuda: w = w.cuda()"])
def test_a_question_with_its_block_in_one_line(line: str) -> None:
    """As in awd-lstm-lm/weight_drop.py: `w.is_cuda: mask = …` is no annotation of an attribute."""
    text = f"import torch\n\n\ndef f(w, mask):\n    {line}\n"
    engine = engine_for("npu", Settings(locale="en"))
    assert [finding.rule for finding in engine.check(Source(text)).findings] == ["is-cuda", "cuda-method"]


@pytest.mark.parametrize("line", ["w.is_cuda = True", "w.is_cuda: bool = True", "if y: w.is_cuda = True"])
def test_an_attribute_that_is_assigned(line: str) -> None:
    text = f"import torch\n\n\ndef f(w):\n    {line}\n    return w.is_cuda\n"
    assert not engine_for("npu", Settings(locale="en")).check(Source(text)).findings


@pytest.mark.parametrize(("code", "due"), [("x.cuda().to_dense()", "review"), ("x.to_dense().cuda()", "safe")])
def test_a_move_before_what_a_sparse_tensor_lacks(code: str, due: str) -> None:
    """As in DeepRecommender: `src.cuda().to_dense() if use_gpu else src.to_dense()` goes on to run on the CPU."""
    for target, expected in (("npu", due), ("musa", "safe")):
        (found,) = engine_for(target, Settings(locale="en")).check(Source(f"import torch\ny = {code}\n")).findings
        assert found.fixes[0].applicability == expected


def test_an_attribute_of_what_a_function_returns() -> None:
    """As in tutel/system.py: the object is the one to which the file assigns the attribute, or may be."""
    text = (
        "import torch\nimport torch_npu\n\n\ndef f(w):\n    session.is_cuda = w.is_cuda\n    return current().is_cuda\n"
    )
    assert [finding.fixes[0].applicability for finding in findings(text)] == ["safe", "review"]
    read = text.replace("session.is_cuda = ", "session.is_cuda == ")
    assert [finding.fixes[0].applicability for finding in findings(read)] == ["safe"] * 3


@pytest.mark.parametrize("bound", ["model = None\n    model = model.Net()", "model = model.Net()"])
def test_a_variable_that_has_the_name_of_an_imported_module(bound: str) -> None:
    """As in pytorch-seq2seq: only the question would change, and `.cuda()` would fail behind it."""
    guarded = "    if torch.cuda.is_available():\n        model.cuda()\n"
    text = f"import torch\nimport model\n\n\ndef main():\n    {bound}\n{guarded}"
    assert fixed(text).count("npu") == 3
    assert findings("import torch\nimport model\nmodel.cuda()\nx == model\n") == []


@pytest.mark.parametrize(
    "code",
    [
        "def f(fit):\n    fit(\n        model=model,\n    )\n    model.cuda()\n",
        '"""\nmodel = the file\n"""\nmodel.cuda()\n',
        "def f():\n    model = load()\n\n\ndef g():\n    return model.cuda()\n",
    ],
)
def test_a_module_that_is_not_bound_again(code: str) -> None:
    assert findings(f"import torch\nimport model\n\n\n{code}") == []


@pytest.mark.parametrize(
    "code",
    [
        "def f(model):\n    model.cuda()\n",
        "model, opt = build()\nmodel.cuda()\n",
        "model: nn.Module = model.Net()\nmodel.cuda()\n",
        "for model in models:\n    model.cuda()\n",
        "def f():\n    model = load()\n\n    def g():\n        return model.cuda()\n",
    ],
)
def test_a_module_whose_name_is_bound_again(code: str) -> None:
    assert [finding.rule for finding in findings(f"import torch\nimport model\n\n\n{code}")][:1] == ["cuda-method"]


FIELD = """import torch
import torch_npu


@dataclass
class DeviceInfo:
    name: str
    is_cuda: bool


def precision(device):
    return "fp16" if device_info(device).is_cuda else "fp32"


def describe(di):
    return di.is_cuda
"""


def test_a_field_of_a_class_of_the_file_is_no_tensors() -> None:
    """As in online-emotion-detection's device.py, whose dataclass had no attribute `is_npu` afterwards."""
    engine = engine_for("npu", Settings(locale="en"))
    assert engine.fix(Source(FIELD)).text == FIELD
    other = FIELD.replace("    is_cuda: bool\n", "    on: bool  # is_cuda: bool\n")
    assert "di.is_npu" in engine.fix(Source(other)).text


def test_a_field_of_a_class_is_typed() -> None:
    type_in_each_line(FIELD, ("    is_cuda: bool", "x.is_cuda = True", "y = x.is_cuda"), 3)
