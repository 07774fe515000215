"""Processes of our own: the command that runs one of our modules beside this process."""

from __future__ import annotations

import sys
from pathlib import Path

from . import bundled


def command(module: str) -> list[str]:
    """The arguments that run `main()` of a module of ours in a new Python with this process's import path.

    The new Python is isolated (`-I`): neither the current directory nor PYTHONPATH nor the user's site packages add
    to what it imports, so a file of the workspace can never be taken for a package.
    """
    here = Path.cwd()
    path = [entry for entry in sys.path if entry and Path(entry).absolute() != here]
    program = f"{bundled.preamble() or f'import sys; sys.path[:] = {path!r}'}; from {module} import main; main()"
    return [sys.executable, "-I", "-X", "utf8", "-c", program]
