"""Tests that a condition that asks for CUDA stays if it guards a call of a library that chooses CUDA or the CPU by
itself, or if the call receives its result; a call that passes a device does not count."""

from __future__ import annotations

import pytest

from support.engines import engine_for
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source

HEAD = "import torch\nimport torch_npu\nfrom realesrgan import RealESRGANer\n"
ASKED = "torch.cuda.is_available()"
STAYS = {
    "a block": f"if {ASKED}:\n    up = RealESRGANer(scale=2, half=True)\n",
    "the other block": f"if not {ASKED}:\n    up = None\nelse:\n    up = RealESRGANer(\n        half=True)\n",
    "no device": f"if {ASKED}:\n    up = RealESRGANer(scale=2, device=None)\n",
    "a value": f"half = True if {ASKED} else False\nup = RealESRGANer(scale=4, half=half)\n",
    "the answer itself": f"up = RealESRGANer(half={ASKED})\n",
    "a part of the library": f"import facexlib.utils.face_restoration_helper as h\nif {ASKED}:\n"
    "    f = h.FaceRestoreHelper(2)\n",
    "a function that moves": f"from unicore import utils\nuse_cuda = {ASKED} and not args.cpu\nif use_cuda:\n"
    "    model.cuda()\nsample = utils.move_to_cuda(sample) if use_cuda else sample\n",
    "a function under another name": f"from fairseq.utils import move_to_cuda as move\nif {ASKED}:\n    x = move(x)\n",
    "an attribute of the library": f"import gfpgan\nif {ASKED}:\n    f = gfpgan.GFPGANer('a')\n",
}
MOVES = {
    "a device": f"if {ASKED}:\n    up = RealESRGANer(scale=2, half=True, device='cuda')\n",
    "a device that was chosen": f"d = 'cuda' if {ASKED} else 'cpu'\nup = RealESRGANer(scale=2, device=d)\n",
    "a device of a function that moves": f"from fairseq import utils\nif {ASKED}:\n"
    "    x = utils.move_to_cuda(x, device='cuda')\n",
    "keywords of a dictionary": f"if {ASKED}:\n    up = RealESRGANer(**given)\n",
    "another part of the library": f"from realesrgan.archs.srvgg_arch import Net\nif {ASKED}:\n    net = Net()\n",
    "only named": f"if {ASKED}:\n    assert isinstance(up, RealESRGANer)\n",
    "another value": f"half = {ASKED}\nup = Other(half=half)\n",
}


def classes_of(code: str, target: str, project: Project) -> set[str]:
    findings = engine_for(target, Settings(locale="en"), project=project).check(Source(HEAD + code, "a.py")).findings
    return {fix.applicability for finding in findings for fix in finding.fixes[:1]}


@pytest.mark.parametrize("target", ["npu", "musa"])
@pytest.mark.parametrize("code", STAYS.values(), ids=STAYS)
def test_it_needs_review(code: str, target: str) -> None:
    code = code if target == "npu" else code.replace("torch_npu", "torch_musa")
    assert "safe" not in classes_of(code, target, Project())


@pytest.mark.parametrize("code", MOVES.values(), ids=MOVES)
def test_it_is_safe(code: str) -> None:
    assert classes_of(code, "npu", Project()) == {"safe"}


def test_the_library_itself_stays_as_it_was() -> None:
    assert classes_of(STAYS["a block"], "npu", Project(own=frozenset({"realesrgan"}))) == {"safe"}
