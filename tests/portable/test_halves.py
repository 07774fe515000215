"""Tests of portable fixes that need review, because code that depends on the fixed code stays on CUDA, or because
TorchScript compiles the fixed code."""

from __future__ import annotations

import pytest

from support.engines import engine_for
from support.portable import HELPER, found, ported
from uncuda.project import Helper, Project
from uncuda.settings import Settings
from uncuda.source import Source

HEAD = "import os\nimport torch\nimport torch.nn as nn\nfrom tools import move_to_cuda\n\n"
QUESTION = "torch.cuda.is_available()"


def class_at(code: str, word: str, project: Project | None = None) -> str:
    """Return the fix class of the finding at the last occurrence of a word."""
    text = HEAD + code
    settings = Settings(strategy="portable", portable_helper=HELPER)
    findings = engine_for("npu", settings, project or Project()).check(Source(text)).findings
    at = text.rindex(word) + word.startswith(".")
    finding = next(one for one in findings if one.span.start <= at < one.span.end)
    return finding.fixes[0].applicability if finding.fixes else "manual"


@pytest.mark.parametrize(
    "code",
    [
        f'need = "onnxruntime-gpu" if {QUESTION} else "onnxruntime"\n',
        f"need = f\"tensorflow{{'' if {QUESTION} else '-cpu'}}\"\n",
        f'cuda = {QUESTION} and fast\nneed = "onnxruntime-gpu" if cuda else "onnxruntime"\n',
        f'cuda = {QUESTION}\nif cuda:\n    providers.insert(0, "CUDAExecutionProvider")\n',
        f'if {QUESTION}:\n    install("onnxruntime-gpu")\n',
        f'TABLE = {{"cuda": 1, "cpu": 2}}\nx = TABLE["cuda" if {QUESTION} else "cpu"]\n',
        f'TABLE = {{"cuda": 1, "cpu": 2}}\nx = TABLE.get("cuda" if {QUESTION} else "cpu")\n',
        f"if {QUESTION}:\n    x = move_to_cuda(x)\n",
        f"x = move_to_cuda(x) if {QUESTION} else x\n",
        f"use = {QUESTION} and not args.cpu\nx = move_to_cuda(x) if use else x\n",
        f"def f(self, x):\n    self.use = {QUESTION}\n    if self.use:\n        move_to_cuda(x)\n",
    ],
)
def test_a_question_that_decides_what_stays_needs_review(code: str) -> None:
    assert class_at(code, "is_available") == "review"


@pytest.mark.parametrize(
    "code",
    [
        f'device = "cuda" if {QUESTION} else "cpu"\n',
        f'backend = "nccl" if {QUESTION} else "gloo"\ntorch.distributed.init_process_group(backend)\n',
        f"if {QUESTION}:\n    print('no GPU is needed')\n",
        f"use = {QUESTION} and not args.cpu\nif use:\n    torch.cuda.synchronize()\n",
    ],
)
def test_any_other_question_is_safe(code: str) -> None:
    assert class_at(code, "is_available") == "safe"


def test_what_a_question_guards_that_stays() -> None:
    use = "use = torch.cuda.is_available() and not args.cpu\n"
    stays = f"{use}x = move_to_cuda(x) if use else x\n"
    for code in ("if use:\n    x = x.cuda()\n", "x = x.cuda() if use else x\n"):
        assert class_at(use + code, ".cuda()") == "safe"
        assert class_at(stays + code, ".cuda()") == "review"
    # no fix of a file is safe if code in it stays on CUDA
    assert class_at(f"{stays}x = x.cuda()\n", ".cuda()") == "review"


def test_a_count_over_a_wrapper_for_one_process() -> None:
    count = "if torch.cuda.device_count() > 1:\n    model = nn.{}(model)\n"
    assert class_at(count.format("DataParallel"), "device_count") == "review"
    assert class_at(count.format("parallel.DistributedDataParallel"), "device_count") == "safe"


def test_what_relies_on_the_devices_that_are_seen() -> None:
    code = "torch.cuda.set_device(0)\n"
    assert class_at(code, "set_device") == "safe"
    assert class_at(f'os.environ["CUDA_VISIBLE_DEVICES"] = "1"\n{code}', "set_device") == "review"


def test_an_event_beside_a_stream_of_no_vendor() -> None:
    code = "e = torch.cuda.Event()\n"
    assert class_at(code, "Event") == "safe"
    assert class_at(f'{code.replace("Event", "Stream")}{code}s = torch.Stream("cuda")\n', "cuda.Event") == "review"


def test_a_stream_beside_an_event_that_stays() -> None:
    code = "def f():\n    s = torch.cuda.Stream()\n"
    assert class_at(code, "Stream") == "safe"
    assert class_at(f"{code}    e = torch.cuda.Event(external=True)\n", "cuda.Stream") == "review"


@pytest.mark.parametrize(
    "code",
    [
        "def is_cuda_extension_usable():\n    {}\n",
        "class CudaEnvironment:\n    def __init__(self):\n        {}\n",
        "def f(x):\n    {}\n    fused_adam_cuda.adam(x)\n",
        "if engine:\n    import tensorrt\n    {}\n",
        "from torch.utils.cpp_extension import CUDA_HOME\n{}\n",
        "try:\n    import pynvml\nexcept ImportError:\n    pynvml = None\n{}\n",
    ],
)
def test_what_is_for_cuda_by_its_name_or_beside_its_extension(code: str) -> None:
    assert class_at(code.format("torch.cuda.synchronize()"), "synchronize") == "review"
    assert class_at("def f(x):\n    torch.cuda.synchronize()\n", "synchronize") == "safe"


def test_a_count_beside_what_stays() -> None:
    code = "def f():\n    for i in range(torch.cuda.device_count()):\n        print(i)\n"
    assert class_at(code, "device_count") == "safe"
    assert class_at(f"{code}        torch.cuda.get_device_capability(i)\n", "device_count") == "review"


def test_what_says_its_own_expression_is_by_hand_and_silences_nothing_else() -> None:
    text = "import torch\n\nprint(f'{x.is_cuda = }')\nif x.is_cuda: pass\n"
    assert ported(text) == text  # no fix of a file is safe if code in it stays on CUDA
    fixed = ported(text, review=True)
    assert "print(f'{x.is_cuda = }')\nif x.device.type == accelerator_type(): pass\n" in fixed
    assert len(found(text)) == 2


@pytest.mark.parametrize(
    "before, after",
    [
        ("a = [x.is_cuda, 1]", "a = [{}, 1]"),
        ("a = {'b': x.is_cuda}", "a = {{'b': {}}}"),
        ("a: bool = x.is_cuda", "a: bool = {}"),
        ("f(key=lambda x: x.is_cuda)", "f(key=lambda x: {})"),
        ("a = b[x.is_cuda]", "a = b[{}]"),
        ("a = [x.is_cuda for x in b if x.is_cuda]", "a = [{} for x in b if {}]"),
        ("a = x.is_cuda.real", "a = ({}).real"),
        ("a = 1 + x.is_cuda", "a = 1 + ({})"),
        ("a = x.is_cuda in b", "a = ({}) in b"),
    ],
)
def test_parentheses_stand_where_they_are_needed(before: str, after: str) -> None:
    new = "x.device.type == accelerator_type()"
    assert ported(f"import torch\n\n{before}\n").endswith(f"\n{after.format(new, new)}\n")


PACKED = Project(packs=True)


def test_a_packed_sequence_has_no_device() -> None:
    code = "def f(x):\n    return x.is_cuda\n"
    assert class_at(code, "is_cuda") == "safe"
    assert class_at(code, "is_cuda", PACKED) == "review"
    assert class_at(f"from torch.nn.utils.rnn import PackedSequence\n{code}", "is_cuda") == "review"


SCRIPTS = Project(scripts=True)


@pytest.mark.parametrize(
    "code, alone, scripted",
    [
        ("def f(x):\n    return x + 1 if x.is_cuda else x\n", "safe", "review"),
        ("class A(nn.Module):\n    def forward(self, x):\n        return x if x.is_cuda else -x\n", "safe", "review"),
        ("class A(nn.Module):\n    def __init__(self, x):\n        self.a = x.is_cuda\n", "safe", "review"),
        ("def f(x, *rest):\n    return x.is_cuda\n", "safe", "safe"),
        ("def f(x):\n    try:\n        return x.is_cuda\n    except RuntimeError: pass\n", "safe", "safe"),
        ("def f(x):\n    import os\n    return x.is_cuda\n", "safe", "safe"),
        ("def f(x):\n    print(f'{x!r}', x.is_cuda)\n", "safe", "safe"),
        ("f = lambda x: x.is_cuda\n", "safe", "safe"),
        ("class A:\n    a = x.is_cuda\n", "safe", "safe"),
        ("def f(x, a=y.is_cuda): pass\n", "safe", "safe"),
        ("def f(x): return x.is_cuda\n", "safe", "review"),
        ("def f(x, time):\n    return x.is_cuda\n", "safe", "review"),
        ("def f(x):\n    # try yield lambda\n    return x.is_cuda\n", "safe", "review"),
        ("def f(x):\n    def g(x):\n        return x.is_cuda\n    return g\n", "safe", "review"),
        ("if x.is_cuda: pass\n", "safe", "safe"),
        ("@torch.jit.ignore\ndef f(x):\n    return x.is_cuda\n", "review", "review"),
    ],
)
def test_what_torchscript_may_compile_through_another_file(code: str, alone: str, scripted: str) -> None:
    assert class_at(code, "is_cuda") == alone
    assert class_at(code, "is_cuda", SCRIPTS) == scripted


@pytest.mark.parametrize(
    "path, applicability", [("pkg/a.py", "review"), ("./pkg/a.py", "review"), ("pkg/b.py", "safe"), ("b/a.py", "safe")]
)
def test_a_function_that_another_file_compiles(path: str, applicability: str) -> None:
    text = "import torch\n\n\ndef f(x):\n    return x.is_cuda\n"
    settings = Settings(strategy="portable", portable_helper=HELPER)
    engine = engine_for("npu", settings, Project(compiled=frozenset({("pkg/a.py", "f")})))
    (finding,) = engine.check(Source(text, path)).findings
    assert finding.fixes[0].applicability == applicability
    (other,) = engine.check(Source(text.replace("def f", "def g"), path)).findings
    assert other.fixes[0].applicability == "safe"


def test_a_file_that_compiles_some_of_its_functions() -> None:
    text = (
        "def f(x):\n    return g(x)\n\n\ndef g(x):\n    return x\n\n\n@torch.jit.script\ndef h(x):\n    return f(x)\n"
    )
    assert class_at(text + "\n\ndef k(x):\n    return x.is_cuda\n", "is_cuda") == "safe"
    assert class_at(text.replace("    return x\n", "    return x if x.is_cuda else -x\n"), "is_cuda") == "review"


def test_a_file_is_ported_whole_or_not_at_all() -> None:
    """One method makes a stream, and another enters it; if a third method stays on CUDA, no fix of the file is safe."""
    makes = "def make(self):\n    self.stream = torch.cuda.Stream()\n\n\n"
    enters = "def enter(self):\n    with torch.cuda.stream(self.stream):\n        pass\n"
    graph = "\n\ndef record(self):\n    self.graph = torch.cuda.CUDAGraph()\n"
    text = f"import torch\n\n\n{makes}{enters}"
    assert "torch.cuda" not in ported(text)
    assert ported(text + graph) == text + graph
    # this finding is only information, so the other fixes of the file stay safe
    information = "\n\ntorch.backends.cudnn.benchmark = True\n"
    assert "torch.cuda." not in ported(text + information)


@pytest.mark.parametrize(
    "code, applicability",
    [
        ("def f(x):\n    torch.cuda.synchronize()\n    done_cuda = x + 1\n    done_cuda.item()\n", "safe"),
        ("def f(x, done_cuda):\n    torch.cuda.synchronize()\n    done_cuda.item()\n", "safe"),
        ("def f(x):\n    torch.cuda.synchronize()\n    done_cuda.run()\n", "review"),
        ("def f(x):\n    torch.cuda.synchronize()\n    my_cuda = import_module('m')\n    my_cuda.run()\n", "review"),
        ("def f(x):\n    torch.cuda.synchronize()\n    ext_module.run(x)\n", "review"),
        ("from torch.distributed._symmetric_memory import empty\ntorch.cuda.synchronize()\n", "review"),
    ],
)
def test_what_an_extension_is(code: str, applicability: str) -> None:
    assert class_at(code, "synchronize") == applicability


@pytest.mark.parametrize(
    "code, applicability",
    [
        ("if not x.is_cuda:\n    raise ValueError('x must be on CUDA')\n", "manual"),
        ("if x.is_cuda:\n    pass\nelse:\n    raise ValueError(\n        'only NVIDIA cards')\n", "manual"),
        ("assert x.is_cuda, 'needs a CUDA tensor'\n", "manual"),
        ("assert x.is_cuda, 'x must be on a device'\n", "safe"),
        ("if not x.is_cuda:\n    raise ValueError('x must be on a device')\n", "safe"),
        ("if x.is_cuda:\n    print('on CUDA')\n", "safe"),
        ("use = fused_adam is not None and x.is_cuda\n", "review"),
        ("use = refused is not None and x.is_cuda\n", "safe"),
    ],
)
def test_what_says_that_it_is_for_cuda_only(code: str, applicability: str) -> None:
    assert class_at(code, "is_cuda") == applicability


@pytest.mark.parametrize(
    "path, applicability",
    [("pkg/nvshmem/a.py", "review"), ("pkg/a/nvidia_b.py", "review"), ("pkg/a/b.py", "safe"), ("cuda/b.py", "safe")],
)
def test_folders_of_the_package_that_are_for_cuda(path: str, applicability: str) -> None:
    helper = Helper("pkg.device", "pkg/device.py", None, frozenset({"pkg", "cuda"}), "pkg")
    (finding,) = found("import torch\n\nfrom pkg.c import d\n\ntorch.cuda.synchronize()\n", path, helper)
    assert finding.fixes[0].applicability == applicability


@pytest.mark.parametrize(
    "code, said",
    [
        ("def f_cuda():\n    torch.cuda.synchronize()\n", "the code here is for CUDA"),
        ("os.environ['CUDA_VISIBLE_DEVICES'] = '1'\ntorch.cuda.synchronize()\n", "says here which devices are seen"),
        ("torch.cuda.synchronize()\nt = torch.accelerator\n", "the file uses `torch.accelerator`"),
        ("torch.cuda.synchronize()\ng = torch.cuda.CUDAGraph()\n", "ported whole or not at all"),
        ("x = move_to_cuda(x) if torch.cuda.is_available() else x\n", "decides about code that stays CUDA's"),
        ("@torch.cuda.amp.autocast()\ndef f(x): pass\n", "in the middle of a decorator"),
        ("assert x.is_cuda, 'needs CUDA'\n", "the error here says that only CUDA will do"),
    ],
)
def test_a_finding_to_review_says_why(code: str, said: str) -> None:
    assert any(said in finding.message for finding in found(HEAD + code))
