"""The command line to offer for a file in which an editor must not apply fixes."""

from __future__ import annotations

import os
import shlex

from uncuda import bundled
from uncuda.messages import language

from ..wire.texts import Texts
from .choice import PORTABLE


def command_for(path: str, review: bool, target: str) -> str:
    """Return the command line that fixes a file. `target`: the target to name on the command line; "" if configuration
    files name it."""
    words = [*bundled.command(), "fix", path]
    words += ["--review-fixes"] if review else []
    words += aim_options(target)
    if os.name == "nt":
        return " ".join(f'"{word}"' if " " in word else word for word in words)
    return shlex.join(words)


def cannot_create(path: str, review: bool, locale: str) -> str:
    """Return the message about a fix that needs a new file, for a client that cannot create files; it names the command
    that applies the fix."""
    return Texts(language(locale))("cannot create", command_for(path or os.curdir, review, PORTABLE))


def aim_options(target: str) -> list[str]:
    """Return the command-line options that select a target, or portable source for all targets; empty if `target` is
    empty."""
    option = "--strategy" if target == PORTABLE else "--target"
    return [option, target] if target else []
