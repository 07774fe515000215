"""While a line is typed, what was found elsewhere is carried over: the findings are those of the text read anew."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import uncuda.engine.carried
from uncuda.catalogue import load
from uncuda.edits import Edit
from uncuda.engine import Engine
from uncuda.engine.carried import Kept, carry
from uncuda.settings import Settings
from uncuda.source import Source

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PROGRAM = '''\
"""About "cuda"."""
import torch
import torch.distributed as dist
from torch import nn
from torch.cuda import amp, synchronize as wait
tc = torch.cuda


def get_device(kind="cuda"):
    if kind == "npu":
        return torch.device("npu")

    if torch.npu.is_available():
        return "npu"
    return "cuda:0"


class Net(nn.Module):

    def __init__(self):
        self.device = "cuda"

        self.scaler = amp.GradScaler()
        self.use_cuda = torch.cuda.is_available()

    def is_cuda_ready(self):
        return self.weight.is_cuda

    def forward(self, x):
        device = torch.device("cuda")

        x = x.to(device).cuda()
        if self.use_cuda:
            torch.cuda.nccl.version()
            wait()
            tc.empty_cache()

        try:
            backend = "nccl"
            dist.init_process_group(backend)
        except RuntimeError:
            pass
        with torch.cuda.stream(torch.cuda.Stream()):
            y = net.half().cuda(non_blocking=True)

        return x, get_device()


@torch.jit.script
def compiled(x):
    return x.cuda()


if __name__ == "__main__":
    model = Net().cuda()

    model(torch.zeros(1, device="cuda"))
'''
TYPED = [
    *("torch.cuda.set_device(1)", "torch.cuda.seed()", "wait(1, 2)", "tc.synchronize()", "tc.list_gpu_processes()"),
    *(
        "amp.autocast()",
        "dist.barrier()",
        "torch.npu.synchronize()",
        "get_device()",
        "device",
        "self.device",
        "backend",
    ),
    *(
        "x.is_cuda",
        "x.cuda()",
        "self.scaler.step(x)",
        "torch.jit.script(Net)",
        "sys.exit(1)",
        "exit()",
        "return",
        "npu",
    ),
    *("model.to(device)", "dist.init_process_group(backend)", "pass", "torch.backends.cudnn", "is_npu_ready()", "gpu"),
    *(
        "x = 'cuda'",
        "if a:",
        "import torch_npu",
        "tc = torch.npu",
        "def cuda(self):",
        "x.is_cuda = 1",
        "# uncuda: ignore",
    ),
    *(
        "import flash_attn",
        "torch.version.cuda",
        "torch.distributed.is_nccl_available()",
        "torch.compile(x)",
        "é.cuda()",
    ),
]


def texts() -> list[str]:
    return [PROGRAM, *(path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.rglob("*.py")))]


class Typist:
    """Types into a text, and compares each version with what a fresh look at it finds."""

    def __init__(self, text: str, target: str) -> None:
        settings = Settings(locale="en")
        self.text, self.typed = text, Engine(load(), target, settings, remember=2)
        self.fresh = Engine(load(), target, settings)
        self.typed.check(Source(text, "typed.py"))

    def replace(self, start: int, end: int, new: str, told: bool) -> None:
        before, self.text = self.text, self.text[:start] + new + self.text[end:]
        edited = (before, [Edit(start, end, new)]) if told else None
        report = self.typed.check(Source(self.text, "typed.py"), edited=edited)
        again = self.typed.check(Source(self.text, "typed.py"))
        expected = self.fresh.check(Source(self.text, ""))
        assert (report.findings, report.skipped) == (expected.findings, expected.skipped), (before, start, end, new)
        assert again == report

    def type(self, at: int, words: str, told: bool = True) -> None:
        for offset, key in enumerate(words, at):
            self.replace(offset, offset, key, told)

    def erase(self, end: int, count: int) -> None:
        for offset in range(end, end - count, -1):
            self.replace(offset - 1, offset, "", True)


def blank(text: str, indent: str, chance: random.Random) -> tuple[str, int]:
    """A text with an empty line for a statement, and where that is."""
    lines = text.splitlines(keepends=True)
    number = chance.randrange(len(lines))
    indent = indent if chance.random() < 0.2 else lines[number][: len(lines[number]) - len(lines[number].lstrip())]
    start = sum(map(len, lines[:number])) + len(indent)
    return "".join([*lines[:number], f"{indent}\n", *lines[number:]]), start


@pytest.mark.parametrize("target", ["npu", "musa"])
@pytest.mark.parametrize("seed", range(6))
def test_typed_findings_are_those_of_a_fresh_look(seed: int, target: str) -> None:
    chance = random.Random(seed)
    for words in chance.sample(TYPED, 12):
        text, at = blank(chance.choice(texts()), "    ", chance)
        typist = Typist(text, target)
        typist.type(at, words, told=chance.random() < 0.8)
        if chance.random() < 0.5:  # something else meanwhile
            other = chance.randrange(len(typist.text) + 1)
            typist.replace(other, min(other + chance.choice([0, 1, 5]), len(typist.text)), chance.choice("x (\n"), True)
        else:
            typist.erase(at + len(words), len(words))


def test_two_lines_one_after_the_other() -> None:
    typist = Typist(PROGRAM, "npu")
    for above in ("        x = x.to(device).cuda()\n", "        return x, get_device()\n", "    model(torch.zeros"):
        at = typist.text.index(above)
        typist.replace(at, at, "        \n", True)
        typist.type(at + 8, "torch.cuda.seed()")


def test_nearly_every_key_of_a_call_is_carried(monkeypatch: pytest.MonkeyPatch) -> None:
    carried: list[Kept | None] = []

    def counted(*arguments: object) -> Kept | None:
        carried.append(carry(*arguments))  # type: ignore[arg-type]
        return carried[-1]

    typist = Typist(PROGRAM.replace("        x = x.to", "        \n        x = x.to", 1), "npu")
    monkeypatch.setattr(uncuda.engine.carried, "carry", counted)
    typist.type(typist.text.index("        x = x.to") - 1, "torch.cuda.set_device(1)")
    assert sum(kept is not None for kept in carried) >= len(carried) - 3  # an open bracket takes in what follows
