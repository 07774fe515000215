"""The command line that fixes a file for which an editor must not apply the fixes."""

from __future__ import annotations

import os
import shlex

from uncuda import bundled


def command_for(path: str, review: bool, target: str) -> str:
    """The command line that fixes a file. `target`: "" if configuration files name it."""
    words = [*bundled.command(), "fix", path]
    words += ["--review-fixes"] if review else []
    words += ["--target", target] if target else []
    if os.name == "nt":
        return " ".join(f'"{word}"' if " " in word else word for word in words)
    return shlex.join(words)
