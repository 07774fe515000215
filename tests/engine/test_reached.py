"""Skip marks stay unchanged if their tests call functions of other files that need what only CUDA has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import uncuda.workspace.calls as reading
from support.counted import Spans, growing, kept_work
from support.engines import engine_for
from uncuda.catalogue import load
from uncuda.lsp.state.scan import CODEC, Reader, SaidBy
from uncuda.project import MANY, Project
from uncuda.settings import Settings
from uncuda.source import Source
from uncuda.workspace import Scanner, Words
from uncuda.workspace.calls import calls, has_tests
from uncuda.workspace.followed import reached

CATALOGUE = load()
WORDS = Words.of(CATALOGUE.declarations, CATALOGUE.libraries)
IMPORTS = {"npu": "import torch_npu\n", "musa": "import torch_musa\n"}
HEAD = "import pytest\nimport torch\n{plugin}"
MARK = "@pytest.mark.skipif(not torch.cuda.is_available(), reason='')\n"
TEST = MARK + "def test():\n    x = torch.zeros(1).cuda()\n    {0}\n"
OPS = """\
import torch
class Manager:
    def __init__(self):
        self.event = torch.cuda.Event(external=True)
    @classmethod
    def reset(cls):
        return cls()
    @staticmethod
    def name():
        return "m"
class Other(Manager):
    pass
def fast(x):
    return helper(x)
def helper(x):
    return Manager()
def asks(x):
    if not torch.cuda.is_available():
        return x
    return torch.cuda.Event(external=True)
def slow(x):
    return torch.cuda.current_device()
"""
LAYERS = "import torch\nfrom pkg import ops\nfrom .ops import fast as quick\nclass Layer(torch.nn.Module):\n"
LAYERS += "    def forward(self, x):\n        torch.cuda.synchronize()\n        return self.run(x)\n"
LAYERS += "    def run(self, x):\n        return quick(x)\n"
FUSED = "import torch\nclass Gather(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
FUSED += "        return torch.ops.symm_mem.fused_all_gather_matmul(x, [x], 0, '')\n"
FUSED += "    @staticmethod\n    def run(x):\n        return torch.ops.symm_mem.nvshmem_put(x, 0)\n"
FUSED += "class Fused:\n    def forward(self, x):\n        return Gather.apply(x)\nclass Plain:\n    pass\n"
FUSED += "def build(fused):\n    layer = (\n        Fused if fused == 'yes' else Plain\n    )\n    return layer()\n"
FUSED += "def gather(x):\n    return Gather.apply(x)\ndef wrapped(x):\n    return torch.vmap(gather)(x)\n"
FUSED += "def other(fused):\n    return [Fused, Plain]\n"
CUTE = "import cutlass\nimport torch\n\ndef kernel(x):\n    torch.cuda.synchronize()\n    return x\n"
TRIED = "try:\n    import cutlass\nexcept ImportError:\n    cutlass = None\n" + CUTE.partition("\n")[2]
FILES = {"pkg/__init__.py": "from .ops import fast\n# torch.cuda\n", "pkg/ops.py": OPS, "pkg/layers.py": LAYERS}
FILES |= {"pkg/scale.py": "import torch\ndef apply(x):\n    return torch.cuda.Event(external=True)\n"}
FILES |= {"pkg/fused.py": FUSED, "pkg/between.py": "from . import ops\n\n\ndef run(x):\n    return ops.fast(x)\n"}
FILES |= {"pkg/cute.py": CUTE, "pkg/tried.py": TRIED}
STAYS = {
    "through a file that names nothing of CUDA": ("from pkg.between import run\n", "run(x)"),
    "a function": ("from pkg.ops import fast\n", "fast(x)"),
    "a class": ("from pkg.ops import Manager as M\n", "M()"),
    "a class that derives from one": ("from pkg.ops import Other\n", "Other()"),
    "a method of a class": ("from pkg.ops import (\n    slow,\n    Manager,\n)\n", "Manager.reset()"),
    "a module": ("import pkg.ops\n", "pkg.ops.fast(x)"),
    "a module by another name": ("from pkg import ops as o\n", "o.helper(x)"),
    "a package": ("from pkg import fast\n", "fast(x)"),
    "two files away": ("from pkg.layers import Layer\n", "Layer()(x)"),
    "a function that another wraps": ("from pkg.fused import wrapped\n", "wrapped(x)"),
    "an operator that only CUDA has": ("from pkg.fused import Gather\n", "Gather.apply(x)"),
    "a function that is called apply": ("from pkg import scale\n", "scale.apply(x)"),
    "a class that a function chooses": ("from pkg.fused import build\n", "build('yes')"),
    "a file that imports a CUDA library": ("from pkg.cute import kernel\n", "kernel(x)"),
}
MOVES = {
    "a method that needs nothing": ("from pkg.ops import Manager\n", "Manager.name()"),
    "a function that asks for CUDA": ("from pkg.ops import asks\n", "asks(x)"),
    "a function that moves": ("from pkg.ops import slow\n", "slow(x)"),
    "a function that is not called": ("from pkg.ops import fast\n", "print(fast)"),
    "a file that can work without the library": ("from pkg.tried import kernel\n", "kernel(x)"),
    "an operator that the target may have": ("from pkg.fused import Gather\n", "Gather.run(x)"),
    "a class that is only named": ("from pkg.fused import other\n", "other(x)"),
    "a function of the same name": ("from other.ops import fast\n", "fast(x)"),
}


def project_of(files: dict[str, str]) -> Project:
    scanner = Scanner(WORDS)
    for path, text in files.items():
        scanner.add(text.encode(), path=path)
    scanner.follow(files, lambda path, most: files[path].encode())
    return scanner.project(files)


def scanned(files: dict[str, str]) -> Project:
    """Return what the language server learns of these files."""
    reader = Reader(CATALOGUE)
    said = {path: reader.facts(text.encode(), path) for path, text in files.items()}
    return reader.project(said | dict(reader.follow(said, files, lambda path, most: files[path].encode())))


def fixed(files: dict[str, str], path: str, target: str = "npu") -> str:
    engine = engine_for(target, Settings(locale="en"), project_of(files))
    return engine.fix(Source(files[path], path)).text


def moved(text: str, target: str) -> str:
    return text.replace("torch.cuda", f"torch.{target}").replace(".cuda()", f".{target}()")


@pytest.mark.parametrize("target", IMPORTS)
@pytest.mark.parametrize("name", STAYS)
def test_a_mark_stays_over_what_leads_to_cuda_alone(name: str, target: str) -> None:
    imports, call = STAYS[name]
    text = HEAD.format(plugin=IMPORTS[target]) + imports + TEST.format(call)
    assert fixed(FILES | {"tests/test_a.py": text}, "tests/test_a.py", target) == text


@pytest.mark.parametrize("name", MOVES)
def test_a_mark_moves_over_what_moves(name: str) -> None:
    imports, call = MOVES[name]
    text = HEAD.format(plugin=IMPORTS["npu"]) + imports + TEST.format(call)
    assert fixed(FILES | {"tests/test_a.py": text}, "tests/test_a.py") == moved(text, "npu")


SETUP = """\
from torch.utils.cpp_extension import CppExtension, CUDAExtension

extension = CppExtension
if cuda:
    extension = CUDAExtension
modules = [extension("pkg._C", sources)]
"""
COMPILED = """\
from torch.autograd import Function

from pkg import _C


class _Swap(Function):
    @staticmethod
    def forward(ctx, x):
        return _C.swap(x)


swap = _Swap.apply
"""


@pytest.mark.parametrize("package", ["", "from .swap import swap\n"])
def test_a_mark_stays_over_a_module_that_the_project_compiles_for_cuda(package: str) -> None:
    imports = "from pkg import swap\n" if package else "from pkg.swap import swap\n"
    text = HEAD.format(plugin=IMPORTS["npu"]) + imports + TEST.format("swap(x)")
    files = {"setup.py": SETUP, "pkg/__init__.py": package, "pkg/swap.py": COMPILED, "tests/test_a.py": text}
    assert fixed(files, "tests/test_a.py") == text
    files["setup.py"] = SETUP.replace("    extension = CUDAExtension", "    print(CUDAExtension)")
    assert fixed(files, "tests/test_a.py") == moved(text, "npu")


OPERATOR = "import torch\n\n\ndef iou(a, b):\n    return torch.ops.{0}.iou(a, b)\n"


@pytest.mark.parametrize(("namespace", "stays"), [("pkg", True), ("_C", True), ("other", False), ("aten", False)])
def test_a_mark_stays_over_an_operator_that_the_project_compiles_for_cuda(namespace: str, stays: bool) -> None:
    text = HEAD.format(plugin=IMPORTS["npu"]) + "from pkg.rotated import iou\n" + TEST.format("iou(x, x)")
    files = {"setup.py": SETUP, "pkg/rotated.py": OPERATOR.format(namespace)}
    files["tests/test_a.py"] = text
    assert fixed(files, "tests/test_a.py") == (text if stays else moved(text, "npu"))
    files["setup.py"] = SETUP.replace("    extension = CUDAExtension", "    print(CUDAExtension)")
    assert fixed(files, "tests/test_a.py") == moved(text, "npu")


def test_a_condition_over_an_operator_of_the_file_stays() -> None:
    text = "import torch\nimport torch_npu\n\n\ndef iou(x):\n    if x.is_cuda:\n        return torch.ops.{0}.iou(x)\n"
    text += "    return x.relu()\n"
    assert fixed({"setup.py": SETUP, "a.py": text.format("pkg")}, "a.py") == text.format("pkg")
    other = text.format("other")
    assert fixed({"setup.py": SETUP, "a.py": other}, "a.py") == other.replace("is_cuda", "is_npu")


LOOP = "    for device in ['cpu'] + (['cuda'] if torch.cuda.is_available() else []):\n"
IN_TESTS = {
    "a loop": f"def test():\n{LOOP}        fast(torch.zeros(1, device=device))\n",
    "a block": "def test():\n    x = fast(1)\n    if torch.cuda.is_available():\n        x.cuda()\n",
    "a method": f"class Test:\n    def test(self):\n{LOOP.replace('    for', '        for')}            fast(device)\n",
}


@pytest.mark.parametrize("name", IN_TESTS)
def test_a_condition_in_a_test_stays_over_what_leads_to_cuda_alone(name: str) -> None:
    apart = f"def test_other():\n{LOOP}        slow(device)\n"
    text = HEAD.format(plugin=IMPORTS["npu"]) + "from pkg.ops import fast, slow\n" + IN_TESTS[name]
    for path in ("tests/test_a.py", "a_test.py"):
        done = fixed(FILES | {path: text + apart}, path)
        assert done == text + apart.replace("'cuda'", "'npu'").replace("torch.cuda", "torch.npu")
    if name == "a loop":
        program = text.replace("'cuda'", "'npu'").replace("torch.cuda", "torch.npu")
        assert fixed(FILES | {"a.py": text, "tests/test_b.py": text}, "a.py") == program


def test_what_a_test_expects_of_a_device_is_no_condition_on_which_it_runs() -> None:
    text = HEAD.format(plugin=IMPORTS["npu"]) + "from pkg.ops import fast\n# is_available\n\n"
    text += "def test():\n{0}    fast(1)\n"
    expected = "    assert run().device.type == 'cuda'\n"
    for path in ("tests/test_a.py", "a_test.py"):
        done = fixed(FILES | {path: text.format(expected)}, path)
        assert done == text.format(expected.replace("cuda", "npu"))


KEPT = """\
class TestLayer(Base):
    {0}
    @unittest.skipIf(torch.cuda.device_count() < 2, '')
    def test(self):
        x = self.run(torch.zeros(1).cuda())
class TestOther(Base):
    layer = torch.nn.Linear
    @unittest.skipIf(torch.cuda.device_count() < 2, '')
    def test(self):
        x = self.run(torch.zeros(1).cuda())
"""


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        ("layer = ops.Manager", True),
        ("layer = Manager", True),
        ("def setUp(self):\n        self.layer = ops.Manager", True),
        ("layer = ops.Manager.name", False),
        ("print(ops.Manager)", False),
    ],
)
def test_a_mark_stays_in_a_class_that_keeps_a_class_for_cuda(line: str, stays: bool) -> None:
    text = HEAD.format(plugin=IMPORTS["npu"]) + "from pkg import ops\nfrom pkg.ops import Manager\n" + KEPT.format(line)
    kept, other = text.split("class TestOther")
    done = (kept if stays else moved(kept, "npu")) + "class TestOther" + moved(other, "npu")
    assert fixed(FILES | {"tests/test_a.py": text}, "tests/test_a.py") == done


def test_a_program_s_test_moves_over_what_leads_to_cuda_alone() -> None:
    text = "import torch\nimport torch_npu\nfrom pkg.ops import fast\nif torch.cuda.is_available():\n    fast(1)\n"
    skip = "def test():\n    if not torch.cuda.is_available():\n        pytest.skip('')\n    fast(1)\n"
    assert fixed(FILES | {"train.py": text}, "train.py") == moved(text, "npu")
    text = HEAD.format(plugin=IMPORTS["npu"]) + "from pkg.ops import fast\n" + skip
    assert fixed(FILES | {"tests/test_a.py": text}, "tests/test_a.py") == text


@pytest.mark.parametrize("made", [MARK[1:-1], "pytest.mark.skipif(not HAS, reason='')"])
@pytest.mark.parametrize("use", ["@needs\n", "pytestmark = needs\n", "pytestmark = [pytest.mark.slow, needs]\n"])
def test_a_mark_of_another_file_stays_with_what_it_skips(made: str, use: str) -> None:
    head = HEAD.format(plugin=IMPORTS["npu"])
    utils = f"{head}HAS = torch.cuda.is_available()\nneeds = {made}\nother = {MARK[1:]}"
    test = f"{head}from pkg.ops import fast\nfrom .utils import needs, other\n{use}"
    test += "def test():\n    x = torch.zeros(1).cuda()\n    fast(x)\n"
    files = FILES | {"tests/utils.py": utils, "tests/test_a.py": test}
    other = f"other = {MARK[1:]}"
    assert fixed(files, "tests/test_a.py") == test
    assert fixed(files, "tests/utils.py").removesuffix(moved(other, "npu")) == utils.removesuffix(other).replace(
        "HAS = torch.cuda", "HAS = torch.npu" if "HAS" not in made else "HAS = torch.cuda"
    )
    files["tests/test_a.py"] = test.replace("fast(x)", "slow(x)")
    assert fixed(files, "tests/test_a.py") == moved(files["tests/test_a.py"], "npu")
    assert fixed(files, "tests/utils.py") == moved(utils, "npu")


@pytest.mark.parametrize(("called", "stays"), [("made", True), ("kept", True), ("same", False)])
def test_a_test_stays_with_the_fixture_of_a_file_whose_mark_stays(called: str, stays: bool) -> None:
    """The mark of the other file stays because of a test there, and so do the moves in its functions."""
    fixtures = HEAD.format(plugin=IMPORTS["npu"]) + "from pkg import ops\n"
    fixtures += "pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason='')\n"
    fixtures += "def made():\n    return torch.zeros(1).cuda()\ndef kept():\n    return torch.zeros(1, device='cuda')\n"
    fixtures += "def same(x):\n    return x\ndef test_ops():\n    ops.fast(made())\n"
    test = HEAD.format(plugin=IMPORTS["npu"]) + "def test():\n    if not torch.cuda.is_available():\n"
    test += f"        pytest.skip('')\n    from test_ops import {called}\n    {called}(1)\n"
    files = {"pkg/ops.py": OPS, "tests/test_ops.py": fixtures, "tests/test_other.py": test}
    assert fixed(files, "tests/test_ops.py") == fixtures
    assert (fixed(files, "tests/test_other.py") == test) is stays


@pytest.mark.parametrize("use", ["@needs(2)\n", "@needs(count=2)  # two\n"])
def test_a_mark_that_a_function_of_another_file_returns_stays_with_what_it_skips(use: str) -> None:
    head = HEAD.format(plugin=IMPORTS["npu"])
    utils = f"{head}def needs(count=1):\n    have: int = torch.cuda.device_count()\n"
    utils += "    return pytest.mark.skipif(have < count, reason='')\n"
    utils += "def free():\n    torch.cuda.empty_cache()\n    return torch.cuda.device_count()\n"
    test = f"{head}from pkg.ops import fast\nfrom .utils import needs\n{use}"
    test += "def test():\n    x = torch.zeros(1).cuda()\n    fast(x)\n"
    files = FILES | {"tests/utils.py": utils, "tests/test_a.py": test}
    assert fixed(files, "tests/test_a.py") == test
    made, free = utils.split("def free")
    assert fixed(files, "tests/utils.py") == made + "def free" + moved(free, "npu")
    files["tests/test_a.py"] = test.replace("fast(x)", "slow(x)")
    assert fixed(files, "tests/test_a.py") == moved(files["tests/test_a.py"], "npu")
    assert fixed(files, "tests/utils.py") == moved(utils, "npu")


def test_an_imported_decorator_that_is_no_mark_skips_nothing() -> None:
    head = HEAD.format(plugin=IMPORTS["npu"])
    test = f"{head}from pkg.ops import fast\nfrom .utils import needs\n"
    test += "@needs\ndef test():\n    x = x.cuda()\n    fast(x)\n"
    files = FILES | {"tests/utils.py": f"{head}def needs(function):\n    return function\n", "tests/test_a.py": test}
    assert fixed(files, "tests/test_a.py") == moved(test, "npu")


def test_the_language_server_learns_the_same_calls(tmp_path: Path) -> None:
    text = HEAD.format(plugin="") + "from pkg.ops import fast\n" + TEST.format("fast(x)")
    files = FILES | {"tests/test_a.py": text}
    reader = Reader(CATALOGUE)
    said = {path: reader.facts(text.encode(), path) for path, text in files.items()}
    said |= dict(reader.follow(said, files, lambda path, most: files[path].encode()))
    assert reader.project(said).reaches == project_of(files).reaches != frozenset()
    for facts in said.values():
        assert CODEC.record(CODEC.line(SaidBy("a.py", facts))).facts == facts


@pytest.mark.parametrize(("path", "follows"), [("pkg/checks.py", False), ("tests/test_checks.py", True)])
def test_no_door_follows_calls_in_a_project_without_files_of_tests(path: str, follows: bool) -> None:
    text = HEAD.format(plugin="") + "from pkg.ops import fast\n" + TEST.format("fast(x)")
    files = FILES | {path: text}
    scanner = Scanner(WORDS)
    scanner.follows = has_tests(files)
    for name, code in files.items():
        scanner.add(code.encode(), path=name)
    scanner.follow(files, lambda path, most: files[path].encode())
    assert bool(scanned(files).reaches) is bool(scanner.project(files).reaches) is follows


@pytest.mark.parametrize(
    "line",
    [
        "from .a import (b,\n",
        "if " * 20,
        "import torch.cuda  # skip(",
        "    def f(self",
        "class A(B\n",
        "@a\n",
        "pytestmark = a",
    ],
)
def test_calls_are_found_in_time_that_grows_with_the_size(line: str) -> None:
    text = (f"torch.cuda skip(\n{line}\n" * 4000).encode()
    assert len(text) > 64_000
    assert len(calls(text, "a.py", frozenset())) < 13_000


ONLY = "torch.cuda.nvtx.mark('')"
BEHIND = "def f(x):\n    {0}\n    return x.cuda()\n"
TEXTS = {
    "a comment": BEHIND.format(f"# {ONLY}"),
    "a comment with a quote": BEHIND.format(f"y = 1  # don't: {ONLY}"),
    "a docstring": BEHIND.format(f'"""As {ONLY},\n    {ONLY}."""'),
    "a docstring that names a function": BEHIND.format('"""\n    >>> g(x)\n    """') + f"def g(x):\n    {ONLY}\n",
    "a message": BEHIND.format(f'assert x, "no {ONLY}"'),
    "a comment below": f"{BEHIND.format('pass')}\n# {ONLY}\n",
    "a block at module level": f"{BEHIND.format('pass')}\nif __name__ == '__main__':\n    {ONLY}\n",
    "a statement at module level": f"{BEHIND.format('pass')}\nMARKS = {ONLY}\n",
    "a decorator of another function": f"{BEHIND.format('pass')}\n@{ONLY}\ndef g(x):\n    pass\n",
    "another function in a block": f"{BEHIND.format('pass')}\nif FAST:\n    def g(x):\n        {ONLY}\n",
}
CODE = {
    "a statement": BEHIND.format(ONLY),
    "below a text with lines at column 0": BEHIND.format(f'y = """\nA\n# it\'s "\n"""\n    {ONLY}'),
    "below a string with a #": BEHIND.format(f"y = '# \\' \"'; {ONLY}"),
    "below arguments at column 0": BEHIND.format(f"y = g(\n1,\n)\n    {ONLY}"),
    "below parameters at column 0": f"def f(\nx,\n):\n    {ONLY}\n",
    "in an f-string": BEHIND.format(f'y = f"{{{ONLY}}}"'),
    "below a nested function": BEHIND.format(f"def g():\n        pass\n    {ONLY}"),
    "in a block": f"if FAST:\n    def f(x):\n        {ONLY}\n",
    "in a class in a block": f"if FAST:\n    class f:\n        def __init__(self, x):\n            {ONLY}\n",
    "a method of a result": f"def f(x):\n    A(1).run(x)\nclass A:\n    def run(self, x):\n        {ONLY}\n",
    "a method, by two spaces": f"def f(x):\n  A(1).run(x)\nclass A:\n  def run(self, x):\n    {ONLY}\n",
    "after \\r\\n": BEHIND.format(ONLY).replace("\n", "\r\n"),
}


def of_one(source: str, folder: str = "") -> tuple[dict[str, str], str, str]:
    path, text = f"{folder}tests/test_a.py", HEAD.format(plugin=IMPORTS["npu"]) + "from lib.a import f\n"
    text += TEST.format("f(x)")
    return {f"{folder}lib/a.py": f"import torch\n{source}", path: text}, path, text


@pytest.mark.parametrize("name", TEXTS)
def test_text_and_code_outside_a_function_are_not_its_calls(name: str) -> None:
    files, path, text = of_one(TEXTS[name])
    assert fixed(files, path) == moved(text, "npu")


@pytest.mark.parametrize("name", CODE)
def test_all_code_of_a_function_counts(name: str) -> None:
    files, path, text = of_one(CODE[name])
    assert fixed(files, path) == text


@pytest.mark.parametrize("folder", ["my project/", "@a/", "=a/", "a.b/"])
def test_a_path_may_have_any_characters(folder: str) -> None:
    files, path, text = of_one(CODE["a statement"], folder)
    assert fixed(files, path) == text
    assert scanned(files).reaches == project_of(files).reaches != frozenset()


LARGE_HEAD = "import torch\nfrom a import m\n# torch.cuda skipif(\n"
LARGE: dict[str, Callable[[int], str]] = {
    "pytestmark": lambda size: f"pytestmark = [{'m, ' * size}]\n" + "def f():\n    x\n" * size,
    "pytestmark lines": lambda size: (
        "pytestmark = m\n" * size + "".join(f"def f{at}():\n    x\n" for at in range(size))
    ),
    "imports in one line": lambda size: "x = 1;import a;" * size,
    "imports behind returns": lambda size: "import a\r" * size,
    "libraries in a line": lambda size: "def f():\n    " + "x = 1;import cupy;" * size,
    "kept classes": lambda size: "def f():\n" + "    self.a = b.C\n" * size,
    "long names": lambda size: "def f():\n    x = " + "a." * size + "\n",
    "chosen classes": lambda size: "def f():\n" + "    a = (\n        A if a else\n" * size,
    "wrapped functions": lambda size: "def f():\n    " + "(m)(" * size,
    "operators": lambda size: "def f():\n" + "    torch.ops.a.b.torch.ops.\n" * size,
    "returned marks": lambda size: "def f():\n" + "    return skip.skip.skip\n" * size,
    "decorators in a line": lambda size: "@m(" * size + "\n",
    "quotes": lambda size: '"""\n\\' * size,
    "escaped quotes": lambda size: '\\"' * size * 4 + "'\\'" * size,
    "open brackets": lambda size: "def f():\n  a(\n" + "a(\n" * size,
    "nested functions": lambda size: "".join(f"def f{at}():\n  def g():\n    g()\n" for at in range(size)),
}


@pytest.mark.parametrize("name", LARGE)
def test_a_large_file_takes_no_longer_than_its_size(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times the file takes about four times the work: the lines of each function, and the bytes that are searched
    and copied."""
    begin, spans = reading._File.__init__, Spans(monkeypatch, reading)
    counts = []

    def counting(file: Any, *arguments: Any) -> None:
        begin(file, *arguments)
        file._data = spans.of(file._data)

    def read(size: int) -> None:
        spans.count, text = 0, LARGE_HEAD + LARGE[name](size)
        calls(text.encode(), "tests/test_a.py", frozenset({"cupy"}))
        counts.append(spans.count)

    monkeypatch.setattr(reading._File, "__init__", counting)
    assert growing(lambda: read(200), lambda: read(800), 6) == []
    assert counts[0] < counts[1] < 6 * counts[0]


SLOW = {"pytestmark", "pytestmark lines", "nested functions"}


@pytest.mark.parametrize("name", [pytest.param(one, marks=pytest.mark.slow) if one in SLOW else one for one in LARGE])
def test_a_very_large_file_is_read(name: str) -> None:
    """What no test counts would take minutes here, such as text that a pattern goes back over and copies of sets."""
    calls((LARGE_HEAD + LARGE[name](100_000)).encode(), "tests/test_a.py", frozenset({"cupy"}))


def test_what_is_reached_takes_no_longer_than_its_size() -> None:
    size = 8_000
    names = [f"m.f{at}" for at in range(size)]
    needs = [f"torch.cuda.a{at}" for at in range(size)]
    roots = frozenset({"\n".join(["", *names])})
    shared = frozenset({*(f"{name}\nm.g" for name in names), "\n".join(["m.g", *needs])})
    cycle = frozenset(f"{name}\n{names[at - 1]}\n{needs[at]}" for at, name in enumerate(names))
    for graph in (shared, cycle):
        assert reached([roots, graph], frozenset()) == {(name, MANY) for name in names}
    few = frozenset({*(f"{name}\nm.g" for name in names), "\n".join(["m.g", *needs[:2]])})
    assert reached([roots, few], frozenset()) == {(name, "\n".join(needs[:2])) for name in names}


def test_a_mark_stays_over_what_needs_too_many_names_to_list() -> None:
    many = "\n    ".join(f"torch.cuda.synchronize(a{at}=1)" for at in range(80))
    files, path, text = of_one(BEHIND.format(many))
    assert fixed(files, path) == text


ASKED = "    if torch.cuda.is_available():\n        fast(1)\n"
MANY_IMPORTS: dict[str, Callable[[int], str]] = {
    "of one name": lambda size: "from pkg.ops import fast\n" * size + f"def test():\n{ASKED}" * size,
    "in each test": lambda size: "".join(f"def test{n}():\n    from pkg.ops import fast\n{ASKED}" for n in range(size)),
    "in one line": lambda size: f"import unittest\nfrom pkg.ops import Manager\n{KEPT}x = {'Manager, ' * 9 * size}\n",
}


@pytest.mark.parametrize("name", MANY_IMPORTS)
def test_many_imports_and_uses_take_as_long_as_the_file(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path, kept = "tests/test_a.py", kept_work(monkeypatch)
    project = Project(reaches=frozenset({("pkg.ops.fast", MANY), ("pkg.ops.Manager", MANY)}))
    engine = engine_for("npu", Settings(locale="en"), project)

    def check(size: int) -> Callable[[], object]:
        return lambda: engine.check(Source(HEAD.format(plugin="") + MANY_IMPORTS[name](size), path)).findings

    check(10)()
    assert growing(check(50), check(200), 6) == []
    small, large = (work.comparisons for work in kept[-2:])
    assert small < large < 6 * small
