"""Restricts the process that runs jedi: limited memory, no writing, no network, no new processes, no import of modules
of the workspace.

jedi reads files of the workspace as text. If jedi tries to import a file (an extension module, or a file with the name
of one of jedi's own modules), or to write a cache to disk, the attempt is refused.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

_status: list[int] = []  # the descriptor of /proc/self/status, opened while opening files is still allowed
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_OWN = frozenset({"jedi", "parso", "uncuda"})
_REFUSED = (
    *("subprocess.", "socket.", "ctypes.", "pickle.", "shutil.", "tempfile.", "urllib.", "webbrowser.", "winreg."),
    *("os.system", "os.exec", "os.spawn", "os.posix_spawn", "os.fork", "os.startfile", "os.kill", "os.putenv"),
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown"),
)


class Refused(PermissionError):
    """Raised if this process tries to do something that is forbidden."""


def limit_memory(size: int) -> None:
    """Limit this process to `size` bytes of address space, if the system can enforce that."""
    try:
        resource: Any = import_module("resource")
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (size if hard == resource.RLIM_INFINITY else min(size, hard), hard))
    except (ImportError, AttributeError, OSError, ValueError):
        return  # Windows cannot limit memory in this way; macOS refuses to


def memory() -> int:
    """The largest number of bytes of memory that this process has used so far; 0 if the system does not report it."""
    try:
        resource: Any = import_module("resource")
    except ImportError:
        return 0
    if _status and (found := re.search(rb"VmHWM:\s*(\d+) kB", os.pread(_status[0], 1 << 16, 0))):
        return int(found[1]) * 1024  # getrusage would include the memory of the process that started this one
    peak = int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return peak if sys.platform == "darwin" else peak * 1024


def seal() -> None:
    """From now on, permanently refuse every operation that is not needed for reading text."""
    sys.dont_write_bytecode = True
    with suppress(OSError):
        _status.append(os.open("/proc/self/status", os.O_RDONLY))
    sys.addaudithook(_guard(sys.path))


def keep_nothing() -> None:
    """Prevent parso from writing or reading pickled trees, and silence warnings."""
    warnings.simplefilter("ignore")
    cache: Any = import_module("parso.cache")
    cache._load_from_file_system = lambda *arguments, **more: None
    cache._save_to_file_system = lambda *arguments, **more: None
    cache._remove_cache_and_update_lock = lambda *arguments, **more: None


def _guard(path: list[str]) -> Callable[[str, tuple[Any, ...]], None]:
    """The audit hook that refuses operations. `path`: the import path of this process, because jedi replaces sys.path
    while it searches for modules."""
    allowed = sys.stdlib_module_names | _OWN

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            if isinstance(arguments[2], int) and arguments[2] & _WRITES:
                raise Refused("writing")
        elif event == "import":
            if sys.path is not path or str(arguments[0]).partition(".")[0] not in allowed:
                raise Refused(f"importing {arguments[0]}")
        elif event.startswith(_REFUSED):
            raise Refused(event)

    return refuse
