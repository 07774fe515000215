"""Downloads wheels from the package index with pip, only to read them."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

_PYTHON = "3.11"  # a Python version for which every plugin version that is read has a wheel


def download(requirement: str, platforms: Iterable[str], folder: Path) -> None:
    """Download the wheel for a requirement (`torch==2.9.0`) into a folder; raise CalledProcessError if there is
    none."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    command += ["--python-version", _PYTHON, *(part for name in platforms for part in ("--platform", name))]
    subprocess.run([*command, "--dest", str(folder), requirement], check=True)
