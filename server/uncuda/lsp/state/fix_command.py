"""The command that fixes a file where an editor would not do."""

from __future__ import annotations

import os
import shlex

from uncuda import bundled

from .choice import PORTABLE


def command_for(path: str, review: bool, target: str) -> str:
    """The command that fixes a file where an editor would not do; `target`: empty where configuration files say it."""
    words = [*bundled.command(), "fix", path]
    words += ["--review-fixes"] if review else []
    option = "--strategy" if target == PORTABLE else "--target"
    words += [option, target] if target else []
    if os.name == "nt":
        return " ".join(f'"{word}"' if " " in word else word for word in words)
    return shlex.join(words)
