"""A workspace full of traps: each program or module leaves a file if it is run, imported or called."""

import hashlib
import sys
from pathlib import Path
from typing import NamedTuple

CODE = "import torch\n\nx = torch.ones(1).cuda()\ntorch.distributed.init_process_group('nccl')\n"
# Modules that Python, a tool or uncuda imports if it finds them first.
MODULES = (
    *("sitecustomize", "usercustomize", "warnings", "re", "json", "types", "typing", "encodings", "site", "conftest"),
    *("click", "jedi", "parso", "pygls", "lsprotocol", "cattrs", "attr", "pathspec", "tomllib", "yaml", "torch_npu"),
)
PACKAGES = ("libcst", "torch", "torchada", "uncuda", "pkg_resources")
_PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"


class Workspace(NamedTuple):
    """`root`: the folder of the workspace; `witness`: an empty folder beside it, in which a trap that runs creates a
    file with its own name."""

    root: Path
    witness: Path

    @property
    def sprung(self) -> list[str]:
        """The names of the traps that ran."""
        return sorted(path.name for path in self.witness.iterdir())

    def files(self) -> dict[str, str]:
        """Every path below the root, with a digest of its contents."""
        return {
            str(path.relative_to(self.root)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
            for path in self.root.rglob("*")
        }

    def module(self, name: str) -> str:
        """Return the source of a module that is a trap, and in which uncuda has findings."""
        code = "".join(f"    {line}".rstrip() + "\n" for line in CODE.splitlines())
        return f"open({str(self.witness / name)!r}, 'w').close()\n\n\ndef port():\n{code}"

    def program(self, name: str) -> str:
        """The text of a shell script that is a trap."""
        return f"#!/bin/sh\n: > '{self.witness / name}'\n"

    def write(self, name: str, text: str, mode: int = 0o644) -> None:
        """Write a file of the workspace."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)


def workspace(folder: Path) -> Workspace:
    """Make a workspace of traps, with code to check, below a folder."""
    made = Workspace(folder / "workspace", folder / "witness")
    made.witness.mkdir()
    made.write("main.py", f"from helper import Net\n\nNet().cuda()\n{CODE}")
    made.write("helper.py", "import torch\n\nclass Net(torch.nn.Module):\n    pass\n")
    for name in MODULES:
        made.write(f"{name}.py", made.module(name))
    for name in PACKAGES:
        made.write(f"{name}/__init__.py", made.module(name))
    _environment(made)
    _git(made)
    _tools(made)
    return made


def _environment(made: Workspace) -> None:
    packages = f".venv/lib/{_PYTHON}/site-packages"
    made.write(".venv/pyvenv.cfg", f"home = {made.root}/.venv/bin\ninclude-system-site-packages = false\n")
    for name in ("python", "python3", _PYTHON, "uncuda", "git", "ruff", "pip", "activate"):
        made.write(f".venv/bin/{name}", made.program(f"bin-{name}"), 0o755)
    for name in ("sitecustomize", "torch", "torch_npu", "click", "jedi"):
        made.write(f"{packages}/{name}.py", made.module(f"venv-{name}"))
    made.write(f"{packages}/trap.pth", f"import os; open({str(made.witness / 'pth')!r}, 'w').close()\n")


def _git(made: Workspace) -> None:
    hooks = ("post-checkout", "pre-commit", "post-index-change", "fsmonitor-watchman", "reference-transaction")
    for name in hooks:
        made.write(f".git/hooks/{name}", made.program(f"git-{name}"), 0o755)
    for name in ("fsmonitor", "external", "textconv", "filter", "pager", "editor", "ssh"):
        made.write(f".git/{name}", made.program(f"git-{name}"), 0o755)
    git = made.root / ".git"
    made.write(
        ".git/config",
        f"[core]\n\trepositoryformatversion = 0\n\tfsmonitor = {git}/fsmonitor\n\tpager = {git}/pager\n"
        f"\teditor = {git}/editor\n\tsshCommand = {git}/ssh\n"
        f"\thooksPath = {git}/hooks\n\texcludesFile = {git}/ignored\n"
        f'[diff]\n\texternal = {git}/external\n[diff "x"]\n\ttextconv = {git}/textconv\n'
        f'[filter "x"]\n\tclean = {git}/filter\n\tsmudge = {git}/filter\n',
    )
    made.write(".git/HEAD", "ref: refs/heads/main\n")
    made.write(".git/objects/empty", "")
    made.write(".git/refs/empty", "")
    made.write(".gitattributes", "*.py diff=x filter=x\n")
    made.write(".gitignore", "*.log\n")


def _tools(made: Workspace) -> None:
    made.write(
        "setup.py", f"from setuptools import setup\n{made.module('setup')}setup(install_requires=['torch>=2'])\n"
    )
    made.write(
        "pyproject.toml",
        '[build-system]\nrequires = ["torch"]\nbuild-backend = "conftest"\nbackend-path = ["."]\n'
        '[project]\nname = "trap"\nversion = "1"\ndependencies = ["torch>=2.1"]\n'
        '[project.entry-points."uncuda.rules"]\ntrap = "conftest:run"\n'
        '[tool.uncuda]\ntarget = "npu"\nreceivers = true\n'
        '[tool.mypy]\nplugins = ["conftest"]\n[tool.pytest.ini_options]\naddopts = "-p conftest"\n',
    )
    made.write("sub/uncuda.toml", 'target = "npu"\nreceivers = true\n')
    made.write("sub/deep.py", CODE)
    python = made.root / ".venv" / "bin" / "python"
    made.write(
        ".vscode/settings.json",
        f'{{"python.defaultInterpreterPath": "{python}", "uncuda.interpreter": ["{python}"], '
        f'"uncuda.importStrategy": "fromEnvironment", "git.path": "{made.root}/.venv/bin/git"}}\n',
    )
    made.write(".envrc", made.program("envrc"), 0o755)
    made.write("Makefile", f"$(shell touch '{made.witness / 'make'}')\n")
    made.write(".jedi/project.json", f'[1, {{"environment_path": "{python}", "load_unsafe_extensions": true}}]\n')
    made.write("requirements.txt", "torch>=2.1\n-e .\n")
