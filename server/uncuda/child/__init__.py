"""Child processes of uncuda: how they are started, receive requests, and end together with the process that started
them.

uncuda leaves no child process running. The parent process kills its children (`end_all`). If the parent itself is
killed, each child ends by itself: on Linux the kernel kills the child at once (`follow`); on other systems, a thread of
the child notices that standard input has ended (`lines`, `end_with_input`), but not during a long call into C code.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import WeakSet

from .. import bundled
from ..import_path import without_current_folder

if TYPE_CHECKING:
    import subprocess

_PR_SET_PDEATHSIG = 1  # from sys/prctl.h
_CHUNK = 1 << 16
_NICE = 10
_started: WeakSet[subprocess.Popen[bytes]] = WeakSet()


def command(module: str) -> list[str]:
    """Return the command line that runs `main()` of a module of uncuda in a new Python process, with the import path of
    the current process.

    The new Python is isolated (`-I`): neither the current directory nor PYTHONPATH nor the user's site packages add to
    its import path, so a file of the workspace can never be imported as a package. The new process ends when the
    current process ends.
    """
    path = without_current_folder(sys.path)
    program = f"{bundled.preamble() or f'import sys; sys.path[:] = {path!r}'}; "
    program += f"from uncuda.child import follow; follow({os.getpid()}); from {module} import main; main()"
    return [sys.executable, "-I", "-X", "utf8", "-c", program]


def start(arguments: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a process whose standard input and output are pipes that only this process uses; raise OSError if it cannot
    be started.

    `options`: further arguments for Popen. On Linux, the child also ends when the thread that called this function
    ends.
    """
    import subprocess

    pipe, flags = subprocess.PIPE, getattr(subprocess, "CREATE_NO_WINDOW", 0)
    process: subprocess.Popen[bytes] = subprocess.Popen(
        arguments, stdin=pipe, stdout=pipe, creationflags=flags, **options
    )
    _started.add(process)
    return process


class Forked:
    """A forked process, with the attributes and methods of `subprocess.Popen` that uncuda uses."""

    def __init__(self, run: Callable[[], NoReturn], close: Iterable[int]) -> None:
        """Fork this process, which must have no other threads, and call `run` in the new process. The standard input
        and output of the new process are pipes to this process. `close`: the descriptors that the new process must
        close: this process's ends of its pipes to other processes."""
        (theirs_in, ours_in), (ours_out, theirs_out) = os.pipe(), os.pipe()
        self.returncode: int | None = None
        parent = os.getpid()
        self.pid = os.fork()
        if not self.pid:
            try:
                follow(parent)
                for number, descriptor in enumerate((theirs_in, theirs_out)):
                    os.dup2(descriptor, number)
                for descriptor in {*close, theirs_in, ours_in, ours_out, theirs_out} - {0, 1, 2}:
                    os.close(descriptor)
                run()
            finally:
                os._exit(1)
        os.close(theirs_in)
        os.close(theirs_out)
        self.stdin, self.stdout = open(ours_in, "wb"), open(ours_out, "rb")  # noqa: SIM115

    def kill(self) -> None:
        """Kill the process."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait until the process ends; return its exit code, or the negative number of the signal that ended it."""
        if self.returncode is None:
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.returncode


def may_fork() -> bool:
    """Whether forking this process is safe: it has no other thread, which could hold a lock, and runs on Linux (the
    system libraries of macOS do not support forking)."""
    from threading import active_count

    return sys.platform == "linux" and active_count() == 1


@contextmanager
def interrupts_kept() -> Iterator[None]:
    """While this context manager is active, started processes ignore the Ctrl-C that a terminal sends to all its
    processes; their parent ends them instead. On Windows a child process has no terminal."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_all() -> None:
    """Kill every running process that `start` has started, without waiting for its end."""
    for process in list(_started):
        with suppress(OSError):  # the id may belong to another process by now
            process.kill()


def follow(parent: int) -> None:
    """Ask the kernel to kill this process when its parent process `parent` ends. On systems other than Linux, the
    function does nothing."""
    if sys.platform != "linux":
        return
    try:
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        return  # on other systems, this process ends when its standard input ends
    if os.getppid() != parent and not lives(parent):  # the parent process ended before the call of prctl
        os._exit(1)


def lives(process: int) -> bool:
    """Whether a process with this id is running on this machine; True if this is unknown. The function must not be used
    on Windows."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def first_line() -> tuple[bytes, bytes]:
    """Read the first line of standard input; return the line without its newline, and the bytes that were read after
    it.

    The returned line and the returned further bytes are empty if standard input ends before a newline. No thread is
    started, so that the process may still be forked.
    """
    line: list[bytes] = []
    while data := _read():
        part, newline, rest = data.partition(b"\n")
        line.append(part)
        if newline:
            return b"".join(line), rest
    return b"", b""


def lines(begun: bytes = b"") -> Iterator[bytes]:
    """Yield the lines of standard input; a thread reads them even while the caller is busy, and ends the process when
    the input ends. `begun`: bytes of the input that were read earlier."""
    from queue import SimpleQueue
    from threading import Thread

    read: SimpleQueue[bytes] = SimpleQueue()

    def work() -> None:
        # The thread uses os.read, because a thread that waits for sys.stdin would block the end of the process.
        line: list[bytes] = []
        data = begun or _read()
        while data:
            *whole, rest = data.split(b"\n")
            for part in whole:
                read.put(b"".join((*line, part)))
                line.clear()
            line.append(rest)
            data = _read()
        os._exit(0)

    Thread(target=work, daemon=True, name="lines").start()
    return iter(read.get, None)


def end_with_input() -> None:
    """End this process as soon as standard input has more data or ends."""
    from threading import Thread

    def work() -> None:
        _read()
        os._exit(0)

    Thread(target=work, daemon=True, name="end").start()


def be_nice() -> None:
    """Lower this process's priority, so that other processes get CPU time first."""
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(_NICE)


def _read() -> bytes:
    try:
        return os.read(0, _CHUNK)
    except OSError:
        return b""
