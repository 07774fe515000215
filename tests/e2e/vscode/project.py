"""The small projects that tests open in VS Code, and the expected results."""

import json
import shutil
from pathlib import Path
from typing import Any

from cli.command import uncuda
from editors.session import OTHER, TRAIN
from lsp.harness.expected import engine, message_of
from uncuda.source import Source

# A text that contains a fix which needs review, beside safe fixes.
REVIEW = 'import torch\n\nif torch.cuda.is_available() and kind == "cuda":\n    kind = "gpu"\n'
LATIN = '# -*- coding: latin-1 -*-\nimport torch\n\nname = "café"\ntorch.cuda.synchronize()  # déjà\n'.encode("latin-1")
CELL = ["import torch\n", 'x = torch.ones(2, device="cuda")\n', "torch.cuda.synchronize()"]
# The configuration of a project with a chosen target, so that the user is not asked for a target.
TARGET = 'target = "npu"\n'


def small(folder: Path) -> Path:
    """Write a project of two Python files to `folder`/workspace."""
    return _write(folder, {"train.py": TRAIN, "sub/other.py": OTHER, "uncuda.toml": TARGET})


def with_review(folder: Path) -> Path:
    """A project with fixes that need review."""
    return _write(folder, {"train.py": TRAIN, "kind.py": REVIEW, "uncuda.toml": TARGET})


def with_notebook(folder: Path) -> Path:
    """A project with a notebook."""
    cell: dict[str, Any] = {
        "cell_type": "code",
        "id": "a",
        "metadata": {},
        "source": CELL,
        "outputs": [],
        "execution_count": None,
    }
    about = {"language_info": {"name": "python"}}
    notebook = json.dumps({"cells": [cell], "metadata": about, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    return _write(folder, {"train.py": TRAIN, "notebook.ipynb": notebook + "\n", "uncuda.toml": TARGET})


def with_latin(folder: Path) -> Path:
    """Write a project with Python files that are not UTF-8, one for each way in which VS Code can open such files."""
    names = ("closed.py", "as_utf8.py", "as_latin1.py")
    return _write(folder, {**dict.fromkeys(names, LATIN), "other.py": OTHER, "uncuda.toml": TARGET})


def _write(folder: Path, files: dict[str, str | bytes]) -> Path:
    workspace = folder / "workspace"
    for name, text in files.items():
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return workspace


def contents(workspace: Path) -> dict[str, bytes]:
    """Return the bytes of every Python file in a project."""
    return {str(path.relative_to(workspace)): path.read_bytes() for path in sorted(workspace.rglob("*.py"))}


def fixed(workspace: Path, *options: str) -> dict[str, bytes]:
    """Return the bytes of every Python file in a project after `uncuda fix`."""
    copy = workspace.with_name("fixed")
    shutil.copytree(workspace, copy)
    done = uncuda("fix", *options, str(copy))
    assert done.code in (0, 1), done.err
    try:
        return contents(copy)
    finally:
        shutil.rmtree(copy)


def findings(text: str, target: str = "npu") -> list[list[str]]:
    """The rule, the marked text and the message of each finding."""
    found = engine(target).check(Source(text)).findings
    return [[one.rule, text[slice(*one.span)], message_of(one)] for one in found]


def expected(workspace: Path) -> dict[str, Any]:
    """Return the expected results for a test inside the extension host; bytes are represented by characters
    (latin-1)."""
    return {
        "fixed": {name: text.decode("latin-1") for name, text in fixed(workspace).items()},
        "findings": {target: findings(TRAIN, target) for target in ("npu", "musa")},
    }
