"""Processes of our own: how they are started, are told things, and end with the process that started them.

None is left behind. Who starts them ends them (`end_all`); where that one is killed, each ends by itself: on Linux the
kernel kills it, whatever it is doing (`follow`); elsewhere it ends when its input does (`lines`, `end_with_input`),
which a thread sees as soon as Python lets threads run: not in the middle of one long call into C.
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

_PR_SET_PDEATHSIG = 1  # sys/prctl.h
_CHUNK = 1 << 16
_NICE = 10
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


class Forked:
    """A process that was forked, with what is used of `subprocess.Popen`."""

    def __init__(self, run: Callable[[], NoReturn], close: Iterable[int]) -> None:
        """Have `run` called in a copy of this process, which must have no other threads. Its standard input and output
        are pipes of ours. `close`: our ends of the pipes to others, which it must not hold.
        """
        (theirs_in, ours_in), (ours_out, theirs_out) = os.pipe(), os.pipe()
        self.returncode: int | None = None
        self.pid = os.fork()
        if not self.pid:
            try:
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
        """End it at once."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait for its end; its exit code, of one that a signal ended the number of that, negative."""
        if self.returncode is None:
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.returncode


def may_fork() -> bool:
    """Whether a copy of this process works: not where a thread may hold a lock, nor where the system's own libraries
    (macOS) do not stand it."""
    from threading import active_count

    return sys.platform == "linux" and active_count() == 1


@contextmanager
def interrupts_kept() -> Iterator[None]:
    """What is started in the block does not hear Ctrl-C, which a terminal says to all of its processes: the one that
    started it ends it. On Windows a process of ours has no terminal."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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


def first_line() -> tuple[bytes, bytes]:
    """The first line of standard input, without its end, and what was read beyond it; two empty ones where the input
    ends before. Read without a thread: the process may still be forked."""
    data = bytearray()
    while b"\n" not in data:
        more = _read()
        if not more:
            return b"", b""
        data += more
    line, _, rest = bytes(data).partition(b"\n")
    return line, rest


def lines(begun: bytes = b"") -> Iterator[bytes]:
    """The lines of standard input, read by a thread from now on, whatever the caller does; the process ends where they
    do. `begun`: what was read of them before."""
    from queue import SimpleQueue
    from threading import Thread

    read: SimpleQueue[bytes] = SimpleQueue()

    def work() -> None:
        # Not by sys.stdin: a thread that waits in there is in the way when the process ends.
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
    """End this process as soon as anything more comes on standard input, or nothing can any more."""
    from threading import Thread

    def work() -> None:
        _read()
        os._exit(0)

    Thread(target=work, daemon=True, name="end").start()


def be_nice() -> None:
    """Leave the processor to whoever wants it more; for the process itself."""
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(_NICE)


def _read() -> bytes:
    try:
        return os.read(0, _CHUNK)
    except OSError:
        return b""
