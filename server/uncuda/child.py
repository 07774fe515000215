"""Processes of our own: the command that runs one of our modules beside this process."""

from __future__ import annotations

import sys

from . import bundled
from .import_path import without_current_folder


def command(module: str) -> list[str]:
    """The arguments that run `main()` of a module of ours in a new Python with this process's import path.

    The new Python is isolated (`-I`): neither the current directory nor PYTHONPATH nor the user's site packages add
    to what it imports, so a file of the workspace can never be taken for a package.
    """
    path = without_current_folder(sys.path)
    program = f"{bundled.preamble() or f'import sys; sys.path[:] = {path!r}'}; from {module} import main; main()"
    return [sys.executable, "-I", "-X", "utf8", "-c", program]
