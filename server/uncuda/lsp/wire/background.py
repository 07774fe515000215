"""A child process that exchanges records with the server, so that requests never wait for its work."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from uncuda.child import command, start
from uncuda.child.records import Codec

from .logs import logger

if TYPE_CHECKING:
    import subprocess


class Background:
    """A running child process; its standard error is the standard error of the server.

    `codec` is the codec of the process's records. `take` is called with every record from the process, and `ended` once
    when the process ends, both in the server's thread through `call`. `first`: a record that is sent as soon as the
    process starts.
    """

    def __init__(
        self,
        module: str,
        codec: Codec,
        call: Callable[..., object],
        take: Callable[[Any], object],
        ended: Callable[[], object] = lambda: None,
        first: object = None,
    ) -> None:
        self._codec, self._call, self._take, self._ended = codec, call, take, ended
        self._stopped = False
        self._outbox: SimpleQueue[Any] = SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._process = start(command(module))
        except OSError:
            logger.exception("%s cannot be started", module)
            call(self._ended)
            return
        if first is not None:
            self.send(first)
        for work in (self._read, self._write):
            threading.Thread(target=work, args=(self._process,), daemon=True, name=module).start()

    def send(self, message: Any) -> None:
        """Send a message without waiting until it is read. If the process has ended, the message is ignored."""
        self._outbox.put(message)

    def stop(self) -> None:
        """Kill the process; `take` is not called afterwards."""
        self._stopped = True
        if self._process:
            self._process.kill()

    def _write(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        with suppress(OSError, ValueError):
            while (message := self._outbox.get()) is not None:
                process.stdin.write(self._codec.line(message))
                process.stdin.flush()

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        try:
            # ValueError: the process was killed in the middle of a line. OSError: the process ended before it read its
            # input.
            with suppress(OSError, ValueError), process:
                for line in process.stdout:
                    self._call(self._pass, self._codec.record(line))
        except Exception:  # noqa: BLE001 whoever waits must learn that nothing comes any more
            logger.exception("what a process of ours says cannot be read")
        self._outbox.put(None)
        self._call(self._finish)

    def _pass(self, message: Any) -> None:
        if not self._stopped:
            self._take(message)

    def _finish(self) -> None:
        if not self._stopped:
            self._ended()
