"""Tests that a question for CUDA stays if its answer goes to a library with devices of its own."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.catalogue import load
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source
from uncuda.workspace.scan import Scanner
from uncuda.workspace.words import Words

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


ENTRY = HEAD.format("xgboost as xgb") + "m = xgb.train({'max_depth': 2, 'device': 'cuda' if gpu else 'cpu'}, data)\n"
XGB = HEAD.format("xgboost as xgb")


@pytest.mark.parametrize(
    ("text", "due"),
    [
        (ENTRY, "review"),
        (XGB + "xgb.XGBClassifier(**{'device': 'cuda'})\n", "review"),
        (XGB + "p = {'device': 'cuda'}\nmodel.to(p['device'])\n", "safe"),
        (XGB + "xgb.train(f({'device': 'cuda'}), data)\n", "safe"),
        (XGB + "x.to('cuda')\nxgb.train(p)\n", "safe"),
        (HEAD.format("other as xgb") + "xgb.train({'device': 'cuda'}, data)\n", "safe"),
        ("import spacy\nimport torch\ntorch.load('a', map_location={'cuda:0': 'cuda:1'})\n", "safe"),
    ],
)
def test_a_dictionary_for_a_library_with_its_own_devices(text: str, due: str) -> None:
    found = ENGINE.check(Source(text)).findings
    assert {one.fixes[0].applicability for one in found} == {due}
    assert any("for a library with devices" in one.message for one in found) == (due == "review")


def test_a_dictionary_is_typed() -> None:
    type_in_each_line(
        ENTRY, ("xgb.train({'device': 'cuda'})", "import xgboost", "x = 1", "from xgboost import train"), 1
    )


@pytest.mark.parametrize(("own", "due"), [({"easyocr"}, 1), (set[str](), 0)])
def test_the_library_itself_has_devices_of_torch(own: set[str], due: int) -> None:
    """EasyOCR is a program for PyTorch, too: in its own project, its words are devices."""
    text = "import torch\nfrom easyocr.model import Model\nmodel = Model(64, device='cuda:0')\n"
    made = engine_for("npu", Settings(locale="en"), Project(own=frozenset(own)))
    assert len(made.check(Source(text, "run.py")).findings) == due


TOOL = "import argparse\nimport torch\n\nparser = argparse.ArgumentParser()\n{}\n"
DEVICE = f"parser.add_argument('--device', default='cuda' if {ASKS} else 'cpu')"
WORDS = Words.of_catalogue(load())
MODEL = "import torch\n{}\n\n\ndef load(device):\n    torch.zeros(1).to(device)\n    return {}\n"


@pytest.mark.parametrize(
    ("imported", "made", "due"),
    [
        ("from faster_whisper import WhisperModel", "WhisperModel('small', device=device, n=f(2))", "review"),
        (
            "    from faster_whisper import (\n        A, WhisperModel as W,\n    )",
            "W('small', device = device)",
            "review",
        ),
        ("import ctranslate2 as ct", "ct.Translator(f(1),\n        device=self.device)", "review"),
        ("import ctranslate2", "ctranslate2.models.Whisper(device='cpu')", "safe"),
        ("import ctranslate2", "ctranslate2.models.Whisper(device=x.device)", "safe"),
        ("import ctranslate2", "other.Whisper(device=device)", "safe"),
        ("import ctranslate", "ctranslate.Whisper(device=device)", "safe"),
        ("import ctranslate2", "ctranslate2.Whisper('x').to(device=device)", "safe"),
    ],
)
def test_an_option_that_another_file_gives_to_a_library(imported: str, made: str, due: str) -> None:
    """As in WhisperX: the option of whisperx/__main__.py is the device of faster-whisper in whisperx/asr.py."""
    scanner = Scanner(WORDS)
    scanner.add(MODEL.format(imported, made).encode(), path="net/asr.py")
    engine = engine_for("npu", Settings(locale="en"), scanner.project())
    found = engine.check(Source(TOOL.format(DEVICE), "net/main.py")).findings
    assert {one.fixes[0].applicability for one in found} == {due}


@pytest.mark.parametrize(
    ("project", "line", "due"),
    [
        (GIVEN := Project(devices_given=frozenset({("asr", "ctranslate2")})), DEVICE, {"review"}),
        (GIVEN, "parser.add_argument('--device', choices=['cuda', 'cpu'], default='cuda')", {"review"}),
        (GIVEN, "parser.add_argument('--train-device', default='cuda')", {"review"}),
        (GIVEN, "device = 'cuda' if torch.cuda.is_available() else 'cpu'", {"safe"}),
        (GIVEN, f"parser.add_argument('--fast', default={ASKS})", {"safe"}),
        (Project(devices_given=frozenset({("asr", "lmdeploy")}), own=frozenset({"lmdeploy"})), DEVICE, {"safe"}),
        (Project(), DEVICE, {"safe"}),
        (Project(devices_given=frozenset({("other.asr", "ctranslate2")})), DEVICE, {"safe"}),
        (Project(devices_given=frozenset({("other.asr", "ctranslate2")})), f"import other\n{DEVICE}", {"review"}),
    ],
)
def test_which_options_are_for_a_library(project: Project, line: str, due: set[str]) -> None:
    found = engine_for("npu", Settings(locale="en"), project).check(Source(TOOL.format(line))).findings
    assert {one.fixes[0].applicability for one in found} == due
    assert any("gives this option to a library" in one.message for one in found) == (due == {"review"})


def test_an_option_for_a_library_is_typed() -> None:
    typed = ("parser.add_argument('--gpu', default='cuda')", "parser.add_argument(", "import ctranslate2", "x = 1")
    type_in_each_line(TOOL.format(DEVICE), typed, 2, project=GIVEN)


ANSWERS = (
    "import torch\n\n\ndef has_cuda():\n    return torch.cuda.is_available()\n\n\ndef g():\n    torch.cuda.seed()\n"
)


@pytest.mark.parametrize(
    ("call", "due"),
    [
        ("calculate_metrics(a, cuda=has_cuda(), b=2)", {"review", "safe"}),
        ("calculate_metrics(\n    cuda=not has_cuda(),\n)", {"review", "safe"}),
        ("calculate_metrics(cuda=other())", {"safe"}),
        ("other(cuda=has_cuda())", {"safe"}),
    ],
)
def test_an_answer_of_a_function_that_another_file_gives_to_a_library(call: str, due: set[str]) -> None:
    """As in HELM, whose function answers for torch-fidelity, too."""
    scanner = Scanner(WORDS)
    text = f"from net.utils import g, has_cuda\nfrom torch_fidelity import calculate_metrics\n\n{call}\n"
    scanner.add(text.encode(), False, "net/metrics.py")
    found = engine_for("npu", Settings(locale="en"), scanner.project()).check(Source(ANSWERS, "net/utils.py")).findings
    assert {one.fixes[0].applicability for one in found} == due
