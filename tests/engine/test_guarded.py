"""Tests that a condition that asks for CUDA is not fixed if the code that it guards runs only on CUDA; unknown code
does not count as code for CUDA only."""

from __future__ import annotations

import cProfile
from functools import lru_cache

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from support.halves import RIGHT, Half, programs
from uncuda.catalogue import load
from uncuda.engine import Engine, Finding
from uncuda.project import Owner, Project
from uncuda.settings import Settings
from uncuda.source import Source

CATALOGUE = load()
ENGINE = engine_for("npu", Settings(locale="en"))
HEAD = "import torch\nimport torch_npu\n"
TRITON = """\
import triton
@triton.autotune(configs=[], key=[])
@triton.jit
def add_kernel(x, n):
    pass
def add(x):
    add_kernel[(1,)](x, 8)
    return x
"""
STAYS = {
    "an option whose default is bool()": """\
parser.add_argument("--cuda", default=bool(torch.cuda.is_available() & use))
args = parser.parse_args()
if args.cuda:
    import selective_scan_cuda
    selective_scan_cuda.fwd(x)
""",
    "a number that is not that of the CPU": """\
if torch.cuda.is_available() and gpu != -1:
    import selective_scan_cuda
    selective_scan_cuda.fwd(x)
""",
    "the number of the CPU": """\
if not torch.cuda.is_available() or gpu == -1 or gpu < 0:
    print("CPU")
else:
    import selective_scan_cuda
    selective_scan_cuda.fwd(x)
""",
    "a library whose import is required": """\
if torch.cuda.is_available():
    try:
        import MultiScaleDeformableAttention as MSDA
    except ModuleNotFoundError as error:
        text = "Please compile it"
        raise ModuleNotFoundError(text)
else:
    MSDA = None
""",
    "CUDA sources of a build script for cffi": """\
from torch.utils.ffi import create_extension
sources = ["src/nms.c"]
if torch.cuda.is_available():
    sources += ["src/nms_cuda.c"]
    defines += [("WITH_CUDA", None)]
""",
    "a kernel after a test of every tensor": TRITON
    + """\
def f(xs):
    if not all(x.is_cuda for x in xs):
        return xs
    return add(xs[0])
""",
    "a kernel after a test of every tensor, in several lines": TRITON
    + """\
def f(xs):
    if not any(
        x.device.type == "cuda" for x in xs
    ):
        return xs
    return add(xs[0])
""",
    "a kernel after a negated comparison": TRITON
    + """\
def f(xs):
    if not torch.device(xs[0].device).type == "cuda":
        return xs
    return add(xs[0])
""",
    "a kernel after a negated test of the start": TRITON
    + """\
def f(x):
    if not str(x.device).startswith("cuda"):
        return x
    return add(x)
""",
    "a function that returns False or raises": """\
def check(abort=False):
    if torch.cuda.is_available() is False:
        if not abort:
            return False
        raise AssertionError("needs CUDA")
    return True
def load():
    if check():
        from cupy.cuda import function
        return function.Module()
""",
    "the toolkit of a build": """\
from torch.utils.cpp_extension import CUDA_HOME, CUDAExtension
if not torch.cuda.is_available():
    print("cross-compiles")
    if CUDA_HOME is not None:
        os.environ["TORCH_CUDA_ARCH_LIST"] = "8.0"
modules = [CUDAExtension("ops", ["ops.cu"])]
""",
    "the toolkit of a build, in another clause": """\
from torch.utils.cpp_extension import CUDAExtension
if torch.cuda.is_available():
    print("finds a GPU")
else:
    os.environ["TORCH_CUDA_ARCH_LIST"] = "8.0"
modules = [CUDAExtension("ops", ["ops.cu"])]
""",
    "a class derived from a class of a library": """\
try:
    from apex.normalization import FusedLayerNorm as _FusedLayerNorm
    has_fused = True
    class FusedLayerNorm(nn.Module, _FusedLayerNorm):
        pass
except ImportError:
    has_fused = False
def norm(shape, export=False):
    if not export and torch.cuda.is_available() and has_fused:
        return FusedLayerNorm(shape)
    return torch.nn.LayerNorm(shape)
""",
    "a library in a value, behind a name": """\
import cupy
def f(x):
    on = x.is_cuda
    return cupy.sqrt(x) if on else x.sqrt()
""",
    "a library of the tables": """\
import cupy
def f(x):
    if x.is_cuda:
        return cupy.sqrt(x)
    return x.sqrt()
""",
    "a kernel of a library": """\
import helion
@helion.kernel(static_shapes=True)
def kernel(x):
    return x
def f(x):
    if x.is_cuda:
        return kernel(x)
    return x.relu()
""",
    "a kernel that is passed to a call": """\
from cutlass import cute
@cute.kernel
def kernel(x):
    pass
def run(kernel, x):
    return kernel(x)
def f(x):
    if x.is_cuda:
        return run(kernel, x)
    return x.relu()
""",
    "a kernel by a decorator of its own": """\
from helion import jit
@jit
def kernel(x):
    return x
def f(x):
    return kernel(x) if x.is_cuda else x.relu()
""",
    "a kernel that a function wraps": """\
import cupy
def fast(x):
    return cupy.sqrt(x)
def f(x):
    if x.is_cuda:
        return torch.vmap(fast)(x)
    return x.sqrt()
""",
    "a name from one": """\
from flash_attn import attn
def f(x):
    return attn(x) if x.is_cuda else x.relu()
""",
    "a library for mixtures of experts": """\
from tutel import moe
def f(x):
    if x.is_cuda:
        return moe.moe_layer(x)
    return x.relu()
""",
    "a module called as compiled ones are": """\
import fast_cuda as e
def f(x):
    return x.is_cuda and e.fast(x)
""",
    "remote calls, which know CUDA's devices alone": """\
if torch.cuda.is_available():
    options.set_device_map("worker", {0: 1})
""",
    "importorskip": """\
e = pytest.importorskip("fast_cuda")
if torch.cuda.is_available():
    e.run()
""",
    "a name of CUDA's that is imported, in a function": """\
from torch.cuda import _lazy_call
def f(x):
    _lazy_call(x)
if torch.cuda.is_available():
    f(print)
""",
    "imported there": """\
def f(x):
    if not x.is_cuda:
        return x
    import pycuda.driver
    return 1
""",
    "load": """\
from torch.utils.cpp_extension import load
e = load("e", ["e.cu"])
if x.is_cuda:
    e.f(x)
""",
    "load of C++ alone": """\
from torch.utils.cpp_extension import load
e = load("e", ["e.cpp"])
def f(x):
    if x.is_cuda:
        return e.f(x)
    return x + 1
""",
    "load in a function": """\
from torch.utils.cpp_extension import load
def ext():
    return load('e', ['e.cu'])
def f(x):
    if x.is_cuda and (e := ext()):
        return e.f(x)
    return x
""",
    "load kept in a global": """\
from torch.utils.cpp_extension import load
_e = None
def init():
    global _e
    _e = load('e', ['e.cu'])
def f(x):
    if x.is_cuda:
        return _e.f(x)
    return x
""",
    "triton": TRITON
    + """\
def f(x):
    if x.device.type == 'cuda':
        return add(x)
    return x + 1
""",
    "the other way first": TRITON
    + """\
def f(x):
    if triton is None or not x.is_cuda:
        return x
    return add(x)
""",
    "else": TRITON
    + """\
def f(x):
    if not x.is_cuda:
        y = x
    else:
        y = add(x)
    return y
""",
    "deep": TRITON
    + """\
def f(x):
    if x.is_cuda:
        for i in x:
            if i > 1:
                y = add(x)
""",
    "through functions": TRITON
    + """\
def g(x):
    return add(x)
def h(x):
    return g(x)
def f(x):
    if x.is_cuda:
        return h(x)
    return x
""",
    "through a method": TRITON
    + """\
class A:
    def fast(self, x):
        return add(x)
    def f(self, x):
        return self.fast(x) if x.is_cuda else x
""",
    "through a class": TRITON
    + """\
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return add(x)
def f(x):
    if x.is_cuda:
        return F.apply(x)
    return x
""",
    "through a name of what applies a class": TRITON
    + """\
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return add(x)
fast = F.apply
def f(x):
    if x.is_cuda:
        return fast(x)
    return x
""",
    "a builder behind a condition that denies a denial": """\
from torch.utils.cpp_extension import CppExtension, CUDAExtension
extension = CppExtension
if (not force_no_cuda and torch.cuda.is_available() and home) or force_cuda:
    extension = CUDAExtension
""",
    "a flag": TRITON
    + """\
FAST = torch.cuda.is_available() and not OFF
def f(x):
    if FAST:
        return add(x)
    return x
""",
    "a flag in self": TRITON
    + """\
class A:
    def __init__(self):
        self.fast = torch.cuda.is_available()
    def f(self, x):
        return add(x) if 0 else 1
    def g(self, x):
        if not self.fast:
            return x
        return add(x)
""",
    "a function that holds the answer": TRITON
    + """\
def has_gpu():
    return torch.cuda.is_available()
def f(x):
    if has_gpu():
        return add(x)
    return x
""",
    "a property that holds the answer": TRITON
    + """\
class A:
    @property
    def fast(self):
        return torch.cuda.is_available()
    def f(self, x):
        if self.fast:
            return add(x)
        return x
""",
    "a filter": TRITON
    + """\
def f(xs):
    return [add(x) for x in xs if x.is_cuda]
""",
    "a test that skips": TRITON
    + """\
def test():
    if not torch.cuda.is_available():
        pytest.skip('')
    add(1)
""",
    "a mark that skips": TRITON
    + """\
@pytest.mark.skipif(not torch.cuda.is_available(), reason='')
def test():
    add(1)
""",
    "a comment below a mark that skips": TRITON
    + """\
@pytest.mark.skipif(not torch.cuda.is_available(), reason='')
# this one is slow

@pytest.mark.slow
def test():
    add(1)
""",
    "a mark of a class": TRITON
    + """\
@pytest.mark.skipif(not torch.cuda.is_available(), reason='')
class TestFast:
    def test(self):
        add(1)
""",
    "a mark of a class, of unittest": TRITON
    + """\
@unittest.skipUnless(torch.cuda.is_available(), 'no')
@slow
class Fast(unittest.TestCase):
    def setUp(self):
        self.x = add(1)
""",
    "a mark of a class around a class": TRITON
    + """\
@unittest.skipIf(not torch.cuda.is_available(), 'no')
class Fast:
    class Inner:
        def test(self):
            add(1)
""",
    "a mark of a file": TRITON
    + """\
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason='')
def test():
    add(1)
""",
    "a mark of a file, below a test in a block": TRITON
    + """\
if SLOW:
    def test():
        add(1)
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not torch.cuda.is_available(), reason='')]
""",
    "a mark in a class": TRITON
    + """\
class TestFast:
    pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason='')
    def test(self):
        add(1)
""",
    "a mark in a variable": TRITON
    + """\
on_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason='')
@pytest.mark.slow
@on_cuda
def test():
    add(1)
""",
    "a mark in a variable, of a class": TRITON
    + """\
on_cuda = unittest.skipUnless(torch.cuda.is_available(), 'no')
@on_cuda
class Fast:
    def test(self):
        add(1)
""",
    "a mark in a variable, of a file": TRITON
    + """\
on_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason='')
pytestmark = [pytest.mark.slow, on_cuda]
def test():
    add(1)
""",
    "handed to a library": """\
from fastlib import fast
def f(x):
    if x.is_cuda:
        return fast(x)
    return x.relu()
""",
    "handed to a library, and assigned": """\
from fastlib import Fast
def f(x):
    if torch.cuda.is_available() and x.is_cuda:
        y = Fast.apply(x, 1)
    else:
        y = x.relu()
    return y
""",
    "the make": """\
if torch.cuda.is_available() and torch.version.hip is None:
    run()
""",
    "the make in a flag": """\
NV = torch.version.hip is None
if torch.cuda.is_available() and NV:
    run()
""",
    "a flag of the make": """\
NV = torch.cuda.is_available() and torch.version.hip is None
""",
    "lazily": TRITON
    + """\
if torch.cuda.is_available():
    register(lambda x: add(x))
""",
    "a mark whose condition is a variable": TRITON
    + """\
HAS = torch.cuda.is_available()
@pytest.mark.skipif(not HAS, reason='')
def test():
    add(1)
""",
    "a mark whose condition is one of two variables of an assignment": TRITON
    + """\
HAS, SLOW = torch.cuda.is_available(), False
@pytest.mark.skipif(not HAS, reason='')
def test():
    add(1)
""",
    "a mark whose condition is a variable that denies": TRITON
    + """\
MISSING = torch.cuda.device_count() == 0
@pytest.mark.skipif(MISSING, reason='')
def test():
    add(1)
""",
    "a mark whose condition is a variable with a second value": TRITON
    + """\
MISSING = torch.cuda.is_available()
MISSING = not MISSING
@pytest.mark.skipif(MISSING, reason='')
def test():
    add(1)
""",
    "a mark whose condition is a variable of another variable": TRITON
    + """\
HAS = torch.cuda.is_available()
MISSING = HAS and lacks()
@pytest.mark.skipif(MISSING, reason='')
def test():
    add(1)
""",
    "a mark that compares a variable turned round": TRITON
    + """\
COUNT = torch.cuda.device_count()
@pytest.mark.skipif(2 > COUNT, reason='')
def test():
    add(1)
""",
    "a mark in a variable that compares turned round": TRITON
    + """\
needs = unittest.skipIf(2 > torch.cuda.device_count(), '')
@needs
def test():
    add(1)
""",
    "setUp that compares turned round": TRITON
    + """\
class Test(unittest.TestCase):
    def setUp(self):
        if 1 > torch.cuda.device_count():
            self.skipTest('')
    def test(self):
        add(1)
""",
    "a mark that asks how many devices there are": TRITON
    + """\
COUNT = torch.cuda.device_count() if torch.cuda.is_available() else 0
@pytest.mark.skipif(COUNT < 2, reason='')
def test():
    add(1)
""",
    "a mark in a variable whose condition is a function": TRITON
    + """\
def works():
    return torch.cuda.is_available()
needs = pytest.mark.skipif(not works(), reason='')
@needs
def test():
    add(1)
""",
    "a mark of a file, in a block": TRITON
    + """\
if SLOW:
    pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason='')
def test():
    add(1)
""",
    "a mark that always skips, behind a test": TRITON
    + """\
if not torch.cuda.is_available():
    pytestmark = pytest.mark.skip('')
def test():
    add(1)
""",
    "a mark of a parameter": TRITON
    + """\
@pytest.mark.parametrize('size', [1, pytest.param(2, marks=pytest.mark.skipif(not torch.cuda.is_available()))])
def test(size):
    add(size)
""",
    "a mark of a parameter, in a variable": TRITON
    + """\
SIZES = [1, pytest.param(2, marks=pytest.mark.skipif(not torch.cuda.is_available(), reason=''))]
@pytest.mark.parametrize('size', SIZES)
def test(size):
    add(size)
""",
    "setUp": TRITON
    + """\
class Test(unittest.TestCase):
    def setUp(self):
        if not torch.cuda.is_available():
            self.skipTest('')
    def test(self):
        add(1)
""",
    "setUp that calls a function which skips": TRITON
    + """\
def need_cuda():
    if not torch.cuda.is_available():
        pytest.skip('')
class Test:
    def setup_method(self):
        need_cuda()
    def test(self):
        add(1)
""",
    "a method that skips": TRITON
    + """\
class Test(unittest.TestCase):
    def need_cuda(self):
        if not torch.cuda.is_available():
            raise unittest.SkipTest('')
    def test(self):
        self.need_cuda()
        add(1)
""",
    "a comment at the margin above a skip": TRITON
    + """\
def test():
    if not torch.cuda.is_available():
# no device
        pytest.skip('')
    add(1)
""",
    "a fixture that skips": TRITON
    + """\
@pytest.fixture
def cuda_here():
    if not torch.cuda.is_available():
        pytest.skip('')
def test(cuda_here):
    add(1)
""",
    "a fixture for each test": TRITON
    + """\
@pytest.fixture(autouse=True)
def cuda_here():
    if not torch.cuda.is_available():
        pytest.skip('')
def test():
    add(1)
""",
    "a fixture that a mark uses": TRITON
    + """\
@pytest.fixture()
def cuda_here():
    if not torch.cuda.is_available():
        pytest.skip('')
@pytest.mark.usefixtures('cuda_here')
class Test:
    def test(self):
        add(1)
""",
    "an exception that skips": TRITON
    + """\
def test():
    if not torch.cuda.is_available():
        raise unittest.SkipTest('')
    add(1)
""",
    "a test for two devices, or a skip": TRITON
    + """\
def test():
    if torch.cuda.device_count() < 2:
        pytest.skip('')
    add(1)
""",
    "a mark of a class around a mark": TRITON
    + """\
@pytest.mark.skipif(not torch.cuda.is_available(), reason='')
class Test:
    @pytest.mark.skipif(not torch.cuda.is_available() or small(), reason='')
    def test(self):
        add(1)
""",
    "a mark beside a call without a fix": """\
@pytest.mark.skipif(not torch.cuda.is_available(), reason='')
@pytest.mark.skipif(torch.cuda.nccl.version() < (2, 1), reason='')
def test():
    run()
""",
    "files of NVIDIA's libraries": """\
import ctypes, sys
from pathlib import Path
def load_nvrtc():
    if not torch.cuda.is_available():
        print("[INFO] CUDA is not available, skipping nvrtc setup.")
        return
    if sys.platform == "win32":
        for path in sorted(Path(torch.__file__).parent.glob("nvrtc*.dll")):
            try:
                ctypes.CDLL(path)
            except OSError as e:
                print(f"[WARNING] Failed to load {path}: {e}")
    elif sys.platform == "linux":
        files = sorted((Path(torch.__file__).parents[1] / "nvidia" / "cuda_nvrtc" / "lib").glob("libnvrtc*.so*"))
        for path in files:
            ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
""",
    "a library of NVIDIA in a block": """\
import ctypes
if torch.cuda.is_available():
    ctypes.CDLL("libcudart.so.12").cudaDeviceReset()
""",
    "a library of NVIDIA that a function loads": """\
from ctypes import cdll
def load():
    cdll.LoadLibrary(f"{root}/lib64/libcublas.so")
def main():
    if torch.cuda.is_available():
        load()
""",
    "a comparison with a device whose value stays": """\
def setup(rank):
    if torch.cuda.is_available():
        device = torch.device(f"cuda:{rank}")
        symm_mem.set_backend("NCCL")
    else:
        device = torch.device("cpu")
    if device.type == "cuda":
        torch.cuda.synchronize()
""",
}
MOVES = {
    "work behind a test of every device": """\
def check(devices):
    if not all(device.type == "cuda" for device in devices):
        return
    memory = list(map(torch.cuda.memory_allocated, devices))
""",
    "a kernel behind a test that finds no device": TRITON
    + """\
def f(xs):
    if not all(x.device.type == "cuda" for x in xs):
        torch.cuda.synchronize()
        return add(xs[0])
    return xs
""",
    "a function that returns another value or raises": """\
def check(abort=False):
    if not torch.cuda.is_available():
        if not abort:
            return make()
        raise AssertionError("needs CUDA")
    return True
def load():
    if check():
        from cupy.cuda import function
        return function.Module()
""",
    "the toolkit without an extension": """\
if not torch.cuda.is_available():
    os.environ["TORCH_CUDA_ARCH_LIST"] = "8.0"
""",
    "another question of a build": """\
from torch.utils.cpp_extension import CUDAExtension
if torch.cuda.is_available():
    print("finds a GPU")
os.environ["TORCH_CUDA_ARCH_LIST"] = "8.0"
modules = [CUDAExtension("ops", ["ops.cu"])]
""",
    "a mark that skips where CUDA is": TRITON
    + """\
@pytest.mark.skipif(torch.cuda.is_available(), reason='')
def test():
    add(1)
""",
    "a mark of unittest that skips where CUDA is": TRITON
    + """\
@unittest.skipUnless(not torch.cuda.is_available(), '')
def test():
    add(1)
""",
    "a mark that skips where CUDA is, by a variable": TRITON
    + """\
HAS = torch.cuda.is_available()
@pytest.mark.skipif(HAS, reason='')
def test():
    add(1)
""",
    "a mark that skips where a device is": TRITON
    + """\
@pytest.mark.skipif(torch.cuda.device_count() > 0, reason='')
def test():
    add(1)
""",
    "a mark that skips where a device is, turned round": TRITON
    + """\
@pytest.mark.skipif(not not 0 < torch.cuda.device_count(), reason='')
def test():
    add(1)
""",
    "a mark of unittest that skips unless there is no device": TRITON
    + """\
@unittest.skipUnless(torch.cuda.device_count() == 0, '')
def test():
    add(1)
""",
    "setUp of another class": TRITON
    + """\
class Slow(unittest.TestCase):
    def setUp(self):
        if not torch.cuda.is_available():
            self.skipTest('')
class Fast(unittest.TestCase):
    def test(self):
        add(1)
""",
    "a fixture of another test": TRITON
    + """\
@pytest.fixture
def cuda_here():
    if not torch.cuda.is_available():
        pytest.skip('')
def test(cuda_here):
    pass
def test_other():
    add(1)
""",
    "a mark over code that moves": TRITON
    + """\
class Test(unittest.TestCase):
    def setUp(self):
        if not torch.cuda.is_available():
            self.skipTest('')
    def test(self):
        run()
""",
    "a library of the program": """\
import ctypes
if torch.cuda.is_available():
    ctypes.CDLL("libsum.so")
""",
    "a library of NVIDIA that may be missing": """\
import ctypes
if torch.cuda.is_available():
    try:
        ctypes.CDLL("libcudart.so")
    except OSError:
        pass
    net.cuda()
""",
    "a library of NVIDIA in a message": """\
import ctypes
if torch.cuda.is_available():
    ctypes.CDLL(path)
    print("No libcudnn.so found", "see libcudnn.so")
""",
    "a library of NVIDIA in another function": """\
import ctypes
def load(path):
    ctypes.CDLL(path)
def find():
    if torch.cuda.is_available():
        remove("libcudnn.so")
""",
    "a program": """\
if torch.cuda.is_available():
    train(model)
""",
    "a flag": """\
use_cuda = torch.cuda.is_available()
if use_cuda:
    net = net.cuda()
""",
    "an option": """\
if args.cuda:
    model.cuda()
""",
    "a skip": """\
def test():
    if not torch.cuda.is_available():
        pytest.skip('')
    run()
""",
    "a label": """\
if torch.cuda.is_available():
    print('cuda', 1)
""",
    "a program's question over a library": """\
from fastlib import fast
def f(x):
    if torch.cuda.is_available():
        return fast(x)
    return x.relu()
""",
    "a name that only says it": """\
from .ops import cuda_fast
if torch.cuda.is_available():
    cuda_fast(x)
""",
    "a module of the name": """\
import numpy as np
from .fast_cuda import f
if torch.cuda.is_available():
    f(x)
""",
    "a mark of a class whose body runs without its tests": TRITON
    + """\
@unittest.skipUnless(torch.cuda.is_available(), 'no')
class Fast:
    y = add(1)
""",
    "a mark of a file that runs without its tests": """\
import cupy
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason='')
y = cupy.sqrt(1)
""",
    "a mark of another class": TRITON
    + """\
@unittest.skipUnless(torch.cuda.is_available(), 'no')
class Slow:
    def test(self):
        pass
class Fast:
    def test(self):
        add(1)
""",
    "a mark in a variable, of another test": TRITON
    + """\
on_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason='')
@on_cuda
def test():
    pass
def test_other(on_cuda):
    add(1)
""",
    "a call that skips nothing": TRITON
    + """\
pytestmark = pytest.mark.slow(torch.cuda.is_available())
def test():
    add(1)
""",
    "the kernel elsewhere": TRITON
    + """\
def f(x):
    if x.is_cuda:
        return x
    return add(x)
""",
    "caught": """\
import cupy
if torch.cuda.is_available():
    try:
        cupy.f()
    except Exception:
        pass
""",
    "asked for itself": """\
try:
    import cupy
    HAS = True
except ImportError:
    HAS = False
if torch.cuda.is_available():
    if HAS:
        cupy.f()
""",
    "its own question": TRITON
    + """\
def g(x):
    if not x.on_it:
        return x
    return x
def f(x):
    if x.is_cuda:
        return g(x)
    return x
""",
    "a local of the same name": """\
def g():
    import cupy as ops
def f(x, ops):
    if x.is_cuda:
        ops.f(x)
""",
    "mentioned": """\
import cupy
if torch.cuda.is_available():
    print(cupy, cupy.__version__)
""",
    "nothing without it": """\
from fastlib import fast
def f(x):
    if x.is_cuda:
        return fast(x)
    return None
""",
    "assigned, and nothing without it": """\
from fastlib import fast
def f(x):
    if x.is_cuda:
        y = fast(x)
    else:
        y = None
    return y
""",
    "assigned without another way": """\
from fastlib import fast
def f(x):
    y = x.relu()
    if x.is_cuda:
        y = fast(x)
    return y
""",
    "another variable assigned": """\
from fastlib import fast
def f(x):
    if x.is_cuda:
        y = fast(x)
    else:
        z = x.relu()
""",
    "torch alone behind the make": """\
if torch.cuda.is_available() and torch.version.hip is None:
    torch.set_float32_matmul_precision('high')
    model.cuda()
""",
    "the name of the GPU": """\
if 'NVIDIA' in torch.cuda.get_device_name():
    run()
""",
}


def questions(text: str, engine: Engine = ENGINE) -> list[Finding]:
    rules = ("cuda-api", "is-cuda", "device-string")
    return [finding for finding in engine.check(Source(text)).findings if finding.rule in rules]


@pytest.mark.parametrize("name", STAYS)
def test_a_question_stays_over_what_runs_on_cuda_alone(name: str) -> None:
    text = HEAD + STAYS[name]
    assert ENGINE.fix(Source(text)).text == text
    for finding in questions(text):
        fixes = [] if "needs CUDA" in finding.message else ["review"]
        assert [fix.applicability for fix in finding.fixes] == fixes


BY_HAND = {
    "a function given to map, after a test of every device": """\
def check(devices):
    if not all(device.type == "cuda" for device in devices):
        warn()
        return
    capabilities = set(map(torch.cuda.get_device_capability, devices))
""",
    "a call after a test of every device in a list": """\
def check(devices):
    if not all([str(device).startswith("cuda") for device in devices]):
        return
    torch.cuda.get_device_capability(devices[0])
""",
    "a function that partial takes": """\
def check(device):
    if device.type == "cuda":
        return partial(torch.cuda.get_device_capability, device)
""",
}


@pytest.mark.parametrize("name", BY_HAND)
def test_a_question_stays_over_a_function_that_has_no_fix(name: str) -> None:
    text = HEAD + BY_HAND[name]
    assert ENGINE.fix(Source(text)).text == text
    by_class = [[fix.applicability for fix in finding.fixes] for finding in questions(text)]
    assert by_class == [["review"], []]


DOUBTFUL = (
    "2 > torch.cuda.device_count()",
    "0 >= torch.cuda.device_count()",
    "torch.cuda.device_count() in (0, 1)",
    "torch.cuda.device_count() in [0]",
    "torch.cuda.device_count() == 1",
    "torch.cuda.device_count() + 0 == 0",
    "torch.cuda.is_available() ^ True",
    "torch.cuda.is_available() and not torch.cuda.device_count() > 1",
    "lacks(torch.cuda.is_available())",
    "torch.cuda.is_available() == 0.0",
    "bool(torch.cuda.is_available()) != True",
    "sum([torch.cuda.is_available()]) == 0",
    "(lambda: not torch.cuda.is_available())()",
    "torch.version.cuda == ''",
    "torch.version.cuda in (None, '')",
    "torch.version.cuda >= '12'",
    "'cuda' == args.skip",
    "torch.device('cuda').type not in DEVICES",
)


@pytest.mark.parametrize("mark", ["pytest.mark.skipif({0}, reason='')", "unittest.skipIf({0}, '')"])
@pytest.mark.parametrize("condition", DOUBTFUL)
def test_a_mark_stays_unless_it_surely_skips_on_cuda(condition: str, mark: str) -> None:
    text = f"{HEAD}{TRITON}@{mark.format(condition)}\ndef test():\n    add(1)\n    x.cuda()\n"
    assert ENGINE.fix(Source(text)).text == text


PARAMETER = "pytest.param('cuda', marks=pytest.mark.skipif(not torch.cuda.is_available(), reason=''))"
IN_PARAMETER = {
    "in the decorator": f"@pytest.mark.parametrize('d', ['cpu', {PARAMETER}])\n",
    "in a list": f"@pytest.mark.parametrize('d', ['cpu', {PARAMETER.replace('marks=', 'marks=[')[:-1]}, slow])])\n",
    "in a variable": f"cuda = {PARAMETER}\n@pytest.mark.parametrize('d', ['cpu', cuda])\n",
    "of a fixture": f"@pytest.fixture(params=['cpu', {PARAMETER}])\n",
    "whose condition is a variable": "HAS = x.is_cuda\n@pytest.mark.parametrize('d', ['cpu', pytest.param('cuda', "
    "marks=pytest.mark.skipif(not HAS, reason=''))])\n",
}


ON_DEVICE = "def test(d):\n    x.to(d)\n    torch.cuda.synchronize()\n"


@pytest.mark.parametrize("name", ["in a list", "in a variable", "of a fixture"])
def test_a_mark_of_a_parameter_that_stays_leaves_the_body_its_fixes(name: str) -> None:
    """For the other parameters, the body runs without the mark. The string `'cuda'` stays, and its mark with it."""
    text = HEAD + IN_PARAMETER[name] + ON_DEVICE
    assert ENGINE.fix(Source(text)).text == text.replace("torch.cuda.sync", "torch.npu.sync")


@pytest.mark.parametrize("name", ["in the decorator", "whose condition is a variable"])
def test_a_parameter_changes_with_its_mark(name: str) -> None:
    """As the tests of mmcv's operators, which ask `IS_CUDA_AVAILABLE` of another file."""
    text = HEAD + IN_PARAMETER[name] + ON_DEVICE
    assert ENGINE.fix(Source(text)).text == text.replace("cuda", "npu")


LEFT = {
    "a mark in a variable": "@pytest.mark.parametrize('d', ['cpu', pytest.param('cuda', marks=on_gpu)])\n",
    "marks in a list": "@pytest.mark.parametrize('d', ['cpu', pytest.param('cuda', marks=[slow, on_gpu])])\n",
    "a row": "@pytest.mark.parametrize('b, d', [('numpy', 'cpu'), pytest.param('cuda', 'cuda')])\n",
    "what a fixture gets": "@pytest.mark.parametrize('d', ['cpu', pytest.param('cuda')], indirect=True)\n",
    "joined lists": "@pytest.mark.parametrize('d', ['cpu'] + [pytest.param('cuda')])\n",
    "rows by name": "CASES = [pytest.param('cuda', 1)]\n@pytest.mark.parametrize('d,n', CASES)\n",
    "values by name": "CASES = ['cuda']\n@pytest.mark.parametrize('d,n', CASES)\n",
}


@pytest.mark.parametrize("name", LEFT)
def test_other_parameters_need_review(name: str) -> None:
    text = HEAD + LEFT[name] + "def test(d):\n    x.to(d)\n"
    found = [one for one in ENGINE.check(Source(text)).findings if one.rule == "device-string"]
    assert [fix.applicability for one in found for fix in one.fixes] in (["review"], ["review", "review"])


def test_a_device_of_a_parameter_stays_with_its_mark() -> None:
    """The mark stays because a kernel runs in the test."""
    given = IN_PARAMETER["in the decorator"].replace("'cuda'", "torch.device('cuda')")
    text = HEAD + TRITON + given + "def test(d):\n    add(d)\n    y.cuda()\n"
    assert ENGINE.fix(Source(text)).text == text.replace("y.cuda", "y.npu")


def test_a_mark_in_a_variable_skips_the_body_only_of_a_decorated_test() -> None:
    """The mark stays because a kernel runs in a test. Another test has the mark for one parameter only."""
    made = "on_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason='')\n"
    kernel = "@on_cuda\ndef test_fast():\n    add(1)\n    x.cuda()\n"
    other = "@pytest.mark.parametrize('n', [1, pytest.param(2, marks=on_cuda)])\ndef test(n):\n    y.cuda()\n"
    text = HEAD + TRITON + made + kernel + other
    assert ENGINE.fix(Source(text)).text == text.replace("y.cuda", "y.npu")


BUILD = """\
from torch.utils.cpp_extension import BuildExtension, CppExtension, CUDAExtension
def extension(sources, sources_cuda):
    arguments = {"cxx": []}
    if torch.cuda.is_available() or os.getenv("FORCE_CUDA", "0") == "1":
        extension = CUDAExtension
        arguments["nvcc"] = ["-O3"]
        sources += sources_cuda
    else:
        extension = CppExtension
    return extension("ops", sources, extra_compile_args=arguments)
"""
FALLBACK = """\
from torch.utils.cpp_extension import load
_ops = None
def _init():
    global _ops
    _ops = load("ops", ["ops.cpp", "ops.cu"])
    return True
def bias(x, impl="cuda"):
    assert impl in ["ref", "cuda"]
    if impl == "cuda" and x.device.type == "cuda" and _init():
        return _ops.bias(x)
    return x + 1
"""


@pytest.mark.parametrize("target", ["npu", "musa"])
@pytest.mark.parametrize("code", [FALLBACK, BUILD, STAYS["triton"], STAYS["a library of the tables"], STAYS["a flag"]])
def test_no_fix_for_review_sends_the_target_to_a_kernel(code: str, target: str) -> None:
    """No fix ports the kernel: if the condition became true on the target, the kernel would not compile there, while
    the other branch works."""
    fixed = Engine(CATALOGUE, target, Settings(locale="en")).fix(Source(HEAD + code), review=True).text
    asking = [line for line in code.splitlines() if line.lstrip().startswith(("if ", "assert ", "use_"))]
    assert asking and set(asking) <= set(fixed.splitlines())


@pytest.mark.parametrize("other, severity", [("return host(x)", "information"), ("raise RuntimeError", "error")])
def test_a_library_behind_a_question_whose_other_way_works_is_information(other: str, severity: str) -> None:
    code = (
        f"def f(x):\n    if x.is_cuda:\n        import align_cuda\n        align_cuda.f()\n    else:\n        {other}\n"
    )
    (found,) = (one for one in ENGINE.check(Source(HEAD + code)).findings if one.rule == "cuda-module")
    assert found.severity == severity
    assert ("stays CUDA's" in found.message) is (severity == "information")


def test_a_builder_behind_a_question_whose_other_way_works_is_information() -> None:
    """If the finding at the call of `CUDAExtension` has the severity "information", the finding at its import has this
    severity, too, unless other code uses the imported name."""
    found = [one for one in ENGINE.check(Source(HEAD + BUILD)).findings if one.rule == "cuda-extension"]
    assert [one.severity for one in found] == ["information", "information"]
    assert "what uses it runs only where" in found[0].message and "it runs only where" in found[1].message
    more = HEAD + BUILD + "other = CUDAExtension('ops', ['a.cu'])\n"
    found = [one for one in ENGINE.check(Source(more)).findings if one.rule == "cuda-extension"]
    assert [one.severity for one in found] == ["error", "information", "error"]


@pytest.mark.parametrize(
    ("switch", "severity"),
    [
        ('os.getenv("BUILD_CUDA_EXTENSIONS", "0") == "1"', "information"),
        ("os.environ.get('BUILD_CUDA') == '1'", "information"),
        ('os.getenv("BUILD_CUDA_EXTENSIONS", "1") == "1"', "error"),
        ('os.getenv("SKIP_CUDA") != "1"', "error"),
        ('os.getenv("BUILD_CUDA_EXTENSIONS", "0") == "1" or others', "error"),
        ("cuda_is_there", "error"),
    ],
)
def test_a_builder_that_a_variable_has_to_ask_for_is_information(switch: str, severity: str) -> None:
    text = (
        f"import os\nimport torch\nif {switch}:\n    from torch.utils.cpp_extension import CUDAExtension\n"
        "    extensions.append(CUDAExtension('ops', ['ops.cu']))\n"
    )
    found = [one.severity for one in ENGINE.check(Source(text)).findings if one.rule == "cuda-extension"]
    assert found == [severity, severity]


def test_a_builder_of_a_chain_with_an_arm_for_the_target_is_not_reported() -> None:
    code = (
        "from torch.utils.cpp_extension import CppExtension, CUDAExtension\n"
        "def extension(sources):\n    if torch.cuda.is_available():\n        kind = CUDAExtension\n"
        "        flags = {'nvcc': []}\n    elif os.getenv('FORCE_NPU', '0') == '1':\n"
        "        from torch_npu.utils.cpp_extension import NpuExtension\n        kind = NpuExtension\n"
        "    else:\n        kind = CppExtension\n    return kind('ops', sources)\n"
    )
    found = [one.rule for one in ENGINE.check(Source("import os\nimport torch\n" + code)).findings]
    assert "cuda-extension" not in found
    more = "import os\nimport torch\n" + code + "other = CUDAExtension('ops', ['a.cu'])\n"
    found = [one.rule for one in ENGINE.check(Source(more)).findings]
    assert found.count("cuda-extension") == 2


@pytest.mark.parametrize("name", MOVES)
def test_a_question_moves_without_evidence(name: str) -> None:
    text = HEAD + MOVES[name]
    fixed = ENGINE.fix(Source(text)).text
    assert fixed != text
    assert not questions(fixed)


@pytest.mark.parametrize(
    "other",
    [
        "raise RuntimeError('needs CUDA')",
        "sys.exit(1)",
        "quit()",
        "os.abort()",
        "pytest.fail('needs CUDA')",
        "parser.error('needs CUDA')",
        "assert False, 'needs CUDA'",
    ],
)
def test_where_the_other_way_only_raises_somebody_has_to_decide(other: str) -> None:
    text = HEAD + TRITON + f"def f(x):\n    if not x.is_cuda:\n        {other}\n    y = x.cuda()\n    return add(y)\n"
    # the first finding is about the package that contains Triton
    _, asked, moved = ENGINE.check(Source(text)).findings
    assert (asked.rule, asked.fixes) == ("is-cuda", ())
    assert "the other way only raises" in asked.message and "needs CUDA: `add`" in asked.message
    assert [fix.applicability for fix in moved.fixes] == ["review"]
    assert ENGINE.fix(Source(text)).text == text


def test_an_assertion_is_a_way_that_raises() -> None:
    text = HEAD + TRITON + "def f(x):\n    assert x.is_cuda\n    return add(x)\n"
    text += "def g(x):\n    if x.is_cuda:\n        f(x)\n"
    assert [len(finding.fixes) for finding in questions(text)] == [0, 0]
    assert ENGINE.fix(Source(text)).text == text


def test_an_assertion_of_a_type_is_one() -> None:
    text = "import torch\nimport torch_npu\nimport fast_cuda\ndef f(x):\n"
    text += "    assert isinstance(x, torch.cuda.HalfTensor)\n    return fast_cuda.f(x)\n"
    assert ENGINE.fix(Source(text), review=True).text == text


def test_what_only_runs_behind_such_a_question_stays_with_it() -> None:
    text = HEAD + TRITON + "def f(x):\n    if x.is_cuda:\n        torch.cuda.synchronize()\n        return add(x)\n"
    text += "    return x.cuda()\n"
    assert ENGINE.fix(Source(text)).text == text.replace("x.cuda()", "x.npu()")
    assert ENGINE.fix(Source(text), review=True).text == text.replace("x.cuda()", "x.npu()").replace(
        "torch.cuda", "torch.npu"
    )


def test_what_an_error_says_is_no_question() -> None:
    """An error message that mentions CUDA does not prove that the code is only for CUDA."""
    text = HEAD + "if torch.cuda.is_available():\n    try:\n        f()\n    except RuntimeError as e:\n"
    text += "        if 'CUDA out of memory' in str(e) or str(e).startswith('CUDA out of memory'):\n"
    text += "            torch.cuda.empty_cache()\n"
    assert ENGINE.fix(Source(text)).text == text.replace("torch.cuda.", "torch.npu.")
    assert "'CUDA" not in ENGINE.fix(Source(text), review=True).text


def test_the_message_says_why() -> None:
    text = HEAD + "from flash_attn import attn\ndef f(x):\n    return attn(x) if x.is_cuda else x.relu()\n"
    assert "the question stays; what it guards needs CUDA: `attn`" in questions(text)[0].message
    chinese = engine_for("npu", Settings(locale="zh"))
    assert "依赖 CUDA：`attn`" in questions(text, chinese)[0].message


def test_what_the_project_builds_and_defines_is_evidence() -> None:
    text = HEAD + "from . import _C\nfrom .kernels import add\nfrom .build import plugin\n"
    text += "def f(x):\n    if x.is_cuda:\n"
    ways = {
        "_C.f(x)": Project(extensions=frozenset({"package._C"})),
        "add(x)": Project(kernels=frozenset({"kernels.add"})),
        "plugin().f(x)": Project(kernels=frozenset({"build.plugin()"})),
    }
    for call, project in ways.items():
        code = f"{text}        return {call}\n    return x\n"
        assert ENGINE.fix(Source(code)).text != code
        assert ENGINE.knowing(project).fix(Source(code)).text == code


@pytest.mark.slow
def test_typing_says_what_a_fresh_look_says() -> None:
    """A statement that is only a call is checked separately after an edit, because the edit may add or remove the use
    of a kernel."""
    fresh = lru_cache(lambda step: ENGINE.check(Source(step)).findings)
    for name, code in (STAYS | BY_HAND | MOVES).items():
        text = HEAD + code
        typing = engine_for("npu", Settings(locale="en"), remember=2)
        typing.check(Source(text, "a.py"))
        for line in code.splitlines(keepends=True)[1:]:
            indent = line[: len(line) - len(line.lstrip())]
            for call in ("add(x)", "pytest.skip()", "x.cuda()"):
                for step in (text.replace(line, f"{indent}{call}\n", 1), text):
                    found = typing.check(Source(step, "a.py")).findings
                    assert found == fresh(step), (name, step)


@pytest.mark.parametrize("name", ["handed to a library, and assigned", "assigned, and nothing without it"])
def test_assignments_of_what_a_library_returns_are_typed(name: str) -> None:
    text = HEAD + (STAYS | MOVES)[name]
    typed = ("y = Fast.apply(x, 1)", "y = fast(x)", "y = x.relu()", "y = None", "y.add(x)", "z = 1", "# said", "")
    type_in_each_line(text, typed, 4)


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
    """Safe fixes do not change code that a correct port leaves to CUDA, and never port a program only partly."""
    engine = engine_for(program.target, Settings(locale="en"))
    for path, before in program.before.items():
        wanted = before if program.kind != RIGHT else program.after[path]
        assert sorted(engine.fix(Source(before)).text.splitlines()) == sorted(wanted.splitlines())


@pytest.mark.slow
@pytest.mark.parametrize("mark", ["on_cuda", "pytest.mark.skipif(not torch.cuda.is_available(), reason='')"])
def test_many_marks_of_one_function_cost_as_much_as_they_are_many(mark: str) -> None:
    made = "on_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason='')\n"

    def cost(marks: int) -> int:
        source = Source(HEAD + TRITON + made + f"@{mark}\n" * marks + "def test():\n    add(1)\n")
        engine_for("npu").check(source)
        profile = cProfile.Profile()
        profile.runcall(engine_for("npu").check, source)
        return sum(entry.callcount for entry in profile.getstats())

    assert cost(800) < 2.5 * cost(400)


CHAIN = (
    HEAD + TRITON + "def f(x):\n    if x.is_cuda == True:\n        return add(x)\n"
    "    elif x.is_cuda != True:\n        assert False\n    return x\n"
)


def test_both_questions_of_a_chain_stay() -> None:
    """As in softmax-splatting: with one of them fixed, a tensor of the target takes neither way."""
    assert ENGINE.fix(Source(CHAIN), review=True).text == CHAIN
    both = CHAIN.replace("add(x)\n", "x.cuda()\n")
    assert ENGINE.fix(Source(both)).text == both.replace("is_cuda", "is_npu").replace(".cuda()", ".npu()")


DERIVED = (
    HEAD
    + """from flash_attn.modules.mha import MHA


class Attention(MHA):
    def __init__(self, x):
        if x.is_cuda:
            x = x.cuda()
        super().__init__(x)

    def forward(self, x):
        if x.is_cuda:
            return super().forward(x)
        return plain(x)
"""
)


def test_a_class_that_calls_its_base_class_of_a_library() -> None:
    """As in gliclass/scorers.py, whose class takes the plain way on other devices."""
    fixed = ENGINE.fix(Source(DERIVED)).text
    assert "def forward(self, x):\n        if x.is_cuda:" in fixed
    assert "__init__(self, x):\n        if x.is_npu:" in fixed
    other = DERIVED.replace("flash_attn.modules.mha", "other.modules")
    assert ENGINE.fix(Source(other)).text == other.replace("is_cuda", "is_npu").replace("x.cuda()", "x.npu()")


def test_a_class_that_calls_its_base_class_is_typed() -> None:
    typed = ("class Attention(Other):", "            return super().run(x)", "from other import MHA", "        x = 1")
    type_in_each_line(DERIVED, typed, 3)


CUPY = HEAD + "try:\n    import cupy as cp\nexcept ImportError:\n    cp = None\n\n\ndef f(device, x):\n"


@pytest.mark.parametrize(
    ("body", "stays"),
    [
        ("    if device.type == 'cuda':\n        if cp is not None:\n            x = cp.asarray(x)\n", False),
        (
            (
                "    if device.type == 'cuda':\n        if cp is not None:\n            x = cp.asarray(x)\n"
                "        else:\n            raise ImportError('cupy')\n"
            ),
            True,
        ),
        ("    if device.type == 'cuda' and cp is None:\n        raise RuntimeError('cupy')\n", True),
        ("    if device.type == 'cuda' and cp is None:\n        warn('cupy')\n", False),
        ("    if device.type == 'cuda' and other is None:\n        raise RuntimeError('cupy')\n", False),
    ],
)
def test_a_library_that_is_required_on_cuda(body: str, stays: bool) -> None:
    """As in earth2studio/models/da and data/utils.py: without CuPy, the ported condition would raise."""
    text = f"{CUPY}{body}    return x\n"
    assert ENGINE.fix(Source(text)).text == (text if stays else text.replace("'cuda'", "'npu'"))


def test_a_library_that_is_required_on_cuda_is_typed() -> None:
    text = CUPY + "    if device.type == 'cuda' and cp is None:\n        raise RuntimeError('cupy')\n    return x\n"
    typed = ("    if device.type == 'cuda' and x is None:", "        warn('cupy')", "    cp = 1", "    import cupy")
    type_in_each_line(text, typed, 3)


ASSERTS = HEAD + "def f(params, steps):\n    for param, step in zip(params, steps):\n{}        step += 1\n"


@pytest.mark.parametrize(
    ("lines", "due"),
    [
        ("        assert param.is_cuda\n        assert own.is_cuda\n", {"review"}),
        (
            "        assert param.is_cuda\n\n        assert own.is_cuda, 'text'\n        assert step.is_cuda\n",
            {"review"},
        ),
        ("        assert param.is_cuda\n        assert step.is_cuda\n", {"safe"}),
        ("        assert param.is_cuda\n        x = 1\n        assert own.is_cuda\n", {"safe", "review"}),
    ],
)
def test_assertions_that_follow_each_other_change_together(lines: str, due: set[str]) -> None:
    """As in zeta/optim/decoupled_sophia.py, in a project that has a class with a property `is_cuda`."""
    text = "from .box import Box\n" + ASSERTS.format(lines).replace("    for", "    own = Box()\n    for")
    engine = engine_for("npu", project=Project(owners=frozenset({Owner("is_cuda", "Box", "moves")})))
    found = [one for one in engine.check(Source(text)).findings if one.rule == "is-cuda"]
    assert {one.fixes[0].applicability for one in found} == due


def test_assertions_are_typed() -> None:
    text = ASSERTS.format("        assert param.is_cuda\n        assert step.is_cuda\n        assert x\n")
    type_in_each_line(text, ("        assert self.is_cuda", "        assert step.is_cuda, x", "x = 1"), 3)


def test_a_chain_is_typed() -> None:
    type_in_each_line(CHAIN, ("elif x.is_cuda:", "if x.is_cuda:", "return x.cuda()", "else:"), 10)


AGAIN = (
    HEAD + TRITON + "def forward(x):\n    if not x.is_cuda or x.shape[0] != 1:\n"
    "        reason = 'device' if not x.is_cuda else 'size'\n        return plain(x, reason)\n    return add(x)\n"
)


def test_an_attribute_that_a_block_asks_again_stays_with_its_condition() -> None:
    """As in ComfyUI-KJNodes: the message would name the wrong reason."""
    assert ENGINE.fix(Source(AGAIN), review=True).text == AGAIN
    both = AGAIN.replace("return add(x)", "return x.cuda()")
    assert ENGINE.fix(Source(both)).text == both.replace("is_cuda", "is_npu").replace(".cuda()", ".npu()")
    other = AGAIN.replace("'device' if not x.", "'device' if not y.")
    assert ENGINE.fix(Source(other)).text == other.replace("y.is_cuda", "y.is_npu")


def test_an_attribute_that_a_block_asks_again_is_typed() -> None:
    type_in_each_line(AGAIN, ("if x.is_cuda:", "reason = x.is_cuda", "return x.cuda()", "else:"), 11)


WRAPS = HEAD + "if torch.cuda.device_count() > 1:\n    model = torch.nn.DataParallel(model)\n"
UNWRAPS = [
    "if torch.cuda.device_count() > 1:\n    model.module.eval()\nelse:\n    model.eval()\n",
    "net = model.module if torch.cuda.device_count() > 1 else model\n",
    "def save(args):\n    if torch.cuda.device_count() > 1 and args.rank == 0:\n        args.model.module.save()\n",
    "if torch.cuda.device_count() == 1:\n    model.eval()\nelse:\n    model.module.eval()\n",
    "if torch.cuda.device_count() >= 2:\n    model.module.eval()\n",
    "if not (1 < torch.cuda.device_count()):\n    model.eval()\nelse:\n    model.module.eval()\n",
    "assert torch.cuda.device_count() > 1\nnet = model.module\n",
]


@pytest.mark.parametrize(
    "text",
    [
        "if torch.cuda.device_count() > 1:\n    for one in net.modules():\n        one.cuda()\n",
        "if torch.cuda.device_count() > 1:\n    net.cuda()  # net.module is another one\n",
    ],
)
def test_a_question_that_reads_no_wrapped_model_moves(text: str) -> None:
    assert "torch.npu.device_count() > 1" in ENGINE.fix(Source(WRAPS + text)).text


@pytest.mark.parametrize("text", UNWRAPS)
def test_a_model_that_stays_as_it_is_is_not_unwrapped(text: str) -> None:
    """As in UER-py: the wrapper is not made on Ascend NPU, so the model has no attribute `module`."""
    assert ENGINE.fix(Source(WRAPS + text)).text == WRAPS + text
    for other in (
        WRAPS.replace("torch.nn.DataParallel", "torch.compile"),
        WRAPS.replace("(model)", "(model)  # DataParallel("),
    ):
        assert (
            "torch.npu.device_count() > 1"
            in ENGINE.fix(Source(other.replace("nn.DataParallel(", "compile(") + text)).text
        )
    assert "torch.cuda" not in engine_for("musa", Settings(locale="en")).fix(Source(WRAPS + text)).text


def test_a_wrapped_model_is_typed() -> None:
    type_in_each_line(WRAPS + "".join(UNWRAPS), ("if torch.cuda.device_count() > 1:", "    m.module.f()", "x = 1"), 8)


OPTION = (
    "import argparse\nimport torch\n{0}\nparser = argparse.ArgumentParser()\n"
    "parser.add_argument('--cuda', default=torch.cuda.is_available())\n"
)


@pytest.mark.parametrize(
    "uses",
    [
        "args = parser.parse_args()\nif args.cuda:\n    run.cuda()\n",
        "opt, rest = parser.parse_known_args()\nif opt.cuda:\n    run.cuda()\n",
        "def main(args):\n    if args.cuda:\n        run.cuda()\n",
        "class C:\n    def f(self):\n        self.args = parser.parse_args()\n        if self.args.cuda: run.cuda()\n",
        "mine: Namespace = parser.parse_args()\nif mine.cuda:\n    run.cuda()\n",
        '"""\nx = parser.parse_args()\n"""\nopt = read()\nif opt.cuda:\n    run.cuda()\n',
    ],
)
def test_the_default_of_an_option_is_a_question(uses: str) -> None:
    """As in mt-dnn: the class of the object has a method `cuda` of its own."""
    own = OPTION.format("class Run(Base):\n    def cuda(self):\n        self.net.cuda()\n\n\nrun = Run()") + uses
    text = ENGINE.fix(Source(own)).text
    assert "default=torch.cuda.is_available()" in text and "run.cuda()" in text
    plain = OPTION.format("run = Run()") + uses
    assert "torch.cuda" not in (text := ENGINE.fix(Source(plain)).text) and "run.npu()" in text


def test_the_default_of_an_option_is_typed() -> None:
    own = OPTION.format("class Run(Base):\n    def cuda(self):\n        self.net.cuda()\n\n\nrun = Run()")
    text = own + "args = parser.parse_args()\nif args.cuda:\n    run.cuda()\n"
    type_in_each_line(text, ("opt = parser.parse_args()", "if opt.cuda:", "run.cuda()", "x = 1"), 8)


WRAPPED_ON_DEVICE = (
    HEAD + 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
    'model = build().to(device)\nif device.type == "cuda":\n    model = torch.nn.DataParallel(model).cuda()\n'
)


def test_a_wrapper_that_raises_stays_behind_its_condition() -> None:
    """As in FlowNetPytorch: before torch_npu 2.10, `DataParallel` divides None, the devices' processor counts."""
    old = engine_for("npu", Settings(locale="en", target_version="2.7.1")).fix(Source(WRAPPED_ON_DEVICE)).text
    assert old == WRAPPED_ON_DEVICE.replace('device("cuda" if torch.cuda', 'device("npu" if torch.npu')
    assert "cuda" not in ENGINE.fix(Source(WRAPPED_ON_DEVICE)).text


ASSERTED = (
    "import alt_cuda_corr\ndef f(x, y):\n    assert x.dim() == 4 and x.is_cuda\n{}    assert y.is_cuda\n"
    "    return alt_cuda_corr.forward(x, y)\n"
)


def test_asserts_that_follow_one_another_stay_together() -> None:
    """As in involution: both guard the kernel."""
    text = HEAD + ASSERTED
    assert "npu" not in ENGINE.fix(Source(text.format(""))).text.replace("torch_npu", "")
    assert "x.is_npu" in ENGINE.fix(Source(text.format("    x = g(x)\n"))).text
    type_in_each_line(text.format(""), ("assert z.is_cuda", "x = g(x)", "", "if not z.is_cuda: return"), 3)


NAMED = [
    "x = getattr(x, ('cpu', 'cuda')[x.is_cuda])()\n",
    "x = getattr(x, 'cuda' if torch.cuda.is_available() else 'cpu')()\n",
]


@pytest.mark.parametrize("text", NAMED)
def test_a_question_that_chooses_the_name_of_a_method_stays(text: str) -> None:
    """As in pase: `x.cuda()` fails on the target, and a tensor on the CPU serves as an index."""
    assert ENGINE.fix(Source(HEAD + text)).text == HEAD + text
    moved = text.replace("getattr(x, ", "x.to(").replace(")()", ")")
    assert "cuda" not in ENGINE.fix(Source(HEAD + moved)).text


@pytest.mark.parametrize("names", [("'half'", "'float'"), ("'run_gpu'", "'run_cpu'")])
def test_a_question_that_chooses_another_name_moves(names: tuple[str, str]) -> None:
    text = "x = getattr(x, {} if torch.cuda.is_available() else {})()\n".format(*names)
    assert "torch.npu.is_available()" in ENGINE.fix(Source(HEAD + text)).text


def test_the_name_of_a_method_is_typed() -> None:
    type_in_each_line(HEAD + "".join(NAMED), ("x = getattr(x, 'cpu')", "x.cuda()", "getattr("), 4)


TYPED = (
    HEAD + "parser.add_argument('--type', default='torch.cuda.FloatTensor')\nargs = parser.parse_args()\n"
    "if 'cuda' in args.type:\n    torch.cuda.set_device(0)\n"
)


def test_a_test_of_a_tensor_type_stays_with_the_type() -> None:
    """As in seq2seq.pytorch: with the default, the program would skip its devices."""
    assert ENGINE.fix(Source(TYPED)).text == TYPED
    assert "torch.cuda" not in ENGINE.fix(Source(TYPED.replace("torch.cuda.FloatTensor", "cpu"))).text


def test_a_test_of_a_device_is_none_of_a_tensor_type() -> None:
    device = "device = torch.device('cuda')\nif 'cuda' in device.type:\n    torch.cuda.set_device(0)\n"
    text = TYPED[: TYPED.index("args =")] + device
    assert ENGINE.fix(Source(text)).text.count("cuda") == 1  # the tensor type


def test_a_tensor_type_is_typed() -> None:
    type_in_each_line(TYPED, ("if 'cuda' in args.kind:", "args.type = 'torch.cuda.HalfTensor'", "x = 'cuda'"), 4)


@pytest.mark.parametrize("count", ["0 if args.no_cuda else {}", "{} if args.cuda else 0", "-1 if args.no_cuda else {}"])
def test_a_number_of_devices_that_an_option_turns_off(count: str) -> None:
    """As in examples of transformers: with several devices, the model would be wrapped in `DataParallel`."""
    number = count.format("torch.cuda.device_count()")
    text = f"{HEAD}args.n = {number}\nif args.n > 1:\n    model = torch.nn.DataParallel(model)\n"
    assert ENGINE.fix(Source(text)).text == text
    assert "torch.cuda" not in engine_for("musa", Settings(locale="en")).fix(Source(text)).text


def test_the_message_of_an_assert_stays_with_its_test() -> None:
    """As in DensePhrases: an assert that fails must not say that there is a device."""
    asserted = "def f(x):\n    assert torch.cuda.is_available(), f'cuda {torch.cuda.is_available()}'\n"
    text = f"{HEAD}{TRITON}{asserted}    add(x)\n"
    assert ENGINE.fix(Source(text)).text == text
    assert "torch.cuda" not in ENGINE.fix(Source(f"{HEAD}{asserted}    x.cuda()\n")).text


LABEL = (
    HEAD + "def moved(tensor):\n    kind = 'cpu' if not tensor.is_cuda else 'gpu'\n    if not tensor.is_cuda:\n"
    "        tensor = tensor.cuda()\n    return tensor, kind\n\n\ndef back(tensor, kind):\n"
    "    return tensor.cpu() if tensor.is_cuda and kind == 'cpu' else tensor\n"
)


def test_a_label_that_only_the_file_reads_moves_nothing() -> None:
    """As in ClassyVision and suncet: the word "gpu" is compared with, and no library receives it."""
    assert "cuda" not in ENGINE.fix(Source(LABEL)).text
    given = LABEL + "    Trainer(accelerator=kind)\n"
    assert "tensor.is_cuda else 'gpu'" in ENGINE.fix(Source(given)).text


def test_a_label_is_typed() -> None:
    type_in_each_line(LABEL, ("f(device=kind)", "kind = 'gpu'", "if kind == 'gpu':", "x.to(kind)"), 2)


SOLVER = """import torch
import moreau


class Solvers:
    def create(self, device):
        if device == "cuda" and not moreau.device_available("cuda"):
            raise ImportError("no CUDA")
        return moreau.Solver(torch.ones(1, device=device))

    def get(self, device):
        if device == "cuda":
            if self.solver is None:
                self.solver = self.create("cuda")
            return self.solver
        return self.create("cpu")

    def run(self, x):
        return self.get("cuda" if x.device.type == "cuda" else "cpu")
"""


def test_a_comparison_over_a_device_that_stays_keeps_its_value() -> None:
    """As in cvxpylayers, whose solver for CUDA stays: the value that leads to it must, too."""
    engine = engine_for("npu", Settings(locale="en"))
    assert {fix.applicability for one in engine.check(Source(SOLVER)).findings for fix in one.fixes} == {"review"}
    free = SOLVER.replace('self.create("cuda")', 'self.create("cpu")')
    assert "safe" in {fix.applicability for one in engine.check(Source(free)).findings for fix in one.fixes}


def test_a_comparison_over_a_device_that_stays_is_typed() -> None:
    typed = ('self.solver = self.create("cpu")', 'if device == "cpu":', "def get(self, kind):", "return 1")
    type_in_each_line(SOLVER, typed, 4)


ADDRESS = """import torch
import torch_npu


def run(config, port):
    if config.init_method is not None:
        if torch.cuda.device_count() > 1 and not config.no_spawn:
            torch.multiprocessing.spawn(fn=f, nprocs=torch.cuda.device_count())
    elif config.world_size > 1:
        assert config.world_size <= torch.cuda.device_count()
        config.init_method = f"{}localhost:{{port}}"
"""


@pytest.mark.parametrize("scheme", ["tcp://", "file://"])
def test_an_address_asks_for_no_device(scheme: str) -> None:
    """As in mmf, whose conditions on `init_method` are no questions for CUDA, although a rule speaks of `tcp://`."""
    text = ADDRESS.format(scheme)
    fixed = engine_for("npu", Settings(locale="en")).fix(Source(text)).text
    assert fixed == text.replace("torch.cuda", "torch.npu")
    type_in_each_line(text, ('config.init_method = "tcp://a"', 'if config.init_method == "cuda":', "x = 1"), 4)


KEPT_MODULE = """\
import torch


class Backend:
    def resolve(self):
        cuda = getattr(torch, "cuda", None)
        if cuda is not None and cuda.is_available():
            self.device = "cuda"
            return self.device
        self.device = "cpu"
        return self.device
"""


def test_a_module_that_getattr_gives_asks_like_one_that_is_imported() -> None:
    """As in abstractvision's huggingface_diffusers.py: the device moved behind a question that stayed."""
    assert ENGINE.fix(Source(KEPT_MODULE)).text == KEPT_MODULE
    type_in_each_line(KEPT_MODULE, ("cuda = torch.cuda", "if cuda.is_available(): x()", "cuda = None"), 3)
