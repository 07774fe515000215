"""File names and links in a report: relative paths, which do not reveal the folders of the machine."""

# Paths are plain strings here, as in workspace/discover.py.
# ruff: noqa: PTH100, PTH109, PTH112, PTH118, PTH119, PTH120
from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

_NAMED = 3  # maximum number of paths that a title lists


@dataclass(frozen=True)
class Naming:
    """File names relative to the folder `root`, and links relative to `beside`, the folder of the report.

    `title`: the text that names the checked paths in the title of the report.
    """

    root: str
    beside: str
    title: str
    stays: bool = False  # whether the report stays on this machine, so that it may contain links to any folder

    @classmethod
    def of(cls, given: Sequence[str], files: Iterable[str], output: str = "") -> Naming:
        """Return the file names and links for a report on `files`, which were found in the `given` paths.

        `root` is the current folder if it contains all the files, otherwise the deepest folder that contains the
        `given` paths. `output`: the path of the report; empty if it is unknown.
        """
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
        """Return the path of a file relative to `root`, with slashes."""
        return _relative(os.path.abspath(path), self.root)

    def shown(self, path: str) -> str:
        """Return the path of a file for a message: relative to `root`, or unchanged if the file is not below `root`."""
        return self.name(path) if _is_below(os.path.abspath(path), self.root) else path

    def link(self, name: str) -> str:
        """Return the link from the report to a file.

        The link is empty if report and file have only the root of the file system in common, because the link would
        then contain folder names of this machine.
        """
        path = os.path.join(self.root, *name.split("/"))
        shared = _common([path, self.beside])
        if not shared or (shared == os.path.dirname(shared) and not self.stays):
            return ""
        return quote(os.fsencode(_relative(path, self.beside)))


def _relative(path: str, folder: str) -> str:
    try:
        found = os.path.relpath(path, folder)
    except ValueError:  # there is no relative path to another drive
        found = path
    return found.replace(os.sep, "/")


def _common(paths: Sequence[str]) -> str:
    """Return the deepest folder that contains all paths; empty if they are on different drives."""
    try:
        return os.path.commonpath(paths)
    except ValueError:
        return ""


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
