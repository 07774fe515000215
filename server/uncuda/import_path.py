"""The import path of a process of ours: never the folder that it was started in, which may be one that nobody trusts.

Python puts that folder first for `python -m uncuda`, and wherever PYTHONPATH has an empty part or a `.`. This module is
imported while it is still there: it imports what Python has imported itself when it starts, and nothing else, not even
`__future__`.
"""

# ruff: noqa: PTH118, PTH119, PTH120 pathlib, and what it imports, could come from the folder
import os
import sys

_UNCUDA = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
_PYTHON = os.path.dirname(os.path.realpath(os.__file__))


def without_current_folder(path: list[str]) -> list[str]:
    """An import path without the entries that are the current folder.

    Where uncuda itself, Python's library or an environment's packages lie in the current folder, it stays.
    """
    here = _real("")
    if here in _trusted():
        return [entry for entry in path if entry]
    return [entry for entry in path if entry and _real(entry) != here]


def leave_current_folder() -> None:
    """From now on import nothing from the current folder."""
    sys.path[:] = without_current_folder(sys.path)


def imported_from_current_folder() -> str:
    """The file of a module that was imported from the current folder before anything could be done; "" if none was."""
    here = _real("")
    if here in _trusted():
        return ""
    known: dict[str, str] = {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or "." in name or name == "__main__":
            continue
        folder, base = os.path.split(file)
        if base.startswith("__init__."):
            folder = os.path.dirname(folder)
        if folder not in known:
            known[folder] = _real(folder)
        if known[folder] == here:
            return file
    return ""


def _real(entry: str) -> str:
    try:
        return os.path.realpath(entry or os.curdir)
    except (OSError, ValueError):  # a current folder that is gone; a path with a null character
        return ""


def _trusted() -> set[str]:
    """The folders that this Python imports from by itself."""
    found = {_UNCUDA, _PYTHON, os.path.join(_PYTHON, "lib-dynload")}
    if sys.platform == "win32":
        found |= {_real(sys.base_prefix), _real(os.path.join(sys.base_prefix, "DLLs"))}
    site = sys.modules.get("site")
    if site is not None:
        packages = [*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]
        found |= {_real(entry) for entry in packages if os.path.basename(entry).endswith("-packages")}
    return found
