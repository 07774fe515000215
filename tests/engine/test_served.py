"""Tests of projects and files that support several accelerators: which code is not changed, which fixes need review,
and that a project does not count as one that supports several only because uncuda fixed some of its code."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.catalogue import load
from uncuda.edits import apply_edits
from uncuda.engine import Finding
from uncuda.lsp.state.scan import Reader
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source
from uncuda.workspace import Engines, File

PLAIN = (
    "import torch\n\ndevice = 'cuda' if torch.cuda.is_available() else 'cpu'\n\n\ndef run(x):\n"
    "    if device == 'cuda':\n        torch.cuda.synchronize()\n    return x.to('cuda').cuda()\n"
)
BASE = 'import torch\n\n\nclass BaseAccelerator:\n    def get_rng_state(self, device="cuda"): ...\n'
CUDA = (
    "import torch\nfrom .base_accelerator import BaseAccelerator\n\n\nclass CudaAccelerator(BaseAccelerator):\n"
    "    def synchronize(self):\n        torch.cuda.synchronize()\n"
)
FAMILY = {
    "accelerator/__init__.py": "",
    "accelerator/base_accelerator.py": BASE,
    "accelerator/cuda_accelerator.py": CUDA,
    "accelerator/xpu_accelerator.py": CUDA.replace("cuda", "xpu").replace("Cuda", "Xpu"),
    "train.py": PLAIN,
}
CHOOSING = (
    "import torch\nfrom .utils import is_{0}_available\n\n\ndef sync(x):\n    if torch.cuda.is_available():\n"
    "        torch.cuda.synchronize()\n    elif is_{0}_available():\n        torch.{0}.synchronize()\n"
    "    torch.cuda.empty_cache()\n    return x.cuda()\n"
)
ARMS = (
    "import torch\n\n\ndef pick(device):\n    if torch.cuda.is_available():\n        return 'cuda:0'\n"
    "    elif hasattr(torch, '{0}') and torch.{0}.is_available():\n        return '{0}:0'\n    return 'cpu'\n\n\n"
    "def sync(x):\n    torch.cuda.synchronize()\n    return x.cuda()\n"
)
WORDS = (
    "import torch\n\n\ndef sync(device, x):\n    if device.type == 'cuda':\n        torch.cuda.synchronize()\n"
    "    elif x is None:\n        return\n    elif device.type == '{0}':\n        torch.{0}.synchronize()\n"
    "    torch.cuda.empty_cache()\n"
)
TWICE = (
    "import torch\n\n\ndef sync(x, fast):\n    if torch.cuda.is_available() and fast:\n"
    "        torch.cuda.synchronize()\n    elif torch.cuda.is_available():\n        torch.cuda.init()\n"
    "    elif torch.cuda.device_count() > 1 and fast:\n        return torch.cuda._sleep(1)\n    return x.cuda()\n"
)
GPU = (
    "import torch  # cuda\n\n\ndef sync(d, x):\n    if d.type == 'gpu':\n        return x\n"
    "    elif d.type == '{0}':\n        torch.{0}.synchronize()\n"
)
VENDOR = (
    "import torch\n\n\ndef resource(kind):\n    if kind in ('cuda', 'rocm'):\n        return 'GPU'\n"
    "    elif kind == '{0}':\n        return 'NPU'\n    torch.cuda.synchronize()\n"
)
LISTED = (
    "import torch\n\n\ndef sync(x, busy):\n    if busy:\n        return\n"
    "    elif x.device.type in ('cuda', 'xpu', '{0}'):\n        torch.cuda.synchronize()\n"
)
SORTED = (
    "import torch\n\n\ndef order(x, kind):\n    if kind == 'descend':\n        return x.flip(0)\n"
    "    elif kind == 'ascend':\n        torch.cuda.synchronize()\n    return x.cuda()\n"
)


ROCM = {
    "the version": "if torch.version.hip is not None:\n    {0}\n",
    "the version alone": "if torch.version.hip:\n    {0}\n",
    "a platform": "def f(x):\n    if x:\n        return\n    elif not current_platform.is_rocm():\n        return\n"
    "    else:\n        {0}\n",
    "a way out": "def f(x):\n    if torch.version.hip is None:\n        return\n    {0}\n",
    "a module of tests": "if not is_rocm():\n    pytest.skip('no ROCm', allow_module_level=True)\n{0}\n",
    "a mark": "@pytest.mark.skipif(not (is_rocm() and on_gfx9()), reason='no')\n@other\ndef test(x):\n    {0}\n",
    "a mark of a class": "@unittest.skipUnless(TEST_WITH_ROCM, 'no')\nclass T:\n    def test(self, x):\n        {0}\n",
    "a mark of a module": "pytestmark = [pytest.mark.skipif(not is_hip(), reason='no')]\ndef test(x):\n    {0}\n",
    "a script": (
        "def f(x):\n    {0}\nif __name__ == '__main__':\n    if not is_rocm():\n        raise ValueError\n    f(1)\n"
    ),
    "a word": "if kind == 'rocm':\n    {0}\n",
    "a word of a platform": "if backend == 'hip':\n    {0}\n",
    "one of two ways": "y = x.cuda() if HAS_HIP else None\n",
    "beside": "y = is_rocm() and x.cuda()\n",
}
NOT_ROCM = {
    "either": "if is_cuda() or is_rocm():\n    {0}\n",
    "the other": "if torch.version.hip is None:\n    {0}\n",
    "no chip": "if relationship and is_chip():\n    {0}\n",
    "below": "if is_rocm():\n    x = 1\n{0}\n",
    "what else": "if is_rocm():\n    x = 1\nelse:\n    {0}\n",
    "a mark that waits for its tests": "on_rocm = pytest.mark.skipif(not is_rocm(), reason='no')\ndef f(x):\n    {0}\n",
    "a mark of one parameter": "@pytest.mark.parametrize('n', [1, param(2, marks=skipif(not is_rocm()))])\n"
    "def test(n, x):\n    {0}\n",
    "a way out that others pass by": "def f(x, a):\n    if a:\n        pass\n    elif not is_hip():\n"
    "        return\n    {0}\n",
    "a part of the body": "def f(x, joint):\n    if joint == 'hip' or skeleton.hip:\n        {0}\n",
    "a function that leaves": (
        "def f(x):\n    {0}\ndef main():\n    if not is_rocm():\n        raise ValueError\n    f(1)\n"
    ),
    "skipped on ROCm": "@pytest.mark.skipif(is_rocm(), reason='no')\ndef test(x):\n    {0}\n",
}
PLATFORM = {
    "a test": "if current_platform.is_cuda():\n    {0}\n",
    "a way out": "def f(x):\n    if not current_platform.is_cuda():\n        return\n    {0}\n",
    "the processor": "def f(x):\n    if platform.is_cpu() and x:\n        {0}\n",
    "a module of tests": ("if not current_platform.is_cuda():\n    pytest.skip('no', allow_module_level=True)\n{0}\n"),
    "a module of tests that may run without pytest": (
        "if pytest and (not has_it() or not current_platform.is_cuda()):\n"
        "    pytest.skip('no', allow_module_level=True)\n{0}\n"
    ),
    "a mark": "@pytest.mark.skipif(not current_platform.is_cuda(), reason='no')\ndef test(x):\n    {0}\n",
    "a name": "USE = current_platform.is_cuda() and has_it()\nif USE and x:\n    {0}\n",
    "a name of a function": "def f(x):\n    off = x or not platform.is_cuda()\n    if off:\n        return\n    {0}\n",
    "a field": (
        "class A:\n    def __init__(self, x):\n        self.off = x or not current_platform.is_cuda()\n"
        "    def f(self):\n        if not self.off:\n            {0}\n"
    ),
    "a mode": "MODE: str | None = (\n    env.MODE if current_platform.is_cuda() else None\n)\ndef f(g):\n"
    "    if (mode := MODE) is None:\n        return g\n    def h():\n        {0}\n    return h\n",
    "a mode that is there": "mode = env.MODE if current_platform.is_cuda() else None\nif mode is not None:\n    {0}\n",
    "the first function of a script": (
        "def f(x):\n    {0}\ndef main():\n    if not current_platform.is_cuda():\n        raise ValueError\n    f(1)\n"
        "if __name__ == '__main__':\n    main()\n"
    ),
    "a capability of NVIDIA's": "if current_platform.is_device_capability_family(100):\n    {0}\n",
    "a capability from which on": "def f(x):\n    if not current_platform.has_device_capability((8, 0)):\n"
    "        return\n    {0}\n",
    "a capability that has a name": (
        "cap = current_platform.get_device_capability()\nFITS = cap is not None and cap[0] >= 9\n"
        "FITS = current_platform.has_device_capability(90)\n"
        "@pytest.mark.skipif(not FITS, reason='no')\ndef test(x):\n    {0}\n"
    ),
    "a capability below": (
        "def f(x):\n    cap = current_platform.get_device_capability()\n    if cap is None or cap.to_int() < 80:\n"
        "        pytest.skip('no')\n    {0}\n"
    ),
    "a capability's number": "if current_platform.get_device_capability().major == 9:\n    {0}\n",
    "an assertion": "def f(x):\n    assert current_platform.is_cuda() or platform.is_rocm(), 'no'\n    {0}\n",
    "a mark with a name": (
        "on_cuda = pytest.mark.skipif(not current_platform.is_cuda(), reason='no')\n@pytest.mark.slow\n@on_cuda\n"
        "def test(x):\n    {0}\n"
    ),
    "neither CUDA nor ROCm": "if not (current_platform.is_cuda() or current_platform.is_rocm()):\n"
    "    pytest.skip('no', allow_module_level=True)\n{0}\n",
    "a mode that is on": "if env.MODE if current_platform.is_cuda() else False:\n    {0}\n",
    "a function that only that calls": (
        "# _region is for _install\nfrom contextlib import contextmanager\n@contextmanager\n"
        "def _region(x):\n    {0}\n    yield\ndef _install(x):\n    C.patched = _region\ndef start(x):\n"
        "    if not current_platform.is_cuda():\n        return\n    _install(x)\n"
    ),
}
ALIKE = {
    "a test": "if current_platform.is_cuda_alike():\n    {0}\n",
    "a mark with more": (
        "@pytest.mark.skipif(not current_platform.is_cuda_alike() or not torch.accelerator.is_available(), reason='')\n"
        "def test(x):\n    def f():\n        {0}\n"
    ),
}
NO_PLATFORM = {
    "a name of either": "USE = current_platform.is_cuda() or has_it()\nif USE:\n    {0}\n",
    "a name of two values": "USE = current_platform.is_cuda()\nif x:\n    USE = True\nif USE:\n    {0}\n",
    "a parameter of that name": "USE = current_platform.is_cuda()\ndef f(USE):\n    if USE:\n        {0}\n",
    "another function's name": (
        "def f():\n    use = platform.is_cuda()\n    return use\ndef g():\n    if use:\n        {0}\n"
    ),
    "a test of another name": "if x and not platform.is_cuda():\n    pytest.skip('', allow_module_level=True)\n{0}\n",
    "its other answer": "USE = current_platform.is_cuda()\nif not USE:\n    {0}\n",
    "the other way": "if not current_platform.is_cuda():\n    {0}\n",
    "either": "if current_platform.is_cuda() or x:\n    {0}\n",
    "a tensor": "if x.is_cuda():\n    {0}\n",
    "a capability that is another's, too": "if current_platform.has_device_capability(31):\n    {0}\n",
    "an assertion of more": "assert current_platform.is_cuda() or x\n{0}\n",
    "a mark of others with a name": (
        "on_all = pytest.mark.skipif(not x.is_fast(), reason='no')\n"
        "on_cuda = pytest.mark.skipif(not platform.is_cuda())\n@on_all\ndef test(x):\n    {0}\n"
    ),
    "a function that is not the script's alone": (
        "def f(x):\n    {0}\ndef g():\n    if not current_platform.is_cuda():\n        raise ValueError\n    f(1)\n"
        "def h():\n    g()\nif __name__ == '__main__':\n    g()\n"
    ),
    "a minor number": "if current_platform.get_device_capability()[1] >= 9:\n    {0}\n",
    "a low capability": "if current_platform.get_device_capability()[0] < 9:\n    {0}\n",
    "no such capability": "if not current_platform.has_device_capability(90):\n    {0}\n",
    "a mode with another way": "mode = a if current_platform.is_cuda() else b\nif mode is not None:\n    {0}\n",
    "a mode that is not there": "mode = a if current_platform.is_cuda() else None\nif mode is None:\n    {0}\n",
    "a function that others call": (
        "def _install(x):\n    {0}\ndef start(x):\n    if platform.is_cuda():\n        _install(x)\n"
        "def stop(x):\n    _install(x)\n"
    ),
    "a function that anybody may call": (
        "def install(x):\n    {0}\ndef start(x):\n    if platform.is_cuda():\n        install(x)\n"
    ),
    "a function that is registered": (
        "@register\ndef _install(x):\n    {0}\ndef start(x):\n    if platform.is_cuda():\n        _install(x)\n"
    ),
}
ON_HOST = {
    "a module of tests": "if not current_platform.is_cpu():\n    pytest.skip('no', allow_module_level=True)\n{0}\n",
    "a mark": "@pytest.mark.skipif(not platform.is_cpu(), reason='no')\ndef test(x):\n    {0}\n",
    "one of two ways": "kind = torch.float32 if is_npu or is_mps else torch.float64\n",
    "the other way": "if x.device.type == 'npu':\n    y = 1\nelse:\n    {0}\n",
    "ruled out": "if x.device.type != 'npu':\n    {0}\n",
}
ON_DEVICE = {
    "a platform": "if current_platform.is_cuda():\n    {0}\n",
    "either": "if platform.is_cpu() or x:\n    {0}\n",
    "its own way": "kind = torch.float64 if is_npu else torch.float32\n",
    "a part of a question": "kind = torch.float32 if is_npu and small else torch.float64\n",
    "another device": "if is_mps:\n    y = 1\nelse:\n    {0}\n",
}
BYTES = {
    "in": "def f(x):\n    if b'cuda' in x:\n        {0}\n",
    "not in": 'def f(x):\n    if b"cuda" not in x:\n        return x\n    {0}\n',
    "begins": "def f(x):\n    if x.startswith(b'cuda:'):\n        {0}\n",
}


def project_of(files: Mapping[str, str]) -> Project:
    """Return the Project for several files; fail unless the command line and the language server collect the same
    one."""
    return _project_of(tuple(files.items()))


@lru_cache(maxsize=256)
def _project_of(files: tuple[tuple[str, str], ...]) -> Project:
    catalogue = load()
    settings = Settings(target="npu")
    texts = {name: text.encode() for name, text in files}
    engines = Engines(catalogue)
    engines.survey([File(name, settings, given=True) for name in texts], lambda path, most: texts[path])
    reader = Reader(catalogue)
    assert reader.project({name: reader.facts(data, name) for name, data in texts.items()}) == engines.project
    return engines.project


def findings(files: Mapping[str, str], name: str, target: str = "npu") -> list[Finding]:
    engine = engine_for(target, Settings(locale="en"), project_of(files))
    return list(engine.check(Source(files[name], name)).findings)


def classes(found: list[Finding]) -> set[str]:
    return {finding.fixes[0].applicability for finding in found if finding.fixes}


def served(files: Mapping[str, str]) -> frozenset[str]:
    return project_of(files).served


def test_a_plain_project_is_ported() -> None:
    files = {"train.py": PLAIN, "models/base.py": PLAIN, "ops/cuda_ops.py": PLAIN}
    assert not served(files)
    assert classes(findings(files, "train.py")) == {"safe"}


@pytest.mark.parametrize("target", ["npu", "musa"])
def test_a_module_for_each_accelerator_asks_for_one_more(target: str) -> None:
    (found,) = findings(FAMILY, "accelerator/cuda_accelerator.py", target)
    assert (found.rule, found.severity, found.fixes) == ("accelerator-member", "information", ())
    assert CUDA[found.span.start : found.span.end] == "CudaAccelerator"
    assert not findings(FAMILY, "accelerator/base_accelerator.py", target)
    assert not findings(FAMILY, "accelerator/xpu_accelerator.py", target)
    assert classes(findings(FAMILY, "train.py", target)) == {"review"}


def test_with_the_targets_module_there_is_nothing_to_say() -> None:
    files = FAMILY | {"accelerator/npu_accelerator.py": "import torch\nimport torch_npu\nx = 'cuda'\n"}
    for name in files:
        assert name == "train.py" or not findings(files, name)
    found = findings(files, "train.py")
    assert classes(found) == {"review"}
    assert not any("import torch_npu" in edit.text for one in found for fix in one.fixes for edit in fix.edits)


def test_a_folder_for_each_accelerator() -> None:
    files = {f"backends/{name}/ops.py": PLAIN for name in ("cuda", "cpu", "xpu")} | {"train.py": PLAIN}
    assert [one.rule for one in findings(files, "backends/cuda/ops.py")] == ["accelerator-member"]
    assert classes(findings(files, "train.py")) == {"review"}


@pytest.mark.parametrize("target", ["npu", "musa"])
def test_folders_of_the_makers_of_gpus(target: str) -> None:
    files = {f"models/{name}": PLAIN for name in ("nvidia/ops/a.py", "nvidia/b.py", "amd/ops/a.py", "amd/c.py", "d.py")}
    assert not findings(files, "models/amd/c.py", target) and not findings(files, "models/amd/ops/a.py", target)
    assert [one.rule for one in findings(files, "models/nvidia/b.py", target)] == ["accelerator-member"]
    assert not findings(files, "models/nvidia/ops/a.py", target)
    assert classes(findings(files, "models/d.py", target)) == {"safe"}
    del files["models/nvidia/ops/a.py"], files["models/nvidia/b.py"]
    assert classes(findings(files, "models/amd/c.py", target)) == {"safe"}


def test_a_module_of_amds_is_one_of_a_family() -> None:
    files = {f"ops/{name}_ops.py": PLAIN for name in ("cuda", "amd", "base")}
    assert not findings(files, "ops/amd_ops.py") and not findings(files, "ops/base_ops.py")


@pytest.mark.parametrize(
    "files",
    [
        {"a/cuda_ops.py": PLAIN, "a/cpu_ops.py": PLAIN, "a/base_ops.py": PLAIN},
        {"a/cuda_ops.py": PLAIN, "a/npu_ops.py": PLAIN},
        {"tests/cuda_accelerator.py": CUDA, "tests/xpu_accelerator.py": CUDA, "tests/base_accelerator.py": BASE},
        {f"third_party/lib/{name[12:]}": text for name, text in FAMILY.items()},
        {"a.py": CHOOSING.format("npu")},
        {"a.py": ARMS.format("npu")},
        {"a.py": TWICE, "b.py": TWICE},
        {"a.py": GPU.format("npu"), "b.py": GPU.format("npu")},
        {"a.py": VENDOR.format("ascend"), "b.py": VENDOR.format("camb")},
        {"a.py": SORTED, "b.py": SORTED},
        {"a.py": ARMS.format("npu"), "b.py": WORDS.format("npu").replace("type == 'npu'", "kind == 'npu'")},
        {"a.py": ARMS.format("npu"), "b.py": f"import torch\n'''\n{ARMS.format('npu')}'''\n"},
        {"tests/a.py": CHOOSING.format("npu"), "docs/b.py": CHOOSING.format("npu")},
        {name: LISTED.format("npu").replace("torch.cuda", "raise ValueError; torch.cuda") for name in ("a.py", "b.py")},
        {"a.py": LISTED.format("npu"), "b.py": LISTED.format("npu:0"), "c.py": LISTED.format("mps")},
        {"a.py": "import torch\nBACKENDS = {'cuda': 'nccl', 'npu': 'hccl'}\n", "b.py": "x = 'npu'\n"},
        {"a.py": "import torch  # is_npu_available()\n", "b.py": "x = 'cuda'  # if is_npu_available():\n"},
    ],
)
def test_what_does_not_make_a_project_serve_a_target(files: dict[str, str]) -> None:
    assert not served(files)


def test_two_files_that_choose_the_target() -> None:
    files = {"a.py": CHOOSING.format("npu"), "b.py": CHOOSING.format("npu"), "train.py": PLAIN}
    assert served(files) == {"npu"}
    assert classes(findings(files, "train.py")) == {"review"}
    assert classes(findings(files, "train.py", "musa")) == {"safe"}


OPTIONAL = """\
import torch


def is_torch_npu_available() -> bool:
    try:
        import torch_npu

        return torch.npu.is_available()
    except ImportError:
        return False


""" + CHOOSING.removeprefix("import torch\n")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_file_that_chooses_the_target_and_tries_to_import_its_plugin(end: str) -> None:
    files = {"device.py": OPTIONAL.format("npu").replace("\n", end), "train.py": PLAIN}
    assert served(files) == {"npu"}
    assert classes(findings(files, "train.py")) == {"review"}


@pytest.mark.parametrize("question", ["IS_NPU_AVAILABLE:", "find_spec('torch_npu') is not None:", "args.npu:  # here"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_file_that_chooses_the_target_and_imports_its_plugin_if_there_is_one(question: str, end: str) -> None:
    start = f"import torch\n\nif {question}\n    import torch_npu\n\n    x = 1\n"
    files = {"device.py": (start + CHOOSING.format("npu")).replace("\n", end), "train.py": PLAIN}
    assert served(files) == {"npu"}
    assert classes(findings(files, "train.py")) == {"review"}


@pytest.mark.parametrize(
    "files",
    [
        {"device.py": CHOOSING.format("npu")},
        {"device.py": "if args.other:\n    import torch_npu\n" + CHOOSING.format("npu")},
        {"device.py": "if args.input:\n    import torch_npu\n" + CHOOSING.format("npu")},
        {"device.py": "if args.npu:\n    import torch\n    import torch_npu\n" + CHOOSING.format("npu")},
        {"device.py": "if args.npu:\n    import torch_npu.npu.amp\n" + CHOOSING.format("npu")},
        {"device.py": OPTIONAL.format("npu").replace("    try:", "    if True:")},
        {"device.py": CHOOSING.format("npu"), "other.py": OPTIONAL.partition("\n\n\n\n")[0]},
        {"tests/device.py": OPTIONAL.format("npu")},
        # the fix for a file that imports torch in a `try` writes the plugin's import after it
        {
            "device.py": OPTIONAL.format("npu").replace(
                "        import torch_npu", "        import torch\n        import torch_npu"
            )
        },
    ],
)
def test_a_file_that_only_chooses_or_only_tries(files: dict[str, str]) -> None:
    assert not served(files)


@pytest.mark.parametrize(
    "text",
    [
        *(ARMS, WORDS, WORDS.replace("device.type == ", "device == "), LISTED, LISTED.replace(" in (", " not in (")),
        LISTED.replace("('cuda', 'xpu', '{0}')", "{{'{0}', \"cuda\"}}"),
    ],
)
def test_two_chains_that_ask_the_same_for_cuda_and_for_the_target(text: str) -> None:
    files = {"a.py": ARMS.format("npu"), "b.py": text.format("npu"), "train.py": PLAIN}
    assert served(files) == {"npu"}
    assert classes(findings(files, "train.py")) == {"review"}


@pytest.mark.parametrize(("target", "vendor"), [("npu", "ascend"), ("musa", "mthreads")])
def test_two_chains_that_ask_for_the_vendor(target: str, vendor: str) -> None:
    files = {"a.py": VENDOR.format(vendor), "b.py": VENDOR.format(vendor), "train.py": PLAIN}
    assert served(files) == {target}
    assert classes(findings(files, "train.py", target)) == {"review"}
    alone = findings({"a.py": files["a.py"]}, "a.py", target)
    assert "cuda-api" in {one.rule for one in alone}


HELPER = "import argparse\n\n\ndef move(net, xs):\n    return net.cuda(), [x.cuda() for x in xs if x.is_cuda]\n"
OPTION = "p.add_argument('--device', choices=['cpu', 'cuda', 'mps'], default='cuda')\n"


def test_a_file_without_torch_in_a_project_that_uses_it() -> None:
    alone = {"helper.py": HELPER, "option.py": "import argparse\n" + OPTION}
    others = (
        "from jax import numpy",
        "import xgboost as xgb",
        "import os; import paddle",
        "p = importorskip('paddle')",
    )
    program = {"train.py": PLAIN}
    words = "import torchvision  # torch.cuda, from torch\n"
    neutral = {"model.py": "import torch\nx = torch.ones(2)\n", "words.py": words}
    for name in ("helper.py", "option.py"):
        assert classes(findings(alone | neutral, name)) == {"review"}
        assert classes(findings(alone | program, name)) == {"safe"}
        for other in others:
            assert classes(findings({name: f"{other}\n{alone[name]}"} | program, name)) == {"review"}
    # nothing shows that the string is a device
    assert not findings({"mode.py": "mode = 'cuda'\n"} | program, "mode.py")
    edits = [edit for one in findings(alone | program, "helper.py") for edit in one.fixes[0].edits]
    assert {edit.text for edit in edits} == {"npu", "is_npu", "import torch_npu\n"}


KINDS = {
    "helper": {"helper.py": HELPER, "option.py": OPTION, "train.py": PLAIN},
    "vendor": {"a.py": VENDOR.format("ascend"), "b.py": VENDOR.format("ascend"), "train.py": PLAIN},
    "plain": {"train.py": PLAIN, "other.py": PLAIN},
    "family": FAMILY,
    "choosing": {"a.py": CHOOSING.format("npu"), "b.py": CHOOSING.format("npu"), "train.py": PLAIN},
    "lists": {"a.py": LISTED.format("npu"), "b.py": LISTED.format("npu").replace("xpu", "musa"), "train.py": PLAIN},
    "a list": {"a.py": LISTED.format("npu"), "b.py": LISTED.format("gpu"), "train.py": PLAIN},
    "arms": {"a.py": ARMS.format("npu"), "b.py": WORDS.format("npu"), "train.py": PLAIN},
    "an arm": {"a.py": ARMS.format("npu"), "b.py": TWICE},
    "twice": {"a.py": TWICE, "b.py": TWICE.replace("_sleep(1)", "current_stream()"), "train.py": PLAIN},
    "a word for it": {"a.py": GPU.format("cuda"), "b.py": GPU.format("cuda"), "train.py": PLAIN},
    "nearly": {"a.py": CHOOSING.format("npu"), "b.py": PLAIN.replace("device ==", "kind =="), "cuda_ops.py": PLAIN},
    "lone word": {"a.py": "import torch\nkinds = ['cuda', 'npu']\ntorch.cuda.init()\n", "tests/b.py": PLAIN},
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("target", ["npu", "musa"])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 4))])
def test_fixes_one_at_a_time_never_change_what_a_project_serves(kind: str, target: str, seed: int) -> None:
    chance, files = random.Random(f"{kind} {seed}"), dict(KINDS[kind])
    before = project_of(files)
    fixed = 0
    for _ in range(60):
        engine = engine_for(target, Settings(locale="en"), project_of(files))
        fixes = [
            (name, fix)
            for name, text in files.items()
            for finding in engine.check(Source(text, name)).findings
            for fix in finding.fixes[:1]
        ]
        if not fixes:
            break
        name, fix = chance.choice(fixes)
        files[name] = apply_edits(files[name], list(fix.edits))
        now, fixed = project_of(files), fixed + 1
        assert (target in now.served) is (target in before.served), files[name]
        assert (now.neutral, now.lacking) == (before.neutral, before.lacking), files[name]
    else:
        pytest.fail("fixes do not settle")
    assert fixed


def test_a_file_on_torch_accelerator_keeps_its_tests() -> None:
    text = (
        "import torch\ndevice = torch.accelerator.current_accelerator()\nif device.type == 'cuda':\n"
        "    torch.cuda.synchronize()\nx = torch.ones(2, device='cuda')\n"
    )
    found = findings({"a.py": text}, "a.py")
    assert [(text[f.span.start : f.span.end], f.fixes[0].applicability) for f in found] == [
        ("'cuda'", "review"),
        ("torch.cuda.synchronize", "review"),
        ("'cuda'", "safe"),
    ]
    assert classes(findings({"a.py": text.replace("= torch.acc", "= f()  # torch.acc")}, "a.py")) == {"safe"}


def test_a_file_that_asks_for_the_target_elsewhere_keeps_its_questions() -> None:
    text = (
        "import os\nimport torch\nmacros = []\nif KIND == 'a':\n    if torch.cuda.is_available():\n"
        "        macros += ['WITH_CUDA']\nelse:\n    if os.getenv('FORCE_NPU') == '1':\n"
        "        macros += ['WITH_NPU']\n"
    )
    (found,) = findings({"setup.py": text}, "setup.py")
    assert found.fixes[0].applicability == "review"
    assert classes(findings({"setup.py": text.replace("FORCE_NPU", "FORCE_CPU")}, "setup.py")) == {"safe"}


PARSED = """\
import torch


def parse(device):
    if isinstance(device, torch.device) and device.type == "cuda":
        return ""
    for remove in "cuda:", "(":
        device = device.replace(remove, "")
    return "0" if device == "cuda" else device[: torch.cuda.device_count()]


def select(device):
    if isinstance(device, torch.device) and device.type != "cuda":
        return device
    device = parse(device)
    if device.startswith("{0}"):
        try:
            import {1}
        except ImportError:
            raise ValueError(device)
        return torch.device(device)
    return torch.device(f"cuda:{{device}}")


def sync(device):
    if device.type == "cuda":
        torch.cuda.synchronize()
"""


@pytest.mark.parametrize(("target", "package"), [("npu", "torch_npu"), ("musa", "torch_musa")])
def test_what_makes_the_value_by_which_a_person_chooses_the_target_needs_review(target: str, package: str) -> None:
    text = PARSED.format(target, package)
    end = text.index("def sync")
    found = findings({"a.py": text}, "a.py", target)
    assert len({one.span.start for one in found}) == 7
    assert {(one.span.start >= end, one.fixes[0].applicability) for one in found} == {(True, "safe"), (False, "review")}
    for old, new in (
        ("        try:\n            import", "        if x:\n            import"),
        ('.startswith("', '.startswith("x'),
        (f"import {package}", "import other"),
        ("    device = parse", "    other = parse"),
    ):
        changed = [one.fixes[0].applicability for one in findings({"a.py": text.replace(old, new)}, "a.py", target)]
        assert changed.count("safe") > 2, old


def test_typing_beside_what_a_person_handles() -> None:
    """The findings after each edit are those of a new analysis."""
    typed = ('device = "cuda"', "device = other(device)", "try:", "import torch_npu", "def parse(x):", "")
    type_in_each_line(PARSED.format("npu", "torch_npu"), typed, 3)


def test_a_class_for_each_accelerator_in_one_text(tmp_path: Path) -> None:
    text = "import torch\nclass Base:\n    kind = torch.cuda.Stream\n" + "".join(
        f"class {name}Backend(Base):\n    def sync(self): torch.cuda.synchronize()\n" for name in ("Cuda", "XPU", "Npu")
    )
    assert not findings({"a.py": text}, "a.py")
    assert [one.rule for one in findings({"a.py": text}, "a.py", "musa")] == ["accelerator-member"]


def test_a_class_on_the_first_line_has_siblings() -> None:
    text = "class FooCuda(Base):\n    def f(self, x):\n        import torch\n        return x.cuda()\n\n\n"
    text += "class FooNpu(Base):\n    pass\n"
    assert not findings({"a.py": text}, "a.py")


@pytest.mark.parametrize("name", ROCM)
def test_what_only_rocm_runs_is_not_cudas(name: str) -> None:
    assert not findings({"a.py": "import torch\n" + ROCM[name].format("torch.cuda.nccl.version(); x.cuda()")}, "a.py")


MARKED = (
    "import torch\nimport pytest\nDEVICES = [f'cuda:{i}' for i in range(2)]\ndef helper(x):\n    return x.cuda()\n"
    "@pytest.mark.parametrize('device', DEVICES)\n@pytest.mark.skipif(\n    not is_rocm(), reason='no'\n)\n"
    "def test(x, device):\n    helper(x).cuda()\n"
)


def test_what_only_tests_of_rocm_name_is_rocms() -> None:
    assert not findings({"test_a.py": MARKED}, "test_a.py")
    assert len(findings({"a.py": MARKED}, "a.py")) == 2  # code in other files may import these names
    assert len(findings({"test_a.py": MARKED + "def test_all(x):\n    helper(x)\n"}, "test_a.py")) == 1


@pytest.mark.parametrize("name", NOT_ROCM)
def test_what_others_run_too_is_looked_at(name: str) -> None:
    assert classes(findings({"a.py": "import torch\n" + NOT_ROCM[name].format("x.cuda()")}, "a.py")) == {"safe"}


@pytest.mark.parametrize("name", BYTES)
def test_what_runs_where_bytes_say_cuda_is_for_review(name: str) -> None:
    text = "import torch\n" + BYTES[name].format("x[0] = torch.cuda.current_device()") + "y.cuda()\n"
    assert [one.fixes[0].applicability for one in findings({"a.py": text}, "a.py")] == ["review", "safe"]


@pytest.mark.parametrize("name", PLATFORM)
def test_what_only_another_platform_runs_is_information(name: str) -> None:
    for line in ("import cupy", "torch.cuda.synchronize()"):
        text = f"import torch\nimport pytest\n{PLATFORM[name].format(line)}"
        (found,) = findings({"a.py": text}, "a.py")
        assert found.severity == "information" and "platform is another one" in found.message
        assert classes([found]) <= {"review"}


ONLY = "raise RuntimeError"
RUNS = "it runs only where the program says"
IMPORTS = "the file imports it in any case, but what uses it runs only where the program says"
ORDERS = {
    "import cupy\ndef main():\n    if torch.cuda.get_device_capability() != (10, 3):\n        {0}\n": IMPORTS,
    "try:\n    import cupy\nexcept ImportError:\n    raise\n"
    "def main():\n    if torch.cuda.get_device_capability() != (10, 3):\n        {0}\n": IMPORTS,
    "import cupy\ndef ask():\n    if torch.cuda.get_device_capability() != (10, 3):\n        {0}\n"
    "def main():\n    ask()\n": IMPORTS,
    "def main():\n    if torch.cuda.get_device_capability() != (10, 3):\n        {0}\n    import cupy\n": RUNS,
    "if not current_platform.is_cuda():\n    {0}\nimport cupy\ndef main():\n    pass\n": RUNS,
    "pytestmark = pytest.mark.skipif(not current_platform.is_cuda(), reason='')\nimport cupy\n"
    "def main():\n    pass\n": IMPORTS,
    "pytestmark = pytest.mark.skipif(not current_platform.is_cuda(), reason='')\ndef main():\n    import cupy\n": RUNS,
}


@pytest.mark.parametrize("text", ORDERS)
def test_an_import_before_the_test_is_not_said_to_run_only_behind_it(text: str) -> None:
    """As in benchmarks/kernels/benchmark_k3_cutedsl_residual.py of vLLM: `main` refuses other GPUs, but the imports at
    the top of the file run before it."""
    whole = "import torch\nimport pytest\n" + text.format(ONLY) + "if __name__ == '__main__':\n    main()\n"
    (found,) = (one for one in findings({"a.py": whole}, "a.py") if one.rule == "module-unsupported")
    assert (found.severity, ORDERS[text] in found.message) == ("information", True)


def test_what_another_platform_runs_is_information_in_a_project_that_chooses() -> None:
    text = "import torch\n" + PLATFORM["a module of tests"].format("x = y.to(f'cuda:{i}').cuda()")
    assert {one.severity for one in findings({**FAMILY, "test_a.py": text}, "test_a.py")} == {"information"}


@pytest.mark.parametrize("name", ALIKE)
def test_a_platform_that_is_like_cuda_is_the_targets_where_its_own_says_so(name: str) -> None:
    text = f"import torch\nimport pytest\n{ALIKE[name].format('import cupy')}"
    severities = {target: findings({"a.py": text}, "a.py", target)[-1].severity for target in ("npu", "musa")}
    assert severities == {"npu": "information", "musa": "error"}


@pytest.mark.parametrize("name", NO_PLATFORM)
def test_what_the_target_may_come_to_is_as_it_was(name: str) -> None:
    text = f"import torch\n{NO_PLATFORM[name].format('import cupy')}"
    assert [one.severity for one in findings({"a.py": text}, "a.py") if one.rule == "module-unsupported"] == ["error"]


SCRIPT = (
    "import torch\n\n\ndef f(x):\n    torch.cuda.synchronize()\n\n\ndef main():\n{0}    f(1)\n\n\n"
    "if __name__ == '__main__':\n    main()\n"
)


@pytest.mark.parametrize(
    ("asked", "severity"),
    [
        ("cap = torch.cuda.get_device_capability()\nif n > 8 or cap not in ((10, 0), (10, 3)):", "information"),
        ("if torch.cuda.get_device_capability() != (9, 0):", "information"),
        ("cap = torch.cuda.get_device_capability()\nif cap not in ((3, 1), (10, 0)):", "error"),
        ("cap = torch.cuda.get_device_capability()\nif n > 8 and cap not in ((10, 0), (10, 3)):", "error"),
        ("if torch.cuda.get_device_capability() < (9, 0):", "error"),
        ("if torch.cuda.get_device_capability() == (9, 0):", "error"),
        ("cap = ask()\nif cap not in ((10, 0), (10, 3)):", "error"),
    ],
)
def test_a_script_that_runs_on_certain_capabilities_only(asked: str, severity: str) -> None:
    lines = "".join(f"    {line}\n" for line in [*asked.split("\n"), "    raise RuntimeError"])
    found = findings({"a.py": SCRIPT.format(lines)}, "a.py", "musa")
    assert [one.severity for one in found if one.rule == "cuda-api"][:1] == [severity]
    assert "error" in {one.severity for one in findings({"a.py": SCRIPT.format("")}, "a.py", "musa")}


WAYS = (
    "import torch\n\n\ndef f(x):\n    torch.cuda.synchronize()\n\n\n"
    "def one(x):\n    if torch.cuda.get_device_capability() != (10, 0):\n        raise RuntimeError\n    f(x)\n\n\n"
    "def two(x):\n    if torch.cuda.get_device_capability() != (10, 0):\n        raise RuntimeError\n    f(x)\n\n\n"
    "def main():\n{0}\n\nif __name__ == '__main__':\n    main()\n"
)


@pytest.mark.parametrize(
    ("ways", "severity"),
    [
        ("    x = 1\n    one(x)\n", "information"),
        ("    if kind:\n        one(1)\n        return\n    with set_up():\n        two(1)\n", "information"),
        ("    if kind:\n        print(1)\n    one(1)\n", "information"),
        ("    if kind:\n        f(1)\n        return\n    one(1)\n", "error"),
        ("    if kind:\n        one(1)\n    f(1)\n", "error"),
        ("    for x in xs:\n        one(x)\n", "error"),
        ("    for x in xs:\n        f(x)\n        return\n    one(1)\n", "error"),
        ("    if a:\n        print(1)\n    elif b:\n        f(1)\n        return\n    one(1)\n", "error"),
        ("    if a:\n        if b:\n            return f(1)\n    one(1)\n", "error"),
        ("    with contextlib.suppress(RuntimeError):\n        one(1)\n    f(1)\n", "error"),
        ("    a and one(1)\n    f(1)\n", "error"),
        ("    # one(1)\n    f(1)\n", "error"),
        ("    try:\n        one(1)\n    except RuntimeError:\n        f(1)\n", "error"),
    ],
)
def test_a_script_all_of_whose_ways_run_on_certain_capabilities_only(ways: str, severity: str) -> None:
    found = findings({"a.py": WAYS.format(ways)}, "a.py", "musa")
    assert [one.severity for one in found if one.rule == "cuda-api"][:1] == [severity]


@pytest.mark.parametrize("first", ["", "    if not x:\n        return\n"])
def test_a_function_that_returns_does_not_end_the_script(first: str) -> None:
    ends = "return" if not first else "raise RuntimeError"
    text = WAYS.replace("def one(x):\n", f"def one(x):\n{first}").replace("raise RuntimeError", ends, 1)
    found = findings({"a.py": text.format("    one(1)\n    f(1)\n")}, "a.py", "musa")
    assert [one.severity for one in found if one.rule == "cuda-api"][:1] == ["error"]


def test_what_has_no_fix_is_information_in_a_project_that_chooses() -> None:
    files = {**FAMILY, "train.py": "import torch\n\n\ndef run(x):\n    import cupy\n    return x.cuda()\n"}
    missing, method = findings(files, "train.py")
    assert (
        missing.severity == "information" and "whether it runs this file on this one was not checked" in missing.message
    )
    assert method.severity == "error" and classes([method]) == {"review"}
    (alone,) = (one for one in findings({"train.py": files["train.py"]}, "train.py") if one.rule == missing.rule)
    assert alone.severity == "error"


def test_a_file_of_a_library_that_the_target_lacks_is_information_in_a_project_that_chooses() -> None:
    for line, severity in (("import cupy", "information"), ("def f():\n    import cupy", "error")):
        text = f"import torch\n{line}\nx = y.cuda()\n"
        *_, method = findings({**FAMILY, "train.py": text}, "train.py")
        assert (method.rule, method.severity) == ("cuda-method", severity)
        assert {one.severity for one in findings({"train.py": text}, "train.py")} == {"error"}


PROGRAM = (
    "import argparse\n{0}import torch\n\n\ndef main():\n    x = argparse.ArgumentParser().parse_args().x.cuda()\n\n\n"
    "if __name__ == '__main__':\n    main()\n"
)


def test_a_program_that_is_started_by_hand_comes_to_its_imports_in_a_project_that_chooses() -> None:
    started, relative = PROGRAM.format("import cupy\n"), PROGRAM.format("import cupy\nfrom .a import b\n")
    asking = started.replace("    x = ", "    if current_platform.is_cuda():\n        pass\n    x = ")
    quoted = '"""\nif __name__ == 1:\n"""\n' + started.partition("if __name__")[0]
    texts = {
        started: "error",
        started.replace("import cupy", "import flashinfer"): "warning",
        relative: "information",
        asking: "error",
        asking.replace("        pass", "        return"): "error",
        asking.replace("if current", "if not current").replace("        pass", "        return"): "information",
        quoted: "information",
        started.replace("argparse.ArgumentParser().parse_args()", "y"): "information",
        PROGRAM.format("").replace("def main():\n", "def main():\n    import cupy\n"): "information",
    }
    for text, severity in texts.items():
        found = findings({**FAMILY, "train.py": text}, "train.py")
        assert [one.severity for one in found if one.rule.startswith("module")] == [severity], text
    plain = started.replace("argparse.ArgumentParser().parse_args()", "y")
    (found_there, *_) = findings({**FAMILY, "tools/train.py": plain}, "tools/train.py")
    assert found_there.severity == "error"


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("from lib.experts.cutlass_moe import run\n", "information"),
        ("from lib.kernels.linear.cute_dsl.gemm import run\n", "information"),
        ("from aiter.test_common import run\n", "information"),
        ("from lib.experts.moe import cutlass\n", "error"),
        ("import aiterators\n", "error"),
        ("def f():\n    from lib.experts.cutlass_moe import run\n", "error"),
    ],
)
def test_a_program_for_kernels_of_one_maker_is_information_in_a_project_that_chooses(line: str, severity: str) -> None:
    text = PROGRAM.format(line).replace("= argparse.ArgumentParser()", "= y.cuda(); argparse.ArgumentParser()")
    assert [one.severity for one in findings({**FAMILY, "train.py": text}, "train.py")] == [severity]
    assert [one.severity for one in findings({"train.py": text}, "train.py")] == ["error"]
    module = text.partition("if __name__")[0]
    assert [one.severity for one in findings({**FAMILY, "train.py": module}, "train.py")] == ["error"]


@pytest.mark.parametrize(
    ("head", "severity"),
    [
        ("# A license\n\n# Benchmarks attention via FlashInfer cuDNN backend.\n#\n# Usage\n", "information"),
        ('"""Benchmark for fused operations.\n\nFlashInfer with trtllm backend\n"""\n', "information"),
        ('"""Benchmark a kernel.\n\nA schedule that is selected on SM 9.0 only.\n"""\n', "information"),
        ("# Benchmarks attention.\n", "error"),
        ("# Benchmarks attention of SMALL models.\n", "error"),
        ("import os\n# Benchmarks attention via cuDNN.\n", "error"),
    ],
)
def test_a_program_whose_head_names_kernels_of_nvidia_is_information(head: str, severity: str) -> None:
    """As in benchmarks/kernels/benchmark_vit_fp8_attn.py and benchmark_fused_collective.py of vLLM."""
    text = head + PROGRAM.format("").replace("= argparse.ArgumentParser()", "= y.cuda(); argparse.ArgumentParser()")
    assert [one.severity for one in findings({**FAMILY, "train.py": text}, "train.py")] == [severity]
    assert [one.severity for one in findings({"train.py": text}, "train.py")] == ["error"]
    module = text.partition("if __name__")[0]
    assert [one.severity for one in findings({**FAMILY, "train.py": module}, "train.py")] == ["error"]


@pytest.mark.parametrize(
    ("about", "line", "severity"),
    [
        ("Benchmark the ROCm top-k in isolation.", "from lib._aiter_ops import rocm_aiter_ops\n", "information"),
        ("Compare in-tree and AITER top-k.", "from lib._aiter_ops import rocm_aiter_ops\n", "information"),
        ("Benchmark the communicators.", "from lib._aiter_ops import rocm_aiter_ops\n", "error"),
        ("Benchmark AITER and CUDA kernels.", "from lib._aiter_ops import rocm_aiter_ops\n", "error"),
        (
            "Benchmark the ROCm top-k.",
            "try:\n    from lib._aiter_ops import ops\nexcept ImportError:\n    ops = 1\n",
            "error",
        ),
        ("Benchmark the ROCm top-k.", "def f():\n    from lib._aiter_ops import ops\n", "error"),
        ("Benchmark the ROCm top-k.", "", "error"),
    ],
)
def test_a_program_on_a_wrapper_of_aiter_is_for_amd_if_it_says_so(about: str, line: str, severity: str) -> None:
    """As in benchmarks/kernels/benchmark_top_k_per_row_decode.py of vLLM. vLLM's benchmark_device_communicators.py
    imports the same wrapper, but runs on CUDA."""
    program = PROGRAM.format(line).replace("= argparse.ArgumentParser()", "= y.cuda(); argparse.ArgumentParser()")
    text = f'# A license\n"""{about}\n\nMore.\n"""\n\n{program}'
    assert [one.severity for one in findings({**FAMILY, "train.py": text}, "train.py")] == [severity]
    assert [one.severity for one in findings({"train.py": text}, "train.py")] == ["error"]


@pytest.mark.parametrize("name", ["bench_amd_fusions.py", "ops/test_rocm.py", "rocm/ops.py"])
def test_a_file_for_amds_gpus_is_information_in_a_project_that_chooses(name: str) -> None:
    text = "import torch\nx = y.cuda()\n"
    (found,) = findings({**FAMILY, name: text}, name)
    assert found.severity == "information" and "AMD" in found.message and classes([found]) == {"review"}
    assert [one.severity for one in findings({name: text}, name)] == ["error"]
    for other in ("train_amdahl.py", "rocm/a/b.py"):
        assert [one.severity for one in findings({**FAMILY, other: text}, other)] == ["error"]


@pytest.mark.parametrize(
    ("name", "said"),
    [("kernels_amd/fwd.py", True), ("fwd_rocm.py", True), ("amdahl/fwd.py", False), ("amd/a/b/fwd.py", False)],
)
def test_information_in_a_file_for_amds_gpus_says_so_in_any_project(name: str, said: bool) -> None:
    """The message about Triton says that the file is for AMD's GPUs, even if the project does not choose between
    accelerators, as in flash_attn/flash_attn_triton_amd/fwd_decode.py of flash-attn 2.8."""
    library, method = findings({name: "import torch\nimport triton\nx = y.cuda()\n"}, name)
    assert (library.rule, library.severity) == ("module-adapted", "information")
    assert ("its folder says that it is for AMD's GPUs" in library.message) == said
    assert (method.severity, classes([method])) == ("error", {"safe"})


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("tests/models/x/nvidia/decode/test_numerics.py", True),
        ("tests/models/x/nvidia.py", False),
        ("a/nvidias/ops.py", False),
    ],
)
def test_information_about_a_library_says_that_the_folder_is_nvidias(name: str, said: bool) -> None:
    """As in tests/models/deepseek_v41/nvidia/specialized_decode/test_numerics.py of vLLM."""
    text = "import torch\nimport triton\nimport cupy\n"
    library, lacked = findings({**FAMILY, name: text}, name)
    assert ("its folder says that it is for NVIDIA's GPUs" in library.message) == said
    assert "NVIDIA" not in lacked.message and "chooses" in lacked.message
    assert "NVIDIA" not in findings({name: text}, name)[0].message


def test_a_file_on_a_module_of_nvidias_is_information_in_a_project_that_chooses() -> None:
    for line, severity in (
        ("from lib.models.nvidia.ops import fused", "information"),
        ("from .nvidia import fused", "information"),
        ("from nvidia.dali import fn", "error"),
        ("def f():\n    from .nvidia import fused", "error"),
        ('x = """\nfrom .nvidia import fused\n"""', "error"),
    ):
        text = f"import torch\n{line}\nx = y.cuda()\n"
        *_, method = findings({**FAMILY, "train.py": text}, "train.py")
        assert (method.rule, method.severity) == ("cuda-method", severity)
        assert findings({"train.py": text}, "train.py")[-1].severity == "error"


def test_an_extension_is_information_in_a_project_that_chooses() -> None:
    build = (
        "from torch.utils.cpp_extension import CUDA_HOME, CUDAExtension, load\nload('b', ['b.cu'])\n"
        "setup(ext_modules=[CUDAExtension('a', ['a.cu'])] if CUDA_HOME else [])\n"
    )
    assert {one.severity for one in findings({**FAMILY, "setup.py": build}, "setup.py")} == {"information"}
    assert {one.severity for one in findings({"setup.py": build}, "setup.py")} == {"error", "warning"}


def test_a_makers_folder_beside_others_that_choose() -> None:
    files = {f"models/a/{name}/x.py": PLAIN for name in ("nvidia", "amd")} | {"models/b/nvidia/ops/x.py": PLAIN}
    assert [one.rule for one in findings(files, "models/b/nvidia/ops/x.py")] == ["accelerator-member"]
    assert classes(findings({"models/b/nvidia/ops/x.py": PLAIN}, "models/b/nvidia/ops/x.py")) == {"safe"}


def float64(text: str, line: str) -> list[str]:
    found = findings({"a.py": "import torch\n" + text.format(line)}, "a.py")
    return [each.rule for each in found if each.rule.startswith("float64")]


@pytest.mark.parametrize("line", ["y = x.double()", "y = x.to(torch.float64)"])
def test_float64_is_silent_where_the_target_never_runs_it(line: str) -> None:
    for name, text in ON_HOST.items():
        assert not float64(text, line), name
    for name, text in ON_DEVICE.items():
        assert float64(text, line), name


REPLACING = "import torch\n\n\ndef replace():\n    torch.cuda.Event = torch.xpu.Event\n    torch.cuda.Stream = {}\n"


@pytest.mark.parametrize(
    ("other", "lines", "is_replaced"),
    [
        ("xpu", "torch.xpu.Stream\n    x.to('cuda')", True),
        ("musa", "stream\n    torch.cuda.synchronize()", True),
        ("npu", "torch.npu.Stream", False),
        ("Event", "torch.Event.Stream", False),
    ],
)
def test_a_file_that_puts_another_accelerator_in_cudas_place_is_information(
    other: str, lines: str, is_replaced: bool
) -> None:
    """As in library/ipex/hijacks.py of sd-scripts, which makes CUDA's names those of Intel's GPUs."""
    text = REPLACING.format(lines).replace("xpu", other)
    found = engine_for("npu", Settings(locale="en")).check(Source(text)).findings
    assert {(one.severity == "information", "those of another accelerator" in one.message) for one in found} == {
        (is_replaced, is_replaced)
    }
    assert not is_replaced or all(one.fixes[0].applicability == "review" for one in found if one.fixes)


def test_a_test_that_replaces_one_name_of_cuda_is_ported() -> None:
    text = "import torch\ntorch.cuda.is_available = lambda: torch.xpu.is_available()\n"
    engine = engine_for("npu", Settings(locale="en"))
    (found,) = engine.check(Source(text, "test_a.py")).findings
    assert found.severity == "error" and found.fixes[0].applicability == "safe"
    (found,) = engine.check(Source(text, "a.py")).findings
    assert "replaces this name for other libraries" in found.message and found.fixes[0].applicability == "review"


FAKED = """import torch
original = torch.cuda.is_available
torch.cuda.is_available = lambda: True
export(model)
torch.cuda.is_available = original
if torch.cuda.is_available():
    torch.cuda.synchronize()
"""


def test_a_program_that_replaces_a_name_of_cuda_for_libraries() -> None:
    """As in optimum-intel, whose libraries believe that there is a GPU while a model is exported."""
    found = engine_for("npu", Settings(locale="en")).check(Source(FAKED, "export.py")).findings
    assert [one.fixes[0].applicability for one in found[:3]] == ["review"] * 3


def test_a_name_that_is_replaced_for_libraries_is_typed() -> None:
    type_in_each_line(FAKED, ("torch.cuda.synchronize = f", "f = torch.cuda.is_available", "x = 1"), 3, "export.py")


def test_names_of_cuda_that_are_replaced_are_typed() -> None:
    text = REPLACING.format("torch.xpu.Stream\n    torch.cuda.synchronize()")
    type_in_each_line(text, ("torch.cuda.Event = 1", "torch.cuda.f()", "x = torch.xpu.f()"), 3)


ENUM = (
    "import torch\nfrom accelerators import Kind\n\n\ndef sync(kind, x):\n"
    "    if {}:\n        torch.cuda.synchronize()\n"
    "    elif {}:\n        torch.xpu.synchronize()\n"
)
LIBRARY = "from {} import is_torch_cuda_available\nimport torch\nif is_torch_cuda_available():\n    torch.cuda.seed()\n"


@pytest.mark.parametrize(
    ("text", "due"),
    [
        (ENUM.format("kind == Kind.CUDA", "kind == Kind.XPU"), "review"),
        (ENUM.format("x and Kind.CUDA is kind", "kind == Kind.NPU"), "review"),
        (ENUM.format("kind != Kind.CUDA", "kind == Kind.XPU"), "safe"),
        (ENUM.format("kind == Kind.CUDA", "kind == Kind.CPU"), "safe"),
        (ENUM.format("kind == Kind.CUDA", "kind == Other.XPU"), "safe"),
        (ENUM.format("kind == Kind.CUDA or x", "kind == Kind.XPU"), "safe"),
        (ENUM.format("not kind == Kind.CUDA", "kind == Kind.XPU").replace("elif x", "if x"), "safe"),
        (ENUM.format("kind == Kind.CUDA", "kind == Kind.XPU").replace("torch.cuda.s", "pass # "), ""),
        (LIBRARY.format("transformers.utils"), "review"),
        (LIBRARY.format(".utils"), "safe"),
        (LIBRARY.format(".utils") + "elif is_torch_xpu_available():\n    pass\n", "review"),
        (LIBRARY.format("transformers").replace("if is", "if not is"), "safe"),
    ],
)
def test_what_runs_only_behind_a_word_of_the_program_for_cuda(text: str, due: str) -> None:
    """As in LLaMA-Factory, which knows Ascend and Intel beside CUDA, and runs nothing of CUDA's on Moore Threads."""
    found = engine_for("musa", Settings(locale="en")).check(Source(text)).findings
    assert [one.fixes[0].applicability for one in found] == ([due] if due else [])
    assert all(("a question that stays CUDA's" in one.message) == (due == "review") for one in found)


def test_words_of_the_program_for_cuda_are_typed() -> None:
    text = ENUM.format("kind == Kind.CUDA", "kind == Kind.XPU")
    type_in_each_line(text, ("if kind == Kind.CUDA:", "x = Kind.XPU", "torch.cuda.f()", "Kind = 1"), 4)
    typed = ("if is_torch_cuda_available():", "x = is_torch_xpu_available()", "from . import is_torch_cuda_available")
    type_in_each_line(LIBRARY.format("transformers"), typed, 0)


HVD = "{}import torch\n\n\n{}\n    x.cuda()\n"


@pytest.mark.parametrize(
    ("text", "path", "due"),
    [
        (HVD.format("import horovod.torch as hvd\n", "def f(x):"), "a.py", "review"),
        (HVD.format("from horovod import torch as hvd\n", "def f(x):"), "a.py", "review"),
        (HVD.format("from dgl.data import CoraGraphDataset\n", "def f(x):"), "a.py", "review"),
        (HVD.format("import dgl_like\n", "def f(x):"), "a.py", "safe"),
        (HVD.format("", "def f(x):\n    import isaacgym\n"), "a.py", "review"),
        (HVD.format("def g():\n    import isaacgym\n    return isaacgym\n", "def f(x):"), "a.py", "safe"),
        (
            HVD.format("", "def f(x):\n    try:\n        import dgl\n    except ImportError:\n        pass\n"),
            "a.py",
            "safe",
        ),
        (HVD.format("import k2\n", "def f(x):"), "a.py", "review"),
        (HVD.format("from pytorch3d.ops import knn_points\n", "def f(x):"), "a.py", "review"),
        (HVD.format("from pytorch3d.transforms import so3\n", "def f(x):"), "a.py", "safe"),
        (HVD.format("from torch_scatter import scatter_max\n", "def f(x):"), "a.py", "review"),
        (
            HVD.format("from torch_scatter import (\n    scatter_add,\n    scatter_max,\n)\n", "def f(x):"),
            "a.py",
            "review",
        ),
        (HVD.format("import torch_scatter\n", "def f(x):\n    torch_scatter.scatter_max(x)"), "a.py", "review"),
        (HVD.format("from torch_scatter import scatter_mean\n", "def f(x):"), "a.py", "safe"),
        (HVD.format("import torch_scatter\n", "def f(x):\n    torch_scatter.scatter_sum(x)"), "a.py", "safe"),
        (HVD.format("import spconv.pytorch as spconv\n", "def f(x):"), "a.py", "review"),
        (
            HVD.format("try:\n    import horovod\nexcept ImportError:\n    horovod = None\n", "def f(x):"),
            "a.py",
            "safe",
        ),
        (HVD.format("import horovod_like\n", "def f(x):"), "a.py", "safe"),
        (HVD.format("", "def f(hvd_run, x):"), "a.py", "review"),
        (HVD.format("", "def f(x, horovod=False):"), "a.py", "safe"),
        (HVD.format("", "def f(x, horovod: bool = False):"), "a.py", "safe"),
        (HVD.format("", "class HorovodModel:"), "a.py", "review"),
        (HVD.format("", "def f(x):\n    hvd.run(x)"), "a.py", "safe"),
        (HVD.format("", "def f(x):\n    hvd.run(x)"), "hvd_model.py", "review"),
        (HVD.format("", "def f(x):"), "horovod.py", "safe"),
        (HVD.format("# hvd\n", "def f(x):"), "horovod.py", "review"),
    ],
)
def test_what_hands_tensors_to_horovod_needs_review(text: str, path: str, due: str) -> None:
    """As in ignite, whose tests run Horovod on the CPU if there is no CUDA."""
    *_, found = engine_for("npu", Settings(locale="en")).check(Source(text, path)).findings
    assert found.fixes[0].applicability == due
    assert ("only on CUDA and on the CPU" in found.message) == (due == "review")


def test_code_for_horovod_is_typed() -> None:
    text = HVD.format("", "def f(x):")
    type_in_each_line(text, ("import horovod", "import isaacgym", "def f(hvd, x):", "hvd.run()"), 0)
    text = HVD.format("import torch_scatter\n", "def f(x):")
    typed = ("from torch_scatter import scatter_max", "y = torch_scatter.scatter_max(x)", "import spconv.pytorch")
    type_in_each_line(text, typed, 0)


GRAPHS = {
    "net/graphs.py": "import dgl\nimport torch\nfrom torch_scatter import (\n    scatter_max,\n)\n",
    "net/plain.py": "import torch\nfrom torch_scatter import scatter_mean\n",
    "net/__init__.py": "",
}
MOVED = "import torch\n{}\n\n\ndef f(x):\n    x.cuda()\n"


@pytest.mark.parametrize(
    ("imported", "due"),
    [
        ("from net.graphs import Graph", "review"),
        ("from net import graphs", "review"),
        ("import net.graphs as g", "review"),
        ("from net.plain import Graph", "safe"),
        ("from other.plain import graphs", "safe"),
        ("try:\n    from net.graphs import Graph\nexcept ImportError:\n    Graph = None", "safe"),
    ],
)
def test_what_hands_tensors_to_a_module_that_imports_such_a_library(imported: str, due: str) -> None:
    """As in alignn, most of whose files get their graphs of DGL from another file of the project."""
    files = {**GRAPHS, "net/train.py": MOVED.format(imported)}
    assert classes(findings(files, "net/train.py")) == {due}


DEVICES = """import torch


def get_device(name):
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Loader:
    def get_device(self):
        return torch.device("cuda")
"""


@pytest.mark.parametrize(
    ("line", "path", "due"),
    [
        ("from net.utils import get_device", "net/utils/devices.py", "review"),
        (
            "from .utils.devices import (\n    get_device as device_of,\n)",
            "net/utils/devices.py",
            "review",
        ),
        ("from net.utils.devices import get_device", "net/utils/devices.py", "review"),
        ("from net.utils import get_device", "net/devices.py", "safe"),
        ("from net.utils import Loader", "net/utils/devices.py", "safe"),
        ("def f():\n    from net.utils import get_device", "net/utils/devices.py", "safe"),
    ],
)
def test_a_function_that_makes_devices_for_such_a_library(line: str, path: str, due: str) -> None:
    """As in alibi-detect, whose detectors get their device of one function, those with KeOps, too."""
    files = {**GRAPHS, path: DEVICES, "net/graphs.py": f"{GRAPHS['net/graphs.py']}{line}\n"}
    found = findings(files, path)
    assert classes(found[:2]) == {due}
    assert classes(found[2:]) == {"safe"}
    assert classes(findings({**files, "net/graphs.py": f"import torch\n{line}\n"}, path)) == {"safe"}


def test_a_function_that_makes_devices_is_typed() -> None:
    project = Project(device_makers=frozenset({"net.utils.get_device"}))
    typed = ("def get_device(name):", "class A:", "x = 1", '"""')
    type_in_each_line(DEVICES, typed, 2, "net/utils/devices.py", project)


def test_a_module_beside_the_file_that_imports_such_a_library() -> None:
    files = {**GRAPHS, "net/train.py": MOVED.format("from graphs import Graph")}
    assert classes(findings(files, "net/train.py")) == {"review"}
    other = {**GRAPHS, "tools/train.py": MOVED.format("from graphs import Graph")}
    assert classes(findings(other, "tools/train.py")) == {"safe"}
    relative = {**GRAPHS, "net/train.py": MOVED.format("from .graphs import Graph")}
    assert classes(findings(relative, "net/train.py")) == {"review"}


def test_modules_in_the_folder_where_the_scan_begins() -> None:
    flat = {"graphs.py": GRAPHS["net/graphs.py"], "train.py": MOVED.format("from graphs import Graph")}
    assert classes(findings(flat, "train.py")) == {"review"}
    other = {**flat, "train.py": MOVED.format("from torchvision.graphs import Graph")}
    assert classes(findings(other, "train.py")) == {"safe"}
    silent = {**flat, "graphs.py": "import dgl\n"}  # neither the command line nor an editor reads this file for it
    assert classes(findings(silent, "train.py")) == {"safe"}
    several = {**GRAPHS, "train.py": MOVED.format("import net.graphs\nimport net.plain")}
    assert classes(findings(several, "train.py")) == {"review"}


@pytest.mark.parametrize("imported", ["import os, dgl", "import numpy as np, dgl", "from dgl.nn import GraphConv"])
def test_imports_of_such_libraries(imported: str) -> None:
    files = {"graphs.py": f"import torch\n{imported}\n", "train.py": MOVED.format("from graphs import Graph")}
    assert classes(findings(files, "train.py")) == {"review"}


@pytest.mark.parametrize("imported", ["from .graphs import Graph", "import os"])
def test_imports_of_such_modules_are_typed(imported: str) -> None:
    files = {**GRAPHS, "net/train.py": MOVED.format(imported)}
    lines = (
        "from .plain import Graph",
        "from net.graphs import Graph",
        "import net.graphs",
        "from . import graphs",
        "x.cuda()",
    )
    type_in_each_line(files["net/train.py"], lines, 1, "net/train.py", project_of(files))


MODAL = """import modal
import torch
import torch_npu

app = modal.App("train")


@app.function(gpu="H100", timeout=600)
def train(steps):
    model = Model().to("cuda" if torch.cuda.is_available() else "cpu")
    return model(torch.ones(2).cuda())
"""
NOT_MODAL = {
    "on the CPU": MODAL.replace('gpu="H100", ', ""),
    "no number": MODAL.replace('gpu="H100"', "gpu=None"),
    "in a comment": MODAL.replace("@app", "# @app"),
    "another module": MODAL.replace("import modal\n", "import modality as modal\n"),
    "a variable": MODAL.replace('@app.function(gpu="H100", timeout=600)', "gpu = '0'\n\n"),
    "a parameter": MODAL.replace('@app.function(gpu="H100", timeout=600)', "@wraps(f)").replace("steps", 'gpu="0"'),
    "in a string": '"""\n' + MODAL.replace('"H100"', "'H100'").replace("import torch\n", '"""\nimport torch\n', 1),
}


@pytest.mark.parametrize("gpus", ['"H100"', 'f"H100:{N}"', "GPU", '["H100:8", "A100"]', "modal.gpu.A100(count=2)"])
def test_code_for_gpus_in_the_cloud_needs_review(gpus: str) -> None:
    """Modal runs the functions on NVIDIA's GPUs, wherever the file is started."""
    text = MODAL.replace('"H100"', gpus)
    found = engine_for("npu").check(Source(text)).findings
    lines = (
        text.replace("(gpu", "(\n    gpu")
        .replace(", timeout", ",\n    timeout")
        .replace("import modal", "import os, modal")
    )
    assert engine_for("npu").fix(Source(lines)).text == lines
    assert {fix.applicability for one in found for fix in one.fixes} == {"review"}
    assert any("asks Modal for NVIDIA's GPUs" in one.message for one in found)


@pytest.mark.parametrize("text", NOT_MODAL.values(), ids=NOT_MODAL)
def test_other_code_of_modal_is_safe(text: str) -> None:
    found = engine_for("npu").check(Source(text)).findings
    assert {fix.applicability for one in found for fix in one.fixes} == {"safe"}


def test_typing_in_code_for_gpus_in_the_cloud() -> None:
    typed = ("x = 1", "import modal", "@app.function(gpu='T4')", "gpu = 1", '"""', "")
    type_in_each_line(MODAL, typed, 0)


SMOKE = """import torch
import torch_npu


def smoke():
    original = getattr(torch.cuda, "is_available", None)
    other = getattr(torch.cuda, "synchronize", None)
    torch.cuda.is_available = lambda: False
    try:
        run()
    finally:
        torch.cuda.is_available = original
"""


def test_a_replaced_name_that_getattr_keeps_stays() -> None:
    """As in nn-gpt's Reward.py, where torch.cuda.is_available became torch.npu's for the rest of the process."""
    fixed = engine_for("npu", Settings(locale="en")).fix(Source(SMOKE)).text
    assert fixed == SMOKE.replace('torch.cuda, "synchronize"', 'torch.npu, "synchronize"')


def test_a_replaced_name_that_getattr_keeps_is_typed() -> None:
    typed = ("torch.cuda.synchronize = run", "x = getattr(torch.cuda, 'is_available')", "torch.cuda.is_available()")
    type_in_each_line(SMOKE, typed, 4)
