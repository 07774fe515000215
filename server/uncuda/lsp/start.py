"""The server's process: its streams, logs, imports and exit."""

from __future__ import annotations

import gc
import os
import signal
import sys

import uncuda
from uncuda.import_path import leave_current_folder

from .wire import logs, stream

_PATIENCE = 0.7
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # constants from malloc.h
_KEPT = 16_000_000  # bytes: glibc keeps up to this much freed memory


def run(tcp: str | None, log_file: str | None) -> int:
    """Serve until the client leaves; returns the exit code. Raises OSError or ValueError if the server cannot start."""
    leave_current_folder()  # the editor may have started the server in the workspace
    to_client = logs.start(log_file)
    if tcp:
        connection = stream.accept(tcp, lambda place: print(f"uncuda: {place}", file=sys.stderr, flush=True))  # noqa: T201
    else:
        if not os.isatty(0):  # Ctrl-C in a terminal inside the editor is meant for the editor
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        connection = stream.standard()
    _keep_memory()
    gc.disable()
    from .server import UncudaServer
    from .wire.ending import leave_soon

    server = UncudaServer(to_client)
    gc.enable()
    gc.freeze()  # imported modules are never freed, so the garbage collector need not visit them
    logs.logger.info("uncuda %s, Python %s", uncuda.__version__, sys.version.split()[0])
    code = server.serve(connection)
    leave_soon(code, _PATIENCE)  # exit even if a thread still runs, because editors kill slow servers
    return code


def _keep_memory() -> None:
    """Make glibc keep up to a few megabytes of freed memory instead of returning them to the system.

    Each keystroke allocates and frees several copies of the text, and requesting new memory pages costs more than
    copying the text.
    """
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):  # glibc has this function, musl does not
        library.mallopt(_M_MMAP_THRESHOLD, _KEPT)
        library.mallopt(_M_TRIM_THRESHOLD, _KEPT)
