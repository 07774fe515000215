"""Tests of the search for functions that a file compiles with TorchScript: functions of this or of another file."""

from __future__ import annotations

import pytest

from uncuda.engine.portable.torchscript import Taken, compiled_with, scripting

HEAD = (
    "import math\nimport torch\nimport torch.nn.functional as F\nfrom torch import Tensor\nfrom .ops import other\n\n"
)


@pytest.mark.parametrize(
    "code, names",
    [
        ("@torch.jit.script\ndef f(x): return x\n", {"f"}),
        ("def f(x): return x\n\nf = torch.jit.script(f)\n", {"f"}),
        (
            "def g(x): return h(x)\ndef h(x): return F.relu(x) * math.pi\n@torch.jit.script\ndef f(x): return g(x)\n",
            "fgh",
        ),
        ("from torch.jit import script\n@script\ndef f(x): return x\n", {"f"}),
        ("from torch.jit import script as s\n@s\ndef f(x): return x\n", {"f"}),
        ("SCALE = math.sqrt(2.0) / 3\n@torch.jit.script\ndef f(x): return x * SCALE\n", {"f"}),
        (
            "@torch.jit.script\ndef f(x, y: 'Tensor'):\n    # type: (Tensor, List[int]) -> Tensor\n    return x\n",
            {"f"},
        ),
        (
            "@torch.jit.script\nclass A:\n    def __init__(self): pass\n    def f(self): return g()\ndef g(): pass\n",
            None,
        ),
        ("@torch.jit.script_if_tracing\ndef f(x): return x\n", {"f"}),
        (
            "model = torch.jit.trace(model, x)\nwarnings.filterwarnings(category=torch.jit.TracerWarning)\n",
            (),
        ),
        ("def f(x):\n    '''Use torch.jit.script.'''\n    return x  # jit.script(f)\n", ()),
        ("@triton.jit\ndef kernel(x): return other(x)\n", ()),
        ("enable_jit_fuser()\nargs.jit = 1\n", ()),
    ],
)
def test_compiled_functions_of_a_file(code: str, names: set[str] | None) -> None:
    found = scripting(HEAD + code)
    assert not found.is_open
    assert not found.taken
    assert found.names == (set(names) if names is not None else {"A", "__init__", "f", "g"})


@pytest.mark.parametrize(
    "code",
    [
        "model = torch.jit.script(model)\n",
        "def f(model): return torch.jit.script(model)\n",
        "class A(torch.nn.Module):\n    @torch.jit.export\n    def f(self): pass\n",
        "if torch.jit.is_scripting(): pass\n",
        "@torch.jit.ignore\ndef f(x): return x\n",
        "from torch.jit import Final\n",
        "from torch.jit import *\n",
        "import torch.jit as tj\n",
        "from torch import jit as j\n",
        "compile = torch.jit.script\n",
        "f = [torch.jit.script][0]\n",
        "def f(x): return x\ndef g():\n    global f\n    f = other\ntorch.jit.script(f)\n",
        "def make(fn):\n    def inner(x): return fn(x)\n    return torch.jit.script(inner)\n",
        "@torch.jit.script\n@wraps\ndef f(x): return x\n",
        "@wraps\ndef g(x): return x\n@torch.jit.script\ndef f(x): return g(x)\n",
        "g = lambda x: other(x)\n@torch.jit.script\ndef f(x): return g(x)\n",
        "g = other.make()\nfrom .x import *\n@torch.jit.script\ndef f(x): return h(x)\n",
        "jit_alias = torch.jit.script\n@jit_alias\ndef f(x): return unknown(x)\n",
        "def broken(:\n  jit\n",
    ],
)
def test_files_that_may_compile_anything(code: str) -> None:
    assert scripting(HEAD + code).is_open


def test_names_taken_from_other_files() -> None:
    code = "@torch.jit.script\ndef f(x): return g(x)\ndef g(x: 'Kind'): return other(x)\nfrom pkg.kinds import Kind\n"
    found = scripting(HEAD + code)
    assert found.taken == {Taken(".ops", "other"), Taken("pkg.kinds", "Kind")}
    assert compiled_with(HEAD + "def f(x): return other(x)\n", "f").taken == {Taken(".ops", "other")}
    assert compiled_with("from .deep import f\n", "f").taken == {Taken(".deep", "f")}
    assert compiled_with("import other\n\n\ndef f(x): return other.g(x)\n", "f").taken == {Taken("other", "")}
