"""Tests of device strings that a loop makes of the number of devices, and of what tests expect of a device."""

from __future__ import annotations

import pytest

from engine.typist import type_in_each_line
from support.engines import engine_for
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source

HEAD = "import torch\nimport torch_npu\n\n\n"
COUNTED = [
    "names = ['cpu'] + [f'cuda:{i}' for i in range(torch.cuda.device_count())]\n",
    "names = {i: f'cuda:{i}' for i in range(torch.cuda.device_count())}\n",
    "names = ['cuda:' + str(i) for i in range(0, torch.cuda.device_count())]\n",
    "count = torch.cuda.device_count()\nnames = ['cuda:%d' % i for i in range(count)]\n",
    "def f(names):\n    for i in range(torch.cuda.device_count()):\n        names.append('cuda:{}'.format(i))\n",
    "def f(table, n):\n    for i in range(torch.cuda.device_count()):\n        table[f'{n}:{i}'] = f'cuda:{i}'\n",
]
OTHERS = [
    "def f(table):\n    for i in range(torch.cuda.device_count()):\n        key = f'cuda:{i}'\n        g(table[key])\n",
    "names = ['cuda:%d' % i + ' memory' for i in range(torch.cuda.device_count())]\n",
    "names = [f'cuda:{i}=' for i in range(torch.cuda.device_count())]\n",
    "import xgboost\nnames = [f'cuda:{i}' for i in range(torch.cuda.device_count())]\n",
    "names = [f'cuda:{i}' for i in range(number)]\n",
    "names = [f'cuda:{k}' for i in range(torch.cuda.device_count()) for k in other(i)]\n",
    "from tools import take\ntake([f'cuda:{i}' for i in range(torch.cuda.device_count())])\n",
    "def f(names):\n    for i in range(torch.cuda.device_count()):\n        def g():\n            return f'cuda:{i}'\n",
]


def findings(text: str) -> dict[str, set[str]]:
    """Return the classes of the fixes of each rule."""
    found: dict[str, set[str]] = {}
    for one in engine_for("npu", Settings(locale="en")).check(Source(HEAD + text)).findings:
        found.setdefault(one.rule, set()).add(one.fixes[0].applicability if one.fixes else "manual")
    return found


@pytest.mark.parametrize("text", COUNTED)
def test_a_device_whose_index_counts_the_devices_is_one(text: str) -> None:
    """As in odl, whose list of devices named `cuda:0` for the first NPU."""
    fixed = engine_for("npu", Settings(locale="en")).fix(Source(HEAD + text)).text
    assert fixed == HEAD + text.replace("torch.cuda", "torch.npu").replace("'cuda:", "'npu:")


@pytest.mark.parametrize("text", OTHERS)
def test_an_index_of_something_else_shows_nothing(text: str) -> None:
    assert findings(text).get("device-string", {"review"}) == {"review"}


@pytest.mark.parametrize(
    ("line", "due"),
    [
        ("self.assertEqual('cuda', model.device)", "safe"),
        ("self.assertEqual(model.device.type, 'cuda', msg='where')", "safe"),
        ("self.assertNotEqual(str(model.device), 'cuda:0')", "safe"),
        ("self.assertEqual('cuda', model.name)", "review"),
        ("self.assertIs('cuda', model.device)", "review"),
    ],
)
def test_an_expected_device_is_compared(line: str, due: str) -> None:
    """As in small-text, whose test gives the device `"cuda"` and expects it."""
    text = f"def test(self):\n    model = Model(device='cuda')\n    {line}\n"
    assert findings(text)["device-string"] == {due}
    for given in ("Model(gpu=True)", "load('--device cuda')", "load(device='cuda', text='a cuda')"):
        other = findings(text.replace("Model(device='cuda')", given))["device-string"]
        assert "review" in other


@pytest.mark.parametrize(("library", "due"), [("xgboost", "review"), ("tools", "safe")])
def test_a_folder_with_the_name_of_a_library_is_not_the_library(library: str, due: str) -> None:
    """As in nvflare, whose folder `xgboost` holds what uses XGBoost, without torch."""
    text = f"import {library}\n\n\ndef train(params, rank):\n    params['device'] = f'cuda:{{rank}}'\n"
    engine = engine_for("npu", Settings(locale="en"), Project(torch=True))
    (found,) = engine.check(Source(text, f"app/{library}/executor.py")).findings
    assert found.fixes[0].applicability == due


def test_typing_equals_a_new_check() -> None:
    typed = ("for i in range(3):", "count = 1", "def f(i):", "i = 2", '"""')
    type_in_each_line(HEAD + "\n\n".join(COUNTED), typed, 3)
