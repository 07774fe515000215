"""The process that runs jedi, as its parent sees it: started with the first question, killed when it takes too long."""

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
    """The process ended before it answered."""


class TimedOut(Stopped):
    """The process was killed because it took too long."""


class Process:
    """One process. `memory`: the most bytes that it used, as it last reported; `asked`: the number of questions it was
    asked."""

    def __init__(self, arguments: Sequence[str] | None = None) -> None:
        self.memory = 0
        self.asked = 0
        self._popen = start(
            arguments or command(_MODULE),
            stderr=subprocess.DEVNULL,
            # The workspace must not be its current folder: some systems cannot remove a folder that a process is in.
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
        """Give the process the document that the next questions are about; raises Stopped as `ask` does."""
        if not self._ready:
            self._receive(None, _START_SECONDS)
            self._ready = True
        self._say({"path": path, "text": text, "roots": list(roots)})

    def ask(self, question: dict[str, Any], seconds: float) -> str:
        """The verdict on a question; raises Stopped or TimedOut if there is none, and the process has ended then."""
        self.asked += 1
        # The process also has a timer of its own, in case this one ends before it can kill it.
        answer = self._receive({**question, "seconds": seconds + 1}, seconds)
        self.memory = int(answer["memory"])
        if answer.get("last"):
            self.close()
        return str(answer["verdict"])

    def close(self) -> None:
        """Kill the process, whatever it is doing."""
        self._popen.kill()
        self._popen.wait()
        for stream in (self._popen.stdin, self._popen.stdout):
            try:
                if stream is not None:
                    stream.close()
            except (OSError, ValueError):
                pass  # unwritten data remains, or another thread closes the stream, too

    def _receive(self, message: dict[str, Any] | None, seconds: float) -> dict[str, Any]:
        """Send a message, if any, and return the process's next line. A timer kills the process after `seconds`, which
        ends the wait."""
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
        except (Stopped, ValueError):  # ValueError: an incomplete line, or the stream was closed by another thread
            self.close()
            raise TimedOut if late.is_set() else Stopped from None
        except BaseException:
            self.close()  # else this answer would be read as that to the next question
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
