"""Tests of calls of a kernel that another file of the project defines or compiles: uncuda finds the kernels of each
file, and decides whether to port a condition that guards a call of a kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.halves import RIGHT, Half, programs
from uncuda.catalogue import load
from uncuda.lsp.state.scan import CODEC, Reader, SaidBy
from uncuda.settings import Settings
from uncuda.workspace import Engines, File, Told, fix_files
from uncuda.workspace.kernels import told

CATALOGUE = load()
LOAD = "from torch.utils import cpp_extension\n"
LOADERS = f"""{LOAD}CPU = [
    'e.cpp',
]
GPU = [
    join('e.cpp'),
    join('e.cu'),
]
class Cpu(Loader):
    def load(cls):
        return cpp_extension.load('e', CPU)
class Gpu(Loader):
    def load(cls):
        return cpp_extension.load('e', GPU)
cpu = Namespace(Cpu())
if torch.cuda.is_available():
    gpu = Namespace(Gpu())
else:
    other = Stub()
"""
KERNELS = {
    "a kernel": ("@triton.jit\ndef add_kernel(x):\n    pass\n", "add_kernel"),
    "tuned": ("@triton.autotune(\n    configs=[],\n)\n@triton.jit\ndef add_kernel(x):\n    pass\n", "add_kernel"),
    "what runs one": ("@triton.jit\ndef k(x):\n    pass\n\ndef add(x):\n    k[(1,)](x)\n    return x\n", "k add"),
    "what asks first": (
        "@triton.jit\ndef k(x):\n    pass\n\ndef add(x):\n    if not x.is_cuda:\n        return x\n    k[(1,)](x)\n",
        "k",
    ),
    "what applies one": (
        "@triton.jit\ndef k(x): pass\nclass F(A):\n    def forward(x):\n        k[1](x)\ndef f(x):\n    F.apply(x)\n",
        "k F f",
    ),
    "what compiles": (f"{LOAD}def ext(\n    a,\n):\n    return cpp_extension.load('e', ['e.cu'])\n", "ext()"),
    "kept, then given": (
        "from torch.utils.cpp_extension import load\ndef ext():\n    e = load('e', [])\n    return e\n",
        "ext()",
    ),
    "kept": (f"{LOAD}e = cpp_extension.load('e', ['e.cu'])\n", "e"),
    "kept in a class": (
        f"{LOAD}class Block(M):\n    def __init__(self):\n        self.e = cpp_extension.load('e', sources=['e.cu'])\n",
        "Block",
    ),
    "C++ kept in a class": (
        f"{LOAD}class Block(M):\n    def __init__(self):\n        self.e = cpp_extension.load('e', ['cuda.cpp'])\n",
        "",
    ),
    "kept in a class, by a list of sources, in a variable": (LOADERS, "Gpu gpu"),
    "another load": (f"{LOAD}import json\ndef read(f):\n    return json.load(f)\n", ""),
    "what runs a program of the driver": (
        "def report():\n    call(['nvidia-smi', '-L'])\ndef load():\n    f()\ndef show():\n    run('nvidia-smi')\n",
        "report show",
    ),
    "what may run a program of the driver": (
        "def a():\n    try: call(['nvidia-smi'])\n    finally: f()\ndef b():\n    call('nvidia-smi', shell=True)\n",
        "",
    ),
    "what compiles, and may run a program of the driver": (
        f"{LOAD}def ext():\n    try: run(['nvidia-smi'])\n    finally: f()\n    return cpp_extension.load('e', [])\n",
        "ext()",
    ),
    "a builder of C++": (f"{LOAD}def build():\n    return cpp_extension.CppExtension('e', [])\n", ""),
}


KERNELS = {name: (f"import triton\n{text}", kernels) for name, (text, kernels) in KERNELS.items()}


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_that_a_file_gives(name: str) -> None:
    text, names = KERNELS[name]
    assert told(text.encode(), "ops/fast.py").kernels == {f"fast.{kernel}" for kernel in names.split()}


@pytest.mark.parametrize(
    ("body", "asks"),
    [
        ("    a, b = torch.cuda.get_device_capability(i)\n    return a == 9 and kernels_is_available()\n", True),
        (
            '    """Ask the device if CUDA is there."""\n    return torch.cuda.get_device_capability()[0] > 8\n',
            True,
        ),
        ("    '''Ask the gpu and its driver.'''\n    return torch.cuda.get_device_capability()\n", True),
        ("    # torch.cuda.get_device_capability()\n    pass\n", False),
        ("    return torch.cuda.is_available() and torch.cuda.get_device_capability()[0] > 7\n", False),
        ("    return use_cuda and torch.cuda.get_device_capability()[0] > 7\n", False),
        ("    if str(device).startswith('cuda'):\n        return torch.cuda.get_device_capability()\n", False),
        ("    try:\n        return torch.cuda.get_device_capability()\n    except E:\n        pass\n", False),
    ],
)
def test_functions_that_ask_for_the_compute_capability(body: str, asks: bool, tmp_path: Path) -> None:
    """As in torch_harmonics/disco/optimized: CUDA's question raises on the target, whose own has no answer for npu."""
    files = {
        "disco/kernels.py": f"import torch\n\n\ndef fast(i):\n{body}",
        "conv.py": "import torch\nfrom disco.kernels import fast\n\n\ndef f(x):\n    if not x.is_cuda:\n"
        "        return False\n    return fast(x.get_device())\n",
    }
    assert ("is_npu" in fixed(tmp_path, files, "npu")["conv.py"]) != asks


def test_a_package_is_called_by_its_folder() -> None:
    assert told(KERNELS["a kernel"][0].encode(), "ops/fast/__init__.py").kernels == {"fast.add_kernel"}


def test_modules_that_a_build_file_compiles_for_cuda() -> None:
    text = "from torch.utils.cpp_extension import *\nCUDAExtension('a._C', [])\nCUDAExtension(\n    name='b', x=1)\n"
    assert told(text.encode(), "setup.py").extensions == {"a._C", "b"}
    assert told(f"{text}CppExtension('c', [])\n".encode(), "setup.py").extensions == {"a._C", "b"}
    chosen = "name = 'a._ext'\nif cpu:\n    build = CppExtension\nelse:\n    extension = CUDAExtension\n"
    text = f"import torch.utils.cpp_extension\n{chosen}extension(\n    name=name, sources=[])\n"
    assert told(text.encode(), "setup.py").extensions == {"a._ext"}


BY_CLASS = {
    "extensions.py": LOADERS,
    "functions.py": "import torch\nimport torch_npu\nfrom .extensions import cpu, gpu\n\n\ndef run(x):\n"
    "    if x.is_cuda:\n        x = x.contiguous()\n        y = gpu.get('forward')(x)\n"
    "    else:\n        y = cpu.get('forward')(x)\n    return y\n",
}


def test_an_object_of_a_class_that_compiles_a_kernel(tmp_path: Path) -> None:
    """As in NNCF: the other way works on every device."""
    after = fixed(tmp_path, BY_CLASS, "npu")
    assert after["functions.py"] == BY_CLASS["functions.py"]
    cpus = BY_CLASS | {"extensions.py": BY_CLASS["extensions.py"].replace("e.cu", "e.cc")}
    assert "is_npu" in fixed(tmp_path, cpus, "npu")["functions.py"]


LONG = {
    # a pattern that goes back over these texts takes minutes, over the line of imports more than an hour
    "a long word": f"{KERNELS['what runs one'][0]}    {'a' * 400_000}\n",
    "a line of imports": "from torch.utils." + "cpp_extension import " * 200_000,
    "many subscripts": f"{KERNELS['what runs one'][0]}    {'a[' * 200_000}\n",
    "many devices": "if cuda and " + "npu " * 200_000,
    "a chain": "if d == 'cpu':\n    torch.cuda.x()\n"
    + "".join(f"elif e{i} == 'npu':\n    f()\n" for i in range(8_000)),
    "autograd functions": "from a_cuda import f\n"
    + "".join(
        f"class F{i}(Function):\n    def forward(x):\n        f(x)\ndef g{i}():\n    F{i}.apply(x)\n"
        for i in range(9000)
    ),
    "calls of one function": "from a_cuda import *\nclass F(Function):\n    pass\ndef g():\n"
    + "".join(f"    a_cuda.f{i}()\n" for i in range(9000))
    + "".join(f"def h{i}():\n    g()\n" for i in range(9000)),
    "devices in a line": "x = cuda, " + "npu, " * 200_000,
}


def test_a_long_word_beside_a_class_that_compiles() -> None:
    found = told(f"{LOADERS}x = {'a' * 400_000}\n".encode(), "ops/fast.py").kernels
    assert found == {"fast.Gpu", "fast.gpu"}


def test_many_classes_that_compile() -> None:
    text = LOADERS + "".join(f"class C{n}(L):\n    e = cpp_extension.load('e', [])\n" for n in range(9000))
    assert told(text.encode(), "ops/fast.py").kernels == {"fast.Gpu", "fast.gpu"}


@pytest.mark.parametrize("name", LONG)
def test_a_scan_takes_as_long_as_its_text(name: str) -> None:
    found = Reader(CATALOGUE).facts(LONG[name].encode(), "ops/fast.py").told.kernels
    assert found == ({"fast.k", "fast.add"} if LONG[name].startswith("import triton") else set())


def fixed(folder: Path, files: dict[str, str], target: str) -> dict[str, str]:
    """Return the texts after the command line applied safe fixes."""
    settings = Settings(target=target)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    engines = Engines(CATALOGUE)
    look = engines.survey([File(str(folder / path), settings, given=True) for path in files])
    results = list(fix_files(look.files, engines.engine_for, review=False))
    return {path: result.fixed.text if result.fixed else text for (path, text), result in zip(files.items(), results)}


SEEDED = {"fused_kernel_behind_is_npu", "loaded_extension_with_fallback"}


@pytest.mark.parametrize("program", [p for p in programs() if p.name in SEEDED], ids=lambda program: program.name)
def test_seeded_programs_over_kernels_of_another_file_stay(program: Half, tmp_path: Path) -> None:
    wanted = program.after if program.kind == RIGHT else program.before
    assert fixed(tmp_path, dict(program.before), program.target) == wanted


def test_a_module_that_says_cuda_is_followed_where_the_project_has_it(tmp_path: Path) -> None:
    user = "import torch\nimport torch_npu\nimport fast_cuda\nif torch.cuda.is_available():\n    fast_cuda.run()\n"
    assert fixed(tmp_path, {"use.py": user}, "npu")["use.py"] == user
    both = {"use.py": user, "fast_cuda.py": "def run():\n    pass\n"}
    assert fixed(tmp_path, both, "npu")["use.py"] == user.replace("torch.cuda", "torch.npu")


def test_a_class_that_compiles_a_kernel_keeps_the_test_over_it(tmp_path: Path) -> None:
    """The condition is kept in an attribute, and the class has another way without CUDA."""
    block = KERNELS["kept in a class"][0]
    head = (
        "import torch\nimport torch_npu\nfrom ops.block import Block\n\n\nclass Beam:\n    def __init__(self, fast):\n"
    )
    body = "self.fast = fast and torch.cuda.is_available()\n        if self.fast:\n            self.op = Block()\n"
    user = f"{head}        {body}"
    assert fixed(tmp_path, {"beam.py": user, "ops/block.py": block}, "npu")["beam.py"] == user
    plain = KERNELS["C++ kept in a class"][0]
    moved = fixed(tmp_path, {"beam.py": user, "ops/block.py": plain}, "npu")["beam.py"]
    assert moved == user.replace("torch.cuda", "torch.npu")


@pytest.mark.parametrize("asks", ["{0} & config.cuda", "config.cuda & {0}", "bool({0})", "bool(config.cuda and {0})"])
def test_a_condition_over_a_function_that_runs_a_program_of_the_driver_stays(asks: str, tmp_path: Path) -> None:
    misc = "import torch\nfrom subprocess import call\ndef print_cuda_statistics():\n    call(['nvidia-smi', '-L'])\n"
    agent = "import torch\nimport torch_npu\nfrom utils.misc import print_cuda_statistics\n\n\nclass Agent:\n"
    agent += f"    def __init__(self, config):\n        self.cuda = {asks.format('torch.cuda.is_available()')}\n"
    agent += "        if self.cuda:\n            self.device = torch.device('cuda')\n"
    agent += "            print_cuda_statistics()\n"
    agent += "        else:\n            self.device = torch.device('cpu')\n"
    assert fixed(tmp_path, {"agent.py": agent, "utils/misc.py": misc}, "npu")["agent.py"] == agent
    plain = misc.replace("['nvidia-smi', '-L']", "['uname']")
    moved = fixed(tmp_path, {"agent.py": agent, "utils/misc.py": plain}, "npu")["agent.py"]
    assert moved == agent.replace("torch.cuda", "torch.npu").replace("'cuda'", "'npu'")


def test_the_language_server_learns_the_same(tmp_path: Path) -> None:
    files = {f"{index}/fast_cuda.py": text for index, (text, _) in enumerate(KERNELS.values())}
    files["setup.py"] = "from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension('a._C', [])\n"
    fixed(tmp_path, files, "npu")
    engines = Engines(CATALOGUE)
    look = engines.survey([File(str(tmp_path / path), Settings(target="npu"), given=True) for path in files])
    reader = Reader(CATALOGUE)
    said = {str(tmp_path / path): reader.file(str(tmp_path / path)) for path in files}
    assert reader.project(said) == look.project
    assert look.project.extensions == {"a._C"}
    assert look.project.sources == {"fast_cuda"}
    for facts in said.values():
        assert CODEC.record(CODEC.line(SaidBy("a.py", facts))).facts == facts
    assert reader.facts(b"", "a.py").told == Told()


FUNCTION = (
    "from torch.autograd import Function\nimport pts_ext\n\n\nclass Knn(Function):\n    @staticmethod\n"
    "    def forward(ctx, x):\n        return pts_ext.knn(x)\n\n\nknn = Knn.apply\n\n\n"
    "def near(x):\n    return knn(x)\n"
)
ASKING = FUNCTION.replace("        return", "        if not x.is_cuda:\n            return x\n        return")
BUILD = "from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension('pts_ext', [])\n"
WRAPPED = {
    "the function": ("from ops.knn import Knn", "Knn.apply(x)"),
    "its alias": ("from ops.knn import knn", "knn(x)"),
    "what calls it": ("from ops.knn import near", "near(x)"),
    "given on by its package": ("from ops import Knn", "Knn.apply(x)"),
    "a module": ("from ops import knn", "knn.near(x)"),
    "the module's name": ("import ops.knn as knn", "knn.Knn.apply(x)"),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_a_question_over_a_function_that_runs_a_compiled_module_stays(name: str, tmp_path: Path) -> None:
    line, call = WRAPPED[name]
    asked = f"    if torch.cuda.is_available():\n        return {call}\n    return x\n"
    user = f"import torch\nimport torch_npu\n{line}\n\n\ndef f(x):\n{asked}"
    files = {"use.py": user, "ops/__init__.py": "", "ops/knn.py": FUNCTION, "setup.py": BUILD}
    assert fixed(tmp_path, files, "npu")["use.py"] == user
    for change in ({"setup.py": ""}, {"ops/knn.py": ASKING}):
        moved = fixed(tmp_path, {**files, **change}, "npu")["use.py"]
        assert moved == user.replace("torch.cuda", "torch.npu")


@pytest.mark.parametrize("build", [BUILD, ""])
@pytest.mark.parametrize("module", ["pts_ext", "nvdiffrast", "pts_cuda", "numpy"])
def test_the_language_server_finds_the_same_functions(module: str, build: str, tmp_path: Path) -> None:
    """The command line reads files with autograd functions only if they matter, the language server reads them all."""
    files = {"ops/__init__.py": "", "ops/knn.py": FUNCTION.replace("pts_ext", module), "setup.py": build}
    fixed(tmp_path, files, "npu")
    engines = Engines(CATALOGUE)
    look = engines.survey([File(str(tmp_path / path), Settings(target="npu"), given=True) for path in files])
    reader = Reader(CATALOGUE)
    found = reader.project({str(tmp_path / path): reader.file(str(tmp_path / path)) for path in files}).wrappers
    assert found == look.project.wrappers
    assert bool(found) == (module in ("nvdiffrast", "pts_cuda") or (module == "pts_ext" and bool(build)))


OTHERS = {
    "a function of a library": ("from torchvision.ops import knn", "knn(x)", FUNCTION),
    "a module of a library": ("import torchvision.ops as ops", "ops.knn(x)", FUNCTION),
    "with another way": (
        "from ops.knn import near",
        "near(x)",
        FUNCTION.replace("def near(x):", "def near(x):\n    if pts_ext is None:\n        return x"),
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_question_over_another_function_moves(name: str, tmp_path: Path) -> None:
    line, call, function = OTHERS[name]
    user = f"import torch\nimport torch_npu\n{line}\nif torch.cuda.is_available():\n    {call}\n"
    files = {"use.py": user, "ops/knn.py": function, "setup.py": BUILD}
    assert fixed(tmp_path, files, "npu")["use.py"] == user.replace("torch.cuda", "torch.npu")


def test_a_function_over_a_library_stays_where_the_target_lacks_the_library(tmp_path: Path) -> None:
    library = FUNCTION.replace("pts_ext", "nvdiffrast")
    user = "import torch\nimport torch_npu\nfrom ops.knn import near\nif torch.cuda.is_available():\n    near(x)\n"
    files = {"use.py": user, "ops/knn.py": library}
    assert fixed(tmp_path, files, "npu")["use.py"] == user


LOADED = (
    "from mmcv.utils import ext_loader\nfrom torch.autograd import Function\n\n"
    "ext_module = ext_loader.load_ext(\n    '_ext', ['deform_forward'])\n\n\nclass Deform(Function):\n"
    "    @staticmethod\n    def forward(ctx, x):\n        return ext_module.deform_forward(x)\n"
)
CHOSEN = {
    "the function": "output = Deform.apply(x)",
    "a variable": "function = Deform\n        output = function.apply(x)",
    "a variable with an annotation": "function: type = Deform  # for fp32\n        output = function.apply(x)",
}


@pytest.mark.parametrize("name", CHOSEN)
def test_a_question_over_operators_of_mmcv_stays_where_no_release_has_them(name: str, tmp_path: Path) -> None:
    """As in BEVFormer and VAD. mmcv has operators for Ascend NPU since 1.x, for Moore Threads MUSA in no release."""
    asked = f"    if torch.cuda.is_available() and x.is_cuda:\n        {CHOSEN[name]}\n    else:\n        output = x\n"
    user = f"import torch\nfrom ops.deform import Deform\n\n\ndef f(x):\n{asked}    return output\n"
    files = {"use.py": user, "ops/deform.py": LOADED}
    assert fixed(tmp_path, files, "musa")["use.py"] == user
    moved = fixed(tmp_path, files, "npu")["use.py"]
    assert moved == user.replace("cuda", "npu").replace("import torch\n", "import torch\nimport torch_npu\n")


def test_an_import_of_such_a_function_stays_behind_its_question(tmp_path: Path) -> None:
    user = (
        "import torch\nimport torch_npu\nif torch.cuda.is_available():\n    from ops.knn import Knn\n"
        "else:\n    Knn = None\n"
    )
    files = {"use.py": user, "ops/knn.py": FUNCTION, "setup.py": BUILD}
    assert fixed(tmp_path, files, "npu")["use.py"] == user
