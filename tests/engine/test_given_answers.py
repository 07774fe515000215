"""Tests that a question stays unchanged if another library receives its answer in words or numbers of CUDA's."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source

ENGINE = engine_for("npu", Settings(locale="en"))
HEAD = "import torch\nimport torch_npu\nimport easyocr\nfrom catboost import Regressor\nfrom models import Net\n\n\n"
STAYS = {
    "a keyword for CUDA": "model = Regressor('bert', use_cuda=torch.cuda.is_available())\n",
    "a keyword for a GPU": "reader = easyocr.Reader(['en'], gpu=torch.cuda.is_available())\n",
    "a keyword with a condition": "model = Regressor(cuda=torch.cuda.is_available() and fast)\n",
    "TF32": "arguments = TrainingArguments(tf32=torch.cuda.is_available())\n",
    "TF32 or nothing": "arguments = TrainingArguments(tf32=True if torch.cuda.is_available() else None)\n",
    "TF32, as a truth": "arguments = TrainingArguments(tf32=bool(torch.cuda.is_available()))\n",
    "an accelerator": 'if not torch.cuda.is_available():\n    cfg.trainer.accelerator = "cpu"\n    cfg.devices = 1\n',
    "words": 'model = Regressor(task_type="GPU" if torch.cuda.is_available() else "CPU", iterations=3)\n',
    "words, through an own class": 'model = Net(task_type="GPU" if torch.cuda.is_available() else "CPU")\n',
    "a method and the CPU": 'result = self.model.predict(x, device=0 if torch.cuda.is_available() else "cpu")\n',
}
MOVES = {
    "an own function": "model = Net(use_cuda=torch.cuda.is_available())\n",
    "a function of the file": "def load(use_cuda):\n    pass\n\n\nload(use_cuda=torch.cuda.is_available())\n",
    "a keyword against CUDA": "arguments = Net(no_cuda=not torch.cuda.is_available())\n",
    "another keyword": "loader = Net(pin_memory=torch.cuda.is_available())\n",
    "a pipeline": 'result = transformers.pipeline("x", device=0 if torch.cuda.is_available() else "cpu")\n',
    "a device": 'device = torch.device(0 if torch.cuda.is_available() else "cpu")\n',
    "a tensor": 'x = torch.zeros(3, device=0 if torch.cuda.is_available() else "cpu")\n',
    "another accelerator": "if not torch.cuda.is_available():\n    cfg.trainer.accelerator = found()\n",
    "an accelerator of another object": 'if torch.cuda.is_available():\n    opt.accelerator = "cpu"\n',
    "an accelerator in a text": 'if torch.cuda.is_available():\n    print("""\ncfg.trainer.accelerator = "gpu" """)\n',
    "a number without the word": "result = self.model.predict(x, device=0 if torch.cuda.is_available() else -1)\n",
    "own words": 'kind = Net(kind="gpu_hist" if torch.cuda.is_available() else "hist")\n',
}


@pytest.mark.parametrize("code", STAYS.values(), ids=STAYS)
def test_it_stays(code: str) -> None:
    """As in wavetrainer's CatBoost model and OTVision's yolo.py: on the target, the library raises an exception."""
    assert ENGINE.fix(Source(HEAD + code)).text == HEAD + code


@pytest.mark.parametrize("code", MOVES.values(), ids=MOVES)
def test_other_answers_move(code: str) -> None:
    assert ENGINE.fix(Source(HEAD + code)).text == HEAD + code.replace("torch.cuda", "torch.npu")


def test_a_module_of_the_project_is_no_other_library() -> None:
    engine = engine_for("npu", Settings(locale="en"), Project(own=frozenset({"catboost"})))
    code = HEAD + STAYS["a keyword for CUDA"]
    assert engine.fix(Source(code, "train.py")).text == code.replace("torch.cuda", "torch.npu")


def test_the_choices_of_one_call_stay_together() -> None:
    code = HEAD + (
        'model = Regressor(\n    task_type="GPU" if torch.cuda.is_available() else "CPU",\n'
        '    devices="0" if torch.cuda.is_available() else None,\n)\n'
    )
    assert ENGINE.fix(Source(code)).text == code


def test_typing_says_what_a_fresh_look_says() -> None:
    code = HEAD + STAYS["a keyword for CUDA"] + STAYS["words"] + STAYS["an accelerator"]
    lines = ("cfg.trainer.accelerator = 'gpu'", "from catboost import Model", "def Regressor(use_cuda): pass")
    type_in_each_line(code, (*lines, "import lightning", "x = torch.cuda.is_available()"), 5)
