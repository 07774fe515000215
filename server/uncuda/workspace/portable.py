"""Finds where the helper module of a portable project is or will be, and which names it defines."""

# Paths are plain strings here, as in discover.py.
# ruff: noqa: PTH100, PTH112, PTH113, PTH118, PTH119, PTH120
from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from uncuda import lazy_re
from uncuda.engine import Engine
from uncuda.engine.portable.reach import imports_module, reach_of
from uncuda.engine.portable.template import MARK, helper_text
from uncuda.engine.several import PortableEngine
from uncuda.facts.layout import Layout
from uncuda.project import Helper
from uncuda.reading import NotUtf8Error, TooLargeError, decode_utf8, read_bytes
from uncuda.settings import Settings

_LAYOUTS = ("src", "python", "lib")
_NOT_SHIPPED = frozenset(
    {"tests", "test", "testing", "docs", "doc", "examples", "example", "scripts", "benchmarks", "tools"}
)
_MARKS = frozenset({".git", "pyproject.toml", "setup.cfg", "setup.py", "uncuda.toml"})
"""Files that mark the folder from which a project's modules are imported."""
_BUILT = frozenset({"setup.py", "PKG-INFO"})
_BUILT_BY = lazy_re.compile(
    r"^\[(?:project|build-system|tool\.(?:poetry|flit|hatch|setuptools|pdm)|metadata|options)\b", re.M
)
_SETTINGS = ("pyproject.toml", "ruff.toml", ".ruff.toml", "setup.cfg", "tox.ini", ".flake8", ".style.yapf")
_LINE_LENGTH = lazy_re.compile(r"^[ \t]*(?:max[-_])?(?:line[-_]length|column_limit)[ \t]*=[ \t]*(\d{2,3})\b", re.M)
_FORMATTED = lazy_re.compile(r"^\[tool\.(?:black|ruff)\b", re.M)
_BLACK = 88  # the default line length of Black and Ruff
_ASKED = 16  # maximum number of files of a package that are read to find the package's name
_ABOVE, _DEPTH, _MANY = 4, 2, 2000
"""Limits: how many parent folders are searched for the files in _MARKS, how many levels of subfolders for packages, and
how many entries of a folder are read."""
_DEFINED = lazy_re.compile(r"^(?:(?:async[ \t]+)?def[ \t]+(\w+)|(\w+)[ \t]*(?::[^=\n]+)?=(?!=))", re.M)
_IMPORTED = lazy_re.compile(r"^from[ \t]+[.\w]+[ \t]+import[ \t]+(\([^()]*\)|[^\n#;(]*)", re.M)
_ALONE, _IN_PACKAGE = "_accelerator", "device"


def root_of(paths: list[str]) -> str:
    """Return the folder from which the modules of a project's files are imported, as far as the paths of the files show
    it."""
    folders = {os.path.dirname(path) for path in paths}
    try:
        root = os.path.commonpath(sorted(folders)) if folders and "" not in folders else ""
    except ValueError:  # absolute and relative paths have no folder in common
        root = ""
    while root and os.path.isfile(os.path.join(root, "__init__.py")):
        root = os.path.dirname(root)
    return root


def helper_of(settings: Settings, root: str) -> Helper:
    """Return the helper module that the settings name, or the possible helper modules of a project whose files are in
    the folder `root`."""
    base = _base(root)
    return replace(_helper_below(base, settings, root), line_length=_line_length(base))


def _line_length(base: str) -> int:
    """Return the longest line that the settings in a folder allow; 0 if they set none."""
    texts = [_text(os.path.join(base, name)) or "" for name in _SETTINGS if name in _entries(base)]
    said = (int(match[1]) for text in texts if (match := _LINE_LENGTH.search(text)))
    return next(said, _BLACK if any(map(_FORMATTED.search, texts)) else 0)


def _helper_below(base: str, settings: Settings, root: str) -> Helper:
    """Return the helper module of a project; the field `line_length` is not set yet. `base`: the project's folder."""
    tops = _tops(base)
    own = frozenset({*(top.module.partition(".")[0] for top in tops), *_modules(base)})
    if settings.portable_helper is not None:
        return _named(settings.portable_helper, tops, own, root)
    shipped = [top for top in tops if top.module.partition(".")[0] not in _NOT_SHIPPED]
    direct = [top for top in shipped if top.direct]
    if len(direct) == 1:
        return _inside(direct[0], own)
    alone = _helper(_ALONE, os.path.join(base if direct else root, f"{_ALONE}.py"), own)
    is_started = _is_marked(base) or bool(_modules(base))
    apart = [top for top in shipped if not top.direct or _is_installed(base) or not is_started]
    return replace(alone, others=tuple(_with_dependents(apart, own)))


def _with_dependents(tops: list[_Top], own: frozenset[str]) -> Iterator[Helper]:
    """Yield the helper module of each package in `tops`, i.e. the module whose functions portable fixes call. A package
    that imports another package gets no helper module of its own, but uses the helper module of the other package."""
    tops = [top if top.named else top._replace(module=_said(top.folder) or top.module) for top in tops]
    needs = {top.folder: [one for one in tops if one != top and _imports_package(top, one)] for top in tops}
    first = {top.folder: next((one for one in needs[top.folder] if not needs[one.folder]), None) for top in tops}
    for top in tops:
        if first[top.folder] is None:
            yield replace(_inside(top, own), dependents=tuple(inner for inner, one in first.items() if one == top))


def _imports_package(top: _Top, other: _Top) -> bool:
    """Return whether a file of a package imports another package; only the first files of the package are read."""
    words = re.escape(other.module).replace("\\.", ".")
    pattern = re.compile(rf"^(?:from|import)[ \t]+{words}(?=[. \t\r\n])", re.M)
    files = (os.path.join(folder, name) for folder, _, names in os.walk(top.folder) for name in sorted(names))
    read = islice((file for file in files if file.endswith(".py")), _ASKED * _ABOVE)
    return any(pattern.search(_text(file) or "") for file in read)


def _base(root: str) -> str:
    """Return the closest folder at or above `root` that is marked as a project's root; otherwise `root` itself."""
    folder = root
    for _ in range(_ABOVE):
        if _is_marked(folder) or not folder:
            break
        folder = os.path.dirname(folder)
    return folder if _is_marked(folder) else root


def _is_marked(folder: str) -> bool:
    names = _entries(folder)
    layout = os.path.basename(folder) in _LAYOUTS
    return layout or not _MARKS.isdisjoint(names) or any(map(_is_metadata, names))


class NewFile(NamedTuple):
    """A file that has to be created."""

    path: str
    data: bytes


def new_helper(engine: Engine, text: str, path: str = "") -> NewFile | None:
    """Return the helper module as a new file if `text` imports it and the file does not exist yet. `text`: the text of
    the file `path`, after its fixes."""
    known = engine.project.helper
    if known is None or not isinstance(engine, PortableEngine):
        return None
    reach = reach_of(known, path, Layout(text))
    helper = reach.helper
    if helper.defines is not None or not helper.path or os.path.lexists(helper.path):
        return None
    if not any(imports_module(module, text) for module in reach.spellings):
        return None
    targets = [engine.catalogue.target(target) for target in engine.targets]
    made = helper_text(targets)
    return NewFile(helper.path, (made.replace("\n", "\r\n") if "\r\n" in text else made).encode("utf-8"))


class _Top(NamedTuple):
    """A package that is not inside another package. `module`: the name by which the package is imported. `named`:
    whether the name by which the package is imported is certain. `direct`: whether the package is in the folder from
    which the project's modules are imported."""

    module: str
    folder: str
    direct: bool
    named: bool


def _named(module: str, tops: list[_Top], own: frozenset[str], root: str) -> Helper:
    """Return the helper module with the name that the settings give."""
    top = next((top for top in tops if module.startswith(top.module + ".")), None)
    if top is None:
        return _helper(module, _file(os.path.join(root, *module.split("."))), own)
    parts = module.removeprefix(top.module + ".").split(".")
    return replace(_helper(module, _file(os.path.join(top.folder, *parts)), own), folder=top.folder)


def _inside(top: _Top, own: frozenset[str]) -> Helper:
    """Return the helper module of a package, under a module name that the package does not use otherwise."""
    if not top.named and (said := _said(top.folder)):
        top = top._replace(module=said, named=True)
    names = (_ALONE,) if _may_bind(top.folder, _IN_PACKAGE) else (_IN_PACKAGE, _ALONE)
    paths = {name: _file(os.path.join(top.folder, name)) for name in names}
    there = [name for name in names if os.path.lexists(paths[name])]
    free = [name for name in names if name not in there]
    name = next((name for name in there if _is_ours(paths[name])), (*free, _ALONE)[0])
    return replace(_helper(f"{top.module}.{name}", paths[name], own), folder=top.folder, named=top.named)


def _said(folder: str) -> str:
    """Return the dotted name by which the files of a package import from this package; "" if they use several names or
    none."""
    words = Path(os.path.abspath(folder)).parts
    tails = [r"\.".join(words[-count:]) for count in range(1, _ABOVE + 1) if all(map(str.isidentifier, words[-count:]))]
    pattern = re.compile(rf"^(?:from|import)[ \t]+({'|'.join(reversed(tails))})(?=[. \t])", re.M)
    files = [name for name in _entries(folder) if name.endswith(".py")][:_ASKED]
    said = {name for file in files for name in pattern.findall(_text(os.path.join(folder, file)) or "")}
    return said.pop() if len(said) == 1 else ""


def _helper(module: str, path: str, own: frozenset[str]) -> Helper:
    text = _text(path)
    return Helper(module, path, None if text is None else _defined(text), own)


def _tops(root: str) -> list[_Top]:
    """Return the packages below a folder, at most _DEPTH levels down, that are not inside another package."""
    marked = _is_marked(root)
    found: dict[str, _Top] = {}
    for folder in (root, *(os.path.join(root, name) for name in _LAYOUTS)):
        for top in _below(folder, "", marked or folder != root, _DEPTH):
            found.setdefault(top.module, top)
    return list(found.values())


def _below(folder: str, above: str, named: bool, depth: int) -> Iterator[_Top]:
    """Yield the packages in a folder and in subfolders that are no packages themselves. `above`: the dotted name of the
    folder, with a dot at its end."""
    for name in _entries(folder):
        inner = os.path.join(folder, name)
        if not name.isidentifier() or (not above and name in _LAYOUTS and not _is_package(inner)):
            continue
        if _is_package(inner):
            yield _Top(above + name, inner, not above, named and not above)
        elif depth and name not in _NOT_SHIPPED and os.path.isdir(inner):
            yield from _below(inner, f"{above}{name}.", named, depth - 1)


def _is_package(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, "__init__.py"))


def _is_metadata(name: str) -> bool:
    return name.endswith((".dist-info", ".egg-info"))


def _is_installed(root: str) -> bool:
    """Return whether a project is built and installed; its installation may lack the modules that are beside the
    project's packages."""
    for folder in (root, os.path.dirname(root)) if os.path.basename(root) in _LAYOUTS else (root,):
        names = _entries(folder)
        if not _BUILT.isdisjoint(names) or any(map(_is_metadata, names)):
            return True
        said = (_text(os.path.join(folder, name)) or "" for name in ("pyproject.toml", "setup.cfg") if name in names)
        if any(map(_BUILT_BY.search, said)):
            return True
    return False


def _may_bind(folder: str, name: str) -> bool:
    """Return whether the package's `__init__.py` may use this name for something else; importing a module of the
    same name would overwrite that."""
    text = _text(os.path.join(folder, "__init__.py")) or ""
    return re.search(rf"\b{name}\b|\bimport[ \t]*\*", text) is not None


def _modules(root: str) -> list[str]:
    names = (name[:-3] for name in _entries(root) if name.endswith(".py"))
    return [name for name in names if name.isidentifier() and name != "setup"]


def _entries(folder: str) -> list[str]:
    try:
        with os.scandir(folder or ".") as entries:
            return sorted(entry.name for entry in islice(entries, _MANY))
    except OSError:
        return []


def _file(path: str) -> str:
    """Return the file of a module: `__init__.py` in a folder of its name, otherwise NAME.py."""
    inside = os.path.join(path, "__init__.py")
    return inside if os.path.isfile(inside) else f"{path}.py"


def _text(path: str) -> str | None:
    """Return the text of a file; None if the file does not exist."""
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
