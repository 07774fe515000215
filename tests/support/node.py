"""The VS Code extension's npm packages and its .vsix, for tests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from support.fetching import Missing, fetch
from support.imports import ROOT
from support.locks import alone

EXTENSION = ROOT / "vscode-extension"
CACHE = ROOT / ".cache" / "vscode-extension"


def installed() -> Path:
    """Return the extension's folder after installing its npm packages; raises Missing."""
    with alone(CACHE / "lock"):
        _script("setup")
    return EXTENSION


def vsix() -> Path:
    """Return the extension's .vsix, built again if a source file is newer; raises Missing."""
    built = EXTENSION / "dist" / "uncuda.vsix"
    with alone(CACHE / "lock"):
        if not built.is_file() or built.stat().st_mtime < _newest():
            _script("package")
    return built


def npm(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run npm in the extension's folder."""
    environment = {**os.environ, "UNCUDA_TEST_PYTHON": sys.executable}
    command = ["npm", *arguments]
    return subprocess.run(command, cwd=EXTENSION, env=environment, capture_output=True, text=True, check=False)


def _newest() -> float:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "vscode-extension", "server", "rules",
         "requirements/bundle.txt", "LICENSE", "NOTICE"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    files = [ROOT / name for name in listed.stdout.split("\0") if name]
    return max(path.stat().st_mtime for path in files if path.is_file())


def _script(name: str) -> None:
    if not shutil.which("npm"):
        raise Missing("npm is not there: install Node.js 20 or newer")
    fetch([str(EXTENSION / "scripts" / name)])
