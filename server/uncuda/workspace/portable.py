"""Where the helper of a portable project is, or will be, and what it defines."""

# Paths are plain strings here, as in discover.py.
# ruff: noqa: PTH113, PTH118, PTH120, PTH208
from __future__ import annotations

import os
import re
from typing import NamedTuple

from uncuda.engine import Engine
from uncuda.engine.portable.template import helper_text
from uncuda.engine.several import PortableEngine
from uncuda.project import Helper
from uncuda.reading import NotUtf8Error, TooLargeError, decode_utf8, read_bytes
from uncuda.settings import Settings

MARK = "Written by uncuda"
"""What the helper says of itself, so that it is known again."""
_LAYOUTS = ("src", "python", "lib")
_NOT_SHIPPED = frozenset(
    {"tests", "test", "testing", "docs", "doc", "examples", "example", "scripts", "benchmarks", "tools"}
)
_DEFINED = re.compile(r"^(?:(?:async[ \t]+)?def[ \t]+(\w+)|(\w+)[ \t]*(?::[^=\n]+)?=(?!=))", re.M)
_IMPORTED = re.compile(r"^from[ \t]+[.\w]+[ \t]+import[ \t]+(\([^()]*\)|[^\n#;(]*)", re.M)
_ALONE, _IN_PACKAGE = "_accelerator", "device"


def root_of(paths: list[str]) -> str:
    """The folder that the modules of a project's files are imported from, as far as their paths say."""
    folders = {os.path.dirname(path) for path in paths}
    try:
        root = os.path.commonpath(sorted(folders)) if folders and "" not in folders else ""
    except ValueError:  # some paths are absolute
        root = ""
    while root and os.path.isfile(os.path.join(root, "__init__.py")):
        root = os.path.dirname(root)
    return root


def helper_of(settings: Settings, root: str) -> Helper:
    """The helper that the settings name, or the one that a project in this folder gets."""
    packages = _packages(root)
    if settings.portable_helper is not None:
        module = settings.portable_helper
        return _helper(module, _path(module, packages, root), packages, root)
    shipped = sorted(name for name in packages if name not in _NOT_SHIPPED)
    if len(shipped) == 1:
        for name in (_ALONE,) if _may_bind(packages[shipped[0]], _IN_PACKAGE) else (_IN_PACKAGE, _ALONE):
            module = f"{shipped[0]}.{name}"
            found = _helper(module, _path(module, packages, root), packages, root)
            if found.defines is None or _is_ours(found.path):
                return found
    return _helper(_ALONE, os.path.join(root, f"{_ALONE}.py"), packages, root)


class NewFile(NamedTuple):
    """A file that is to be made."""

    path: str
    data: bytes


def new_helper(engine: Engine, text: str) -> NewFile | None:
    """The helper that a fixed text imports, where it is not there yet."""
    helper = engine.project.helper
    if helper is None or helper.defines is not None or not isinstance(engine, PortableEngine) or not helper.path:
        return None
    if not re.search(rf"^(?:from|import)[ \t]+{re.escape(helper.module)}\b", text, re.M) or os.path.lexists(
        helper.path
    ):
        return None
    targets = [engine.catalogue.target(target) for target in engine.targets]
    return NewFile(helper.path, helper_text(targets).encode("utf-8"))


def _helper(module: str, path: str, packages: dict[str, str], root: str) -> Helper:
    text = _text(path)
    own = frozenset({*packages, *_modules(root)})
    return Helper(module, path, None if text is None else _defined(text), own)


def _packages(root: str) -> dict[str, str]:
    """The packages right in a folder, or in one that holds packages only; by their names, with their folders."""
    found: dict[str, str] = {}
    for folder in (root, *(os.path.join(root, name) for name in _LAYOUTS)):
        for name in _entries(folder):
            inner = os.path.join(folder, name)
            if name.isidentifier() and os.path.isfile(os.path.join(inner, "__init__.py")):
                found.setdefault(name, inner)
    return found


def _may_bind(folder: str, name: str) -> bool:
    """Whether a package may bind a name itself, which importing a module of that name would replace."""
    text = _text(os.path.join(folder, "__init__.py")) or ""
    return re.search(rf"\b{name}\b|\bimport[ \t]*\*", text) is not None


def _modules(root: str) -> list[str]:
    names = (name[:-3] for name in _entries(root) if name.endswith(".py"))
    return [name for name in names if name.isidentifier() and name != "setup"]


def _entries(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder or "."))
    except OSError:
        return []


def _path(module: str, packages: dict[str, str], root: str) -> str:
    first, _, rest = module.partition(".")
    if rest and first in packages:
        base, parts = packages[first], rest.split(".")
    else:
        base, parts = root, module.split(".")
    path = os.path.join(base, *parts)
    inside = os.path.join(path, "__init__.py")
    return inside if os.path.isfile(inside) else f"{path}.py"


def _text(path: str) -> str | None:
    """What a file says; None where there is none."""
    if not os.path.lexists(path):
        return None
    try:
        return decode_utf8(read_bytes(path))
    except (OSError, NotUtf8Error, TooLargeError):
        return ""


def _defined(text: str) -> frozenset[str]:
    found = {name for match in _DEFINED.finditer(text) for name in match.groups() if name}
    for match in _IMPORTED.finditer(text):
        found.update(one.split()[-1] for one in match[1].strip("() \t\r\n").split(",") if one.strip())
    return frozenset(found)


def _is_ours(path: str) -> bool:
    return MARK in (_text(path) or "")
