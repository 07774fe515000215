"""Which files have to import the runtime patch, and what puts it in force."""

from __future__ import annotations

import pytest

from uncuda.catalogue import load
from uncuda.engine import Engine
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source
from uncuda.workspace import Scanner, Words

CATALOGUE = load()
RULE = "missing-shim-import"


def rules(text: str, target: str = "npu", project: Project | None = None, strategy: str = "shim") -> list[str]:
    settings = Settings(locale="en", strategy=strategy)
    report = Engine(CATALOGUE, target, settings, project).check(Source(text))
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
]
UNSET = [
    'os.environ["TORCH_TRANSFER_TO_NPU"] = "0"',
    '# os.environ["TORCH_TRANSFER_TO_NPU"] = "1"',
    'if os.environ.get("TORCH_TRANSFER_TO_NPU"): pass',
]
PROGRAM = 'import torch\n\nif __name__ == "__main__":\n    x.cuda()\n'


@pytest.mark.parametrize("line", SET)
def test_the_variable_puts_the_patch_in_force(line: str) -> None:
    text = f"import os\n\n{line}\n{PROGRAM}"
    assert RULE not in rules(text)
    assert not rules(text, strategy="auto")  # the source keeps CUDA's names
    assert rules(text, "musa", strategy="auto")


@pytest.mark.parametrize("line", UNSET)
def test_other_values_do_not(line: str) -> None:
    assert RULE in rules(f"import os\n\n{line}\n{PROGRAM}")
    assert "cuda-method" in rules(f"import os\n\n{line}\n{PROGRAM}", strategy="auto")


@pytest.mark.parametrize("line", [*SET, *UNSET])
def test_the_variable_counts_for_the_project(line: str) -> None:
    scanner = Scanner(Words.of(CATALOGUE.declarations))
    scanner.add(f"import os\n{line}\n".encode(), True, "start.py")
    project = scanner.project()
    assert project.shims == ({"npu"} if line in SET else set())
    assert (RULE in rules(PROGRAM, project=project)) is (line in UNSET)
