"""Code that already has a branch for the target has no finding. A branch that contains names of the target only because
a fix wrote them does not count: code that is still to be ported is reported."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

ENGINES = {target: engine_for(target, Settings(locale="en")) for target in ("npu", "musa")}
HEAD = "import torch\nimport torch_{d}\n\n"
# Each text of `SERVED` has a branch for CUDA and a branch for the target; {d} stands for the target's device string,
# {c} for the target's backend.
SERVED = {
    "elif": "if device.type == '{d}':\n    torch.{d}.synchronize()\nelif device.type == 'cuda':\n"
    "    torch.cuda.synchronize()\n",
    "if before elif": "if x.is_cuda:\n    torch.cuda.synchronize()\nelif x.is_{d}:\n    torch.{d}.synchronize()\n",
    "elif, if there is such a module": "if torch.cuda.is_available():\n    device = 'cuda:0'\n"
    "elif hasattr(torch, '{d}') and torch.{d}.is_available():\n    device = '{d}:0'\n",
    "else": "if is_{d}_available():\n    torch.{d}.empty_cache()\nelse:\n    torch.cuda.empty_cache()\n",
    "else, literally": "if x.device.type == '{d}':\n    y()\nelse:\n    torch.cuda.empty_cache()\n",
    "body of else": "if torch.cuda.is_available():\n    device = 'cuda'\nelse:\n    device = '{d}'\n",
    "only when not": "if not is_{d}():\n    torch.cuda.synchronize()\n",
    "only when unequal": "if x.device.type != '{d}':\n    torch.cuda.synchronize()\n",
    "nested": "if args.{d}:\n    y()\nelse:\n    for x in xs:\n        with z:\n            x.cuda()\n",
    "inside a function": "if use_{d}:\n    y = 1\nelse:\n    def move(x):\n        return x.cuda()\n",
    "arms": "device = '{d}' if use_{d}() else 'cuda'\n",
    "arms by test": "scaler = make('{d}') if use_{d} else torch.cuda.amp.GradScaler()\n",
    "or": "ok = x.device.type == 'cuda' or x.device.type == '{d}'\n",
    "and not": "ok = not is_{d}() and x.device.type == 'cuda'\n",
    "tuple": "if x.device.type in ('cuda', '{d}', 'xpu'):\n    y()\n",
    "starts with one of": "ok = str(device).startswith(('cuda', '{d}'))\n",
    "dictionary": "backends = {{'cuda': 'nccl', '{d}': '{c}', 'cpu': 'gloo'}}\n",
    "functions by device": "sync = {{'cuda': torch.cuda.synchronize, '{d}': torch.{d}.synchronize}}\n",
    "match": "match device.type:\n    case 'cuda':\n        torch.cuda.synchronize()\n    case '{d}':\n"
    "        torch.{d}.synchronize()\n",
    "case of both": "match device.type:\n    case 'cuda' | '{d}':\n        y()\n",
    "except": "try:\n    torch.{d}.synchronize()\nexcept AttributeError:\n    torch.cuda.synchronize()\n",
    "try": "try:\n    x = x.cuda()\nexcept RuntimeError:\n    x = x.{d}()\n",
    "early return": "def f(x):\n    if is_{d}_available():\n        return x.{d}()\n    return x.cuda()\n",
    "early return on one line": "def f(x):\n    if is_{d}_available(): return x.{d}()\n    return x.cuda()\n",
    "late return": "def f(x):\n    if torch.cuda.is_available():\n        return x.cuda()\n"
    "    if is_{d}_available():\n        return x.{d}()\n    return x\n",
    "early continue": "for x in xs:\n    if x.device.type == '{d}':\n        torch.{d}.synchronize()\n"
    "        continue\n    torch.cuda.synchronize()\n",
    "early quit": "def f(x):\n    if is_{d}_available():\n        x.{d}()\n        quit()\n    return x.cuda()\n",
    "early skip": "def test():\n    if is_{d}_available():\n        pytest.skip('{d} has its own')\n    x.cuda()\n",
    "members": "class Device(Enum):\n    CPU = 'cpu'\n    CUDA = 'cuda'\n    OTHER = '{d}'\n",
    "twin functions": "def is_cuda_available():\n    return torch.cuda.is_available()\n\n\n"
    "def is_{d}_available():\n    return torch.{d}.is_available()\n",
    "twin attributes": "self.is_cuda = device.type == 'cuda' and torch.cuda.is_available()\n"
    "self.is_{d} = device.type == '{d}' and torch.{d}.is_available()\n",
    "twin constants": "nccl_backend = 'nccl'\n{c}_backend = '{c}'\n",
    "twin conditions": "if kind == 'cuda':\n    torch.cuda.synchronize()\nif kind == '{d}':\n"
    "    torch.{d}.synchronize()\n",
    "tried before": "if kind is None:\n    kind = '{d}'\nif kind is None:\n    if torch.cuda.device_count():\n"
    "        kind = 'cuda'\n",
    "another name": "def f(kind):\n    if kind not in ('cpu', 'gpu', '{d}'):\n        raise OSError\n"
    "    if kind == 'gpu':\n        kind = 'cuda'\n    return torch.device(kind)\n",
    "backend": "if backend == '{c}':\n    y()\nelif backend == 'nccl':\n    z()\n",
}
# No branch in these texts is for the target, so the last line is reported.
REPORTED = {
    "the target's own branch": "if x.device.type == '{d}':\n    torch.cuda.synchronize()\n",
    "after a guard that leaves without the target": "def f():\n    if not torch.{d}.is_available():\n"
    "        raise OSError\n    torch.cuda.synchronize()\n",
    "else of not": "if x.device.type != '{d}':\n    y()\nelse:\n    torch.cuda.synchronize()\n",
    "an unrelated condition": "if fast:\n    torch.{d}.synchronize()\nelse:\n    torch.cuda.synchronize()\n",
    "a branch that does not leave": "if is_{d}():\n    torch.{d}.synchronize()\ntorch.cuda.synchronize()\n",
    "a branch that leaves sometimes": "def f():\n    if is_{d}():\n        if y:\n            return\n"
    "    torch.cuda.synchronize()\n",
    "another function": "def f():\n    if is_{d}():\n        return\n\n\ndef g():\n    torch.cuda.synchronize()\n",
    "and": "ok = torch.{d}.is_available() and torch.cuda.device_count()\n",
    "another argument": "f(torch.{d}.current_device(), torch.cuda.current_device())\n",
    "only said": "if torch.cuda.is_available():\n    pass\nelse:\n    raise OSError('no CUDA and no {d}')\n"
    "torch.cuda.synchronize()\n",
    "a comment": "if y:  # {d}\n    pass\nelse:\n    torch.cuda.synchronize()\n",
    "an early return for others": "def f(x):\n    if device != '{d}':\n        return x\n    return x.cuda()\n",
    "another entry": "settings = {{'device': '{d}', 'sync': torch.cuda.synchronize}}\n",
    "another field": "class A:\n    kind: str = '{d}'\n\n    def f(self):\n        torch.cuda.synchronize()\n",
    "finally": "try:\n    torch.{d}.synchronize()\nfinally:\n    torch.cuda.synchronize()\n",
    "the subject of a match": "match torch.cuda.device_count():\n    case 1:\n        y = '{d}'\n",
    "no twin": "def is_cuda_available():\n    return torch.cuda.is_available()\n\n\nis_{d}_available = False\n",
    "the block of a clause for CUDA": "if torch.cuda.is_available():\n    torch.{d}.init()\nelse:\n"
    "    torch.cuda.synchronize()\n",
    "the block of what is not ruled out": "if not x.is_cuda:\n    torch.cuda.synchronize()\nelse:\n"
    "    torch.{d}.init()\n",
    "the target's own code in another's branch": "if is_{d}():\n    y()\nelse:\n    if x.device.type == '{d}':\n"
    "        torch.cuda.synchronize()\n",
    "the target's own case": "match device.type:\n    case '{d}':\n        torch.cuda.synchronize()\n"
    "    case '{d}:0':\n        y()\n",
    "a guard without CUDA, then a question": "def f():\n    if not torch.cuda.is_available():\n        raise OSError\n"
    "    if torch.{d}.is_available():\n        return\n",
    "the same asked elsewhere": "if kind == '{d}':\n    y()\nx = 1\nif kind == 'cuda':\n    torch.cuda.synchronize()\n",
    "something else was set": "if kind is None:\n    other = '{d}'\nif kind is None:\n    torch.cuda.synchronize()\n",
    "part of another word": "if input_{d}t:\n    pass\nelse:\n    torch.cuda.synchronize()\n",
}


def _text(template: str, target: str) -> str:
    words = ENGINES[target].target.words
    return (HEAD + template).format(d=words["device"], c=words["ccl"])


@pytest.mark.parametrize("target", ENGINES)
@pytest.mark.parametrize("name", SERVED)
def test_a_branch_whose_sibling_serves_the_target_is_silent(name: str, target: str) -> None:
    text = _text(SERVED[name], target)
    assert [f.message for f in ENGINES[target].check(Source(text)).findings] == []


@pytest.mark.parametrize("target", ENGINES)
@pytest.mark.parametrize("name", REPORTED)
def test_everything_else_is_reported(name: str, target: str) -> None:
    text = _text(REPORTED[name], target)
    source = Source(text)
    lines = {source.position(f.span.start)[0] for f in ENGINES[target].check(source).findings}
    wanted = [n for n, line in enumerate(text.split("\n"), 1) if "torch.cuda." in line or ".cuda()" in line]
    assert wanted[-1] in lines


# Each text of `LEFT` contains code that a fix ports, and code without a fix. In the fixed text, a branch names the
# target only because the fix wrote the name there, so code in the other branches for which the target has no
# counterpart is still reported.
LEFT = {
    "else": "if a:\n    torch.cuda.synchronize()\nelse:\n    torch.cuda.clock_rate()\n",
    "else of a device": "if torch.cuda.is_available():\n    y()\nelse:\n    torch.cuda.clock_rate()\n",
    "else of a comparison": "if x.device.type == 'cuda':\n    y()\nelse:\n    torch.cuda.clock_rate()\n",
    "after a guard": "def f():\n    if not torch.cuda.is_available():\n        return\n    torch.cuda.clock_rate()\n",
    "after a question": "def f(x):\n    if torch.cuda.is_available() and y:\n        raise OSError\n"
    "    torch.cuda.clock_rate()\n",
    "after an early return": "def f(x):\n    if x.is_cuda:\n        return x.cuda()\n    torch.cuda.clock_rate()\n",
    "except": "try:\n    torch.cuda.synchronize()\nexcept RuntimeError:\n    torch.cuda.clock_rate()\n",
    "arms": "v = torch.cuda.device_count() if torch.cuda.is_available() else torch.cuda.clock_rate()\n",
    "list": "v = [torch.cuda.device_count(), torch.cuda.clock_rate()]\n",
    "match": "match torch.cuda.device_count():\n    case 1:\n        torch.cuda.synchronize()\n    case _:\n"
    "        torch.cuda.clock_rate()\n",
}


@pytest.mark.parametrize("review", [False, True])
@pytest.mark.parametrize("target", ENGINES)
@pytest.mark.parametrize("name", LEFT)
def test_a_fix_silences_nothing(name: str, target: str, review: bool) -> None:
    engine = ENGINES[target]
    fixed = engine.fix(Source("import torch\n\n" + LEFT[name]), review)
    assert fixed.refused is None
    assert "torch.cuda.synchronize" not in fixed.text
    left = [f for f in fixed.report.findings if not f.fixes]
    assert left
    again = engine.check(Source(fixed.text)).findings
    assert any("torch.cuda.clock_rate" in finding.message for finding in again)


@pytest.mark.parametrize("target", ENGINES)
def test_what_a_condition_gives_does_not_serve_it(target: str) -> None:
    """If a fix has changed only the string `"cuda"`, `torch.cuda.is_available()` beside it is still reported."""
    text = f'import torch\n\ndevice = "{target}" if torch.cuda.is_available() else "cpu"\n'
    assert [f.rule for f in ENGINES[target].check(Source(text)).findings] == ["cuda-api"]


@pytest.mark.parametrize("target", ENGINES)
def test_a_clause_for_the_target_stays_one_when_nothing_else_is_left_to_fix(target: str) -> None:
    """No fix can have written the target's name into the `elif`: before the fix, `if` and `elif` would have had the
    same condition. So a person wrote this clause for the target, and it needs no fix."""
    text = _text("if a.kind() == 'cuda':\n    y(torch.version.cuda)\nelif a.kind() == '{d}':\n    z()\n", target)
    assert ENGINES[target].check(Source(text)).findings == ()


def test_another_name_for_cuda_is_translated_where_nothing_lists_the_target() -> None:
    text = "import torch\n\ndef f(kind):\n    if kind == 'gpu':\n        kind = 'cuda'\n    return torch.device(kind)\n"
    assert "kind = 'npu'" in ENGINES["npu"].fix(Source(text)).text


BY_VENDOR = """import os
import torch


def start(kind, args):
    kind = os.getenv("KIND", kind)
    if kind == "":
        kind = "cuda"
    elif kind not in ["cuda", "{0}", "maca"]:
        raise ValueError(kind)
    torch.zeros(1, device=kind)


def backend(device: str):
    if device.lower() in ["{0}", "maca"]:
        return "eager"
    elif device.lower() in ["cuda"]:
        return "fused"
"""


@pytest.mark.parametrize(("target", "vendor"), [("npu", "ascend"), ("musa", "mthreads")])
def test_a_device_that_a_program_names_by_its_vendor(target: str, vendor: str) -> None:
    """As in MinerU, which starts lmdeploy with `--device cuda` or `--device ascend`: a person has ported this code."""
    engine = engine_for(target, Settings(locale="en"))
    text = BY_VENDOR.format(vendor)
    assert engine.fix(Source(text)).text == text
    other = BY_VENDOR.format("cambricon")
    assert f'kind = "{target}"' in engine.fix(Source(other)).text


def test_a_device_that_a_program_names_by_its_vendor_is_typed() -> None:
    typed = ('    if device.lower() == "maca":', '        kind = "ascend"', "x = 1", "def backend(kind):")
    type_in_each_line(BY_VENDOR.format("ascend"), typed, 1)
