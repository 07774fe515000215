"""Which PyTorch a project asks for, told by the files in which projects say it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from uncuda.reading import read_bytes
from uncuda.settings import CONFIGURATION_FILES

_FILES = ("requirements.txt", "pyproject.toml", "setup.cfg", "setup.py", "environment.yml", "environment.yaml")
_LONGEST_EXTRAS = 200
# Each of these matches a text in one way only: the files are anybody's.
_NAME = re.compile(r"(?<![\w.-])(?:py)?torch")
_SPACES = re.compile(r"[ \t]*")
_OPENING = re.compile(r"""[ \t]*["']?[ \t(]*""")
_VERSIONS = re.compile(r"""[<>=!~^]=?=?[ \t]*v?\d[^\n"';#)\\]*|\d[\d.]*(?=["'])""")
_PART = re.compile(r"(===?|~=|<=|=|~|)[ \t]*v?(\d+(?:\.\d+)+)")


class Required(NamedTuple):
    """A version of PyTorch, and the file that asks for it."""

    version: str
    path: str


def required_torch(folder: str, tell: Callable[[str], object] = lambda message: None) -> Required | None:
    """The version that the nearest requirements at or above `folder` hold to; None if they leave it open.

    `tell` is given a sentence about each file that cannot be read and is passed over: at worst a version is taken for
    the newest. What is wrong with a configuration file is said where settings are read.
    """
    start = Path(folder).absolute()
    for place in (start, *start.parents):
        texts = [(name, text) for name in _FILES if (text := _read(place / name, tell))]
        for name, text in texts:
            if version := torch_version(text):
                return Required(version, str(place / name))
        if texts or _exists(place / ".git"):
            return None
    return None


def torch_version(text: str) -> str | None:
    """The version that a requirements file's text pins PyTorch to (`==`, `~=`, `<=`), None if it does not."""
    for versions in _constraints(text):
        for part in versions.split(","):
            pinned = _PART.fullmatch(part.strip().partition("+")[0].removesuffix(".*").strip())
            if pinned and not (pinned[1] == "~=" and pinned[2].count(".") < 2):  # ~=2.1 allows 2.9
                return pinned[2]
    return None


def _constraints(text: str) -> Iterator[str]:
    """What is said of PyTorch's version: at most one text from each line."""
    for line in text.split("\n"):
        comment = line.find("#")
        for name in _NAME.finditer(line, 0, comment if comment >= 0 else len(line)):
            if versions := _after_name(line, name.end()):
                yield versions
                break


def _after_name(line: str, place: int) -> str | None:
    """The versions in `[extras] = "(>=1,<2)"`, all but the versions optional, that begin at `place`."""
    place = _end(_SPACES, line, place)
    if line.startswith("[", place):
        place = line.find("]", place, place + _LONGEST_EXTRAS) + 1
        if not place:
            return None
        place = _end(_SPACES, line, place)
    if line.startswith("=", place) and (found := _VERSIONS.match(line, _end(_OPENING, line, place + 1))):
        return found[0]
    found = _VERSIONS.match(line, _end(_OPENING, line, place))
    return found[0] if found else None


def _end(pattern: re.Pattern[str], line: str, place: int) -> int:
    match = pattern.match(line, place)
    return match.end() if match else place


def _read(path: Path, tell: Callable[[str], object]) -> str:
    try:
        return read_bytes(str(path)).decode("utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return ""
    except OSError as error:
        if path.name not in CONFIGURATION_FILES:
            tell(f"{path}: cannot be read: {error.strerror or error}; what it says of PyTorch's version does not count")
        return ""


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False
