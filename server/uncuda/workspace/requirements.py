"""Which PyTorch a project asks for, told by the files in which projects say it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

_FILES = ("requirements.txt", "pyproject.toml", "setup.cfg", "setup.py", "environment.yml", "environment.yaml")
_LARGEST = 1_000_000
_TORCH = re.compile(
    r"""^[^#\n]*?(?<![\w.-])(?:py)?torch[ \t]*(?:\[[^\]\n]*\])?(?:[ \t]*=[ \t]*)?["']?"""
    r"""[ \t(]*(?P<all>[<>=!~^]=?=?[ \t]*v?\d[^\n"';#)\\]*|\d[\d.]*(?=["']))""",
    re.MULTILINE,
)
_PART = re.compile(r"(===?|~=|<=|=|~|)[ \t]*v?(\d+(?:\.\d+)+)")


class Required(NamedTuple):
    """A version of PyTorch, and the file that asks for it."""

    version: str
    path: str


def required_torch(folder: str) -> Required | None:
    """The version that the nearest requirements at or above `folder` hold to; None if they leave it open."""
    start = Path(folder).absolute()
    for place in (start, *start.parents):
        texts = [(name, text) for name in _FILES if (text := _read(place / name))]
        for name, text in texts:
            if version := torch_version(text):
                return Required(version, str(place / name))
        if texts or _exists(place / ".git"):
            return None
    return None


def torch_version(text: str) -> str | None:
    """The version that a requirements file's text pins PyTorch to (`==`, `~=`, `<=`), None if it does not."""
    for match in _TORCH.finditer(text):
        for part in match["all"].split(","):
            pinned = _PART.fullmatch(part.strip().partition("+")[0].removesuffix(".*").strip())
            if pinned and not (pinned[1] == "~=" and pinned[2].count(".") < 2):  # ~=2.1 allows 2.9
                return pinned[2]
    return None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path.stat().st_size <= _LARGEST else ""
    except OSError:
        return ""


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False
