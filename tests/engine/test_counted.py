"""Tests that a number of devices for Lightning or Ray, which count CUDA's devices only, needs review."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))
HEAD = "import torch\nimport torch_npu\n"
LIGHTNING = HEAD + "import lightning as L\n"
RAY = HEAD + "import ray\n"
HELD = {
    "a key": LIGHTNING + "c = {'params': {'gpus': 1 if torch.cuda.is_available() else 0}}\n",
    "a backend of an old Lightning": LIGHTNING
    + "t = L.Trainer(gpus=1, distributed_backend='ddp' if torch.cuda.is_available() else None)\n",
    "a key of settings for Lightning": HEAD
    + "c = {'type': 'lightning', 'params': {'gpus': 1 if torch.cuda.is_available() else 0}}\n",
    "a keyword": RAY + "t = Trainer(gpus=torch.cuda.device_count())\n",
    "a keyword of Lightning": LIGHTNING + "t = L.Trainer(devices=torch.cuda.device_count() or 1)\n",
    "a choice for Lightning": LIGHTNING + "t = L.Fabric(devices=2 if torch.cuda.is_available() else 1)\n",
    "a dtype": LIGHTNING + "t = L.Fabric(precision='16-mixed' if torch.cuda.is_available() else '32-true')\n",
    "a variable with a dtype": LIGHTNING
    + "precision = 'bf16-true' if torch.cuda.is_available() and torch.cuda.is_bf16_supported() else '32-true'\n"
    + "t = L.Fabric(precision=precision)\n",
    "a flag of grad-cam": HEAD
    + "from pytorch_grad_cam import GradCAM\nargs.use_cuda = args.use_cuda and torch.cuda.is_available()\n"
    + "c = METHODS[args.method](model=model, use_cuda=args.use_cuda)\n",
    "a strategy": LIGHTNING + "t = L.Trainer(strategy='ddp' if torch.cuda.device_count() > 1 else 'auto')\n",
    "the result of a function": LIGHTNING + "def parse_devices(it):\n    return torch.cuda.device_count() or 1\n",
    "a number of devices": LIGHTNING + "num_devices = torch.cuda.device_count()\nsize = size // num_devices\n",
    "a constant": LIGHTNING + "GPUS = torch.cuda.device_count()\nt = L.Trainer(gpus=min(GPUS, 1))\n",
    "a variable": "from pytorch_lightning import Trainer\n" + HEAD + "devices = max(1, torch.cuda.device_count())\n",
    "a keyword of Ray": RAY + "ray.init(num_cpus=4, num_gpus=torch.cuda.device_count())\n",
    "a flag of Ray": HEAD + "from ray.train import ScalingConfig as S\ns = S(use_gpu=torch.cuda.is_available())\n",
    "a variable of Ray behind a condition": RAY
    + "num_gpus = 0\nif torch.cuda.is_available():\n    num_gpus = torch.cuda.device_count()\n",
    "a key of Ray": RAY + "c = {'trainer': {'use_gpu': torch.cuda.device_count() > 0}}\n",
    "a variable of Ray that pytest imports": HEAD
    + "ray = pytest.importorskip('ray')\nnum_gpus = torch.cuda.device_count()\n",
    "a variable of Ray": RAY + "use_gpu = torch.cuda.is_available()\n",
}
FREE = {
    "another key": HEAD + "c = {'workers': 1 if torch.cuda.is_available() else 0}\n",
    "a keyword of another library": HEAD + "wandb.log(gpus=torch.cuda.device_count())\n",
    "a key of other settings": HEAD + "c = {'type': 'x', 'params': {'gpus': 1 if torch.cuda.is_available() else 0}}\n",
    "another library": HEAD + "f(devices=torch.cuda.device_count())\n",
    "another function": HEAD + "def parse_devices(it):\n    return torch.cuda.device_count() or 1\n",
    "a condition": LIGHTNING + "if torch.cuda.is_available():\n    train(model)\n",
    "another keyword": LIGHTNING + "f(nprocs=torch.cuda.device_count())\n",
    "a flag of the file itself": HEAD + "use_cuda = torch.cuda.is_available()\nc = GradCAM(use_cuda=use_cuda)\n",
    "another variable of the same name": LIGHTNING + "strategy = 'greedy' if torch.cuda.is_available() else 'beam'\n",
    "a function of a similar name": LIGHTNING
    + "def fast_precision(x):\n    return f(x) if torch.cuda.is_available() else x\n",
    "the precision of a number": LIGHTNING + "y = np.round(x, precision=3 if torch.cuda.is_available() else 4)\n",
    "a dtype of another library": HEAD + "t = Trainer(precision='amp' if torch.cuda.is_available() else 'fp32')\n",
    "a variable of the module": HEAD + "gpus = torch.cuda.device_count()\n",
    "a flag of another library": HEAD + "import raytracer\nr = Reader(use_gpu=torch.cuda.is_available())\n",
    "a number for another library": HEAD + "f(num_gpus=torch.cuda.device_count())\n",
    "another flag beside Ray": RAY + "f(pin_memory=torch.cuda.is_available())\n",
    "another variable beside Ray": RAY + "workers = torch.cuda.device_count()\n",
    "another variable behind a condition": RAY
    + "if torch.cuda.is_available():\n    workers = torch.cuda.device_count()\n",
    "devices that are used": LIGHTNING + "devices = [x.cuda() for x in many]\n",
}


def classes_of(code: str) -> set[str]:
    return {one.fixes[0].applicability if one.fixes else "manual" for one in ENGINE.check(Source(code)).findings}


@pytest.mark.parametrize("code", HELD.values(), ids=HELD)
def test_it_needs_review(code: str) -> None:
    assert classes_of(code) == {"review"}


def test_a_number_says_why_it_needs_review() -> None:
    (finding,) = ENGINE.check(Source(HELD["a keyword of Lightning"])).findings
    assert "the library that gets this value knows CUDA's devices only" in finding.message


@pytest.mark.parametrize("code", FREE.values(), ids=FREE)
def test_other_numbers_are_safe(code: str) -> None:
    assert classes_of(code) == {"safe"}


@pytest.mark.parametrize("lines", ["import lightning, ray", "from ray import train", "use_gpu = 1", "f(num_gpus=1)"])
def test_typing_about_ray_says_what_a_fresh_look_says(lines: str) -> None:
    text = HELD["a variable of Ray"] + "ray.init(num_gpus=torch.cuda.device_count())\n"
    typing = engine_for("npu", Settings(locale="en"), remember=2)
    typing.check(Source(text, "a.py"))
    for line in text.splitlines(keepends=True)[2:]:
        for kept in (line, ""):
            for now in (text.replace(line, f"{lines}\n{kept}", 1), text):
                assert typing.check(Source(now, "a.py")).findings == ENGINE.check(Source(now)).findings, now


@pytest.mark.parametrize("at", range(len("import ray")))
def test_an_import_of_ray_that_is_mistyped(at: int) -> None:
    text = HELD["a variable of Ray behind a condition"]
    first = text.index("import ray") + at
    wrong = text[:first] + text[first + 1 :]
    typing = engine_for("npu", Settings(locale="en"), remember=2)
    for now in (text, wrong, text):
        assert typing.check(Source(now, "a.py")).findings == ENGINE.check(Source(now)).findings, now


def test_typing_says_what_a_fresh_look_says() -> None:
    """An import of Lightning, and the name that takes the number, may be typed in any line."""
    typed = (
        "import lightning",
        "import pytorch_lightning",
        "def gpus(): pass",
        "return 1",
        "f(gpus=1)",
        "g()",
    )
    type_in_each_line(HELD["the result of a function"] + "t = L.Trainer(devices=parse_devices(1))\n", typed, 2)
