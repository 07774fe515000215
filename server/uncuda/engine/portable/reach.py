"""Decides how a file imports the helper module: which helper module, by which name, and whether the import certainly
works at run time."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import NamedTuple

from ... import lazy_re
from ...edits import REVIEW, SAFE
from ...facts.layout import Layout
from ...project import Helper

_IMPORT = lazy_re.compile(r"^(?:from[ \t]+(\.*[\w.]*)[ \t]+import\b|import[ \t]+([\w.]+))", re.M)
_SCRIPT = lazy_re.compile(r"^if[ \t]+__name__[ \t]*==", re.M)
PATH_CHANGED = lazy_re.compile(
    r"^[ \t]*(?:sys\.path\.(?:append|insert|extend)\(|sys\.path[ \t]*(?:\+?=|\[)|site\.addsitedir\()", re.M
)
"""Matches a statement that changes `sys.path`."""
_COMMON = frozenset({"common", "core", "data", "datasets", "lib", "model", "models", "src", "util", "utils"})
"""Names of packages that are so common that a subfolder may contain another package of the same name."""
# names of folders whose content is often installed as top-level packages, not as part of the package around the folder
_LAYOUTS = frozenset({"lib", "python", "src"})
_FAR = 2  # a relative import of the helper module should have at most this many more dots than the file's other imports
_STARTED = frozenset(
    {"benchmarks", "docs", "example", "examples", "experiments", "projects", "scripts", "tests", "tools"}
)
"""Names of folders that users often add to `sys.path`; the packages in them are then imported as top-level packages."""


class Reach(NamedTuple):
    """The way in which one file imports the helper module."""

    helper: Helper
    module: str
    """The name of the helper module in an import statement of the file; a relative import has dots before it."""
    allowed: str
    """The best class of a fix that uses the helper module: "review" if its import may fail, otherwise "safe"."""
    spellings: tuple[str, ...] = ()
    """All names by which this file may import the helper module."""


def reach_of(helper: Helper, path: str, layout: Layout) -> Reach:
    """Return how the file at `path` can import the helper module."""
    path = path.replace("\\", "/")
    if not path or not helper.path:
        return Reach(helper, helper.module, SAFE, (helper.module,))
    imports = _imports(layout)
    if (inside := next((one for one in helper.every if _holds(one.folder, path)), None)) is not None:
        found = _within(inside, path, layout.text, imports)
    elif needed := next((one for one in helper.every if any(_holds(top, path) for top in one.dependents)), None):
        found = _dependent(needed, layout.text, imports)
    else:
        found = _from_outside(helper, path, layout, imports)
    if posixpath.basename(path) == "setup.py":
        found = found._replace(allowed=REVIEW)  # setup.py runs before the package that it builds can be imported
    return found


def imports_module(module: str, text: str) -> bool:
    """Return whether a text imports a module in a statement at the start of a line."""
    package, _, name = module.rpartition(".")
    dots = module[: len(module) - len(module.lstrip("."))]
    above = re.escape(package if len(package) > len(dots) else dots or package)
    either = rf"from[ \t]+{re.escape(module)}[ \t]|import[ \t]+{re.escape(module)}\b"
    return re.search(rf"^(?:{either}|from[ \t]+{above}[ \t]+import[ \t]+{name}\b)", text, re.M) is not None


def _imports(layout: Layout) -> list[str]:
    """Return the modules that a text imports in statements at the start of a line, in source order."""
    matches = _IMPORT.finditer(layout.text)
    return [match[1] or match[2] for match in matches if not layout.string_around(match.start())]


def _holds(folder: str, path: str) -> bool:
    return bool(folder) and path.startswith(folder.replace("\\", "/") + "/")


def _within(helper: Helper, path: str, text: str, imports: Sequence[str]) -> Reach:
    """Return how a file of the helper module's own package imports the helper module: relatively or by its full name,
    as the file imports other modules of the package."""
    folder = posixpath.dirname(path)
    down = folder[len(helper.folder) :].strip("/").split("/") if folder != helper.folder.replace("\\", "/") else []
    relative = "." * (len(down) + 1) + _inner(helper)
    called = _called(helper, imports)
    absolute = called or helper.module
    spellings = (relative, absolute)
    best = SAFE if _LAYOUTS.isdisjoint(down) else REVIEW
    near = [module for module in imports if module.startswith(".")]
    far = [module for module in imports if called and _belongs(module, called.removesuffix("." + _inner(helper)))]
    if called and len(far) >= len(near):
        return Reach(helper, absolute, best, spellings)
    deepest = max((len(module) - len(module.lstrip(".")) for module in near), default=0)
    if near and (len(down) - deepest < _FAR or not helper.named):
        sure = deepest > len(down) or _STARTED.isdisjoint(down)
        return Reach(helper, relative, best if sure else REVIEW, spellings)
    started = _SCRIPT.search(text) is not None or not _STARTED.isdisjoint(down)
    module = absolute if helper.named else relative
    return Reach(helper, module, REVIEW if started else best, spellings)


def _dependent(helper: Helper, text: str, imports: Sequence[str]) -> Reach:
    """Return how a file imports the helper module of another package, if the file's own package has no helper module
    and imports that package."""
    called = _called(helper, imports)
    is_part = bool(called) or any(module.startswith(".") for module in imports) or not _SCRIPT.search(text)
    module = called or helper.module
    return Reach(helper, module, SAFE if is_part and (called or helper.named) else REVIEW, (module,))


def _from_outside(helper: Helper, path: str, layout: Layout, imports: Sequence[str]) -> Reach:
    """Return how a file outside of all packages imports a helper module: the helper module of a package that the file
    already imports or, if there is none, the helper module of a folder nearby."""
    folder = posixpath.dirname(path)
    for module in imports:
        for one in helper.every:
            if one.folder and (called := _called(one, [module])):
                beside = folder == posixpath.dirname(one.folder.replace("\\", "/"))
                sure = beside or called.partition(".")[0] not in _COMMON
                return Reach(one, called, SAFE if sure else REVIEW, (called,))
    return Reach(helper, helper.module, _nearby(helper, folder, layout, imports), (helper.module,))


def _nearby(helper: Helper, folder: str, layout: Layout, imports: Sequence[str]) -> str:
    """Return the class of fixes that import the helper module in a file outside of all packages: safe if the import
    certainly finds the helper module, otherwise review."""
    root = helper.path.replace("\\", "/")
    for _ in range(helper.module.count(".") + 1):
        root = posixpath.dirname(root)
    if not helper.named or helper.others:
        return REVIEW
    if folder == root:
        return SAFE
    imports_own = any(module.partition(".")[0] in helper.own for module in imports)
    changes = any(not layout.token_at(match.start()) for match in PATH_CHANGED.finditer(layout.text))
    if changes and imports_own:
        return SAFE
    first = folder.removeprefix(root).strip("/").partition("/")[0]
    if helper.folder or (root and not _holds(root, f"{folder}/")) or first not in helper.own:
        return REVIEW
    started = _SCRIPT.search(layout.text) is not None
    is_part = any(module.startswith(".") or module.partition(".")[0] in helper.own for module in imports)
    return SAFE if is_part or not started else REVIEW


def _inner(helper: Helper) -> str:
    """Return the dotted name of the helper module inside its package."""
    return (
        helper.path.replace("\\", "/")[len(helper.folder) :]
        .strip("/")
        .removesuffix(".py")
        .removesuffix("/__init__")
        .replace("/", ".")
    )


def _called(helper: Helper, imports: Sequence[str]) -> str:
    """Return the name by which a file imports the helper module, derived from the file's imports of the package that
    contains the helper module; "" if the file imports nothing from this package."""
    words = helper.folder.replace("\\", "/").split("/")
    known = helper.module.removesuffix("." + _inner(helper)) if helper.named else ""
    for module in imports:
        parts = module.split(".")
        for count in range(1, len(parts) + 1):
            package = ".".join(parts[:count])
            if package == known or (not known and parts[0] and parts[:count] == words[-count:]):
                return f"{package}.{_inner(helper)}"
    return ""


def _belongs(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")
