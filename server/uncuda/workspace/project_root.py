"""Finds the project of the files that a user names: facts from other files of the project apply to these files, too."""

# Paths are strings here, as in discover.py.
# ruff: noqa: PTH100, PTH109, PTH110, PTH111, PTH112, PTH113, PTH117, PTH118, PTH120
from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from .discover import File, SettingsFor, discover, reach

MOST_FILES = 5_000
"""The maximum number of files, and of folders, in a project that is read completely although the user named only one of
its files; reading so many takes a second or two."""
_MARKS = (".git", ".hg", "pyproject.toml", "setup.cfg", "setup.py", "uncuda.toml")


def project_files(paths: Sequence[str], given: Sequence[File], settings_for: SettingsFor) -> list[File]:
    """Return all files of the projects that contain `paths`, including `given`, i.e. the files found in `paths`.

    The files of a path's project that are not in `given` are left out if the path is the project's root, if the
    project's settings exclude the path, or if the project has more than MOST_FILES files.
    """
    known = {os.path.abspath(file.path): file for file in given}
    places = list(dict.fromkeys(map(os.path.abspath, paths)))
    above: dict[str, File] = {}
    looked: dict[str, dict[str, File] | None] = {}
    for place in places:
        if place in above or not any(_is_at(path, place) for path in known):
            continue
        for root in _roots(place):
            if root not in looked:
                found = discover([root], settings_for, empty=True, most=MOST_FILES)
                looked[root] = {file.path: file for file in found.files} if found.is_whole else None
            files = looked[root]
            if files is not None and (_holds(files, place, known) or _is_new(place, root, settings_for)):
                above.update(files)
                break
    if not above:
        return list(given)
    here = "" if all(os.path.isabs(file.path) for file in given) else os.getcwd()
    more = [
        known.get(path) or file._replace(path=_as_given(path, here) if here else path) for path, file in above.items()
    ]
    return [*more, *(file for path, file in known.items() if path not in above)]


def _holds(files: Mapping[str, File], place: str, known: Mapping[str, File]) -> bool:
    """Return whether a named path is a file of the project, or a folder with some of its files."""
    return place in files or any(path in known for path in files if _is_at(path, place))


def _is_new(place: str, root: str, settings_for: SettingsFor) -> bool:
    """Whether a path is a file that does not exist yet but would be checked, such as one that an editor passes on
    standard input."""
    return not os.path.exists(place) and reach(place, root, settings_for) is not None


def _roots(place: str) -> Iterator[str]:
    """Folders above a path that may be the root of its project, the most likely first; none if the path itself is a
    root."""
    folder = place if os.path.isdir(place) else os.path.dirname(place)
    marked = _marked(folder)
    if marked != place:
        if marked is not None:
            yield marked
        package = folder
        while os.path.isfile(os.path.join(package, "__init__.py")) and os.path.dirname(package) != package:
            folder, package = package, os.path.dirname(package)
        if folder not in (place, marked) and os.path.isfile(os.path.join(folder, "__init__.py")):
            yield folder


def _marked(folder: str) -> str | None:
    """The closest folder at or above this one that contains a marker of a project, such as pyproject.toml; the home
    folder and the folders above it are not searched."""
    home = os.path.expanduser("~")
    while folder != home and os.path.dirname(folder) != folder:
        if any(os.path.exists(os.path.join(folder, mark)) for mark in _MARKS):
            return folder
        folder = os.path.dirname(folder)
    return None


def _is_at(path: str, place: str) -> bool:
    return path == place or path.startswith(place + os.sep)


def _as_given(path: str, here: str) -> str:
    """Return an absolute path relative to the current folder `here`, like the paths that the user gave; uncuda compares
    folders as strings, so all paths must have the same form."""
    if path.startswith(here + os.sep):
        return path[len(here) + 1 :]
    return os.path.relpath(path, here)
