"""A pool of equal worker processes, which receive tasks; the pool yields their results in the order of the tasks.

If a process ends too early, only time is lost: other processes repeat the tasks that it has not answered. The parts of
the task during which the process ended are repeated one by one, to find the part that makes a process end. The pool
needs neither semaphores nor shared memory.
"""

from __future__ import annotations

import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import IO, TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from . import Forked, command, interrupts_kept, may_fork, start
from .records import Codec

if TYPE_CHECKING:
    import subprocess

T = TypeVar("T")
_EACH = 2  # number of tasks that a process has at a time: the current one and the next
_AHEAD = 8  # number of finished tasks, for each process, that may wait for the result of an earlier task
_WAIT = 0.5
"""A wait lasts at most this many seconds before Ctrl-C is checked, because on Windows Ctrl-C does not interrupt a
wait."""


@dataclass(frozen=True)
class Launch:
    """How the processes of a pool are started, and how requests and answers are encoded in JSON.

    `module`: a module whose `main` runs in a new Python process; `copy`: the function that runs in a fork of this
    process instead, if a fork is safe; `codec`: the codec for requests and answers.
    """

    module: str
    copy: Callable[[], NoReturn]
    codec: Codec


@dataclass(frozen=True)
class Crashed:
    """Takes the place of the answer to a part of a task if the processes that received this part crashed. `code`: the
    exit code of the process, as Popen returns it."""

    code: int

    @property
    def reason(self) -> str:
        """The name of the signal that ended the process, or its exit code."""
        return exit_reason(self.code)

    @property
    def message(self) -> str:
        """Return the sentence for the user about a file that makes a process crash."""
        return f"the process that read it crashed twice ({self.reason})"


def exit_reason(code: int) -> str:
    """Return the name of the signal that ended a process, or "exit code N"."""
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"exit code {code}"


@dataclass(eq=False)
class _Task(Generic[T]):
    """A task, which consists of several `parts`. `ended`: whether a process ended too early while it had this task."""

    parts: Sequence[T]
    ended: bool = False
    answer: bytes | Crashed | None = None


@dataclass(eq=False)
class _Peer:
    """A process of the pool; `ready`: whether the process has sent a first line, which shows that it starts
    correctly."""

    process: subprocess.Popen[bytes] | Forked
    tasks: deque[_Task[Any]] = field(default_factory=deque)
    ready: bool = False


class Pool(Generic[T]):
    """Runs tasks in `number` processes. `here`: a function that answers a request in this process if no other process
    is left; `lost`: a function that is called with the id and the exit code of each process that ended too early."""

    def __init__(
        self,
        number: int,
        launch: Launch,
        here: Callable[[Any], object],
        lost: Callable[[int, int], object],
    ) -> None:
        self.number = number
        self._launch, self._here, self._lost = launch, here, lost
        self._request: Callable[[Sequence[T]], object] = list
        self._said: list[bytes] = []
        self._waiting: deque[_Task[T]] = deque()  # tasks that no process has received yet
        self._again: deque[_Task[T]] = deque()  # tasks of processes that ended before they answered the tasks
        self._given: list[_Task[T]] = []  # tasks that were handed out and whose answers are not yielded yet, in order
        self._inbox: SimpleQueue[tuple[_Peer, bytes]] = SimpleQueue()
        self._spare = number  # number of processes that may still be started as replacements
        self._peers: list[_Peer] = []
        with interrupts_kept():
            if forks := may_fork():
                launch.codec.prepare()
            for _ in range(number):
                self._start(forks)
        for peer in self._peers:
            self._listen(peer)

    def tell(self, record: object) -> None:
        """Send a record that has no answer to all processes, and later to each replacement of a process."""
        self._said.append(self._launch.codec.line(record))
        for peer in self._peers:
            _say(peer, self._said[-1])

    def run(
        self, batches: Sequence[Sequence[T]], request: Callable[[Sequence[T]], object]
    ) -> Iterator[tuple[Sequence[T], Any]]:
        """Yield each batch, or parts of it, with its answer, in order; the processes work on the next batches
        meanwhile.

        `request`: a function that returns the record to send for a batch or a part of a batch.
        """
        self._request = request
        self._waiting = deque(_Task(batch) for batch in batches)
        while self._waiting or self._given:
            self._hand_out()
            if self._given and self._given[0].answer is not None:
                task = self._given.pop(0)
                answer = task.answer
                yield task.parts, self._launch.codec.record(answer) if isinstance(answer, bytes) else answer
            elif self._peers:
                self._take()
            else:
                parts = (self._given.pop(0) if self._given else self._waiting.popleft()).parts
                yield parts, self._here(self._request(parts))

    def close(self) -> None:
        """Kill all processes."""
        peers, self._peers = self._peers, []
        for peer in peers:
            peer.process.kill()
        for peer in peers:
            _reap(peer)

    def _start(self, forks: bool) -> _Peer | None:
        """Start one more process and return it; None if the start fails."""
        try:
            if forks:
                pipes = [stream.fileno() for peer in self._peers for stream in _pipes(peer)]
                process: subprocess.Popen[bytes] | Forked = Forked(self._launch.copy, pipes)
            else:
                process = start(command(self._launch.module))
        except OSError:
            return None
        peer = _Peer(process)
        self._peers.append(peer)
        return peer

    def _listen(self, peer: _Peer) -> None:
        threading.Thread(target=self._hear, args=(peer,), daemon=True, name="hear").start()

    def _hear(self, peer: _Peer) -> None:
        _, out = _pipes(peer)
        with suppress(OSError, ValueError):
            for line in out:
                self._inbox.put((peer, line))
        self._inbox.put((peer, b""))

    def _hand_out(self) -> None:
        """Send each process as many tasks as it may have; tasks of processes that ended come first."""
        for most in range(1, _EACH + 1):
            for peer in self._peers:
                while peer.ready and len(peer.tasks) < most:
                    if self._again:
                        task = self._again.popleft()
                    elif self._waiting and len(self._given) < _AHEAD * len(self._peers):
                        task = self._waiting.popleft()
                        self._given.append(task)
                    else:
                        return
                    peer.tasks.append(task)
                    _say(peer, self._launch.codec.line(self._request(task.parts)))

    def _take(self) -> None:
        """Wait until a process sends a line or ends."""
        try:
            peer, line = self._inbox.get(timeout=_WAIT)
        except Empty:
            return
        if not line.endswith(b"\n"):
            self._replace(peer)
        elif not peer.ready:
            peer.ready = True
        else:
            peer.tasks.popleft().answer = line

    def _replace(self, peer: _Peer) -> None:
        """Remove a process that ended, keep its tasks for other processes, and start a replacement."""
        self._peers.remove(peer)
        code = _reap(peer)
        self._lost(peer.process.pid, code)
        again: list[_Task[T]] = [*peer.tasks]
        if again:
            task = again.pop(0)
            if task.ended and len(task.parts) == 1:
                task.answer = Crashed(code)
            else:
                parts = [_Task((part,), ended=True) for part in task.parts]
                at = self._given.index(task)
                self._given[at : at + 1] = parts
                again[:0] = parts
        self._again.extendleft(reversed(again))
        if self._spare:
            self._spare -= 1
            with interrupts_kept():
                new = self._start(forks=False)  # no fork, because this process has threads now
            if new is not None:
                for line in self._said:
                    _say(new, line)
                self._listen(new)


def _pipes(peer: _Peer) -> tuple[IO[bytes], IO[bytes]]:
    assert peer.process.stdin is not None
    assert peer.process.stdout is not None
    return peer.process.stdin, peer.process.stdout


def _say(peer: _Peer, line: bytes) -> None:
    to, _ = _pipes(peer)
    with suppress(OSError, ValueError):  # the thread that reads from the process reports the end of the process
        to.write(line)
        to.flush()


def _reap(peer: _Peer) -> int:
    """Kill a process if it still runs; return its exit code."""
    peer.process.kill()
    code = peer.process.wait()
    for stream in _pipes(peer):
        with suppress(OSError, ValueError):
            stream.close()
    return code
