"""Tests the verdicts that jedi gives, in a real child process, for a project of several files. A verdict says whether
the `x` of `x.cuda()` can be a tensor."""

from __future__ import annotations

from pathlib import Path

import pytest

from receivers.project import FILES, HEAD, verdicts, write
from uncuda.receivers import Receivers

SILENT, REVIEW, UNKNOWN = "silent", "review", "unknown"


def answer(receivers: Receivers, project: Path, code: str) -> str:
    (verdict,) = verdicts(receivers, project, HEAD + code)
    return verdict


@pytest.mark.parametrize(
    "code",
    [
        "Renamed(1).cuda()",
        "x = Renamed(1)\nx.cuda()",
        "x = y = Renamed(1)\ny.cuda()",
        "(Renamed(1)).cuda()",
        "Child(1).cuda()",
        "Container().cuda()",
        "ALIAS(1).cuda()",
        "BATCH.cuda()",
        "data.BATCH.cuda()",
        "build().cuda()",
        "built().cuda()",
        "annotated(1).cuda()",
        "optional(1).cuda()",
        "Renamed.make().cuda()",
        "Renamed(1).inner.cuda()",
        "Renamed(1).part.cuda()",
        "Renamed(1).shared.cuda()",
        "Renamed(1).cuda().cuda",
        "x = Renamed(1) if small else None\nx.cuda()",
        "x = Renamed(1) or Inner()\nx.cuda()",
        "if (x := Renamed(1)):\n    x.cuda()",
        "def f(x: Renamed): x.cuda()",
        "def f(x: 'Renamed'): x.cuda()",
        "def f(x: Renamed | None): x.cuda()",
        "from typing import Optional\ndef f(x: Optional[Renamed] = None): x.cuda()",
        "from typing import Union\ndef f(x: Union[Renamed, Inner]): x.cuda()",
        "x = Renamed(1)\ndef f():\n    x.cuda()",
        "x = Renamed(1)\nx = x.cuda()",
        "x = Renamed(1)\ny.x = torch.zeros(3)\nx.cuda()",
        "class C:\n    def cuda(self): self.b = Renamed(1)\n    def go(self): self.cuda()",
        "class C:\n    def put(self): self.b = Renamed(1)\n    def go(self): self.b.cuda()",
        "class C(Renamed):\n    def go(self): self.inner.cuda()",
        "class C:\n    def put(self):\n        if x:\n            self.b = Inner()\n    def go(self): self.b.cuda()",
        "Flags(True).is_cuda",
        "Options().is_cuda",
        "Mixed().is_cuda",
        "options = argparse.ArgumentParser().parse_args()\noptions.is_cuda",
    ],
)
def test_a_class_of_the_project_with_a_method_of_its_own_is_silent(
    receivers: Receivers, project: Path, code: str
) -> None:
    assert answer(receivers, project, code + "\n").split()[0] == SILENT


@pytest.mark.parametrize(
    "code",
    [
        "d = cuda.to_device(x)\nd.is_cuda",
        "cuda.to_device(x).copy_to_host().to('cuda')",
        "cp.zeros(3).to('cuda')",
        "x = cp.asarray(y)\nx.cuda()",
        "array().cuda()",
        "Array().cuda()",
        "def f(x: cp.ndarray): x.cuda()",
        "data.cupy.zeros(3).cuda()",
        "from pkg.compat import jit\njit.to_device(x).is_cuda",
        "try:\n    import jax\nexcept ImportError:\n    jax = None\njax.numpy.zeros(3).to('cuda')",
    ],
)
def test_an_object_of_another_library_is_silent(receivers: Receivers, project: Path, code: str) -> None:
    assert answer(receivers, project, code + "\n") == SILENT


@pytest.mark.parametrize(
    "code",
    [
        "Overriding().cuda()",
        "Doubtful().cuda()",
        "perhaps(1).cuda()",
        "Renamed(1).mixed.cuda()",
        "class C(Renamed):\n    def go(self): self.mixed.cuda()",
        "class C(Renamed):\n    def put(self): self.inner = torch.ones(2)\n    def go(self): self.inner.cuda()",
        "Renamed(1).to('cuda')",
        "x = Renamed(1) if small else torch.zeros(3)\nx.cuda()",
        "def f(x):\n    x = x or Renamed(1)\n    x.cuda()",
        "def f(x: Renamed | torch.Tensor): x.cuda()",
        "from pkg import compat\nx = Renamed(1) if small else compat.Tensor(3)\nx.cuda()",
        "x = Renamed(1) if small else data.torch.zeros(3)\nx.cuda()",
        "x = Renamed(1) if small else nowhere(3)\nx.cuda()",
        "y, z = pair\nx = Renamed(1) if small else y\nx.cuda()",
        "x = Renamed(1)\nif small:\n    x = torch.zeros(3)\nx.cuda()",
        "try:\n    import cupy as xp\nexcept ImportError:\n    import numpy as xp\nxp.zeros(3).cuda()",
    ],
)
def test_what_may_be_something_else_is_to_review(receivers: Receivers, project: Path, code: str) -> None:
    assert answer(receivers, project, code + "\n") == REVIEW


@pytest.mark.parametrize(
    "code",
    [
        "packed(1).cuda()",
        "def f(x: nn.utils.rnn.PackedSequence): x.cuda()",
        "from torch.nn.utils.rnn import PackedSequence\ndef f(x: PackedSequence): x.is_cuda",
    ],
)
def test_a_packed_sequence_that_was_made_elsewhere_is_to_review(receivers: Receivers, project: Path, code: str) -> None:
    assert answer(receivers, project, code + "\n") == REVIEW


@pytest.mark.parametrize(
    "code",
    [
        "Net().cuda()",
        "Renamed(1).net.cuda()",
        "data.Net().cuda()",
        "tensor().cuda()",
        "torch.zeros(3).cuda()",
        "torch.zeros(3).float().cuda()",
        "x = torch.zeros(3)\nx = x.cuda()",
        "nn.Linear(2, 2).to('cuda')",
        "def f(x: Tensor): x.cuda()",
        "class N(nn.Module):\n    def go(self): self.cuda()",
        "class N(nn.Module):\n    def go(self): self.layer.cuda()",
    ],
)
def test_what_is_torchs_stays_as_it_is(receivers: Receivers, project: Path, code: str) -> None:
    assert answer(receivers, project, code + "\n") == UNKNOWN


@pytest.mark.parametrize(
    "code",
    [
        "def f(x): x.cuda()",
        "def f(x=None): x.cuda()",
        "def f(*x): x.cuda()",
        "def f(x: Unknown): x.cuda()",
        "def f(x: list[Renamed]): x.cuda()",
        "for x in [Renamed(1)]:\n    x.cuda()",
        "[x.cuda() for x in y]",
        "with Renamed(1) as x:\n    x.cuda()",
        "x, y = Renamed(1), 1\nx.cuda()",
        "x = [Renamed(1)]\nx[0].cuda()",
        "x = Renamed(1)\n(lambda x: x.cuda())(y)",
        "x += Renamed(1)\nx.cuda()",
        "Renamed(1).given.cuda()",
        "Renamed(1).nothing.cuda()",
        "Renamed(1).first.cuda()",
        "Renamed(1).absent.cuda()",
        "Renamed(1).cached().cuda()",
        "Delegating().cuda()",
        "Inner().to('cuda')",
        "later().cuda()",
        "several().cuda()",
        "again(1).cuda()",
        "module_that_fails.make().cuda()",
        "from elsewhere import thing\nthing().cuda()",
        "cp.from_dlpack(x).to_torch().cuda()",
        "def f():\n    global x\n    x = Renamed(1)\n    x.cuda()",
        "super().cuda()",
        "open('x').cuda()",
    ],
)
def test_what_is_not_certain_stays_as_it_is(receivers: Receivers, project: Path, code: str) -> None:
    assert answer(receivers, project, code + "\n") == UNKNOWN


def test_a_module_of_the_project_called_like_a_library_is_no_library(receivers: Receivers, project: Path) -> None:
    write(project, {"warp.py": "import torch\ndef zeros(): return torch.zeros(3)\n"})
    assert answer(receivers, project, "import warp\nwarp.zeros().cuda()\n") == UNKNOWN
    (project / "warp.py").unlink()


def test_text_that_is_being_typed_is_answered_as_far_as_it_is_whole(receivers: Receivers, project: Path) -> None:
    assert verdicts(receivers, project, HEAD + "Renamed(1).cuda()\nx = (\n\ndef f(:\n")[0] == SILENT


def test_the_text_asked_about_counts_and_not_the_file(receivers: Receivers, project: Path) -> None:
    write(project, {"open.py": HEAD + "torch.zeros(3).cuda()\n"})
    assert verdicts(receivers, project, HEAD + "Renamed(1).cuda()\n", "open.py") == [SILENT]


def test_lines_and_columns_are_pythons(receivers: Receivers, project: Path) -> None:
    text = HEAD.replace("\n", "\r\n") + "x = '\u2028\f\U0001f600'; Renamed('\U0001f600').cuda()\r\n"
    assert verdicts(receivers, project, text) == [SILENT]


def test_a_text_without_a_file(receivers: Receivers) -> None:
    text = "import torch\nclass Batch:\n    def cuda(self): pass\nBatch().cuda()\ntorch.ones(2).cuda()\n"
    assert verdicts(receivers, Path(), text, "Untitled-1") == [SILENT, UNKNOWN]


def test_a_package_below_src_is_found(tmp_path: Path) -> None:
    write(tmp_path, {"src/" + name: text for name, text in FILES.items()})
    made = Receivers([str(tmp_path)], question_seconds=60)
    assert verdicts(made, tmp_path, HEAD + "Renamed(1).cuda()\n", "tools/main.py") == [SILENT]
    made.close()
