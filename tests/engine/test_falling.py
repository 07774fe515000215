"""Tests of conditions that fall back to the CPU if the named device is not available."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))
HEAD = "import torch\nimport torch_npu\n"
OPTION = 'parser.add_argument("--device", default="cuda")\nargs = parser.parse_args()\n'
STAYS = [
    'device = config["device"]\nif device == "cuda" and not torch.cuda.is_available():\n    device = "cpu"\n',
    'if "cuda" in str(self.device) and not torch.cuda.is_available():\n    self.device = torch.device("cpu")\n',
    'if not torch.cuda.is_available() and "cuda" in config.device:\n    print("no CUDA")\n    config.device = "cpu"\n',
    'if device.startswith("cuda") and not torch.cuda.is_available(): device = "cpu"\n',
    'if device.type == "cuda":\n    if not torch.cuda.is_available():\n        device = torch.device("cpu")\n',
    'def f(device):\n    if device == "cuda" and not torch.cuda.is_available():\n        return "cpu"\n',
    'if not torch.cuda.is_available():\n    if cfg.DEVICE == "cuda":\n        warn()\n        cfg.DEVICE = "cpu"\n',
    'def f(cfg):\n    if not torch.cuda.is_available():\n        if cfg.type == "cuda":\n            return "cpu"\n',
    'if not torch.cuda.is_available():\n    cfg.MODEL.DEVICE = "cpu"\n',
    'device = torch.device(args.cuda_base if torch.cuda.is_available() else "cpu")\n',
    'model.to(opts["cuda_name"] if torch.cuda.is_available() else "cpu")\n',
    'self.device = config["device"] if torch.cuda.is_available() else "cpu"\n',
    'device = torch.device(cfg.run.device if torch.cuda.is_available() else "cpu")\n',
    'device = torch.device(device=model_config.device if torch.cuda.is_available() else "cpu")\n',
    'device: str = hparams.device if torch.cuda.is_available() else "cpu"\n',
    'def f(args):\n    return args.config.device if torch.cuda.is_available() else "cpu"\n',
    'self.device = self.config.device if torch.cuda.is_available() else "cpu"\n',
    'if mps:\n    self.device = "mps"\nelif not torch.cuda.is_available():\n    self.device = torch.device("cpu")\n',
    'if not torch.cuda.is_available() and quiet:\n    print("CPU")\n    config["device"] = "cpu"\n',
    'def f(device):\n    self.device = device\n    if not torch.cuda.is_available():\n        self.device = "cpu"\n',
    'lost = device.lower().startswith("cuda") and not torch.cuda.is_available()\nx = "cpu" if lost else device\n',
    'def f(device):\n    return g("cpu" if device == "cuda" and not torch.cuda.is_available() else device)\n',
    'has = torch.cuda.is_available()\nif config.device == "cuda" and not has:\n    config.device = "cpu"\n',
]
MOVES = [
    OPTION + 'if args.device == "cuda" and not torch.cuda.is_available():\n    args.device = "cpu"\n',
    OPTION + 'if args.device.type == "cuda" and not torch.cuda.is_available():\n    args.device = "cpu"\n',
    'def f(device="cuda"):\n    if device == "cuda" and not torch.cuda.is_available():\n        device = "cpu"\n',
    'if device == "cuda" and not torch.cuda.is_available():\n    raise ValueError("use cpu")\n',
    'if device == "cuda" and not torch.cuda.is_available():\n    pytest.skip("no CUDA")\n',
    OPTION + 'if not torch.cuda.is_available():\n    if args.device == "cuda":\n        args.device = "cpu"\n',
    'if not torch.cuda.is_available():\n    if device == "cuda":\n        raise ValueError("use cpu")\n',
    'if "cuda" in str(config.device):\n    torch.cuda.empty_cache()\n',
    'if not torch.cuda.is_available():\n    device = "cpu"\n',
    'device = torch.device(args.device if torch.cuda.is_available() else "cpu")\n',
    'config = {"device": "cuda"}\ndevice = config["device"] if torch.cuda.is_available() else "cpu"\n',
    'cfg.run.device = "cuda"\ndevice = torch.device(cfg.run.device if torch.cuda.is_available() else "cpu")\n',
    'batch = cfg.run.batch if torch.cuda.is_available() else "cpu"\n',
    'kind = names["cpu"] if torch.cuda.is_available() else "cpu"\n',
    OPTION + 'if not torch.cuda.is_available():\n    args.device = "cpu"\n',
    'cfg.MODEL.DEVICE = "cuda"\nif not torch.cuda.is_available():\n    cfg.MODEL.DEVICE = "cpu"\n',
    'self.device = torch.device("cuda", 0)\nif not torch.cuda.is_available():\n    self.device = "cpu"\n',
    'a.device = torch.cuda.current_device()\nif not torch.cuda.is_available():\n    a.device = "cpu"\n',
    'dev = torch.device("cuda")\nself.device = dev\nif not torch.cuda.is_available():\n    self.device = "cpu"\n',
    'self.device = torch.device(rank)\nif not torch.cuda.is_available():\n    self.device = "cpu"\n',
    'def f(device="cuda"):\n    lost = device == "cuda" and not torch.cuda.is_available()\n    return lost and "cpu"\n',
    'lost = device != "cuda" and not torch.cuda.is_available()\nx = "cpu"\n',
    'fast = device == "cuda" and torch.cuda.is_available() and x != "cpu"\n',
    'if not torch.cuda.is_available():\n    results["hardware"] = "cpu"\n',
    'if not torch.cuda.is_available():\n    o.device = "cpu"\nelse:\n    model.cuda()\n',
    'if not torch.cuda.is_available():\n    self.device = "cpu"\nelse:\n    self.device = f"cuda:{rank}"\n',
    'config = {"device": "cuda"}\nif not torch.cuda.is_available():\n    config["device"] = "cpu"\n',
    'if device == "cuda" and torch.cuda.is_available():\n    torch.cuda.synchronize()\nelse:\n    device = "cpu"\n',
    "if torch.cuda.is_available():\n    model = model.cuda()\n",
]


@pytest.mark.parametrize("text", STAYS)
def test_the_fallback_of_a_named_device_stays(text: str) -> None:
    """A configuration may still name CUDA: the fixed condition would not find this name."""
    report = ENGINE.check(Source(HEAD + text))
    assert {fix.applicability for finding in report.findings for fix in finding.fixes} == {"review"}
    if "has =" not in text:
        assert any("fall back to the CPU" in finding.message for finding in report.findings)
    assert ENGINE.fix(Source(HEAD + text)).text == HEAD + text


@pytest.mark.parametrize("text", MOVES)
def test_other_conditions_move(text: str) -> None:
    wanted = text.replace("cuda", "npu")
    assert ENGINE.fix(Source(HEAD + text)).text == HEAD + wanted


def test_a_device_that_the_file_names_moves() -> None:
    text = HEAD + 'cuda_one = torch.device("cuda:1")\nx.to(cuda_one if torch.cuda.is_available() else "cpu")\n'
    assert ENGINE.fix(Source(text)).text == text.replace('"cuda:1', '"npu:1').replace("torch.cuda", "torch.npu")
    text = HEAD + 'f(use_cuda if torch.cuda.is_available() else "cpu")\n'
    assert ENGINE.fix(Source(text)).text == text.replace("torch.cuda", "torch.npu")


def test_a_device_that_is_named_elsewhere_is_typed() -> None:
    text = HEAD + 'if not torch.cuda.is_available():\n    cfg.DEVICE = "cpu"\nuse(cfg)\n'
    type_in_each_line(text, ('cfg.DEVICE = "cuda"', 'f(DEVICE="cuda:0")', "x = 1", "cfg.DEVICE = y", "else:"), 2)
    text = 'def f(device):\n    lost = device == "cuda" and not torch.cuda.is_available()\n    return lost and "cpu"\n'
    typed = ('    device = "cuda"', "    lost = not torch.cuda.is_available()", 'def f(device="cuda:0"):', "    x = 1")
    type_in_each_line(HEAD + text, typed, 1)


STORED = 'if {} and metric.device.type != "cpu":\n    metric = rebuilt(metric)\n'


def test_the_device_of_an_object_from_a_checkpoint() -> None:
    """As in chemprop: the checkpoint names CUDA, and its object must still be rebuilt on the CPU."""
    text = HEAD + STORED.format("not torch.cuda.is_available()")
    assert ENGINE.fix(Source(text)).text == text
    moved = text.replace("not torch", "torch")
    assert ENGINE.fix(Source(moved)).text == moved.replace("torch.cuda", "torch.npu")
    type_in_each_line(text, ("metric = x", 'if metric.device.type != "cpu":', "    pass"), 2)


ASSERTED = """import os
import torch
import torch_musa


def get_device():
    if torch.cuda.is_available():
        assert os.environ.get("CUDA_VISIBLE_DEVICES") is not None
        return torch.device("cuda:0")
    return torch.device("cpu")
"""
READ = """

def devices(env):
    return [int(i) for i in env.get("CUDA_VISIBLE_DEVICES", "").split(",")]
"""


def test_a_question_over_an_assert_of_a_variable_that_stays() -> None:
    """As in tabular-dl-tabr: with `torch.musa.is_available()`, the assert would stop a program that ran on the CPU."""
    engine = engine_for("musa")
    assert engine.fix(Source(ASSERTED + READ)).text == ASSERTED + READ
    moved = ASSERTED.replace("torch.cuda", "torch.musa").replace("cuda:0", "musa:0").replace("CUDA_V", "MUSA_V")
    assert engine.fix(Source(ASSERTED)).text == moved


def test_an_assert_of_a_variable_is_typed() -> None:
    lines = ('env.get("CUDA_VISIBLE_DEVICES")', "    assert True", "")
    type_in_each_line(ASSERTED + READ, lines, 4)
