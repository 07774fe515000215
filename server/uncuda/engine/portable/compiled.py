"""Recognises projects that use TorchScript, which compiles no call of the helper."""

from __future__ import annotations

import re

from ...checks.base import Context

_SCRIPTS = re.compile(r"\bjit[ \t]*\.[ \t]*(?!trace|load|save)\w")


def uses_torchscript(context: Context) -> bool:
    """Whether the file, or another one of its project, uses TorchScript.

    It compiles what a compiled function calls, in other files too, so any function may be compiled.
    """
    return context.project.scripts or ("jit" in context.text and _SCRIPTS.search(context.text) is not None)
