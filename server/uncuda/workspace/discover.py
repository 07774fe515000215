"""Finds the files to check: walks folders, honours `exclude` and .gitignore, and reports what it left out."""

# Paths are strings here, because making a Path costs as much as reading a small file.
# ruff: noqa: PTH100, PTH110, PTH112, PTH113, PTH116, PTH119, PTH120, PTH122
from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from uncuda.limits import LimitExceeded
from uncuda.settings import CONFIGURATION_FILES, Settings, SettingsError, pattern_set

from .gitignore import GitIgnore

EXCLUDED = frozenset(
    {".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".idea", ".ipynb_checkpoints", ".mypy_cache", ".nox"}
    | {".pants.d", ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode"}
    | {"__pycache__", "__pypackages__", "_build", "buck-out", "build", "dist", "node_modules", "site-packages", "venv"}
)
_BUILT = frozenset({"build", "dist"})

# The suffixes of files that a user may name, and the suffixes of files that are found in folders.
_SUFFIXES = ("", ".py", ".pyi", ".pyw", ".ipynb")
_FOUND = (".py", ".ipynb")


def upwards(folder: str) -> Iterator[str]:
    """Yield a folder and all its parents, innermost first."""
    while True:
        yield folder
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return


class Problem(NamedTuple):
    """A file, folder or configuration that could not be used, with the reason."""

    path: str
    message: str


class Exceeds(Problem):
    """A file that exceeds a work limit; `limit` is kept so that the message can be created in another language."""

    limit: LimitExceeded

    @classmethod
    def of(cls, path: str, limit: LimitExceeded) -> Exceeds:
        """The problem of a file that exceeds a limit, with its message in English."""
        problem = cls(path, str(limit))
        problem.limit = limit
        return problem


class LeftOut(Problem):
    """A file that is left out because of its contents, such as a notebook in another language; this is not an error."""


class File(NamedTuple):
    """A file to check. `given` says whether the user named the file; otherwise it was found in a folder."""

    path: str
    settings: Settings
    given: bool


@dataclass
class Found:
    """The files in the order of the report, the problems, and the files that were left out on purpose.

    `notes`: invalid patterns of .gitignore files, which have no effect; `is_whole`: False if the limit of files was
    reached.
    """

    files: list[File] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)
    is_whole: bool = True


class _Folder(NamedTuple):
    """A folder to walk, with the settings and ignore rules in effect; `settings` is None if they are invalid."""

    path: str
    settings: Settings | None
    ignored: GitIgnore | None


_SPECIAL = frozenset({*CONFIGURATION_FILES, GitIgnore.NAME})

SettingsFor = Callable[[str], Settings]


def discover(paths: Iterable[str], settings_for: SettingsFor, empty: bool = False, most: float = float("inf")) -> Found:
    """The Python files of `paths`: named files, and all files in named folders.

    `settings_for(folder)` may raise SettingsError, which is reported once; files under that folder are left out.
    `empty`: whether a folder may be without Python files; `most`: the maximum number of files, and of folders, below
    each path.
    """
    walk = _Walk(settings_for, empty, most)
    for path in paths:
        try:
            walk.add(path)
        except OSError as error:
            walk.found.problems.append(Problem(path, _reason(error)))
    return walk.finish()


def reach(path: str, root: str, settings_for: SettingsFor, git: bool = True) -> File | None:
    """Return the file at `path` inside `root` as `discover` would find it, even if it does not exist yet; None if
    `discover` would leave it out.

    `git`: whether to leave out files that git ignores.
    """
    walk = _Walk(settings_for)
    names = Path(path).relative_to(root).parts
    place, settings, ignored = root, None, GitIgnore.above(root) if git else None
    for number, name in enumerate(names, 1):
        settings, ignored = walk.settings(place), GitIgnore.read(place, ignored) if git else None
        place = place.rstrip(os.sep) + os.sep + name
        if walk.left_out(place, settings.exclude if settings else (), ignored, folder=number < len(names)):
            return None
    return File(path, settings, False) if settings else None


class _Walk:
    def __init__(self, settings_for: SettingsFor, empty: bool = False, most: float = float("inf")) -> None:
        self.found = Found()
        self._empty, self._most = empty, most
        self._settings_for = settings_for
        self._broken: set[str] = set()
        self._links: set[str] = set()
        self._roots: set[str] = set()
        self._given = 0

    def add(self, path: str) -> None:
        self._given += 1
        if not path:
            self.found.problems.append(Problem("''", "is an empty path; the current folder is `.`"))
            return
        path = os.path.normpath(path)
        if os.path.isfile(path) and (why := _not_python(path)):
            self.found.problems.append(Problem(path, why))
        elif os.path.isfile(path):
            settings = self.settings(os.path.dirname(path) or ".")
            if settings is not None:
                self.found.files.append(File(path, settings, True))
        elif os.path.isdir(path):
            self._add_folder(path)
        else:
            os.stat(path)  # raises an exception with the reason: no such file, a loop of links, no permission
            self.found.problems.append(Problem(path, "is neither a file nor a folder"))

    def finish(self) -> Found:
        if self._links or self._given > 1:
            first: dict[str, File] = {}
            folders: dict[str, str] = {}
            for file in self.found.files:
                real = self._real(file, folders)
                first[real] = file if file.given else first.get(real, file)
            self.found.files = list(first.values())
        return self.found

    def _real(self, file: File, folders: dict[str, str]) -> str:
        """The real path of a file. `folders`: a cache of the real paths of folders, because resolving every file's path
        is slow."""
        if file.given or file.path in self._links:
            return os.path.realpath(file.path)
        folder, _, name = file.path.rpartition(os.sep)
        return self._real_folder(folder, folders) + name

    def _real_folder(self, folder: str, known: dict[str, str]) -> str:
        """Return the real path of a walked folder, with a separator at its end; symbolic links below the root are not
        followed."""
        if folder not in known:
            above, _, name = folder.rpartition(os.sep)
            if folder in self._roots or not name:
                known[folder] = os.path.realpath(folder or ".").rstrip(os.sep) + os.sep
            else:
                known[folder] = self._real_folder(above, known) + name + os.sep
        return known[folder]

    def _add_folder(self, root: str) -> None:
        problems, skipped = len(self.found.problems), len(self.found.skipped)
        self._roots.add("" if root == "." else root.rstrip(os.sep))
        files: list[File] = []
        stack = [_Folder(root, self.settings(root), GitIgnore.above(root, self._tell))]
        read = 0
        while stack and self.found.is_whole:
            self._read_folder(stack.pop(), files, stack)
            read += 1
            self.found.is_whole = max(read, len(files)) <= self._most
        if not files and not self._empty and problems == len(self.found.problems):
            left_out = len(self.found.skipped) - skipped
            why = f" ({left_out} left out; --verbose says why)" if left_out else ""
            self.found.problems.append(Problem(root, f"no Python file in this folder{why}"))
        files.sort(key=lambda file: file.path)
        self.found.files += files

    def _read_folder(self, folder: _Folder, files: list[File], stack: list[_Folder]) -> None:
        """Add the files of a folder to `files`, and its subfolders to `stack`."""
        path, settings, ignored = folder
        prefix = "" if path == "." else path.rstrip(os.sep) + os.sep
        names, folders, special = [], [], set()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    name = entry.name
                    kind = self._kind(entry, prefix)
                    if kind == "folder":
                        folders.append(name)
                    elif kind == "file" and name.endswith(_FOUND):
                        names.append(name)
                    elif name in _SPECIAL:
                        special.add(name)
        except OSError as error:
            self.found.problems.append(Problem(path, _reason(error)))
        if special - {GitIgnore.NAME}:
            settings = self.settings(path)
        if GitIgnore.NAME in special:
            ignored = GitIgnore.read(path, ignored, self._tell)
        exclude = settings.exclude if settings else ()
        if ignored is not None or exclude:
            names = [name for name in names if not self.left_out(prefix + name, exclude, ignored)]
        if settings is not None:
            files += [File(prefix + name, settings, False) for name in names]
        folders = [name for name in folders if not self.left_out(prefix + name, exclude, ignored, folder=True)]
        stack += [_Folder(prefix + name, settings, ignored) for name in folders]

    def _kind(self, entry: os.DirEntry[str], prefix: str) -> str:
        """Return "file" or "folder" for a directory entry, or "" for anything else, such as a device."""
        try:
            if not entry.is_symlink():
                return "file" if entry.is_file() else "folder" if entry.is_dir() else ""
            if entry.is_dir():
                self._skip(prefix + entry.name, "link to a folder; links are not followed")
            elif entry.name.endswith(_FOUND):
                self._links.add(prefix + entry.name)
                if entry.is_file():
                    return "file"
                # true for example for a device file, which is neither a file nor a folder
                there = os.path.exists(prefix + entry.name)
                self._skip(prefix + entry.name, f"link that leads {'to no file or folder' if there else 'nowhere'}")
        except OSError as error:
            if entry.name.endswith(_FOUND):
                self.found.problems.append(Problem(prefix + entry.name, _reason(error)))
        return ""

    def left_out(self, path: str, exclude: tuple[str, ...], ignored: GitIgnore | None, folder: bool = False) -> bool:
        excluded = None
        if exclude:
            place = os.path.abspath(path) + ("/" if folder else "")
            excluded = pattern_set(exclude).decide(place)
        if excluded is None and folder and (name := os.path.basename(path)) in EXCLUDED and not _is_package(path, name):
            return name[0] in "._" or self._skip(path, 'left out by default; give it as a path, or `exclude` "!NAME"')
        if excluded:
            return self._skip(path, "excluded by the configuration")
        if ignored is not None and excluded is None and ignored.matches(path, folder):
            return self._skip(path, "ignored by .gitignore")
        return False

    def _skip(self, path: str, message: str) -> bool:
        self.found.skipped.append(Problem(path, message))
        return True

    def _tell(self, path: str, message: str, unusable: bool) -> None:
        problem = Problem(os.path.normpath(path), message)
        known = self.found.problems if unusable else self.found.notes
        if problem not in known:
            known.append(problem)

    def settings(self, folder: str) -> Settings | None:
        try:
            return self._settings_for(folder)
        except SettingsError as error:
            if str(error) not in self._broken:
                self._broken.add(str(error))
                line = f"line {error.line}: " if error.line else ""
                self.found.problems.append(Problem(error.path or folder, f"{line}{error.message}"))
            return None


def _is_package(path: str, name: str) -> bool:
    """Whether a folder with a name that build tools use is a Python package; build tools do not create packages."""
    return name in _BUILT and os.path.isfile(path + os.sep + "__init__.py")


def _not_python(path: str) -> str:
    """Return why a file that the user named is not read as Python; "" if it is."""
    suffix = os.path.splitext(path)[1].lower()
    return "" if suffix in _SUFFIXES else "is not a Python file (.py, .pyi, .pyw, .ipynb, or no ending)"


def leads_out(file: File, folders: Iterable[str]) -> bool:
    """Return whether a file must not be changed, because the user did not name it and it is a symbolic link that leads
    out of the folders."""
    if file.given:
        return False
    real = os.path.realpath(file.path)
    return not any(real.startswith(os.path.realpath(folder).rstrip(os.sep) + os.sep) for folder in folders)


def _reason(error: OSError) -> str:
    if error.errno == errno.ENOENT:
        return "no such file or folder"
    if error.errno == errno.ELOOP:
        return "a loop of symbolic links"
    if error.errno in (errno.EACCES, errno.EPERM):
        return "no permission to read it"
    return error.strerror or str(error)
