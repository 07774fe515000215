"""Removes the current folder from the import path of a process, because this folder may be untrusted.

Python puts the current folder first on the import path for `python -m uncuda`, and wherever PYTHONPATH has an empty
part or a `.`. The current folder is still on the import path when this module is imported; the module therefore imports
only modules that Python has imported at its start, not even `__future__`.
"""

# ruff: noqa: PTH118, PTH119, PTH120 pathlib, and what it imports, could come from the folder
import os
import sys

_UNCUDA = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
_PYTHON = os.path.dirname(os.path.realpath(os.__file__))


def without_current_folder(path: list[str]) -> list[str]:
    """Return an import path without the entries that mean the current folder.

    The current folder is kept if it is the folder of uncuda, of Python's library or of an environment's packages.
    """
    here = _real("")
    if here in _trusted():
        return [entry for entry in path if entry]
    return [entry for entry in path if entry and _real(entry) != here]


def leave_current_folder() -> None:
    """Remove the current folder from the import path, so that no module is imported from it."""
    sys.path[:] = without_current_folder(sys.path)


def imported_from_current_folder() -> str:
    """Return the file of a module that was imported from the current folder; "" if there is none."""
    here = _real("")
    if here in _trusted():
        return ""
    known: dict[str, str] = {}
    for name, module in list(sys.modules.items()):
        if "." in name or name == "__main__":
            continue
        file = getattr(module, "__file__", None)
        if not isinstance(file, str):
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
    except (OSError, ValueError):  # the current folder was deleted, or the path contains a null character
        return ""


def _trusted() -> set[str]:
    """Return the folders from which this Python imports by default."""
    found = {_UNCUDA, _PYTHON, os.path.join(_PYTHON, "lib-dynload")}
    if sys.platform == "win32":
        found |= {_real(sys.base_prefix), _real(os.path.join(sys.base_prefix, "DLLs"))}
    site = sys.modules.get("site")
    if site is not None:
        packages = [*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]
        found |= {_real(entry) for entry in packages if os.path.basename(entry).endswith("-packages")}
    return found
