"""The version of PyTorch that a project asks for."""

import os
from pathlib import Path

import pytest

from support.bounded import run_bounded
from uncuda.workspace import required_torch, torch_version


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("torch==2.1.0", "2.1.0"),
        ("torch == 2.1.0+cu118 ; python_version < '3.9'", "2.1.0"),
        ("torch==2.1.0 \\\n    --hash=sha256:0", "2.1.0"),
        ("torch===2.1.0", "2.1.0"),
        ("torch[opt]==2.2.0", "2.2.0"),
        ("torch (==2.1.1)", "2.1.1"),
        ("torch>=1.7.0,<=2.0.1", "2.0.1"),
        ("torch~=2.1.0", "2.1.0"),
        ("numpy\n  torch==1.13.1 # why", "1.13.1"),
        ("install_requires=['numpy', 'torch==2.0.1']", "2.0.1"),
        ('dependencies = ["torch==2.4.*"]', "2.4"),
        ('torch = "2.1.0"', "2.1.0"),
        ("  - pytorch=2.0.1", "2.0.1"),
        ("  - pytorch::pytorch=2.0.1", "2.0.1"),
        ("torch", None),
        ("torch>=1.7.0", None),
        ("torch<2.5", None),
        ("torch~=2.1", None),
        ("torch==2", None),
        ("torch>=2.0,!=2.1.0", None),
        ('torch = "^2.1"', None),
        ("# torch==2.0.0", None),
        ("torchvision==0.9.1\ntorch-scatter==2.1.0\npytorch-lightning==1.9.0", None),
        ("torch @ https://example.org/torch-2.1.0.whl", None),
    ],
)
def test_pinned(text: str, version: str | None) -> None:
    assert torch_version(text) == version


def test_the_nearest_requirements_count(tmp_path: Path) -> None:
    inner = tmp_path / "pkg" / "sub"
    inner.mkdir(parents=True)
    (tmp_path / "setup.py").write_text("setup(install_requires=['torch==2.1.0'])")
    found = required_torch(str(inner))
    assert found == ("2.1.0", str(tmp_path / "setup.py"))
    (tmp_path / "pkg" / "requirements.txt").write_text("torch\n")
    assert required_torch(str(inner)) is None


def test_a_repository_is_where_the_search_ends(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch==2.1.0\n")
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    assert required_torch(str(tmp_path / "repo")) is None
    assert required_torch(str(tmp_path)) is not None


# Each held for half a minute or more.
HOSTILE = """
from uncuda.workspace import torch_version

for text in (
    "torch" + " " * 40000 + "x",
    "torch[" * 160000,
    "torch = " * 100000,
    "torch[] = '(" * 80000,
    "torch>=1" + "," * 900000,
    "torch=='1" + ".1" * 400000 + "x'",
    ("torch" + " " * 400) * 2000,
):
    print(torch_version(text))
"""


def test_time_follows_the_size() -> None:
    assert set(run_bounded(HOSTILE).split()) == {"None"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
def test_what_cannot_be_read_is_named_and_passed_over(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "requirements.txt")
    with (tmp_path / "setup.cfg").open("wb") as file:
        file.truncate(5_000_000)
    (tmp_path / "setup.py").write_text("setup(install_requires=['torch==2.1.0'])")
    code = "import sys; from uncuda.workspace import required_torch; print(required_torch(sys.argv[1], print).version)"
    pipe, large, version = run_bounded(code, str(tmp_path)).splitlines()
    assert pipe.startswith(f"{tmp_path / 'requirements.txt'}: cannot be read: is a pipe, not a file; ")
    assert large.startswith(f"{tmp_path / 'setup.cfg'}: cannot be read: larger than 1 MB (5.0 MB); ")
    assert version == "2.1.0"
