"""What the process that runs jedi may not do: use much memory, write, start or reach anything, import what is foreign.

jedi reads files of the workspace as text. Where it would import one (an extension module, a module that shadows one of
its own), or keep what it parsed on the disk, it is refused.
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

_status: list[int] = []  # a descriptor of what Linux says of this process, opened while that is allowed
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_OWN = frozenset({"jedi", "parso", "uncuda"})
_REFUSED = (
    *("subprocess.", "socket.", "ctypes.", "pickle.", "shutil.", "tempfile.", "urllib.", "webbrowser.", "winreg."),
    *("os.system", "os.exec", "os.spawn", "os.posix_spawn", "os.fork", "os.startfile", "os.kill", "os.putenv"),
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown"),
)


class Refused(PermissionError):
    """What was tried is not allowed in this process."""


def limit_memory(size: int) -> None:
    """Let this process have no more than `size` bytes of address space, where the system can hold it to that."""
    try:
        resource: Any = import_module("resource")
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (size if hard == resource.RLIM_INFINITY else min(size, hard), hard))
    except (ImportError, AttributeError, OSError, ValueError):
        return  # Windows; macOS accepts no such limit


def memory() -> int:
    """Bytes of memory that this process has used at most; 0 where that is not known."""
    try:
        resource: Any = import_module("resource")
    except ImportError:
        return 0
    if _status and (found := re.search(rb"VmHWM:\s*(\d+) kB", os.pread(_status[0], 1 << 16, 0))):
        return int(found[1]) * 1024  # getrusage counts in what the process that started this one had
    peak = int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return peak if sys.platform == "darwin" else peak * 1024


def seal() -> None:
    """Refuse from now on, for good, what the reading of text does not need."""
    sys.dont_write_bytecode = True
    with suppress(OSError):
        _status.append(os.open("/proc/self/status", os.O_RDONLY))
    sys.addaudithook(_guard(sys.path))


def keep_nothing() -> None:
    """Let parso pickle nothing of what it parsed, and believe no pickles that it finds; and let nobody be warned."""
    warnings.simplefilter("ignore")
    cache: Any = import_module("parso.cache")
    cache._load_from_file_system = lambda *arguments, **more: None
    cache._save_to_file_system = lambda *arguments, **more: None
    cache._remove_cache_and_update_lock = lambda *arguments, **more: None


def _guard(path: list[str]) -> Callable[[str, tuple[Any, ...]], None]:
    """The hook. `path`: the import path of this process; jedi puts another in its place while it looks for modules."""
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
