"""Ends the server's process soon after its client has ended, even if the server is busy.

Normally, the event loop ends the process in an orderly way. If the event loop is busy, or blocked by writing to a
client that does not read, a timer in another thread ends the process instead. Only a long call into C code can delay
the timer, because no other Python thread runs during the call.
"""

from __future__ import annotations

import json
import os
import select
import sys
import threading
import time
from typing import Any

from uncuda import child

_PATIENCE = 1.2  # after this number of seconds, the process ends even if the event loop has not exited
_HEARTBEAT = 1.0
# the largest size in bytes of an `exit` or `shutdown` message, including fields that a client may add
_LONGEST = 1 << 10


def leave_soon(code: int, seconds: float = _PATIENCE) -> None:
    """Exit with this code, by force if the process still runs after `seconds`; may be called from any thread."""
    timer = threading.Timer(seconds, _leave, (code,))
    timer.daemon = True
    timer.start()


def _leave(code: int) -> None:
    child.end_all()
    os._exit(code)


def last_word(body: bytes) -> str:
    """Return "shutdown" or "exit" if that is the method of a message; otherwise "". This function must be fast, because
    it reads every message."""
    if len(body) > _LONGEST or not (b"exit" in body or b"shutdown" in body):
        return ""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    method = message.get("method") if isinstance(message, dict) else None
    if (method == "exit" and "id" not in message) or (method == "shutdown" and "id" in message):
        return str(method)
    return ""


def lives(process: int) -> bool:
    """Return whether the process with this id is running on this machine; True if that cannot be found out."""
    if sys.platform == "win32":
        return _lives_on_windows(process)
    return child.lives(process)


def wait_for_end(process: int) -> None:
    """Wait until a process has ended. Linux notifies the server when the process ends; on other systems the server
    polls the process, and a zombie counts as running."""
    if sys.platform == "linux" and hasattr(os, "pidfd_open"):
        try:
            descriptor = os.pidfd_open(process)
        except ProcessLookupError:
            return
        except OSError:
            pass  # the kernel is too old, or a sandbox forbids the system call
        else:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            poll.poll()
            os.close(descriptor)
            return
    while lives(process):
        time.sleep(_HEARTBEAT)


def _lives_on_windows(process: int) -> bool:
    import ctypes

    kernel: Any = ctypes.windll.kernel32  # type: ignore[attr-defined, unused-ignore]
    handle = kernel.OpenProcess(0x00100000, False, process)  # SYNCHRONIZE
    if not handle:
        return bool(kernel.GetLastError() == 5)  # access denied means that the process exists
    ended = kernel.WaitForSingleObject(handle, 0) == 0
    kernel.CloseHandle(handle)
    return not ended
