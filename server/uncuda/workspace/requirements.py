"""The versions of torch and of plugins that a project requires, read from its requirements files."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from uncuda import lazy_re
from uncuda.catalogue import Versions
from uncuda.reading import LARGEST_CONFIGURATION, read_bytes
from uncuda.settings import CONFIGURATION_FILES
from uncuda.settings.toml import InvalidTomlError, parse_toml

from .discover import upwards
from .pins import Pins, normal, of_lines, of_lock, of_pyproject

LOCKS = ("uv.lock", "pylock.toml", "poetry.lock", "pdm.lock")
_OTHERS = ("pyproject.toml", "setup.cfg", "setup.py", "environment.yml", "environment.yaml")
_LOCK_OF_A_NAME = lazy_re.compile(r"pylock\.[^.]{1,100}\.toml")
_REQUIREMENTS = lazy_re.compile(r"(?:\w[\w.]{0,100}[-_.])?requirements(?:[-_.]\w[\w.-]{0,100})?\.(?:txt|lock)")
_INCLUDED = lazy_re.compile(r"(?m)^[ \t]*(?:-r|--requirement|-c|--constraint)[ \t=]*([^\s#:]{1,500})")
_LARGEST_LOCK = 8_000_000
_MOST_ENTRIES = 10_000
"""The maximum number of entries of a folder; in a larger folder, only files with common names for requirements are
read."""
_MOST_FILES = 20
TORCH = "torch"
_NO_MATTER = "what it says of versions does not count"


def asks_for_versions(name: str) -> bool:
    """Whether a file of this name (without folder) may state required versions."""
    return _is_lock(name) or name in _OTHERS or _REQUIREMENTS.fullmatch(name) is not None


def _is_lock(name: str) -> bool:
    return name in LOCKS or _LOCK_OF_A_NAME.fullmatch(name) is not None


class Held(NamedTuple):
    """The versions of a package that a project requires (any version if the project only names the package), and the
    file that states them. `folder`: the folder of the file that states the versions; if another file includes that
    file, the folder of the including file."""

    versions: Versions
    path: str
    folder: str = ""


Holds = Mapping[str, Held]
"""Maps the normalised name of each required package to its versions."""


class _Said(NamedTuple):
    """The versions that the files of one folder state: for each package the most exact versions, and separately the
    versions in lock files. `any_file`: whether the folder contains a file that can state versions."""

    best: Holds
    locked: Holds
    any_file: bool


_SILENT = _Said({}, {}, any_file=False)


class Requirements:
    """Reads the requirements files of folders, each file once.

    `packages`: the packages to look for, besides torch. `tell` is called with a sentence for each unreadable file,
    which is skipped. Problems of configuration files are reported by the code that reads settings.
    """

    def __init__(self, packages: Collection[str], tell: Callable[[str], object] = lambda message: None) -> None:
        self._packages = frozenset(filter(None, {TORCH, *map(normal, packages)}))
        self._tell = tell
        self._said: dict[str, _Said] = {}
        self._held: dict[str, Holds] = {}
        self._tops: dict[str, str] = {}

    def of(self, folder: str) -> Holds:
        """Return the versions that the nearest requirements files at or above `folder` state, up to the root of its
        repository.

        Within a folder, lock files take precedence, then exact versions; a range can be refined by a lock file in a
        parent folder. Outside of a repository, only the nearest folder with requirements files is used.
        """
        known = self._held.get(folder)
        if known is None:
            place = self._telling(os.path.abspath(folder))  # noqa: PTH100
            if place not in self._held:
                self._held[place] = self._find(place)
            known = self._held[folder] = self._held[place]
        return known

    def _telling(self, start: str) -> str:
        """Return the nearest folder at or above `start` with files that state versions, or the root; most folders have
        no such files and share the result of a parent."""
        top = self._top_of(start)
        place = start
        for place in upwards(start):
            if place == top or self._of_folder(place) != _SILENT:
                break
        return place

    def _find(self, start: str) -> Holds:
        top = self._top_of(start)
        said: list[_Said] = []
        for place in upwards(start):
            said.append(self._of_folder(place))
            if place == top or (not top and said[-1].any_file):
                break
        held: dict[str, Held] = {}
        for one in said:
            for package, found in {**one.locked, **one.best}.items():
                known = held.get(package)
                if known is None:
                    held[package] = found
                elif package in one.locked and not known.versions.exact and _is_locked(one.locked[package], known):
                    held[package] = one.locked[package]
        return held

    def _top_of(self, folder: str) -> str:
        """The root of the repository that contains a folder; "" if there is none."""
        passed: list[str] = []
        for place in upwards(folder):
            passed.append(place)
            if place not in self._tops and os.path.lexists(os.path.join(place, ".git")):  # noqa: PTH118
                self._tops[place] = place
            if place in self._tops:
                break
        top = self._tops.get(passed[-1], "")
        self._tops.update(dict.fromkeys(passed, top))
        return top

    def _of_folder(self, folder: str) -> _Said:
        known = self._said.get(folder)
        if known is None:
            known = self._said[folder] = self._read_folder(folder)
        return known

    def _read_folder(self, folder: str) -> _Said:
        texts = [(name, text) for name in _files(_entries(folder)) if (text := self._text(folder, name))]
        best: dict[str, Held] = {}
        locked: dict[str, Held] = {}
        for name, text in self._with_included(folder, texts):
            path = os.path.join(folder, name)  # noqa: PTH118
            for package, versions in self._pins(name, path, text).items():
                found = Held(versions, path, folder)
                known = best.get(package)
                if _is_lock(name):
                    locked.setdefault(package, found)
                if known is None or (package not in locked and _is_better(found, known)):
                    best[package] = found
        return _Said(best, locked, bool(texts))

    def _with_included(self, folder: str, texts: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """Yield the files of a folder, each followed by the files of the same repository that it includes (`-r`,
        `-c`)."""
        top = self._top_of(folder) or folder
        own = {name for name, _ in texts}
        seen, waiting = set(own), texts[::-1]
        while waiting:
            name, text = waiting.pop()
            yield name, text
            if name in own and not _REQUIREMENTS.fullmatch(name):
                continue
            for word in reversed(_INCLUDED.findall(text)[:_MOST_FILES]):
                other = os.path.normpath(os.path.join(os.path.dirname(name), word))  # noqa: PTH118, PTH120
                inside = Path(os.path.normpath(os.path.join(folder, other))).is_relative_to(top)  # noqa: PTH118
                if inside and other not in seen and len(seen) < _MOST_FILES + len(texts):
                    seen.add(other)
                    if found := self._text(folder, other):
                        waiting.append((other, found))

    def _pins(self, name: str, path: str, text: str) -> Pins:
        if _is_lock(name):
            return of_lock(text, self._packages)
        words = text.lower()
        if not any(package.partition("-")[0] in words for package in self._packages):
            return {}
        if name != "pyproject.toml":
            return of_lines(text, self._packages, bare=name not in ("setup.py", "setup.cfg"))
        try:
            return of_pyproject(parse_toml(text), self._packages)
        except InvalidTomlError as error:
            if "uncuda" not in text:
                self._tell(f"{path}: line {error.line}: not valid TOML: {error.message}; {_NO_MATTER}")
            return {}

    def _text(self, folder: str, name: str) -> str:
        path = os.path.join(folder, name)  # noqa: PTH118
        try:
            data = read_bytes(path, _LARGEST_LOCK if _is_lock(name) else LARGEST_CONFIGURATION)
            return data.decode("utf-8-sig", errors="replace")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return ""
        except OSError as error:
            if name not in CONFIGURATION_FILES:
                self._tell(f"{path}: cannot be read: {error.strerror or error}; {_NO_MATTER}")
            return ""


def _is_better(found: Held, known: Held) -> bool:
    """Return whether the versions that a file requires of a package (`found`) are used instead of the versions that an
    earlier file of the same folder requires (`known`). `found` is used if `known` allows all versions and `found` does
    not, or if `found` is a single version in the range of `known`."""
    if known.versions == Versions():
        return found.versions != Versions()
    return bool(found.versions.exact) and not known.versions.exact and _is_locked(found, known)


def _is_locked(found: Held, known: Held) -> bool:
    return known.versions.within(found.versions) == found.versions


def _entries(folder: str) -> frozenset[str] | None:
    """The names in a folder; None if there are too many, or they cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            names = frozenset(entry.name for entry in islice(entries, _MOST_ENTRIES + 1))
    except OSError:
        return None
    return names if len(names) <= _MOST_ENTRIES else None


def _files(names: frozenset[str] | None) -> list[str]:
    """Return the files of a folder that are read, in order of precedence."""
    usual = [*LOCKS, "requirements.txt", *_OTHERS]
    if names is None:
        return usual
    said = [name for name in names if "requirements" in name and name not in usual]
    more = sorted(filter(_REQUIREMENTS.fullmatch, said))
    locks = sorted(name for name in names if name.startswith("pylock.") and _LOCK_OF_A_NAME.fullmatch(name))
    ordered = [*LOCKS, *locks[:_MOST_FILES], "requirements.txt", *more[:_MOST_FILES], *_OTHERS]
    return [name for name in ordered if name in names]
