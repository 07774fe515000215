"""The process of the server: its streams, its logs, what it may import, and its end."""

from __future__ import annotations

import gc
import os
import signal
import sys

import uncuda
from uncuda.import_path import leave_current_folder

from .wire import logs, stream

_PATIENCE = 0.7
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h
_KEPT = 16_000_000  # bytes


def run(tcp: str | None, log_file: str | None) -> int:
    """Serve until the client leaves; gives the exit code. OSError or ValueError where the server cannot start."""
    leave_current_folder()  # the editor may have started us in the workspace
    to_client = logs.start(log_file)
    if tcp:
        connection = stream.accept(tcp, lambda place: print(f"uncuda: {place}", file=sys.stderr, flush=True))  # noqa: T201
    else:
        if not os.isatty(0):  # Ctrl-C in the terminal of an editor is meant for the editor
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        connection = stream.standard()
    _keep_memory()
    gc.disable()
    from .server import UncudaServer
    from .wire.ending import leave_soon

    server = UncudaServer(to_client)
    gc.enable()
    gc.freeze()  # what was imported stays: no need to walk through it again and again
    logs.logger.info("uncuda %s, Python %s", uncuda.__version__, sys.version.split()[0])
    code = server.serve(connection)
    leave_soon(code, _PATIENCE)  # even if something that is not worth waiting for still runs: editors kill what stays
    return code


def _keep_memory() -> None:
    """Let glibc keep what is freed, up to a few megabytes, and not give it back to the system.

    Each key frees and takes the size of the whole text several times: pages that come anew cost more than the copies.
    """
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):  # glibc's, not musl's
        library.mallopt(_M_MMAP_THRESHOLD, _KEPT)
        library.mallopt(_M_TRIM_THRESHOLD, _KEPT)
