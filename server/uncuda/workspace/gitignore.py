"""The .gitignore files that hold for a folder: its own and those above it, the nearest deciding."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


@dataclass(frozen=True)
class GitIgnore:
    """One .gitignore, and through `above` those of the folders above it."""

    NAME: ClassVar = ".gitignore"

    folder: str
    spec: GitIgnoreSpec
    up: GitIgnore | None = None

    @classmethod
    def read(cls, folder: str, up: GitIgnore | None = None) -> GitIgnore | None:
        """The .gitignore of `folder` on top of `up`; `up` itself if there is none that can be read."""
        try:
            lines = Path(folder, cls.NAME).read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        except OSError:
            return up
        from pathspec import GitIgnoreSpec

        try:
            spec = GitIgnoreSpec.from_lines(lines)
        except ValueError:  # a pattern that git cannot read either: it ignores nothing
            spec = GitIgnoreSpec.from_lines(_readable(lines))
        return cls(os.path.abspath(folder), spec, up)  # noqa: PTH100

    @classmethod
    def above(cls, root: str) -> GitIgnore | None:
        """What the repository around `root` ignores; None if that is `root` itself: it was asked for."""
        start = Path(os.path.abspath(root))  # noqa: PTH100 links stay, as in `matches`
        around = [start, *start.parents]
        git = [os.path.exists(folder / ".git") for folder in around]  # noqa: PTH110 Path.exists raises
        ignored = None
        for folder in reversed(around[1 : git.index(True) + 1] if True in git else []):
            ignored = cls.read(str(folder), ignored)
        return None if ignored and ignored.matches(root, folder=True) else ignored

    def matches(self, path: str, folder: bool = False) -> bool:
        """Whether git would ignore `path`; `folder`: it is one."""
        place = os.path.abspath(path)  # noqa: PTH100 once a file
        place += "/" if folder else ""
        level: GitIgnore | None = self
        while level is not None:
            decision = level.spec.check_file(place[len(level.folder) :].lstrip("/")).include
            if decision is not None:
                return decision
            level = level.up
        return False


def _readable(lines: list[str]) -> list[str]:
    from pathspec import GitIgnoreSpec

    readable = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue
        readable.append(line)
    return readable
