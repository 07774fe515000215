"""Recognises projects that use TorchScript, which cannot compile calls of the helper module."""

from __future__ import annotations

import re

from ...checks.base import Context

_SCRIPTS = re.compile(r"\bjit[ \t]*\.[ \t]*(?!trace|load|save)\w")


def uses_torchscript(context: Context) -> bool:
    """Return whether the file, or another file of its project, uses TorchScript.

    TorchScript also compiles the functions that a compiled function calls, even in other files, so any function of the
    project may be compiled.
    """
    return context.project.scripts or ("jit" in context.text and _SCRIPTS.search(context.text) is not None)
