"""Servers that are forked from a process that has imported uncuda already: the same program on pipes of its own.

Importing is most of what a short session costs. Where it matters how the program is started, it is started.

    python -m lsp.forked SOCKET

waits for orders on an inherited socket: a JSON object (`cwd`, `environment`) with four descriptors, the server's input,
output and errors, and where its process id and at last its exit code are written.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from cli.command import ROOT

FORKED: tuple[str, ...] = ()
"""In place of the command that starts a server."""
_LONGEST = 1 << 20  # bytes of an order


class Forked:
    """A server, with what tests use of `subprocess.Popen`."""

    def __init__(self, cwd: Path, environment: Mapping[str, str]) -> None:
        pipes = [os.pipe() for _ in range(4)]
        (theirs_in, ours_in), (ours_out, theirs_out), (ours_err, theirs_err), (report, theirs_report) = pipes
        given = [theirs_in, theirs_out, theirs_err, theirs_report]
        order = json.dumps({"cwd": str(cwd), "environment": dict(environment)}).encode()
        socket.send_fds(_forker().orders, [order], given)
        for descriptor in given:
            os.close(descriptor)
        self.stdin: BinaryIO = io.BufferedWriter(io.FileIO(ours_in, "w"))
        self.stdout: BinaryIO = io.BufferedReader(io.FileIO(ours_out))
        self.stderr: BinaryIO = io.BufferedReader(io.FileIO(ours_err))
        self.returncode: int | None = None
        self._report = os.fdopen(report, encoding="ascii")
        self.pid = int(self._report.readline())

    def poll(self) -> int | None:
        """Its exit code, None while it runs; of one that a signal ended, the number of that, negative."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; its exit code. TimeoutExpired if it does not come."""
        if self.returncode is None:
            if not select.select([self._report], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("uncuda server", timeout or 0)
            self.returncode = int(self._report.readline())
            self._report.close()
        return self.returncode

    def kill(self) -> None:
        """End it at once."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


class _Forker:
    """The process that forks; it ends when this one does, or lets go of it."""

    def __init__(self) -> None:
        self.orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "lsp.forked", str(theirs.fileno())]
        path = os.pathsep.join([os.environ.get("UNCUDA_TEST_PATH", str(ROOT / "server")), str(ROOT / "tests")])
        self.process = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": path}
        )
        theirs.close()
        atexit.register(self._end)

    def _end(self) -> None:
        self.orders.close()
        self.process.wait()


@lru_cache
def _forker() -> _Forker:
    return _Forker()


def _serve(number: int) -> None:

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(fileno=number) as orders:
        while True:
            order, descriptors, _, _ = socket.recv_fds(orders, _LONGEST, 4)
            if not order:
                return
            if not os.fork():
                orders.close()
                _watch(json.loads(order), descriptors)
            for descriptor in descriptors:
                os.close(descriptor)


def _watch(order: dict[str, object], descriptors: list[int]) -> None:
    """Fork the server, and report what becomes of it."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *standard, report = descriptors
    pid = os.fork()
    if not pid:
        os.close(report)
        _run(order, standard)
    for descriptor in standard:
        os.close(descriptor)
    os.write(report, b"%d\n" % pid)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with contextlib.suppress(BrokenPipeError):
        os.write(report, b"%d\n" % code)
    os._exit(0)


def _run(order: dict[str, object], standard: list[int]) -> None:
    """Be the server."""
    from uncuda.__main__ import main

    for number, descriptor in enumerate(standard):
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin, sys.stdout, sys.stderr = (open(number, "rww"[number], closefd=False) for number in range(3))  # noqa: SIM115
    os.chdir(str(order["cwd"]))
    environment = order["environment"]
    assert isinstance(environment, dict)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["uncuda", "server"]
    try:
        code = main()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    sys.stderr.flush()
    os._exit(code or 0)


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
