"""Streams, logs, and the end of the process."""

from __future__ import annotations

import os
import sys


def run(tcp: str | None, log_file: str | None) -> int:
    """Serve until the client leaves."""
    here = os.getcwd()  # noqa: PTH109
    sys.path[:] = [entry for entry in sys.path if entry and os.path.abspath(entry) != here]  # noqa: PTH100
    from .server import UncudaServer

    server = UncudaServer()
    if tcp:
        host, _, port = tcp.rpartition(":")
        server.start_tcp(host or "127.0.0.1", int(port))
        return 0
    frames = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    server.start_io(sys.stdin.buffer, frames)
    return 0
