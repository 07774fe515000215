"""Tests that a value passed to a CUDA library which does not run on the target is not fixed, and that the finding says
so."""

from __future__ import annotations

import pytest

from support.engines import engine_for
from uncuda.catalogue import load
from uncuda.settings import Settings
from uncuda.source import Source

CATALOGUE = load()
ENGINES = {target: engine_for(target, Settings(locale="en")) for target in ("npu", "musa")}
HEAD = "import torch\n"
SAID = "a library of CUDA is handed it"


def left(text: str, target: str) -> bool:
    """Return whether no fix changes the text, and each finding about torch.cuda says that its value is passed to a CUDA
    library."""
    engine = ENGINES[target]
    findings = [f for f in engine.check(Source(text)).findings if not f.rule.startswith("module-")]
    assert findings
    return engine.fix(Source(text), review=True).text == text and all(SAID in f.message for f in findings)


@pytest.mark.parametrize("target", ENGINES)
@pytest.mark.parametrize(
    "text",
    [
        "from cuda import cuda\ns = cuda.CUstream(torch.cuda.current_stream().cuda_stream)\n",
        "from cuda.bindings import driver\ns = driver.CUstream(int(torch.cuda.current_stream().cuda_stream))\n",
        "import cupy\nwith cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):\n    pass\n",
        "import cupy as cp\ncp.cuda.ExternalStream(ptr=torch.cuda.current_stream().cuda_stream).use()\n",
        "import numba.cuda\nnumba.cuda.external_stream(torch.cuda.current_stream().cuda_stream)\n",
        "from numba import cuda\ncuda.select_device(torch.cuda.current_device())\n",
        "import pynvml\nh = pynvml.nvmlDeviceGetHandleByIndex(torch.cuda.current_device())\n",
        "import cupy\nh = torch.cuda.current_stream().cuda_stream\ncupy.cuda.ExternalStream(h)\n",
        "import cupy\ns = torch.cuda.current_stream()\ncupy.cuda.ExternalStream(s.cuda_stream)\n",
        "import cupy\ndef f(x):\n    s = torch.cuda.current_stream()\n    cupy.launch(s, x)\n",
        "import cupy\ns = torch.cuda.Stream() if a else None\ncupy.cuda.run(s)\n",
        "import cuda.tile as ct\ndef f(x):\n    s = torch.cuda.Stream()\n    ct.launch(\n        s, (1, 1), x)\n",
        "import cupy\ns, t = torch.cuda.Stream(), 1\ncupy.cuda.ExternalStream(s.cuda_stream)\n",
        "import cupy\ndef f(s=torch.cuda.Stream()):\n    cupy.cuda.ExternalStream(s.cuda_stream)\n",
        "import cupy\ndef f(x, *, s=torch.cuda.Stream()):\n    if x:\n        cupy.launch(s)\n",
        "from cuda.tile.tune import search\ndef f(x):\n    s = torch.cuda.Stream()\n    return search(x, s)\n",
    ],
)
def test_it_stays(text: str, target: str) -> None:
    assert left(HEAD + text, target)


@pytest.mark.parametrize("target", ENGINES)
@pytest.mark.parametrize(
    "text",
    [
        "import cupy\ntorch.cuda.current_stream().synchronize()\n",
        "import cupy\nh = torch.cuda.current_stream().cuda_stream\nlibrary.launch(h)\n",
        "import mine\nmine.launch(torch.cuda.current_stream().cuda_stream)\n",
        "from numba import njit\nnjit(torch.cuda.current_device())\n",
        "import cupy\ndef f():\n    h = torch.cuda.current_device()\ndef g(h):\n    cupy.cuda.Device(h)\n",
        "import cupy\nx = cupy.asarray(f(torch.cuda.device_count()))\n",
        "import cupy\nt, s = torch.cuda.Stream(), f()\ncupy.launch(s)\n",
        "import cupy\ndef f(t, s, u=torch.cuda.Stream()):\n    cupy.launch(s)\ndef g(u):\n    cupy.launch(u)\n",
    ],
)
def test_what_no_such_library_is_handed_moves(text: str, target: str) -> None:
    fixed = ENGINES[target].fix(Source(HEAD + text)).text
    assert "torch.cuda" not in fixed
    assert f"torch.{target}." in fixed


@pytest.mark.parametrize("target", ENGINES)
@pytest.mark.parametrize(
    "text",
    [
        "import mine\ns = torch.cuda.current_stream()\nmine.launch(int(s.cuda_stream))\n",
        "class A:\n  def f(self): self.s = torch.cuda.Stream()\n  def g(a): m.launch(a.s.cuda_stream)\n",
        "def f(x):\n    if not x.is_cuda:\n        return x\n    return m.launch(x.stream.cuda_stream)\n",
    ],
)
def test_a_stream_and_the_handle_that_a_name_gives_need_review(text: str, target: str) -> None:
    text = f"import torch\nimport torch_{target}\n{text}"
    assert ENGINES[target].fix(Source(text)).text == text
    fixed = ENGINES[target].fix(Source(text), review=True).text
    assert f".{target}_stream" in fixed and "cuda" not in fixed


@pytest.mark.parametrize("target", ENGINES)
def test_streams_and_graphs_of_a_function_wait_for_the_one_that_is_handed_over(target: str) -> None:
    text = f"import torch\nimport torch_{target}\nfrom cuda.bindings import runtime\ndef f(g):\n"
    text += "    with torch.cuda.stream(torch.cuda.Stream()):\n"
    text += "        runtime.cudaStreamGetCaptureInfo(torch.cuda.current_stream().cuda_stream)\n"
    other = "def h():\n    return torch.cuda.Stream()\n"
    assert ENGINES[target].fix(Source(text + other)).text == text + other.replace("cuda", target)


def test_a_key_in_the_line_that_hands_it_over_is_seen() -> None:
    engine = engine_for("npu", Settings(locale="en"), remember=16)
    before = "import torch\nimport torch_npu\nimport cupy\nh = torch.cuda.current_stream().cuda_stream\ncupy.cuda.E\n"
    after = before.replace("cuda.E\n", "cuda.E(h)\n")
    assert any(finding.fixes for finding in engine.check(Source(before, "a.py")).findings)
    assert engine.check(Source(after, "a.py")) == ENGINES["npu"].check(Source(after, "a.py"))
    assert engine.check(Source(before, "a.py")) == ENGINES["npu"].check(Source(before, "a.py"))


@pytest.mark.parametrize("target", ENGINES)
@pytest.mark.parametrize(
    "call",
    ["launch(x, stream)", "err = launch(x, stream=stream)", "for x in y:\n        launch(x, stream=stream)"],
)
def test_a_stream_waits_for_the_function_that_takes_its_handle(call: str, target: str) -> None:
    text = (
        "import ctypes\ndef launch(x, stream=None):\n    if stream is None:\n"
        "        stream = torch.cuda.current_stream()\n    LIBRARY.run(ctypes.c_void_p(int(stream.cuda_stream)))\n"
        f"def f(x, y):\n    stream = torch.cuda.current_stream()\n    {call}\n"
    )
    assert "stream = torch.cuda.current_stream()" in ENGINES[target].fix(Source(HEAD + text)).text.split("def f")[1]
