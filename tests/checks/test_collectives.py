"""A float64 tensor passed to a collective is reported: the call raises if the target's library does not support
float64."""

from __future__ import annotations

import time

import pytest

from support.engines import engine_for
from uncuda.catalogue import load
from uncuda.settings import Settings
from uncuda.source import Source

CATALOGUE = load()
HEAD = "import torch\nimport torch.distributed as dist\n\n"
MADE = 't = torch.tensor([1, n], dtype=torch.float64, device="cuda")\n'
PLACED = "t = torch.zeros(1, dtype=torch.float64, device=device)\n"
RULES = ("float64", "float64-method")


def severities(text: str, target: str = "npu", **settings: object) -> list[tuple[str, str]]:
    engine = engine_for(target, Settings(locale="en", **settings))  # type: ignore[arg-type]
    found = engine.check(Source(HEAD + text)).findings
    return [(each.severity, each.message) for each in found if each.rule in RULES]


REDUCED = {
    "through a name": f"{MADE}dist.barrier()\ndist.all_reduce(t)",
    "by keyword": f"{MADE}dist.all_reduce(tensor=t)",
    "at the call": 'dist.all_reduce(torch.zeros(1, dtype=torch.double, device="cuda"))',
    "cast": "t = x.cuda().to(torch.float64)\ndist.reduce(t, 0)",
    "by the method": "t = x.cuda().double()\ndist.all_reduce(t)",
    "through an attribute": f"self.{MADE}dist.all_reduce(self.t)",
    "after a computation": f"{MADE}s = (t / n).contiguous()\ndist.all_reduce(s)",
    "in a function": f"def reduced(x):\n    y = x.clone()\n    dist.all_reduce(y)\n    return y\n\n\n{MADE}reduced(t)",
    "imported by name": f"from torch.distributed import all_reduce\n{MADE}all_reduce(t)",
    "in parts": f"{MADE}dist.reduce_scatter(out, [t, t])",
    "moved": "t = torch.zeros(2, dtype=torch.float64).to('cuda:0', non_blocking=True)\ndist.all_reduce(t)",
    "of the whole group": f"{MADE}dist.all_reduce(t, dist.ReduceOp.SUM, None)",
    "of the world": f"{MADE}dist.all_reduce(t, group=dist.group.WORLD)",
    "bound anew": f"{MADE}t = t / 2\ndist.all_reduce(t)\nt = t.float()",
    "on a device that has a name": f"device = torch.device('cuda', n)\n{PLACED}dist.all_reduce(t)",
    "on a device that is chosen": (
        "where = 'cuda' if torch.cuda.is_available() else 'cpu'\n"
        f"device = torch.device(where)\n{PLACED}dist.all_reduce(t)"
    ),
    "on the device of an attribute": (
        "class A:\n    def __init__(self):\n        self.device = torch.device('cuda')\n\n    def log(self):\n"
        "        t = torch.zeros(1, dtype=torch.float64, device=self.device)\n        dist.all_reduce(t)\n"
    ),
    "on an accelerator's device": (
        "class A:\n    def log(self):\n"
        "        device = self.accelerator.device if hasattr(self, 'accelerator') else torch.device('cpu')\n"
        "        t = torch.tensor([self.a], dtype=torch.float64, device=device)\n"
        "        if dist.is_initialized():\n            dist.all_reduce(t)\n"
    ),
    "beside a word in which a part of `dtype` stands": (
        f"{MADE}if kind != DistributedType.NO and dist.is_initialized():\n    dist.all_reduce(t)"
    ),
    "moved to a device that has a name": (
        "device = torch.device('cuda')\nt = torch.zeros(2, dtype=torch.float64).to(device)\ndist.all_reduce(t)"
    ),
}


@pytest.mark.parametrize("name", REDUCED)
def test_float64_that_is_reduced_is_an_error(name: str) -> None:
    ((severity, message),) = severities(REDUCED[name])
    assert severity == "error"
    assert "collectives that reduce raise for all but int8" in message


def test_hardware_that_reduces_float64_has_no_error() -> None:
    text = f"{MADE}dist.all_reduce(t)"
    assert [severity for severity, _ in severities(text, hardware="Ascend950")] == ["information"]
    assert not severities(text, "musa")


@pytest.mark.parametrize(
    "text",
    [
        f"{MADE}dist.broadcast(t, 0)",  # this collective supports all dtypes
        f"{MADE}dist.all_gather(parts, t)",
        f"{MADE}t = t.float()\nprint(t)",
        f"{MADE}\n\ndef f(t):\n    dist.all_reduce(t)",
        "t = torch.zeros(1, dtype=torch.float64, device=where)\ndist.all_reduce(t)\nx.cuda()",
        f"{MADE}f(torch.float64)\nall_reduce(t)",
    ],
)
def test_what_is_not_reduced_is_information(text: str) -> None:
    assert {severity for severity, _ in severities(text)} == {"information"}


NOT_SHOWN = {
    "cast": f"{MADE}s = t.to(torch.float32)\ndist.all_reduce(s)",
    "cast by keyword": f"{MADE}s = t.to(dtype=torch.float32)\ndist.all_reduce(s)",
    "cast and moved": f"{MADE}dist.all_reduce(t.to('cuda', torch.float32))",
    "cast to that of another": f"{MADE}dist.all_reduce(t.to(x.dtype))",
    "to what may be a type": f"{MADE}dist.all_reduce(t.to(x))",
    "float": f"{MADE}s = t.float()\ndist.all_reduce(s)",
    "half": f"{MADE}dist.all_reduce(t.half())",
    "cast twice": "t = x.cuda().to(torch.float64).to(torch.float32)\ndist.all_reduce(t)",
    "another type on the way": f"{MADE}dist.all_reduce(t.sum(0, dtype=torch.float32))",
    "viewed as another type": f"{MADE}dist.all_reduce(t.view(torch.int64))",
    "bound anew": f"{MADE}t = t.float()\ndist.all_reduce(t)",
    "bound to another": f"{MADE}print(t)\nt = torch.zeros(1, device='cuda')\ndist.all_reduce(t)",
    "bound anew perhaps": f"{MADE}if x:\n    t = t.float()\ndist.all_reduce(t)",
    "bound by a loop": f"{MADE}for t in ts:\n    dist.all_reduce(t)",
    "bound by with": f"{MADE}with f() as t:\n    dist.all_reduce(t)",
    "an attribute bound anew": f"self.{MADE}self.t = self.t.float()\ndist.all_reduce(self.t)",
    "below": f"t = torch.zeros(1, device='cuda')\ndist.all_reduce(t)\n{MADE}",
    "in another arm": "t = x.cuda()\nif y:\n    t = x.cuda().double()\nelse:\n    dist.all_reduce(t)",
    "in a block that leaves": (
        "def f(t):\n    if y:\n        t = x.cuda().double()\n        return t\n    dist.all_reduce(t)"
    ),
    "cast where it is taken": f"def f(x):\n    x = x.float()\n    dist.all_reduce(x)\n\n\n{MADE}f(t)",
    "on the host": f"{MADE}s = t.cpu()\ndist.all_reduce(s)",
    "moved to the host": f"{MADE}dist.all_reduce(t.to('cpu'))",
    "made somewhere": "t = torch.zeros(1, dtype=torch.float64, device=device)\ndist.all_reduce(t)",
    "on a device that is given": (
        f"device = torch.device('cuda')\ndef f(device):\n    {PLACED}    dist.all_reduce(t)\n"
    ),
    "on another device in one place": (
        f"device = torch.device('cuda')\nif x:\n    device = torch.device('cpu')\n{PLACED}dist.all_reduce(t)"
    ),
    "on a device of something else": (
        "t = torch.zeros(1, dtype=torch.float64, device=self.model.device)\ndist.all_reduce(t)"
    ),
    "on one of several devices": (
        f"device = torch.device('cuda')\nfor device in devices:\n    {PLACED}    dist.all_reduce(t)\n"
    ),
    "another's group": f"{MADE}dist.all_reduce(t, group=group)",
    "another's group by position": f"{MADE}dist.all_reduce(t, dist.ReduceOp.SUM, group)",
    "another's group in reduce": f"{MADE}dist.reduce(t, 0, dist.ReduceOp.SUM, group)",
    "what is handed on": f"{MADE}dist.all_reduce(t, **options)",
    "another library": f"dist.init_process_group('gloo')\n{MADE}dist.all_reduce(t)",
    "asked for": f"{MADE}if dist.get_backend() == name:\n    dist.all_reduce(t)",
    "tried": f"{MADE}try:\n    dist.all_reduce(t)\nexcept RuntimeError:\n    pass",
    "a choice": f"{MADE}s = u if x else t\ndist.all_reduce(s)",
    "its data bound anew": f"{MADE}t.data = t.data.float()\ndist.all_reduce(t)",
    "another's name in a list": f"{MADE}[dist.all_reduce(t) for t in ts]",
    "a parameter of that name": f"{MADE}f = lambda t: dist.all_reduce(t)",
    "another parameter": f"{MADE}dist.all_reduce(y, t)",
    "another item": f"{MADE}ts = [u, t]\ndist.all_reduce(ts[0])",
    "a number and an array": "t = torch.tensor(2.0, dtype=torch.float64, device='cuda')\ndist.all_reduce(x * t)",
}


@pytest.mark.parametrize("name", NOT_SHOWN)
def test_what_is_not_shown_is_no_error(name: str) -> None:
    assert {severity for severity, _ in severities(NOT_SHOWN[name])} == {"information"}


def test_names_that_lead_to_many_names_take_no_longer() -> None:
    rows = "".join(f"a{n} = a{n - 1} + 1\nb{n} = a{n - 1} + 2\nc{n} = b{n - 1} + a{n - 1}\n" for n in range(1, 60))
    text = f"a0 = torch.tensor([1], dtype=torch.float64, device='cuda')\nb0 = a0 + 0\n{rows}dist.all_reduce(x)\n"
    start = time.process_time()
    assert {severity for severity, _ in severities(text)} == {"information"}
    assert time.process_time() - start < 2


def test_what_the_host_reduces_is_silent() -> None:
    assert severities('t = torch.zeros(1, dtype=torch.float64, device="cpu")\ndist.all_reduce(t)\nx.cuda()') == []


def test_a_long_chain_of_conditions_takes_no_longer() -> None:
    rows = "".join(f"elif a{n}:\n    t{n}.double()\n" for n in range(1500))
    start = time.process_time()
    assert {severity for severity, _ in severities(f"if a:\n    pass\n{rows}")} == {"information"}
    assert time.process_time() - start < 1
