"""Runs git in such a way that no program from the repository is executed.

Only commands that read the index and objects are used, and none that reads files of the work tree, so that no filter,
textconv or file monitor runs. Hooks, transports, prompts and locks are disabled; of the environment, only variables
that locate the user's own configuration are kept.
"""

# Paths are strings here, as in discover.py.
# ruff: noqa: PTH113, PTH117, PTH118
from __future__ import annotations

import os
import sys
from functools import cache

from uncuda import lazy_re
from uncuda.child import start

from .discover import upwards

_OPTIONS = (
    *("--no-pager", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"),
    *("-c", "core.fsmonitor=", "-c", f"core.hooksPath={os.devnull}", "-c", "protocol.allow=never"),
    *("-c", "core.quotePath=false", "-c", "diff.renameLimit=2000", "-c", "submodule.recurse=false"),
)
_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_")
_KEPT_TOO = ("GIT_CONFIG_VALUE_", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM")
_OURS = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
# In a partial clone, git would fetch missing objects, with a server and a program that the repository's settings name.
# GIT_NO_LAZY_FETCH is new in git 2.45. In older versions, the empty list of protocols in GIT_ALLOW_PROTOCOL forbids
# every fetch, because it overrides every `protocol.*.allow` of the repository.
_NO_FETCH = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}
_LACKS = lazy_re.compile(rb"unable to read ([0-9a-f]{40,64})")


class GitError(Exception):
    """Raised if a git command failed. `key` is the key of the sentence that says why the command failed and what to
    do."""

    def __init__(self, key: str, *values: object) -> None:
        self.key, self.values = key, values
        super().__init__(f"{key} {values}")


def ask(folder: str, *arguments: str | bytes) -> bytes:
    """Run a git command in a folder and return its output; raise GitError if it fails."""
    code, out, errors = try_asking(folder, *arguments)
    if code:
        if lacks := _LACKS.search(errors):
            raise GitError("git lacks object", folder, lacks[1].decode())
        lines = errors.decode("utf-8", "replace").strip().splitlines() or [f"exit code {code}"]
        raise GitError("git failed", folder, lines[0].removeprefix("fatal: "))
    return out


def try_asking(folder: str, *arguments: str | bytes) -> tuple[int, bytes, bytes]:
    """Run a git command and return (exit code, standard output, standard error)."""
    import subprocess

    program = _program()
    try:
        words = [program, *_OPTIONS, *map(os.fsdecode, arguments)]
        process = start(words, cwd=folder, env=_environment(), stderr=subprocess.PIPE)
    except (OSError, ValueError) as error:
        raise GitError("git failed", folder, error) from None
    out, errors = process.communicate()
    return process.returncode, out, errors


def line_of(answer: bytes) -> bytes:
    """The output of a git command without its line break."""
    return answer.removesuffix(b"\n").removesuffix(b"\r")


def _environment() -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().startswith("GIT_") or name.upper().startswith((*_KEPT, *_KEPT_TOO))
    }
    return {**kept, **_OURS, **_NO_FETCH}


@cache
def _program() -> str:
    """The path of the git program; a program inside the workspace is never used, even if an environment in the
    workspace comes first in PATH."""
    here = os.path.realpath(os.curdir)
    work = next((folder for folder in upwards(here) if os.path.lexists(os.path.join(folder, ".git"))), here)
    names = ("git.exe",) if sys.platform == "win32" else ("git",)
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.isabs(folder) or work in upwards(os.path.realpath(folder)):
                continue
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    raise GitError("git missing")


@cache
def root_of(folder: str) -> str | None:
    """The root of the work tree that contains an absolute folder; None if there is none."""
    return next(filter(_is_root, upwards(folder)), None)


@cache
def _is_root(folder: str) -> bool:
    if not os.path.lexists(os.path.join(folder, ".git")):
        return False
    code, out, errors = try_asking(folder, "rev-parse", "--is-inside-work-tree", "--show-prefix")
    if code and b"safe.directory" in errors:
        raise GitError("git unsafe", folder)
    return not code and out.split(b"\n")[:2] == [b"true", b""]
