"""The .gitignore files that apply to a folder: its own and those of its parents; the nearest file
with a pattern that matches a path decides whether the path is ignored.

An invalid pattern ignores nothing, as in git, and is reported as a note. An unreadable .gitignore is a problem of the
run, because files that it would exclude are checked and perhaps rewritten.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from uncuda.reading import read_bytes
from uncuda.settings import PatternError, Patterns, read_patterns

Tell = Callable[[str, str, bool], object]
"""A function that is called with the path of a .gitignore file, the error, and whether the whole file is unusable."""


def tell_nobody(path: str, message: str, unusable: bool) -> None:
    """A `Tell` that does nothing, for requests about one file; problems are reported when the folder is walked."""


@dataclass(frozen=True)
class GitIgnore:
    """One .gitignore file; `up` is the .gitignore file of the nearest parent folder."""

    NAME: ClassVar = ".gitignore"

    folder: str
    patterns: Patterns
    up: GitIgnore | None = None

    @classmethod
    def read(cls, folder: str, up: GitIgnore | None = None, tell: Tell = tell_nobody) -> GitIgnore | None:
        """Read the .gitignore of `folder`; `up` is that of the nearest parent folder that has one. Return `up` if
        `folder` has no usable .gitignore."""
        path = os.path.join(folder, cls.NAME)  # noqa: PTH118 once a folder
        try:
            data = read_bytes(path)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return up
        except OSError as error:
            tell(path, f"cannot be read: {error.strerror or error}; it ignores nothing", True)
            return up
        try:
            patterns, problems = _read(data)
        except PatternError as error:
            tell(path, f"{error.message}; it ignores nothing", True)
            return up
        for problem in problems:
            tell(path, f"line {problem.line}: {problem.message}; it ignores nothing", False)
        return cls(os.path.abspath(folder), patterns, up)  # noqa: PTH100

    @classmethod
    def above(cls, root: str, tell: Tell = tell_nobody) -> GitIgnore | None:
        """Return the .gitignore rules of the repository around `root` that apply to `root`; None if git ignores `root`
        itself, because the user then named an ignored folder on purpose."""
        start = Path(os.path.abspath(root))  # noqa: PTH100 links stay, as in `matches`
        around = [start, *start.parents]
        git = [os.path.exists(folder / ".git") for folder in around]  # noqa: PTH110 Path.exists raises
        ignored = None
        for folder in reversed(around[1 : git.index(True) + 1] if True in git else []):
            ignored = cls.read(str(folder), ignored, tell)
        return None if ignored and ignored.matches(root, folder=True) else ignored

    def matches(self, path: str, folder: bool = False) -> bool:
        """Whether git would ignore `path`; `folder`: whether it is a folder."""
        place = os.path.abspath(path)  # noqa: PTH100 once a file
        place += "/" if folder else ""
        level: GitIgnore | None = self
        while level is not None:
            decision = level.patterns.decide(place[len(level.folder) :].lstrip("/"))
            if decision is not None:
                return decision
            level = level.up
        return False


@lru_cache(maxsize=32)
def _read(data: bytes) -> tuple[Patterns, list[PatternError]]:
    """The patterns in a file's bytes; cached, because a server needs them for one file after another."""
    return read_patterns(data.decode("utf-8-sig", errors="surrogateescape").split("\n"))
