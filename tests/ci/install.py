"""Installs the tools that check the configuration files for CI: pre-commit, the schemas of GitHub and GitLab, and
Microsoft's SARIF validator."""

import platform
import sys
from pathlib import Path

from support.fetching import Missing, fetch, made, npm_package
from support.imports import ROOT

CACHE = ROOT / ".cache" / "ci"
HOOKS = ROOT / "requirements" / "hooks.txt"
SARIF = "@microsoft/sarif-multitool-linux@5.7.0"
SARIF_SHA512 = "NxUbpq6ISCWoTQ/NfOYEwEDKq1Heka/rMoJ5R5LMydcAZQX/X7g5mWHcgxDub+0M07LC96tZ5LZHvF1Qy3gjTA=="


def hooks() -> Path:
    """The folder with pre-commit, check-jsonschema and their Python; raises Missing."""
    wanted = f"{sys.version} {HOOKS.read_text(encoding='utf-8')}"
    return made(CACHE, f"hooks-{sys.version_info[0]}.{sys.version_info[1]}", wanted, _hooks) / "bin"


def multitool() -> Path:
    """The command of the SARIF validator; raises Missing."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise Missing("the validator of SARIF is a program for Linux with an x86_64 processor here")
    return made(CACHE, "multitool", SARIF_SHA512, _multitool) / "package" / "Sarif.Multitool"


def _hooks(folder: Path) -> None:
    fetch([sys.executable, "-m", "venv", str(folder)])
    pip = [str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    fetch([*pip, "--only-binary", ":all:", "--requirement", str(HOOKS)], folder)


def _multitool(folder: Path) -> None:
    npm_package(SARIF, SARIF_SHA512, folder)
    (folder / "package" / "Sarif.Multitool").chmod(0o755)
