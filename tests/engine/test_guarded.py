"""A question stays CUDA's while what it guards runs on CUDA alone; evidence counts, not knowing does not."""

from __future__ import annotations

import pytest

from support.halves import RIGHT, Half, programs
from uncuda.catalogue import load
from uncuda.engine import Engine, Finding
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source

CATALOGUE = load()
ENGINE = Engine(CATALOGUE, "npu", Settings(locale="en"))
HEAD = "import torch\nimport torch_npu\n"
TRITON = (
    "import triton\n@triton.autotune(configs=[], key=[])\n@triton.jit\ndef add_kernel(x, n):\n    pass\n"
    "def add(x):\n    add_kernel[(1,)](x, 8)\n    return x\n"
)
STAYS = {
    "a library of the tables": "import cupy\ndef f(x):\n    if x.is_cuda:\n        return cupy.sqrt(x)\n    return x.sqrt()\n",
    "a name from one": "from flash_attn import attn\ndef f(x):\n    return attn(x) if x.is_cuda else x.relu()\n",
    "a module called as compiled ones are": "import fast_cuda as e\ndef f(x):\n    return x.is_cuda and e.fast(x)\n",
    "importorskip": 'e = pytest.importorskip("fast_cuda")\nif torch.cuda.is_available():\n    e.run()\n',
    "imported there": "def f(x):\n    if not x.is_cuda:\n        return x\n    import pycuda.driver\n    return 1\n",
    "load": 'from torch.utils.cpp_extension import load\ne = load("e", ["e.cu"])\nif x.is_cuda:\n    e.f(x)\n',
    "load in a function": (
        "from torch.utils.cpp_extension import load\ndef ext():\n    return load('e', ['e.cu'])\n"
        "def f(x):\n    if x.is_cuda and (e := ext()):\n        return e.f(x)\n    return x\n"
    ),
    "load kept in a global": (
        "from torch.utils.cpp_extension import load\n_e = None\ndef init():\n    global _e\n    _e = load('e', ['e.cu'])\n"
        "def f(x):\n    if x.is_cuda:\n        return _e.f(x)\n    return x\n"
    ),
    "triton": TRITON + "def f(x):\n    if x.device.type == 'cuda':\n        return add(x)\n    return x + 1\n",
    "the other way first": TRITON + "def f(x):\n    if triton is None or not x.is_cuda:\n        return x\n    return add(x)\n",
    "else": TRITON + "def f(x):\n    if not x.is_cuda:\n        y = x\n    else:\n        y = add(x)\n    return y\n",
    "deep": TRITON + "def f(x):\n    if x.is_cuda:\n        for i in x:\n            if i > 1:\n                y = add(x)\n",
    "through functions": TRITON + "def g(x):\n    return add(x)\ndef h(x):\n    return g(x)\ndef f(x):\n    if x.is_cuda:\n"
    "        return h(x)\n    return x\n",
    "through a method": TRITON + "class A:\n    def fast(self, x):\n        return add(x)\n    def f(self, x):\n"
    "        return self.fast(x) if x.is_cuda else x\n",
    "through a class": TRITON + "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
    "        return add(x)\ndef f(x):\n    if x.is_cuda:\n        return F.apply(x)\n    return x\n",
    "a flag": TRITON + "FAST = torch.cuda.is_available() and not OFF\ndef f(x):\n    if FAST:\n        return add(x)\n    return x\n",
    "a flag in self": TRITON + "class A:\n    def __init__(self):\n        self.fast = torch.cuda.is_available()\n"
    "    def f(self, x):\n        return add(x) if 0 else 1\n    def g(self, x):\n        if not self.fast:\n"
    "            return x\n        return add(x)\n",
    "a function that holds the answer": TRITON + "def has_gpu():\n    return torch.cuda.is_available()\ndef f(x):\n"
    "    if has_gpu():\n        return add(x)\n    return x\n",
    "a filter": TRITON + "def f(xs):\n    return [add(x) for x in xs if x.is_cuda]\n",
    "a test that skips": TRITON + "def test():\n    if not torch.cuda.is_available():\n        pytest.skip('')\n    add(1)\n",
    "a mark that skips": TRITON + "@pytest.mark.skipif(not torch.cuda.is_available(), reason='')\ndef test():\n    add(1)\n",
    "handed to a library": "from fastlib import fast\ndef f(x):\n    if x.is_cuda:\n        return fast(x)\n    return x.relu()\n",
    "the make": "if torch.cuda.is_available() and torch.version.hip is None:\n    run()\n",
    "the make in a flag": "NV = torch.version.hip is None\nif torch.cuda.is_available() and NV:\n    run()\n",
    "a flag of the make": "NV = torch.cuda.is_available() and torch.version.hip is None\n",
}
MOVES = {
    "a program": "if torch.cuda.is_available():\n    train(model)\n",
    "a flag": "use_cuda = torch.cuda.is_available()\nif use_cuda:\n    net = net.cuda()\n",
    "an option": "if args.cuda:\n    model.cuda()\n",
    "a skip": "def test():\n    if not torch.cuda.is_available():\n        pytest.skip('')\n    run()\n",
    "a label": "if torch.cuda.is_available():\n    print('cuda', 1)\n",
    "a program's question over a library": "from fastlib import fast\ndef f(x):\n    if torch.cuda.is_available():\n"
    "        return fast(x)\n    return x.relu()\n",
    "a name that only says it": "from .ops import cuda_fast\nif torch.cuda.is_available():\n    cuda_fast(x)\n",
    "a module of the name": "import numpy as np\nfrom .fast_cuda import f\nif torch.cuda.is_available():\n    f(x)\n",
    "the kernel elsewhere": TRITON + "def f(x):\n    if x.is_cuda:\n        return x\n    return add(x)\n",
    "caught": "import cupy\nif torch.cuda.is_available():\n    try:\n        cupy.f()\n    except Exception:\n        pass\n",
    "asked for itself": "try:\n    import cupy\n    HAS = True\nexcept ImportError:\n    HAS = False\n"
    "if torch.cuda.is_available():\n    if HAS:\n        cupy.f()\n",
    "its own question": TRITON + "def g(x):\n    if not x.on_it:\n        return x\n    return x\n"
    "def f(x):\n    if x.is_cuda:\n        return g(x)\n    return x\n",
    "a local of the same name": "def g():\n    import cupy as ops\ndef f(x, ops):\n    if x.is_cuda:\n        ops.f(x)\n",
    "mentioned": "import cupy\nif torch.cuda.is_available():\n    print(cupy, cupy.__version__)\n",
    "lazily": TRITON + "if torch.cuda.is_available():\n    register(lambda x: add(x))\n",
    "nothing without it": "from fastlib import fast\ndef f(x):\n    if x.is_cuda:\n        return fast(x)\n    return None\n",
    "torch alone behind the make": "if torch.cuda.is_available() and torch.version.hip is None:\n"
    "    torch.set_float32_matmul_precision('high')\n    model.cuda()\n",
    "the name of the GPU": "if 'NVIDIA' in torch.cuda.get_device_name():\n    run()\n",
}


def questions(text: str, engine: Engine = ENGINE) -> list[Finding]:
    rules = ("cuda-api", "is-cuda", "device-string")
    return [finding for finding in engine.check(Source(text)).findings if finding.rule in rules]


@pytest.mark.parametrize("name", STAYS)
def test_a_question_stays_over_what_runs_on_cuda_alone(name: str) -> None:
    text = HEAD + STAYS[name]
    assert ENGINE.fix(Source(text)).text == text
    assert {finding.fixes[0].applicability for finding in questions(text)} == {"review"}


@pytest.mark.parametrize("name", MOVES)
def test_a_question_moves_without_evidence(name: str) -> None:
    text = HEAD + MOVES[name]
    fixed = ENGINE.fix(Source(text)).text
    assert fixed != text
    assert not questions(fixed)


@pytest.mark.parametrize("other", ["raise RuntimeError('needs CUDA')", "sys.exit(1)"])
def test_where_the_other_way_only_raises_somebody_has_to_decide(other: str) -> None:
    text = HEAD + TRITON + f"def f(x):\n    if not x.is_cuda:\n        {other}\n    y = x.cuda()\n    return add(y)\n"
    asked, moved = (finding for finding in ENGINE.check(Source(text)).findings if finding.rule in ("is-cuda", "cuda-method"))
    assert not asked.fixes
    assert "the other way only raises" in asked.message and "needs CUDA: `add`" in asked.message
    assert [fix.applicability for fix in moved.fixes] == ["review"]
    assert ENGINE.fix(Source(text)).text == text


def test_an_assertion_is_a_way_that_raises() -> None:
    text = HEAD + TRITON + "def f(x):\n    assert x.is_cuda\n    return add(x)\ndef g(x):\n    if x.is_cuda:\n        f(x)\n"
    assert [len(finding.fixes) for finding in questions(text)] == [0, 1]
    assert ENGINE.fix(Source(text)).text == text


def test_what_only_runs_behind_such_a_question_stays_with_it() -> None:
    text = HEAD + TRITON + "def f(x):\n    if x.is_cuda:\n        torch.cuda.synchronize()\n        return add(x)\n"
    text += "    return x.cuda()\n"
    assert ENGINE.fix(Source(text)).text == text.replace("x.cuda()", "x.npu()")
    assert ENGINE.fix(Source(text), review=True).text == text.replace("x.cuda()", "x.npu()").replace(
        "x.is_cuda", "x.is_npu"
    ).replace("torch.cuda", "torch.npu")


def test_the_message_says_why() -> None:
    text = HEAD + "from flash_attn import attn\ndef f(x):\n    return attn(x) if x.is_cuda else x.relu()\n"
    assert "the question stays; what it guards needs CUDA: `attn`" in questions(text)[0].message
    chinese = Engine(CATALOGUE, "npu", Settings(locale="zh"))
    assert "依赖 CUDA：`attn`" in questions(text, chinese)[0].message


def test_what_the_project_builds_and_defines_is_evidence() -> None:
    text = HEAD + "from . import _C\nfrom .kernels import add\nfrom .build import plugin\ndef f(x):\n    if x.is_cuda:\n"
    ways = {
        "_C.f(x)": Project(extensions=frozenset({"package._C"})),
        "add(x)": Project(kernels=frozenset({"kernels.add"})),
        "plugin().f(x)": Project(kernels=frozenset({"build.plugin()"})),
    }
    for call, project in ways.items():
        code = f"{text}        return {call}\n    return x\n"
        assert ENGINE.fix(Source(code)).text != code
        assert ENGINE.knowing(project).fix(Source(code)).text == code


@pytest.mark.parametrize("line", ["add(x)", "x.add()", "adds(x)"])
def test_typing_a_use_of_a_kernel_says_what_a_fresh_look_says(line: str) -> None:
    text = HEAD + TRITON + "def f(x):\n    if x.is_cuda:\n        x.ad()\n    return x\n"
    typing = Engine(CATALOGUE, "npu", Settings(locale="en"), remember=4)
    typing.check(Source(text, "a.py"))
    for step in (text.replace("x.ad()", line), text):
        assert typing.check(Source(step, "a.py")).findings == ENGINE.check(Source(step)).findings


SEEDED = {
    "compiled_kernel_with_fallback",
    "triton_kernel_with_fallback",
    "flag_over_a_cuda_library",
    "nvml_behind_its_question",
    "wholly_cuda",
    "skip_of_a_kernel_test",
    "make_of_the_gpu",
    "comprehension_filter",
}


@pytest.mark.parametrize("program", [p for p in programs() if p.name in SEEDED], ids=lambda program: program.name)
def test_seeded_programs_over_kernels_stay(program: Half) -> None:
    """What a right port leaves to CUDA a safe fix leaves, too; and what makes a half of a port it does not change."""
    engine = Engine(CATALOGUE, program.target, Settings(locale="en"))
    for path, before in program.before.items():
        wanted = before if program.kind != RIGHT else program.after[path]
        assert sorted(engine.fix(Source(before)).text.splitlines()) == sorted(wanted.splitlines())
