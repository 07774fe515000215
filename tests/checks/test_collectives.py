"""float64 that a collective is given: it raises where the target's library does not take it."""

from __future__ import annotations

import pytest

from uncuda.catalogue import load
from uncuda.engine import Engine
from uncuda.settings import Settings
from uncuda.source import Source

CATALOGUE = load()
HEAD = "import torch\nimport torch.distributed as dist\n\n"
MADE = 't = torch.tensor([1, n], dtype=torch.float64, device="cuda")\n'
RULES = ("float64", "float64-method")


def severities(text: str, target: str = "npu", **settings: object) -> list[tuple[str, str]]:
    engine = Engine(CATALOGUE, target, Settings(locale="en", **settings))  # type: ignore[arg-type]
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
        f"{MADE}dist.broadcast(t, 0)",  # all types are taken
        f"{MADE}dist.all_gather(parts, t)",
        f"{MADE}t = t.float()\nprint(t)",
        f"{MADE}\n\ndef f(t):\n    dist.all_reduce(t)",
        't = torch.zeros(1, dtype=torch.float64, device="cpu")\ndist.all_reduce(t)\nx.cuda()',
        f"{MADE}f(torch.float64)\nall_reduce(t)",
    ],
)
def test_what_is_not_reduced_is_information(text: str) -> None:
    assert {severity for severity, _ in severities(text)} == {"information"}
