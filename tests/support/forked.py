"""Runs uncuda in processes that are forked from a process which has already imported it; each forked process has its
own pipes.

A short command or session spends most of its time importing modules and reading tables, which forking avoids. Tests
of the start of uncuda do not fork, but start a new Python. Child processes that a forked program starts with
`uncuda.child` are forked as well.

    python -m support.forked SOCKET

`python -m support.forked` waits for orders on a socket that it inherits. An order is a JSON object (see `_Order`) sent
with four file descriptors: the program's standard input, output and error, and one to which its process id and finally
its exit code are written.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import json
import os
import pkgutil
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, TypedDict

from support.imports import ROOT

FORKED: tuple[str, ...] = ("server",)
"""A value to use as the command that starts a server: the server is then forked from a running process."""
ALONE: tuple[str, ...] = ("server", "--stdio")
"""A command like FORKED, but the forked server starts its own child processes without forking."""
IS_POSSIBLE = sys.platform == "linux"  # other systems cannot send descriptors through a socket, or cannot fork
_LONGEST = 1 << 20  # the maximum size of an `_Order` in JSON, in bytes
_TESTS = str(ROOT / "tests")
_EXAMPLE = ROOT / "examples" / "train"
_PORTED = 'import torch\n\nx = torch.ones(2, device="cuda")\ntorch.cuda.synchronize()\nx.cuda()\n'
_PROGRAM = re.compile(r"from (uncuda[\w.]*) import main; main\(\)$")


class _Order(TypedDict):
    """`module`: the module whose `main` runs; `arguments`: those of its command line; `alone`: whether its child
    processes are started as new processes instead of forked."""

    module: str
    arguments: list[str]
    alone: bool
    cwd: str
    environment: dict[str, str]


class Forked:
    """A forked process, with those methods of `subprocess.Popen` that tests use. `orders`: the socket on which the
    process that forks waits for orders; None: that of a process shared by all tests."""

    def __init__(
        self,
        arguments: Sequence[str],
        cwd: str | Path,
        environment: Mapping[str, str],
        *,
        module: str = "uncuda.__main__",
        alone: bool = False,
        errors: int | None = None,
        orders: socket.socket | None = None,
    ) -> None:
        (theirs_in, ours_in), (ours_out, theirs_out), (report, theirs_report) = (os.pipe() for _ in range(3))
        ours_err, theirs_err = os.pipe() if errors is None else (None, os.dup(errors))
        given = [theirs_in, theirs_out, theirs_err, theirs_report]
        order = _Order(
            module=module, arguments=list(arguments), alone=alone, cwd=str(cwd), environment=dict(environment)
        )
        socket.send_fds(orders or _forker().orders, [json.dumps(order).encode()], given)
        for descriptor in given:
            os.close(descriptor)
        self.stdin: BinaryIO = io.BufferedWriter(io.FileIO(ours_in, "w"))
        self.stdout: BinaryIO = io.BufferedReader(io.FileIO(ours_out))
        self.stderr: BinaryIO | None = None if ours_err is None else io.BufferedReader(io.FileIO(ours_err))
        self.returncode: int | None = None
        self._report, self._lock = report, threading.Lock()
        # the descriptor is closed only when this object is freed, because any thread may be waiting
        weakref.finalize(self, os.close, report)
        self.pid = self._number()

    def __enter__(self) -> Forked:  # noqa: PYI034 Python 3.10 has no Self
        return self

    def __exit__(self, *_: object) -> None:
        self.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            self.stdin.close()
        self.wait()

    def poll(self) -> int | None:
        """Return the exit code, None while the process runs, or the negative number of the signal that ended it."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the process ends and return its exit code. Raise TimeoutExpired if the process does not end in
        time."""
        if self.returncode is None and not select.select([self._report], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("uncuda", timeout or 0)
        with self._lock:
            if self.returncode is None:
                self.returncode = self._number()
            return self.returncode

    def _number(self) -> int:
        """Return the next number that the forking process sends: first the process id, later the exit code."""
        line = b""
        while not line.endswith(b"\n"):
            read = os.read(self._report, 1)
            assert read, "who forks has ended"
            line += read
        return int(line)

    def communicate(self, data: bytes) -> tuple[bytes, bytes]:
        """Write to standard input and wait for the end; return standard output and standard error."""
        assert self.stderr is not None
        errors: list[bytes] = []
        reader = threading.Thread(target=lambda stream: errors.append(stream.read()), args=(self.stderr,), daemon=True)
        writer = threading.Thread(target=self._give, args=(data,), daemon=True)
        for thread in (reader, writer):
            thread.start()
        out = self.stdout.read()
        for thread in (reader, writer):
            thread.join()
        self.stdout.close()
        self.stderr.close()
        self.wait()
        return out, errors[0]

    def _give(self, data: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):  # the process may end without reading its input
            self.stdin.write(data)
        with contextlib.suppress(BrokenPipeError):
            self.stdin.close()

    def kill(self) -> None:
        """Kill the process."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):  # the process has ended meanwhile
                os.kill(self.pid, signal.SIGKILL)


class _Forker:
    """The process that forks programs; it exits when the test process exits or closes the socket."""

    def __init__(self) -> None:
        self.orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "support.forked", str(theirs.fileno())]
        path = os.pathsep.join([os.environ.get("UNCUDA_TEST_PATH", str(ROOT / "server")), _TESTS])
        settings = {**os.environ, "PYTHONPATH": path, "LC_ALL": "C.UTF-8"}
        self.process = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, env=settings, cwd=_TESTS
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
    """Fork a process for each program that a test or a forked program requests, until the socket is closed."""
    _prepare()
    from uncuda import child

    sys.path[:] = [place for place in sys.path if place != _TESTS]
    starting = [vars(module) for module in list(sys.modules.values()) if getattr(module, "start", None) is child.start]
    gc.collect()
    gc.freeze()
    inner, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ended, ending = os.pipe()
    os.set_blocking(ending, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(ending, warn_on_full_buffer=False)
    reports: dict[int, int] = {}
    with socket.socket(fileno=number) as orders:
        while True:
            ready = select.select([orders.fileno(), inner.fileno(), ended], [], [])[0]
            if ended in ready:
                os.read(ended, 1 << 16)
                _report_ends(reports)
            for asked in [one for one in (orders, inner) if one.fileno() in ready]:
                order, descriptors, _, _ = socket.recv_fds(asked, _LONGEST, 4)
                if not order:
                    return
                *standard, report = descriptors
                pid = os.fork()
                if not pid:
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    for stream in (orders, inner):
                        stream.close()
                    for descriptor in (ended, ending, report, *reports.values()):
                        os.close(descriptor)
                    _run(json.loads(order), standard, theirs, starting)
                for descriptor in standard:
                    os.close(descriptor)
                with contextlib.suppress(BrokenPipeError):
                    os.write(report, b"%d\n" % pid)
                reports[pid] = report


def _prepare() -> None:
    """Import all modules, and do here, once, what each forked process would otherwise do anew: read tables, prepare
    rules, compile patterns and resolve protocol types."""
    import uncuda
    from uncuda.catalogue import load
    from uncuda.engine.several import PortableEngine, make_engine
    from uncuda.lazy_re import LazyPattern
    from uncuda.settings import Settings
    from uncuda.source import Source

    re._MAXCACHE = 1 << 16  # type: ignore[attr-defined] # all patterns stay compiled
    for found in pkgutil.walk_packages(uncuda.__path__, "uncuda."):
        import_module(found.name)
    import_module("jedi")
    for pattern in [found for found in gc.get_objects() if isinstance(found, LazyPattern)]:
        pattern.match  # compiles it  # noqa: B018
    assert load().targets and load().libraries
    texts = [_PORTED, *(path.read_text(encoding="utf-8") for path in _EXAMPLE.glob("*.py"))]
    for target in load().declarations:
        for strategy in ("auto", "portable"):
            engine = make_engine(load(), target, Settings(strategy=strategy))
            for text in texts:
                engine.fix(Source(text), review=True)
            for part in engine.parts if isinstance(engine, PortableEngine) else [engine]:
                _engines.append(part)
                for shim in (False, True):
                    assert part.ruleset(shim).words.roots
    _prepare_patterns()
    _prepare_protocol()


_engines: list[object] = []
"""Engines whose prepared rules the engines of forked processes use."""


def _prepare_patterns() -> None:
    """Run the command line on a program, for each target, because this imports the modules and compiles the patterns
    that it needs."""
    from uncuda.catalogue import load
    from uncuda.cli import main

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "ported.py").write_text(_PORTED, encoding="utf-8")
        Path(folder, ".gitignore").write_text("*.pyc\n", encoding="utf-8")
        Path(folder, ".git").mkdir()
        shutil.copytree(_EXAMPLE, folder, dirs_exist_ok=True)
        for target in load().declarations:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                assert main(["check", "--isolated", "--target", target, folder]) == 1
    gc.enable()  # the command line disables it


def _prepare_protocol() -> None:
    """Make the servers of forked processes use one converter of messages, which has resolved the protocol's types."""
    from lsprotocol.types import ALL_TYPES_MAP, METHOD_TO_TYPES
    from pygls.protocol import default_converter
    from pygls.server import JsonRPCServer

    converter = default_converter()  # type: ignore[no-untyped-call]
    for request, *_ in METHOD_TO_TYPES.values():
        converter.get_structure_hook(request)
    for kind in ALL_TYPES_MAP.values():
        if isinstance(kind, type):
            converter.get_unstructure_hook(kind)
    begin = JsonRPCServer.__init__

    def prepared(self: Any, protocol: Any, make_converter: object, workers: int | None = None) -> None:
        begin(self, protocol, lambda: converter, workers)

    JsonRPCServer.__init__ = prepared  # type: ignore[assignment]


def _report_ends(reports: dict[int, int]) -> None:
    """Report the exit code of every program that has ended; `reports` maps a process id to the descriptor to which the
    exit code is written."""
    while reports:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        report = reports.pop(pid)
        with contextlib.suppress(BrokenPipeError):
            os.write(report, b"%d\n" % os.waitstatus_to_exitcode(status))
        os.close(report)


def _run(order: _Order, standard: list[int], orders: socket.socket, starting: Sequence[dict[str, Any]]) -> None:
    """Run the program in the forked process. `starting`: see `_fork_children`."""
    for number, descriptor in enumerate(standard):
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin, sys.stdout = (open(number, "rw"[number], closefd=False) for number in range(2))  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["environment"])
    sys.argv = ["uncuda", *order["arguments"]]
    if not order["alone"]:
        _fork_children(orders, starting)
    try:
        code = import_module(order["module"]).main()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BrokenPipeError):
            stream.flush()
    os._exit(code or 0)


def _fork_children(orders: socket.socket, starting: Sequence[dict[str, Any]]) -> None:
    """Make the modules that import `child.start` fork the processes that they start. `starting`: the namespaces of
    these modules, in which `start` is replaced."""
    from uncuda import child

    started = child.start

    def start(arguments: Sequence[str], **options: Any) -> Any:
        found = _PROGRAM.search(arguments[-1])
        if not found:
            return started(arguments, **options)
        silent = options.pop("stderr", None) == subprocess.DEVNULL
        errors = os.open(os.devnull, os.O_WRONLY) if silent else os.dup(2)
        try:
            here = options.pop("cwd", None) or Path.cwd()
            assert not options
            process: Any = Forked([], here, os.environ, module=found[1], errors=errors, orders=orders)
        finally:
            os.close(errors)
        child._started.add(process)
        return process

    for names in starting:
        names["start"] = start


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
    os._exit(0)  # without freeing all objects first
