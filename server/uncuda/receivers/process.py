"""The parent's side of the process that runs jedi: the process is started for the first question, and killed if an
answer takes too long."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from uncuda.child import command, start

_MODULE = "uncuda.receivers.child"
_START_SECONDS = 20.0


class Stopped(Exception):
    """Raised if the process ended before it answered."""


class TimedOut(Stopped):
    """Raised if the process was killed because it took too long."""


class Process:
    """One process that runs jedi. `memory`: the largest number of bytes that the process reported; `asked`: the number
    of questions that were sent to it."""

    def __init__(self, arguments: Sequence[str] | None = None) -> None:
        self.memory = 0
        self.asked = 0
        self._popen = start(
            arguments or command(_MODULE),
            stderr=subprocess.DEVNULL,
            # The workspace must not be the current folder of the process: some systems cannot remove a folder that is
            # the current folder of a process.
            cwd=Path(sys.executable).parent,
        )
        self._ready = False

    @property
    def pid(self) -> int:
        """The process id."""
        return self._popen.pid

    @property
    def alive(self) -> bool:
        """Whether the process has not ended yet."""
        return self._popen.poll() is None

    def open(self, path: str, text: str, roots: Sequence[str]) -> None:
        """Send the process the document for the next questions; raise Stopped as `ask` does."""
        if not self._ready:
            self._receive(None, _START_SECONDS)
            self._ready = True
        self._say({"path": path, "text": text, "roots": list(roots)})

    def ask(self, question: dict[str, Any], seconds: float) -> str:
        """Return the answer to a question about a receiver: "silent" (the receiver is not torch's, so the finding is
        dropped), "review" or "unknown" (the finding stays as it is). If there is no answer, raise Stopped or TimedOut;
        the process has then ended."""
        self.asked += 1
        # The process also has a timer of its own, in case its parent ends before the parent can kill it.
        answer = self._receive({**question, "seconds": seconds + 1}, seconds)
        self.memory = int(answer["memory"])
        if answer.get("last"):
            self.close()
        return str(answer["verdict"])

    def close(self) -> None:
        """Kill the process, even if it is busy."""
        self._popen.kill()
        self._popen.wait()
        for stream in (self._popen.stdin, self._popen.stdout):
            try:
                if stream is not None:
                    stream.close()
            except (OSError, ValueError):
                pass  # there is unwritten data, or another thread also closes the stream

    def _receive(self, message: dict[str, Any] | None, seconds: float) -> dict[str, Any]:
        """Send a message, unless it is None, and return the next line that the process writes. A timer kills the
        process after `seconds`, which ends the wait."""
        late = threading.Event()

        def stop() -> None:
            late.set()
            self._popen.kill()

        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            if message is not None:
                self._say(message)
            answer: dict[str, Any] = json.loads(self._hear())
        except (Stopped, ValueError):  # ValueError: the line is incomplete, or another thread closed the stream
            self.close()
            raise TimedOut if late.is_set() else Stopped from None
        except BaseException:
            self.close()  # a late answer would be read as the answer to the next question
            raise
        finally:
            timer.cancel()
        return answer

    def _hear(self) -> bytes:
        assert self._popen.stdout is not None
        return self._popen.stdout.readline()

    def _say(self, message: dict[str, Any]) -> None:
        assert self._popen.stdin is not None
        try:
            self._popen.stdin.write(json.dumps(message).encode("ascii") + b"\n")
            self._popen.stdin.flush()
        except (OSError, ValueError):
            self.close()
            raise Stopped from None
