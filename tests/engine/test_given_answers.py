"""Tests that a question stays unchanged if another library receives its answer in words or numbers of CUDA's."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))
HEAD = "import torch\nimport torch_npu\nimport lib\nfrom lib.models import Model\nfrom . import own\n\n\n"
STAYS = {
    "a keyword for CUDA": "model = Model('bert', use_cuda=torch.cuda.is_available())\n",
    "a keyword for a GPU": "reader = lib.Reader(['en'], gpu=torch.cuda.is_available())\n",
    "a keyword with a condition": "model = Model(cuda=torch.cuda.is_available() and fast)\n",
    "TF32": "arguments = Model(tf32=torch.cuda.is_available())\n",
    "an accelerator": 'if not torch.cuda.is_available():\n    cfg.trainer.accelerator = "cpu"\n    cfg.devices = 1\n',
    "words": 'model = Model(task_type="GPU" if torch.cuda.is_available() else "CPU", iterations=3)\n',
    "a method and the CPU": 'result = self.model.predict(x, device=0 if torch.cuda.is_available() else "cpu")\n',
}
MOVES = {
    "an own function": "model = own.Model(use_cuda=torch.cuda.is_available())\n",
    "a function of the file": "def load(use_cuda):\n    pass\n\n\nload(use_cuda=torch.cuda.is_available())\n",
    "a keyword against CUDA": "arguments = Model(no_cuda=not torch.cuda.is_available())\n",
    "another keyword": "loader = Model(pin_memory=torch.cuda.is_available())\n",
    "a pipeline": 'result = lib.pipeline("x", device=0 if torch.cuda.is_available() else "cpu")\n',
    "a device": 'device = torch.device(0 if torch.cuda.is_available() else "cpu")\n',
    "another accelerator": "if not torch.cuda.is_available():\n    cfg.accelerator = found()\n",
    "a number without the word": "result = self.run(x, device=0 if torch.cuda.is_available() else -1)\n",
    "own words": 'kind = own.choose(kind="gpu_hist" if torch.cuda.is_available() else "hist")\n',
}


@pytest.mark.parametrize("code", STAYS.values(), ids=STAYS)
def test_it_stays(code: str) -> None:
    """As in wavetrainer's CatBoost model and OTVision's yolo.py: on the target, the library raises an exception."""
    assert ENGINE.fix(Source(HEAD + code)).text == HEAD + code


@pytest.mark.parametrize("code", MOVES.values(), ids=MOVES)
def test_other_answers_move(code: str) -> None:
    assert ENGINE.fix(Source(HEAD + code)).text == HEAD + code.replace("torch.cuda", "torch.npu")


def test_a_module_of_the_project_is_no_other_library() -> None:
    engine = engine_for("npu", Settings(locale="en"), Project(own=frozenset({"lib"})))
    code = HEAD + STAYS["a keyword for CUDA"]
    assert engine.fix(Source(code, "train.py")).text == code.replace("torch.cuda", "torch.npu")


def test_the_choices_of_one_call_stay_together() -> None:
    code = HEAD + (
        'model = Model(\n    task_type="GPU" if torch.cuda.is_available() else "CPU",\n'
        '    devices="0" if torch.cuda.is_available() else None,\n)\n'
    )
    assert ENGINE.fix(Source(code)).text == code


def test_typing_says_what_a_fresh_look_says() -> None:
    code = HEAD + STAYS["a keyword for CUDA"] + STAYS["words"] + STAYS["an accelerator"]
    type_in_each_line(
        code,
        (
            "cfg.trainer.accelerator = 'gpu'",
            "from lib import Model",
            "def Model(use_cuda): pass",
            "x = torch.cuda.is_available()",
        ),
        5,
    )
