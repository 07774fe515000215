"""Tests that a question for CUDA stays if its answer goes to a library with devices of its own."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.settings import Settings
from uncuda.source import Source

HEAD = "import torch\nimport {}\n"
ASKS = "torch.cuda.is_available()"
CODE = HEAD.format("xgboost") + f"x = xgboost.XGBClassifier(device='cuda' if {ASKS} else 'cpu')\n"
ENGINE = engine_for("musa", Settings(locale="en"))


@pytest.mark.parametrize(
    ("library", "code", "due"),
    [
        ("xgboost", f"xgboost.XGBClassifier(tree_method='gpu_hist' if {ASKS} else 'hist')", "review"),
        ("xgboost as xgb", f"xgb.XGBRanker(**{{'tree_method': 'gpu_hist' if {ASKS} else 'hist'}})", "review"),
        ("ctranslate2", f"ctranslate2.Translator('x', device='cuda' if {ASKS} else 'cpu')", "review"),
        ("open3d.core as o3c", f"o3c.Device('CUDA:0' if {ASKS} else 'CPU:0')", "review"),
        ("decord", f"decord.gpu(0) if {ASKS} else decord.cpu(0)", "review"),
        ("lightgbm", "lightgbm.train({'num_gpu': torch.cuda.device_count()})", "review"),
        ("lightgbm", f"run('gpu' if {ASKS} else 'cpu', lightgbm.train)", "safe"),
        ("lightgbm_like as lightgbm", f"lightgbm.train('gpu' if {ASKS} else 'cpu')", "safe"),
        ("catboost", f"{ASKS} and catboost", "safe"),
        ("catboost", f"torch.device('cuda') if {ASKS} else catboost.f()", "safe"),
    ],
)
def test_an_answer_for_a_library_with_its_own_devices(library: str, code: str, due: str) -> None:
    """XGBoost, CTranslate2 and Open3D know CUDA and the CPU, and nothing of the plugins of torch."""
    text = HEAD.format(library) + f"x = {code}\n"
    found = [one for one in ENGINE.check(Source(text)).findings if one.rule.startswith("cuda-api")]
    assert [one.fixes[0].applicability for one in found] == [due]
    assert all(("devices of its own" in one.message) == (due == "review") for one in found)


def test_its_words_for_devices_stay() -> None:
    assert [one.rule for one in ENGINE.check(Source(CODE)).findings] == ["cuda-api"]


def test_a_string_with_a_fix_of_its_own_goes_with_the_question() -> None:
    """ONNX Runtime has a provider for Ascend."""
    chosen = f"['CUDAExecutionProvider'] if {ASKS} else ['CPUExecutionProvider']"
    text = HEAD.format("onnxruntime") + f"x = onnxruntime.InferenceSession(path, providers={chosen})\n"
    findings = engine_for("npu", Settings(locale="en")).check(Source(text)).findings
    assert len(findings) == 2
    assert not any("devices of its own" in one.message for one in findings)


def test_it_is_typed() -> None:
    type_in_each_line(CODE, (f"y = {ASKS}", "import xgboost", "xgboost = 1", "from xgboost import XGBClassifier"), 2)


SERVER = HEAD.format("ctranslate2") + (
    "class A:\n    def __init__(self, a):\n        self.t = ctranslate2.Translator('x', **a)\n\n"
    "    def of(self, o):\n        return {'device': 'cuda' if o.cuda else 'cpu'}\n"
)


@pytest.mark.parametrize(
    ("text", "due"),
    [
        (SERVER, "review"),
        (HEAD.format("xgboost as xgb") + "p = {'device': 'cuda'}\nxgb.train(p, data)\n", "review"),
        (HEAD.format("xgboost as xgb") + "xgb.train({'device': 'cuda'}, data)\n", "review"),
        (HEAD.format("xgboost as xgb") + "def f():\n    return {'device': 'cuda'}\n\n\nxgb.train(p)\n", "safe"),
        (HEAD.format("xgboost as xgb") + "x.to('cuda')\nxgb.train(p)\n", "safe"),
        (HEAD.format("other as xgb") + "p = {'device': 'cuda'}\nxgb.train(p, data)\n", "safe"),
    ],
)
def test_a_dictionary_for_a_library_with_its_own_devices(text: str, due: str) -> None:
    (found,) = ENGINE.check(Source(text)).findings
    assert found.fixes[0].applicability == due
    assert ("may be for a library" in found.message) == (due == "review")


def test_a_dictionary_is_typed() -> None:
    type_in_each_line(SERVER, ("ctranslate2.f()", "import ctranslate2", "x = 1", "def g():"), 1)
