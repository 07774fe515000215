"""Finds other Python versions on this machine, and Python for WebAssembly on Node, each with the packages that tests
need.

Fetched packages and environments are kept in `.cache/pythons` of the checkout.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from support.fetching import Missing, fetch

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache" / "pythons"
PYODIDE = ROOT / "tests" / "pyodide"


def interpreter(version: str) -> str:
    """The command of a CPython version such as "3.12", found on PATH or in pyenv; raises Missing."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    kept = sorted(pyenv.glob(f"{version}.*/bin/python{version}"))
    for command in [shutil.which(f"python{version}"), *map(str, kept)]:
        if command and _says(command, version):
            return command
    raise Missing(f"no Python {version} on this machine")


def _says(command: str, version: str) -> bool:
    """Return whether the command runs and has that version, because pyenv has commands for versions that are not
    installed, too."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([command, "-c", code], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == version


def environment(version: str) -> Path:
    """Return the Python of a virtual environment of that version, with the packages that uncuda and its portable tests
    need; raises Missing."""
    command, venv = interpreter(version), CACHE / f"venv-{version}"
    python, stamp = venv / "bin" / "python", venv / "stamp"
    lists = [ROOT / "requirements" / name for name in ("run.txt", "portable.txt")]
    wanted = "\n".join([command, *map(_text, lists)])
    if not stamp.is_file() or _text(stamp) != wanted:
        shutil.rmtree(venv, ignore_errors=True)
        fetch([command, "-m", "venv", "--without-pip", str(venv)])
        install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-compile"]
        fetch([*install, "--require-hashes", *(f"--requirement={path}" for path in lists)], ROOT)
        stamp.write_text(wanted, encoding="utf-8")
    return python


def pyodide(version: str) -> list[str]:
    """The command that runs pytest in Python for WebAssembly; pytest's arguments are appended. Raises Missing."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        raise Missing("no Node.js with npm on this machine")
    modules = CACHE / f"node-{version}"
    packages = CACHE / f"packages-{version}"
    wanted = _text(PYODIDE / "package-lock.json") + _text(ROOT / "requirements" / "portable.txt")
    stamp = modules / "stamp"
    if not stamp.is_file() or _text(stamp) != wanted:
        for folder in (modules, packages):
            shutil.rmtree(folder, ignore_errors=True)
        modules.mkdir(parents=True)
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(PYODIDE / name, modules)
        fetch([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], modules)
        fetch([sys.executable, "-m", "pip", "install", "--quiet", "--target", str(packages), *_pure(version)], ROOT)
        stamp.write_text(wanted, encoding="utf-8")
    folder = modules / "node_modules" / f"pyodide-{version}"
    return [node, str(PYODIDE / "run.mjs"), str(folder), str(ROOT), str(packages)]


def _pure(version: str) -> list[str]:
    """Return pip's options that allow only pure Python packages."""
    system = ["--platform", "any", "--implementation", "py", "--abi", "none", "--python-version", version]
    return ["--require-hashes", "--only-binary", ":all:", *system, "--requirement", "requirements/portable.txt"]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
