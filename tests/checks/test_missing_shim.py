"""Tests of which files must import the shim, i.e. the module that maps CUDA names at run time (`transfer_to_npu`), and
of which imports and environment variables activate it."""

from __future__ import annotations

import pytest

from support.engines import engine_for
from uncuda.catalogue import load
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source
from uncuda.workspace import Scanner, Words

CATALOGUE = load()
RULE = "missing-shim-import"


def rules(
    text: str, target: str = "npu", project: Project | None = None, strategy: str = "shim", version: str | None = None
) -> list[str]:
    settings = Settings(locale="en", strategy=strategy, target_version=version)
    report = engine_for(target, settings, project).check(Source(text))
    return [finding.rule for finding in report.findings]


STARTED = {
    "asks": "if __name__ == '__main__':\n    train()\n",
    "parses": "args = parser.parse_args()\nmodel.to('cuda')\n",
    "moves": "model = Net().cuda()\n",
    "moves itself": "model.cuda()\n",
    "trains": "for x, y in loader:\n    loss(model(x.cuda()), y).backward()\n",
    "trains long": "while step < 10:\n    optimizer.step()\n    x.cuda()\n",
    "calls its own": "def main():\n    x.cuda()\n\n\nmain()\n",
}


@pytest.mark.parametrize("target", ["npu", "musa"])
@pytest.mark.parametrize("name", STARTED)
def test_a_program_that_is_started_needs_the_patch(name: str, target: str) -> None:
    assert RULE in rules(f"import torch\n\n{STARTED[name]}", target)


@pytest.mark.parametrize(
    "text",
    [
        "def main():\n    x.cuda()\n",
        "register(torch.cuda.FloatTensor)\n",
        "for name in names:\n    globals()[name] = getattr(torch, name)\nx = torch.cuda\n",
        "import setuptools\nfor f in sources:\n    cuda(f)\nsetuptools.setup(ext_modules=[])\n",
        'def f():\n    """Use it so.\n\nmodel.cuda()\n"""\n',
        "class A:\n    x = torch.zeros(1).cuda()\n",
        "# model.cuda()\nx = torch.cuda.device_count\n",
    ],
)
def test_what_is_imported_does_not(text: str) -> None:
    assert RULE not in rules(f"import torch\n\n{text}")


SET = [
    'os.environ["TORCH_TRANSFER_TO_NPU"] = "1"',
    "os.environ.setdefault('TORCH_TRANSFER_TO_NPU', '1')",
    'os.environ.update({"TORCH_TRANSFER_TO_NPU": "1"})',
    'os.environ.update(TORCH_TRANSFER_TO_NPU="1")',
    "os.environ.update({'A': x,  # first\n    'TORCH_TRANSFER_TO_NPU': '1', 'B': '2'})",
    'os.environ.update(dict(A="0", TORCH_TRANSFER_TO_NPU="1"))',
    'os.environ |= {"TORCH_TRANSFER_TO_NPU": "1"}',
    'os.environ.update({"PORT": str(port), "A": "x{}", "TORCH_TRANSFER_TO_NPU": "1"})',
    'os.environ.update(PORT=str(port), TORCH_TRANSFER_TO_NPU="1")',
    'from os import environ as env\nenv["TORCH_TRANSFER_TO_NPU"] = "1"',
    'from os import environ\nenviron["TORCH_TRANSFER_TO_NPU"] = "1"',
    'def main():\n    os.environ["TORCH_TRANSFER_TO_NPU"] = "1"\n',
]
UNSET = [
    'os.environ["TORCH_TRANSFER_TO_NPU"] = "0"',
    '# os.environ["TORCH_TRANSFER_TO_NPU"] = "1"',
    'if os.environ.get("TORCH_TRANSFER_TO_NPU"): pass',
    'on = os.environ.get("TORCH_TRANSFER_TO_NPU", "1")',
    'on = os.environ["TORCH_TRANSFER_TO_NPU"] == "1"',
    'on = os.getenv("TORCH_TRANSFER_TO_NPU", "1") == "1"',
    'os.putenv("TORCH_TRANSFER_TO_NPU", "1")',  # the plugin reads os.environ, which putenv does not change
    'env = {**os.environ, "TORCH_TRANSFER_TO_NPU": "1"}\nsubprocess.run(command, env=env)',
    'env = dict(os.environ, TORCH_TRANSFER_TO_NPU="1")',
    'env = os.environ.copy()\nenv["TORCH_TRANSFER_TO_NPU"] = "1"',
    'environ = dict(os.environ)\nenviron["TORCH_TRANSFER_TO_NPU"] = "1"',
    'monkeypatch.setenv("TORCH_TRANSFER_TO_NPU", "1")',
    'mock.patch.dict(os.environ, {"TORCH_TRANSFER_TO_NPU": "1"})',
    'settings.environ["TORCH_TRANSFER_TO_NPU"] = "1"',
    'settings.update(TORCH_TRANSFER_TO_NPU="1")',
    'TORCH_TRANSFER_TO_NPU = "1"',
    'print("set", "TORCH_TRANSFER_TO_NPU", "1")',
    '"""os.environ[\'TORCH_TRANSFER_TO_NPU\'] = \'1\'"""',
    "print(\"os.environ['TORCH_TRANSFER_TO_NPU'] = '1'\")",
    "os.environ.update({\n    'A': 'B',  # 'TORCH_TRANSFER_TO_NPU': '1',\n})",
    'import torch\nos.environ["TORCH_TRANSFER_TO_NPU"] = "1"',  # importing torch has already loaded the plugin
    'from torch import nn\n\ndef main():\n    os.environ["TORCH_TRANSFER_TO_NPU"] = "1"\n',
]
PROGRAM = 'import torch\n\nif __name__ == "__main__":\n    x.cuda()\n'


@pytest.mark.parametrize("line", SET)
def test_the_variable_puts_the_patch_in_force(line: str) -> None:
    text = f"import os\n\n{line}\n{PROGRAM}"
    assert RULE not in rules(text)
    assert not rules(text, strategy="auto")  # with a shim, the source keeps CUDA's names
    assert rules(text, "musa", strategy="auto")


@pytest.mark.parametrize("line", UNSET)
def test_other_values_do_not(line: str) -> None:
    assert RULE in rules(f"import os\n\n{line}\n{PROGRAM}")
    assert "cuda-method" in rules(f"import os\n\n{line}\n{PROGRAM}", strategy="auto")


def scanned(line: str, path: str = "start.py") -> Project:
    scanner = Scanner(Words.of(CATALOGUE.declarations))
    scanner.add(f"import os\n{line}\n".encode(), True, path)
    return scanner.project()


@pytest.mark.parametrize("line", [*SET, *UNSET])
def test_the_variable_counts_for_the_project(line: str) -> None:
    project = scanned(line)
    assert project.switched == ({"npu"} if line in SET else set())
    assert not project.shims
    assert (RULE in rules(PROGRAM, project=project)) is (line in UNSET)
    assert bool(rules(PROGRAM, project=project, strategy="auto")) is (line in UNSET)


@pytest.mark.parametrize("path", ["tests/conftest.py", "pkg/tests/a.py", "test_start.py", "docs/conf.py"])
def test_what_tests_set_does_not_count_for_the_project(path: str) -> None:
    assert not scanned(SET[0], path).switched


@pytest.mark.parametrize(
    "version, known",
    [
        ("2.1.0", False), ("2.5.1", False), ("2.6.0.post5", False), ("2.7.1", False),
        ("2.7.1.post11", True), ("2.8.0", False), ("2.8.0.post5", True),
        ("2.9.0", False), ("2.9.0.post9", True), ("2.9.1", True), ("2.10.0", True), ("2.14.0", True), (None, True),
        (">=2.6,<2.9", False), (">=2.10", True),
    ],
)  # fmt: skip
def test_versions_that_do_not_know_the_variable(version: str | None, known: bool) -> None:
    text = f"import os\n\n{SET[0]}\n{PROGRAM}"
    assert (RULE not in rules(text, version=version)) is known
    assert bool(rules(text, strategy="auto", version=version)) is not known
    project = scanned(SET[0])
    assert (RULE not in rules(PROGRAM, project=project, version=version)) is known
    assert bool(rules(PROGRAM, project=project, strategy="auto", version=version)) is not known
