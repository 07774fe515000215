"""Tests of names given as strings: patched in tests, imported by name, or used as attributes of torch."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.catalogue import load
from uncuda.engine import Engine, Finding
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source

CATALOGUE = load()
ENGINES = {target: engine_for(target, Settings(locale="en")) for target in ("npu", "musa")}
NPU = ENGINES["npu"]
HEAD = "import torch\nimport torch_npu\nimport torch_musa\n"


def findings(text: str, engine: Engine = NPU) -> list[Finding]:
    return list(engine.check(Source(HEAD + text)).findings)


def classes(text: str, engine: Engine = NPU) -> list[str]:
    return [found.fixes[0].applicability if found.fixes else "by hand" for found in findings(text, engine)]


def fixed(text: str, engine: Engine = NPU, review: bool = False) -> str:
    return engine.fix(Source(HEAD + text), review=review).text.removeprefix(HEAD)


PATCHES = [
    '@mock.patch("{}")\ndef test(m):\n    pass\n',
    "with patch('{}', return_value=False):\n    pass\n",
    'def test(monkeypatch):\n    monkeypatch.setattr("{}", lambda: False)\n',
    'def test(mocker):\n    mocker.patch("{}")\n',
    'def test(monkeypatch):\n    monkeypatch.delattr("{}")\n',
]


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("patch", PATCHES)
def test_a_patched_name_changes_with_its_uses(patch: str, engine: Engine) -> None:
    text = patch.format("torch.cuda.is_available") + "def f():\n    return torch.cuda.is_available()\n"
    assert classes(text, engine) == ["safe", "safe"]
    assert fixed(text, engine) == text.replace("cuda", engine.target.id)


@pytest.mark.parametrize("patch", PATCHES)
@pytest.mark.parametrize("name", ["torch.cuda.is_available", "app.device.torch.cuda.is_available"])
def test_a_patched_name_that_the_file_does_not_use_stays_and_says_so(patch: str, name: str) -> None:
    text = patch.format(name)
    (found,) = findings(text)
    assert found.rule == "cuda-api"
    assert "this file does not show it" in found.message
    assert fixed(text) == text
    assert fixed(text, review=True) == text.replace("cuda", "npu")


def test_a_patched_name_waits_for_a_use_that_waits() -> None:
    patch = PATCHES[0].format("torch.cuda.get_device_name")
    assert classes(patch + "x = torch.cuda.get_device_name(0)\n") == ["safe", "safe"]
    assert classes(patch + "x = torch.cuda.get_device_name(device=0)\n") == ["review", "review"]
    capability = PATCHES[0].format("torch.cuda.get_device_capability")
    assert classes(capability + "x = torch.cuda.get_device_capability()\n") == ["by hand", "by hand"]


def test_a_patched_class_takes_the_name_of_its_counterpart() -> None:
    text = PATCHES[0].format("torch.cuda.CUDAGraph") + "g = torch.cuda.CUDAGraph()\n"
    assert 'patch("torch.npu.NPUGraph")' in fixed(text)


def test_an_object_that_is_patched_changes_with_the_uses_of_the_attribute() -> None:
    text = 'with patch.object(torch.cuda, "{0}"):\n    x = torch.cuda.{0}({1})\n'
    assert classes(text.format("device_count", "")) == ["safe", "safe"]
    assert classes(text.format("get_device_name", "device=0")) == ["review", "review"]
    assert classes(text.format("get_device_capability", "")) == ["by hand", "by hand"]
    assert '(torch.npu, "NPUGraph")' in fixed(text.format("CUDAGraph", ""))


OBJECTS = [
    'def test(monkeypatch):\n    monkeypatch.setattr({}, "{}", lambda: False)\n',
    "def test(monkeypatch):\n    monkeypatch.setattr(\n        {}, '{}', f, raising=False\n    )\n",
    'def test(monkeypatch):\n    monkeypatch.delattr({}, "{}")\n',
    '@mock.patch.object({}, "{}", return_value=2)\ndef test(m):\n    pass\n',
    'setattr({}, "{}", f)\n',
]


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("patch", OBJECTS)
def test_an_attribute_that_is_patched_and_that_the_file_does_not_use_stays_and_says_so(
    patch: str, engine: Engine
) -> None:
    text = patch.format("torch.cuda", "device_count")
    (found,) = findings(text, engine)
    assert "this file does not show it" in found.message
    assert fixed(text, engine) == text
    assert fixed(text, engine, review=True) == text.replace("cuda", engine.target.id)
    used = f"{text}n = torch.cuda.device_count()\n"
    assert fixed(used, engine) == used.replace("cuda", engine.target.id)
    imported = "from torch import cuda\n" + patch.format("cuda", "device_count")
    assert set(classes(imported, engine)) == {"review"}
    assert set(classes(f"{imported}cuda.synchronize()\n", engine)) == {"review"}
    assert set(classes(f"{imported}n = cuda.device_count()\n", engine)) == {"safe"}


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("patch", OBJECTS)
def test_an_attribute_that_the_target_lacks_is_never_patched_there(patch: str, engine: Engine) -> None:
    for use in ("", "torch.cuda.no_such_name()\n"):
        assert "safe" not in classes(patch.format("torch.cuda", "no_such_name") + use, engine)


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("patch", OBJECTS)
def test_an_attribute_that_is_patched_through_a_module_waits_for_the_module(patch: str, engine: Engine) -> None:
    """The project does not show whether safe fixes change the module; uses in this file say nothing about it."""
    text = "from app import dist\n" + patch.format("dist.torch.cuda", "device_count")
    (found,) = findings(text, engine)
    assert "this file does not show it" in found.message
    assert fixed(text, engine) == text
    assert fixed(text, engine, review=True) == text.replace("cuda", engine.target.id)
    assert set(classes(f"{text}n = torch.cuda.device_count()\n", engine)) == {"review"}
    for other in ("no_such_name", "get_device_capability" if engine is NPU else "no_such_name"):
        assert classes(text.replace("device_count", other), engine) == ["by hand"]
    assert findings(text.replace("dist.torch.cuda", "dist.cuda"), engine) == []
    assert findings(text.replace("import dist", "import other"), engine) == []


@pytest.mark.parametrize(("target", "new"), [("npu", "NPUGraph"), ("musa", "MUSAGraph")])
def test_an_attribute_that_is_patched_through_a_module_takes_the_name_of_its_counterpart(target: str, new: str) -> None:
    text = 'import app.dist\nmonkeypatch.setattr(app.dist.torch.cuda, "CUDAGraph", f)\n'
    assert f'(app.dist.torch.{target}, "{new}", f)' in fixed(text, ENGINES[target], review=True)
    adjoined = text.replace('"CUDAGraph"', '"CUDA" "Graph"')
    assert classes(adjoined, ENGINES[target]) == ["by hand"]


def test_typing_beside_attributes_that_are_patched_through_a_module() -> None:
    """The findings after each edit are those of a new analysis."""
    names = ("is_available", "current_device")
    carried = frozenset(("npu", "tests/test_a.py", f"dist.torch.cuda.{name}") for name in names)
    body = "".join(f'    monkeypatch.setattr(dist.torch.cuda, "{name}", f)\n' for name in names)
    text = "import torch\nfrom app import dist\n\n\ndef test_a(monkeypatch):\n" + body
    text += '    assert str(dist.pick()) == "cuda:1"\n'
    typed = ("x = 1", "from app import other", 'setattr(dist.torch.cuda, "Stream", f)', "torch.cuda.is_available()", "")
    type_in_each_line(text, typed, 0, "tests/test_a.py", Project(carried=carried))


REPLACED = """\
import torch
from app.device import get_device


class TestDevice:
    available = torch.cuda.is_available()

    @patch("torch.cuda.is_available", return_value=False)
    def test_the_cpu(self, mock_cuda):
        assert get_device() == torch.device("cpu")

    @pytest.mark.skipif(not available, reason="no GPU")
    def test_the_first(self):
        with pytest.raises(RuntimeError, match="Device is cuda:0"):
            get_device("cuda:0")
        assert get_device().index == torch.cuda.current_device()
"""


def test_what_moves_with_other_code_does_not_wait_for_another_test() -> None:
    """As in torchat's test_device.py: else get_device, which is ported, would find the target's device."""
    carried = Project(carried=frozenset({("npu", "tests/test_a.py", "torch.cuda.is_available")}))
    ported = NPU.knowing(carried).fix(Source(REPLACED, "tests/test_a.py")).text
    assert ported == REPLACED.replace('patch("torch.cuda', 'patch("torch.npu').replace(
        "import torch\n", "import torch\nimport torch_npu\n", 1
    )
    both = REPLACED.replace("    @pytest", '    @patch("torch.cuda.is_available", return_value=True)\n    @pytest')
    both = both.replace("test_the_first(self)", "test_the_first(self, mock_cuda)")
    ported = NPU.knowing(carried).fix(Source(both, "tests/test_a.py")).text
    assert 'patch("torch.npu.is_available", return_value=False)' in ported
    type_in_each_line(REPLACED, ("torch.cuda.is_available()", "@patch('x')", ""), 0, "tests/test_a.py", carried)


@pytest.mark.parametrize(("target", "new"), [("npu", "NPUGraph"), ("musa", "MUSAGraph")])
def test_an_attribute_of_an_import_takes_the_name_of_its_counterpart(target: str, new: str) -> None:
    text = 'from torch import cuda\nmonkeypatch.setattr(cuda, "CUDAGraph", f)\ng = cuda.CUDAGraph()\n'
    ported = fixed(text, ENGINES[target])
    assert f'(cuda, "{new}", f)' in ported
    assert f"cuda.{new}()" in ported


def test_the_names_that_one_function_patches_change_together() -> None:
    text = "def test(monkeypatch):\n    monkeypatch.setattr(torch.cuda, 'is_available', f)\n"
    other = "def test_other(monkeypatch):\n    monkeypatch.setattr(torch.cuda, 'device_count', f)\n"
    both = text + "    monkeypatch.setattr(torch.cuda, 'device_count', f)\n"
    assert classes(both + "torch.cuda.is_available()\ntorch.cuda.device_count()\n") == ["safe"] * 4
    assert classes(both + "torch.cuda.is_available()\n") == ["review"] * 3
    lacking = text + "    monkeypatch.setattr(torch.cuda, 'get_device_capability', f)\n"
    uses = "torch.cuda.device_count()\n"
    assert classes(lacking + other + uses) == ["by hand", "by hand", "safe", "safe"]
    assert classes(lacking + other + uses, ENGINES["musa"]) == ["review", "review", "safe", "safe"]


@pytest.mark.parametrize(
    "text",
    [
        'print("torch.cuda.is_available")\n',
        'mock.patch("app.cuda.f")\n',
        'd["torch.cuda"]\n',
        'f(patch="torch.cuda")\n',
    ],
)
def test_other_strings_say_no_name(text: str) -> None:
    assert findings(text) == []


@pytest.mark.parametrize(
    "patch",
    [
        PATCHES[0].format("torch.cuda.empty_cache"),
        *(one.format("torch.cuda", "empty_cache") for one in OBJECTS),
        "from torch import cuda\n" + OBJECTS[0].format("cuda", "empty_cache"),
    ],
)
def test_a_key_that_adds_a_use_is_seen(patch: str) -> None:
    engine = engine_for("npu", Settings(locale="en"), remember=16)
    before = HEAD + patch + "torch.cuda.empty\n"
    after = before.replace("empty\n", "empty_cache()\n")
    for text in (before, after, before):
        assert engine.check(Source(text, "a.py")) == NPU.check(Source(text, "a.py"))


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_a_module_imported_by_name_is_the_plugins(engine: Engine) -> None:
    text = 'c = importlib.import_module("torch.cuda")\nc.synchronize()\n'
    assert classes(text, engine) == ["safe"]
    assert fixed(text, engine) == text.replace("torch.cuda", engine.target.module_path(f"torch.{engine.target.id}"))
    assert classes(text + "c.clock_rate()\n", engine) == ["by hand", "safe", "by hand"]
    assert classes('use(importlib.import_module("torch.cuda"))\n') == ["review"]


def test_an_attribute_of_torch_is_the_name_that_it_says() -> None:
    assert {found.rule for found in findings('getattr(torch, "cuda")\n')} == {"cuda-api"}
    assert fixed('n = getattr(torch, "cuda").device_count()\n') == 'n = getattr(torch, "npu").device_count()\n'
    assert classes('n = getattr(torch, "cuda").clock_rate()\n') == ["by hand"]
    assert classes('c = getattr(torch, "cuda", None)\n') == ["review"]
    text = 'ok = hasattr(torch, "cuda") and torch.cuda.is_available()\n'
    assert fixed(text) == text.replace("cuda", "npu")
    assert set(classes('ok = hasattr(torch, "cuda") and torch.cuda.clock_rate() > 9\n')) == {"by hand"}
    assert findings('getattr(mine, "cuda")\n') == []
