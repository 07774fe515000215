"""How a report calls files, and links to them: by relative paths, so that it says nothing of a machine."""

# Paths are plain strings here, as in workspace/discover.py.
# ruff: noqa: PTH100, PTH109, PTH112, PTH118, PTH119, PTH120
from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

_NAMED = 3  # paths: more are not named in a title


@dataclass(frozen=True)
class Naming:
    """Names of files below a folder: `root`. `beside`: where the report is; `title`: what was looked at."""

    root: str
    beside: str
    title: str
    stays: bool = False  # on this machine: links may lead anywhere

    @classmethod
    def of(cls, given: Sequence[str], files: Iterable[str], output: str = "") -> Naming:
        """The names of files, found below the paths that were `given`; from the current folder, if they are in it.
        `output`: the file of the report; empty: nobody knows."""
        here = os.getcwd()
        places = [os.path.abspath(path) for path in given or ["."]]
        root = here
        if not all(_is_below(os.path.abspath(path), here) for path in (*places, *files)):
            root = _common([place if os.path.isdir(place) else os.path.dirname(place) for place in places])
        beside = os.path.dirname(os.path.abspath(output)) if output else root
        named = [_relative(place, root) for place in places]
        title = ", ".join(named) if len(named) <= _NAMED and "." not in named else os.path.basename(root)
        return cls(root, beside, title)

    def name(self, path: str) -> str:
        """A file as the report calls it."""
        return _relative(os.path.abspath(path), self.root)

    def shown(self, path: str) -> str:
        """A path of a message: what is elsewhere stays as it is."""
        return self.name(path) if _is_below(os.path.abspath(path), self.root) else path

    def link(self, name: str) -> str:
        """A link to a file; empty where it would lead through folders that only this machine has."""
        path = os.path.join(self.root, *name.split("/"))
        shared = _common([path, self.beside])
        if not shared or (shared == os.path.dirname(shared) and not self.stays):
            return ""
        return quote(os.fsencode(_relative(path, self.beside)))


def _relative(path: str, folder: str) -> str:
    try:
        found = os.path.relpath(path, folder)
    except ValueError:  # another drive
        found = path
    return found.replace(os.sep, "/")


def _common(paths: Sequence[str]) -> str:
    """The folder that holds all of them; empty where they are on several drives."""
    try:
        return os.path.commonpath(paths)
    except ValueError:
        return ""


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
