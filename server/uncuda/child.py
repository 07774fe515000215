"""Processes of our own: how they are started, are told things, and end with the process that started them.

None is left behind. Who starts them ends them (`end_all`); where that one is killed, each ends by itself: on Linux the
kernel kills it, whatever it is doing (`follow`); elsewhere it ends when its input does (`lines`, `end_with_input`),
which a thread sees as soon as Python lets threads run: not in the middle of one long call into C.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from . import bundled
from .import_path import without_current_folder

if TYPE_CHECKING:
    import subprocess

_PR_SET_PDEATHSIG = 1  # sys/prctl.h
_CHUNK = 1 << 16
_started: WeakSet[subprocess.Popen[bytes]] = WeakSet()


def command(module: str) -> list[str]:
    """The arguments that run `main()` of a module of ours in a new Python with this process's import path.

    The new Python is isolated (`-I`): neither the current directory nor PYTHONPATH nor the user's site packages add
    to what it imports, so a file of the workspace can never be taken for a package. It ends with this process.
    """
    path = without_current_folder(sys.path)
    program = f"{bundled.preamble() or f'import sys; sys.path[:] = {path!r}'}; "
    program += f"from uncuda.child import follow; follow({os.getpid()}); from {module} import main; main()"
    return [sys.executable, "-I", "-X", "utf8", "-c", program]


def start(arguments: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a process whose standard input and output are pipes of ours, and nobody else's; OSError if it cannot be.

    `options`: more for Popen. On Linux the process ends with the thread that calls this, too.
    """
    import subprocess

    pipe, flags = subprocess.PIPE, getattr(subprocess, "CREATE_NO_WINDOW", 0)
    process: subprocess.Popen[bytes] = subprocess.Popen(
        arguments, stdin=pipe, stdout=pipe, creationflags=flags, **options
    )
    _started.add(process)
    return process


def end_all() -> None:
    """Kill every process that `start` started and that still runs; waits for none."""
    for process in list(_started):
        with suppress(OSError):  # somebody else's by now
            process.kill()


def follow(parent: int) -> None:
    """Have this process killed when `parent`, the one that started it, ends. On Linux; elsewhere this does nothing."""
    if sys.platform != "linux":
        return
    try:
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        return  # then its input tells
    if os.getppid() != parent and not lives(parent):  # it ended before
        os._exit(1)


def lives(process: int) -> bool:
    """Whether a process of this machine runs; not for Windows. Where it cannot be told, it does."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def lines() -> Iterator[bytes]:
    """The lines of standard input, read as they come, whatever the caller does; the process ends where they do."""
    from queue import SimpleQueue
    from threading import Thread

    read: SimpleQueue[bytes] = SimpleQueue()

    def work() -> None:
        # Not by sys.stdin: a thread that waits in there is in the way when the process ends.
        line: list[bytes] = []
        while data := _read():
            *whole, rest = data.split(b"\n")
            for part in whole:
                read.put(b"".join((*line, part)))
                line.clear()
            line.append(rest)
        os._exit(0)

    Thread(target=work, daemon=True, name="lines").start()
    while True:
        yield read.get()


def end_with_input() -> None:
    """End this process as soon as anything more comes on standard input, or nothing can any more."""
    from threading import Thread

    def work() -> None:
        _read()
        os._exit(0)

    Thread(target=work, daemon=True, name="end").start()


def _read() -> bytes:
    try:
        return os.read(0, _CHUNK)
    except OSError:
        return b""
