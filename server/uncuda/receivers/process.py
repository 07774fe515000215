"""The process that runs jedi, seen from outside: started when first asked, stopped when it takes too long."""

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
    """It was ended because it took too long."""


class Process:
    """One process. `memory`: the most bytes that it had, as far as it could say; `asked`: questions put to it."""

    def __init__(self, arguments: Sequence[str] | None = None) -> None:
        self.memory = 0
        self.asked = 0
        self._popen = start(
            arguments or command(_MODULE),
            stderr=subprocess.DEVNULL,
            # A folder in use cannot be removed everywhere: the workspace is not held.
            cwd=Path(sys.executable).parent,
        )
        self._ready = False

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._popen.pid

    @property
    def alive(self) -> bool:
        """Whether it has not ended yet."""
        return self._popen.poll() is None

    def open(self, path: str, text: str, roots: Sequence[str]) -> None:
        """Give it the document that the next questions are about; Stopped as for `ask`."""
        if not self._ready:
            self._receive(None, _START_SECONDS)
            self._ready = True
        self._say({"path": path, "text": text, "roots": list(roots)})

    def ask(self, question: dict[str, Any], seconds: float) -> str:
        """The verdict on a question; Stopped or TimedOut when there is none, and then the process is gone."""
        self.asked += 1
        # The process has a clock of its own, for the case that nobody is left to end it.
        answer = self._receive({**question, "seconds": seconds + 1}, seconds)
        self.memory = int(answer["memory"])
        if answer.get("last"):
            self.close()
        return str(answer["verdict"])

    def close(self) -> None:
        """End it, whatever it does."""
        self._popen.kill()
        self._popen.wait()
        for stream in (self._popen.stdin, self._popen.stdout):
            try:
                if stream is not None:
                    stream.close()
            except (OSError, ValueError):
                pass  # what was not written yet; another thread closes it, too

    def _receive(self, message: dict[str, Any] | None, seconds: float) -> dict[str, Any]:
        """Say something, and what is said next. A timer ends the process, which ends all waiting for it."""
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
        except (Stopped, ValueError):  # ValueError: less than a line, or closed by another thread
            self.close()
            raise TimedOut if late.is_set() else Stopped from None
        except BaseException:
            self.close()  # the answer would be taken for that to the next question
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
