"""Tests of the portable fix of each construct that only CUDA supports, and of the class of the fix."""

from __future__ import annotations

import ast

import pytest

from support.portable import classes, found, ported

HEAD = "import torch\nimport torch.distributed as dist\n"
IMPORTED = "from pkg.device import"
_TYPED = "f'{accelerator_type()}"

# code before the fix, code after the fix, class of the fix
ROWS = [
    ("torch.cuda.synchronize()", "device_module().synchronize()", "safe"),
    ("torch.cuda.set_device(0)", "device_module().set_device(0)", "safe"),
    ("n = torch.cuda.device_count()", "n = device_module().device_count()", "safe"),
    ("torch.cuda.empty_cache()", "device_module().empty_cache()", "safe"),
    ("torch.cuda.manual_seed_all(0)", "device_module().manual_seed_all(0)", "safe"),
    ("p = torch.cuda.max_memory_allocated(device=d)", "p = device_module().max_memory_allocated(device=d)", "safe"),
    ("t = torch.cuda.FloatTensor(3)", "t = device_module().FloatTensor(3)", "safe"),
    ("hook = torch.cuda.synchronize", "hook = device_module().synchronize", "safe"),
    ("ok = isinstance(s, torch.cuda.Stream)", "ok = isinstance(s, device_module().Stream)", "safe"),
    ("with torch.cuda.stream(s): pass", "with device_module().stream(s): pass", "safe"),
    ('x = torch.zeros(1, device="cuda")', "x = torch.zeros(1, device=accelerator_type())", "safe"),
    ('d = torch.device("cuda:0")', 'd = torch.device(f"{accelerator_type()}:0")', "safe"),
    ("d = torch.device('cuda:0')", "d = torch.device(f'{accelerator_type()}:0')", "safe"),
    ('d = torch.device(f"cuda:{i}")', 'd = torch.device(f"{accelerator_type()}:{i}")', "safe"),
    ('d = torch.device(rf"cuda:{i}")', 'd = torch.device(rf"{accelerator_type()}:{i}")', "safe"),
    ('d = torch.device("cuda:{}".format(i))', 'd = torch.device("{}:{}".format(accelerator_type(), i))', "safe"),
    ('d = torch.device("cuda:{n}".format(n=1))', 'd = torch.device("{}:{n}".format(accelerator_type(), n=1))', "safe"),
    ('d = torch.device("cuda:{}".format(*a))', 'd = torch.device("{}:{}".format(accelerator_type(), *a))', "safe"),
    (
        'd = torch.device("cuda:{}".format(\n    i,\n))',
        'd = torch.device("{}:{}".format(\n    accelerator_type(),\n    i,\n))',
        "safe",
    ),
    ('d = torch.device("cuda:" + str(i))', 'd = torch.device(accelerator_type() + ":" + str(i))', "safe"),
    ('d = torch.device("cuda:%d" % i)', 'd = torch.device(f"{accelerator_type()}:%d" % i)', "safe"),
    ('d = torch.device("cuda", i)', "d = torch.device(accelerator_type(), i)", "safe"),
    ('device = "cuda" if torch.cuda.is_available() else "cpu"', "device = device_type()", "safe"),
    ('device = "cpu" if not torch.cuda.is_available() else "cuda"', "device = device_type()", "safe"),
    (
        'device = "cuda:0" if torch.cuda.is_available() else "cpu"',
        'device = f"{accelerator_type()}:0" if device_module().is_available() else "cpu"',
        "safe",
    ),
    (
        'device = torch.device("cuda" if torch.cuda.is_available() else "mps")',
        'device = torch.device(accelerator_type() if device_module().is_available() else "mps")',
        "safe",
    ),
    ("y = x.cuda()", "y = x.to(accelerator_type())", "safe"),
    ("y = x.cuda(non_blocking=True)", "y = x.to(accelerator_type(), non_blocking=True)", "safe"),
    ("y = x.cuda(\n    non_blocking=True,\n)", "y = x.to(\n    accelerator_type(),\n    non_blocking=True,\n)", "safe"),
    ("y = x.cuda(\n    non_blocking=True\n)", "y = x.to(\n    accelerator_type(), non_blocking=True\n)", "safe"),
    ("y = (x\n    .cuda(non_blocking=True))", "y = (x\n    .to(accelerator_type(), non_blocking=True))", "safe"),
    ("y = x.cuda(0)", 'y = x.to(f"{accelerator_type()}:0")', "safe"),
    ("y = x.cuda(gpu, non_blocking=True)", "y = x.to(device(gpu), non_blocking=True)", "safe"),
    ("y = x.cuda(gpu, True)", "y = x.to(device(gpu), non_blocking=True)", "safe"),
    ("y = x.cuda(device=0)", 'y = x.to(device=f"{accelerator_type()}:0")', "safe"),
    ("if x.is_cuda: pass", "if x.device.type == accelerator_type(): pass", "safe"),
    ("a = not x.is_cuda", "a = x.device.type != accelerator_type()", "safe"),
    (
        "a = x.is_cuda == y.is_cuda",
        "a = (x.device.type == accelerator_type()) == (y.device.type == accelerator_type())",
        "safe",
    ),
    ("a = x.is_cuda & y.is_cpu", "a = (x.device.type == accelerator_type()) & y.is_cpu", "safe"),
    ("f(x.is_cuda)", "f(x.device.type == accelerator_type())", "safe"),
    ('if d.type == "cuda": pass', "if d.type == accelerator_type(): pass", "safe"),
    ('if "cuda" in str(x.device): pass', "if accelerator_type() in str(x.device): pass", "safe"),
    ('dist.init_process_group("nccl")', "dist.init_process_group(backend())", "safe"),
    ('if dist.get_backend() == "nccl": pass', "if dist.get_backend() == backend(): pass", "safe"),
    (
        'dist.init_process_group("cpu:gloo,cuda:nccl")',
        'dist.init_process_group(f"cpu:gloo,{accelerator_type()}:{backend()}")',
        "safe",
    ),
    ("ok = dist.is_nccl_available()", "ok = dist.is_backend_available(backend())", "safe"),
    ("with torch.cuda.amp.autocast(a): pass", "with device_module().amp.autocast(a): pass", "safe"),
    ("s = torch.cuda.amp.GradScaler(enabled=a)", "s = device_module().amp.GradScaler(enabled=a)", "safe"),
    (
        "s = torch.cuda.amp.GradScaler(1.0, 2.0, 0.5, 2000, a)",
        "s = device_module().amp.GradScaler(1.0, 2.0, 0.5, 2000, enabled=a)",
        "safe",
    ),
    ('w = torch.load(p, map_location="cuda")', "w = torch.load(p, map_location=accelerator_type())", "safe"),
    (
        "w = torch.load(p, map_location={'cuda:0': 'cuda:1'})",
        f"w = torch.load(p, map_location={{'cuda:0': {_TYPED}:1', {_TYPED}:0': {_TYPED}:1'}})",
        "safe",
    ),
    (
        "w = torch.load(p, map_location={'cuda:0': f'cuda:{r}'})",
        f"w = torch.load(p, map_location={{'cuda:0': {_TYPED}:{{r}}', {_TYPED}:0': {_TYPED}:{{r}}'}})",
        "safe",
    ),
    ('torch.load(p, map_location=f"cuda:{r}")', 'torch.load(p, map_location=f"{accelerator_type()}:{r}")', "safe"),
    (
        'l = torch.utils.data.DataLoader(d, pin_memory_device="cuda")',
        "l = torch.utils.data.DataLoader(d, pin_memory_device=accelerator_type())",
        "safe",
    ),
    ("s = torch.amp.GradScaler()", "s = torch.amp.GradScaler(accelerator_type())", "safe"),
    ("m = torch.cuda", "m = device_module()", "review"),
]  # fmt: skip

BY_HAND = [
    'from typing import Literal\n\ndef f(x, device: Literal["cuda", "cpu"] = "cuda"): return x.to(device)',
    'import typing as t\n\nclass C:\n    device: t.Literal["cuda", "cpu"] = "cuda"',
    "w = torch.load(p, map_location={'cuda:0': f'cuda:{last()}'})",
    "w = torch.load(p, map_location=lambda storage, location: storage.cuda(0))",
    "w = torch.load(p, map_location=lambda s, loc: s.cuda(0))",
    "s = x.untyped_storage().cuda()",
    'match d.type:\n    case "cuda":\n        pass',
    'from typing import Literal\n\ndef f(device: Literal["cuda"] = None): pass',
    "def f(s: torch.cuda.Stream): pass",
    "major, _ = torch.cuda.get_device_capability()\nok = major >= 8",
    "g = torch.cuda.CUDAGraph()",
    '@torch.library.custom_op("a::b", mutates_args=(), device_types="cuda")\ndef f(x): pass',
    'torch.library.register_kernel("a::b", "cuda", f)',
    "torch.cuda.nvtx.range_push('a')",
    "from torch.utils.cpp_extension import CUDAExtension\n\nCUDAExtension('a', ['a.cu'])",
    'd = torch.device("cuda:{0}".format(i))',
    'd = torch.device("cu" "da")\nd = torch.device("cuda" ":0")',
    "@torch.jit.script\ndef f(x: torch.Tensor):\n    if x.is_cuda:\n        return x.cuda()\n    return x",
]

SILENT = [
    "torch.backends.cudnn.benchmark = True",
    "torch.backends.cudnn.deterministic = True",
    "torch.backends.cuda.matmul.allow_tf32 = True",
    "torch.backends.cudnn.allow_tf32 = True",
    "import torch.cuda",
    "print('cuda')",
]


def body(text: str) -> str:
    """Return a text without its imports, and without the prefix `accelerator.`, which a name of the helper module gets
    if the text already uses the name."""
    lines = [line for line in text.splitlines() if not line.startswith(("import ", "from "))]
    return "\n".join(lines).replace("accelerator.", "")


@pytest.mark.parametrize("before, after, applicability", ROWS, ids=[row[0] for row in ROWS])
def test_row(before: str, after: str, applicability: str) -> None:
    text = f"{HEAD}\n{before}\n"
    assert set(classes(text)) == {applicability}
    fixed = ported(text, review=True)
    ast.parse(fixed)
    assert body(fixed).strip() == after
    assert f"{IMPORTED} " in fixed or "import pkg.device as accelerator" in fixed
    assert not found(fixed), "what was written is left alone"
    if applicability == "safe":
        assert ported(text) == fixed
    else:
        assert ported(text) == text


@pytest.mark.parametrize("code", BY_HAND)
def test_by_hand(code: str) -> None:
    text = f"{HEAD}\n{code}\n"
    assert "manual" in classes(text)
    assert ported(text, review=True) == text
    for locale in ("en", "zh"):
        assert all(finding.message for finding in found(text, locale=locale))


@pytest.mark.parametrize("code", SILENT)
def test_silent(code: str) -> None:
    assert not found(f"{HEAD}\n{code}\n")


def test_findings_speak_of_all() -> None:
    (finding,) = found("import torch\n\ntorch.cuda.synchronize()\n")
    assert finding.message == "CUDA only; `device_module()` runs on CUDA, Ascend NPU, Moore Threads MUSA"
    (finding,) = found("import torch\n\ntorch.cuda.synchronize()\n", locale="zh")
    assert "昇腾 NPU、摩尔线程 MUSA" in finding.message


def test_variables_of_visible_devices_need_review() -> None:
    text = 'import os\nimport torch\n\nos.environ["CUDA_VISIBLE_DEVICES"] = "-1" if cpu else device\n'
    assert classes(text) == ["review"]
    fixed = ported(text, review=True)
    assert 'os.environ[visible_devices()] = "-1" if cpu else device' in fixed


def test_options_change_together() -> None:
    text = (
        "import argparse\nimport torch\n\nparser = argparse.ArgumentParser()\n"
        'parser.add_argument("--device", default="cuda", choices=["cpu", "cuda"])\n'
        'args = parser.parse_args()\nif args.device == "cuda":\n    torch.cuda.synchronize()\n'
    )
    fixed = ported(text)
    assert '"--device", default=accelerator_type(), choices=["cpu", accelerator_type()]' in fixed
    assert "if args.device == accelerator_type():\n    device_module().synchronize()" in fixed
    assert not found(fixed)


def test_what_a_default_is_compared_with_stays_with_it() -> None:
    """A `case` cannot contain a call, so it stays unchanged, and so does the default of the option that the `case`
    compares."""
    text = (
        "import argparse\nimport torch\n\nparser = argparse.ArgumentParser()\n"
        'parser.add_argument("--device", default="cuda")\nargs = parser.parse_args()\n'
        'match args.device:\n    case "cuda":\n        pass\n'
    )
    assert ported(text, review=True) == text


def test_a_default_of_a_named_type_stays_with_its_words() -> None:
    text = (
        'from typing import Literal\nimport torch\n\nDevice = Literal["cuda", "cpu"]\n\n\n'
        'def f(x, *, device: Device = "cuda"):\n    return x.to(device)\n'
    )
    assert ported(text, review=True) == text


def test_a_generator_is_forked_for_the_device() -> None:
    text = f"{HEAD}\ntorch.cuda.synchronize()\nwith torch.random.fork_rng(): pass\n"
    assert "with torch.random.fork_rng(device_type=accelerator_type()): pass" in ported(text)
