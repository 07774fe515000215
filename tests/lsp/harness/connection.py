"""A server process and the connection to it: requests, replies, and a record of every message."""

import contextlib
import itertools
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from lsp.harness.traffic import Json, Record, Traffic
from lsp.harness.wire import BadFrame, frame, read
from support.forked import ALONE, FORKED, Forked

T = TypeVar("T")
PATIENCE = 30.0  # seconds; allows for a slow machine under load
_FIRST_PAUSE, _LAST_PAUSE = 0.02, 1.0  # seconds between two calls of a condition; each pause is twice the previous one
METHOD_NOT_FOUND, INTERNAL_ERROR = -32601, -32603


class ResponseError(Exception):
    """Raised if the server replied with an error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.data = code, message, data


class Refused(Exception):
    """Raised by a function in `answers`: the client then replies with an error."""


class Later(Exception):
    """Raised by a function in `answers`: the client does not reply then; the test sends the reply itself."""


class Connection:
    """Starts a server and communicates with it over its pipes. Methods that wait do so until something has happened,
    not for a fixed time.

    `answers`: maps a method of the server's requests to a function that takes the request's parameters and returns the
    client's reply. The thread that reads messages calls these functions; while one runs, no other thread can send.
    A separate thread writes messages, so that sending never blocks. `command`: the command that starts the server; if
    it is FORKED or ALONE, the server is forked.
    """

    def __init__(self, command: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> None:
        self.traffic = Traffic()
        self.answers: dict[str, Callable[[Any], Any]] = {}
        self.broken: list[str] = []
        self.ids: Callable[[int], Any] = int
        self.changed = threading.Condition(threading.RLock())
        self._replies: dict[Any, Json] = {}
        self._counter = itertools.count(1)
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._errors: list[bytes] = []
        pipe = subprocess.PIPE
        self.process: subprocess.Popen[bytes] | Forked = (
            Forked(command, cwd, environment, alone=command is ALONE)
            if command in (FORKED, ALONE)
            else subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=cwd, env=dict(environment))
        )
        self._threads = [
            threading.Thread(target=work, daemon=True) for work in (self._read, self._write, self._read_errors)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def stderr(self) -> str:
        """What the server has written to its standard error so far."""
        return b"".join(self._errors).decode("utf-8", "replace")

    def send(self, message: Any, deliberate: bool = False) -> None:
        """Send a message unchanged; `deliberate`: whether it is wrong on purpose, so that it is not checked."""
        with self.changed:
            self.traffic.append(Record("client", message, deliberate))
            self._outbox.put(frame(message))

    def send_bytes(self, data: bytes) -> None:
        """Send bytes that are not a valid message."""
        with self.changed:
            self.traffic.append(Record("client", repr(data), deliberate=True))
            self._outbox.put(data)

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params}))

    def begin(self, method: str, params: Any = None, deliberate: bool = False) -> Any:
        """Send a request without waiting for its reply; returns its id."""
        with self.changed:
            identifier = self.ids(next(self._counter))
            message = {"jsonrpc": "2.0", "id": identifier, "method": method}
            self.send(message | ({} if params is None else {"params": params}), deliberate)
            return identifier

    def reply(self, identifier: Any, timeout: float = PATIENCE) -> Any:
        """Wait for the reply to a request; returns its result, or raises ResponseError."""
        message = self.wait(lambda: self._replies.get(identifier), f"reply to request {identifier!r}", timeout)
        if error := message.get("error"):
            raise ResponseError(error["code"], error["message"], error.get("data"))
        return message.get("result")

    def request(self, method: str, params: Any = None, timeout: float = PATIENCE) -> Any:
        """Send a request and wait for its result; ResponseError if the server replies with an error."""
        return self.reply(self.begin(method, params), timeout)

    def answered(self, identifier: Any) -> bool:
        """Whether the reply to a request has arrived."""
        with self.changed:
            return identifier in self._replies

    def wait(self, condition: Callable[[], T | None], what: str, timeout: float = PATIENCE) -> T:
        """Wait until `condition` returns a true value; the AssertionError names `what`. The condition is called after
        each message, and after pauses, because the answer to a condition that asks the server can change without a
        message."""
        deadline, pause = time.monotonic() + timeout, _FIRST_PAUSE
        with self.changed:
            while not (found := condition()):
                assert not self.broken, self.broken[0]
                left = deadline - time.monotonic()
                assert left > 0, f"no {what} within {timeout:g} s"
                alive = self.process.poll() is None or self._threads[0].is_alive()
                assert alive, f"no {what}: the server ended with code {self.process.poll()}\n{self.stderr[-3000:]}"
                self.changed.wait(min(left, pause))
                pause = min(2 * pause, _LAST_PAUSE)
            return found

    def end(self, timeout: float = PATIENCE) -> int:
        """Close the server's input and wait for its exit; returns the exit code. If the server does not exit, it is
        killed, and AssertionError is raised."""
        self._outbox.put(None)
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the server was still there after {timeout:g} s\n{self.stderr[-3000:]}") from None
        self._finish()
        return code

    def kill(self) -> None:
        """Kill the server."""
        self.process.kill()
        self.process.wait()
        self._finish()

    def _finish(self) -> None:
        self._outbox.put(None)
        for thread in self._threads:
            thread.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):  # the server may end before it has read all bytes
                    stream.close()

    def _write(self) -> None:
        assert self.process.stdin is not None
        try:
            while (data := self._outbox.get()) is not None:
                self.process.stdin.write(data)
                if self._outbox.empty():
                    self.process.stdin.flush()
            self.process.stdin.close()
        except (BrokenPipeError, ValueError):
            pass  # `wait` reports that the server has ended

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._errors.append(line)

    def _read(self) -> None:
        assert self.process.stdout is not None
        try:
            while (message := read(self.process.stdout)) is not None:
                with self.changed:
                    self._receive(message)
                    self.changed.notify_all()
        except BadFrame as error:
            self.broken.append(f"on the server's output: {error}")
        except Exception as error:  # noqa: BLE001 - whoever waits must learn of it
            self.broken.append(f"the client failed: {error!r}")
        with self.changed:
            self.changed.notify_all()

    def _receive(self, message: Json) -> None:
        self.traffic.append(Record("server", message, disk=self.look(message)))
        if "method" not in message:
            self._replies[message.get("id")] = message
        elif "id" in message:
            with contextlib.suppress(Later):
                self.send({"jsonrpc": "2.0", "id": message["id"], **self._answer(message)})
        else:
            self.hear(message["method"], message.get("params"))

    def _answer(self, message: Json) -> Json:
        answer = self.answers.get(message["method"])
        if answer is None:
            return {"error": {"code": METHOD_NOT_FOUND, "message": f"no {message['method']} here"}}
        try:
            return {"result": answer(message.get("params"))}
        except Refused as error:
            return {"error": {"code": INTERNAL_ERROR, "message": str(error)}}

    def look(self, message: Json) -> Mapping[str, str]:
        """Return the texts of the closed files to which a message of the server refers; clients with files override
        this."""
        return {}

    def hear(self, method: str, params: Any) -> None:
        """Handle a notification of the server."""
