"""Analyses large documents in another process: documents that cannot be analysed between two keystrokes. The server
never waits for this process.

Whether a document is too large is decided by the work that the engine counts, not by time. The server itself analyses
documents up to the limits `_ORDINARY`; larger documents are sent to the process `analyst.py`, which applies the limits
in the settings. If the process takes more than `LONGEST` seconds for a document, the document is not checked until it
changes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from uncuda.engine import Engine, Report
from uncuda.limits import Limits
from uncuda.project import Answers
from uncuda.report.words import Words

from ..wire.background import Background
from ..wire.logs import logger
from ..wire.texts import Texts
from .task import CODEC, LONGEST, Answer, Task

if TYPE_CHECKING:
    from ..wire.endpoint import Endpoint
    from .documents import Program

_START = 20.0
"""Seconds within which the process `analyst.py` must start a task."""

_ORDINARY = Limits(bytes=600_000, statements=2_500, comparisons=800_000)
"""Limits that allow more work than the largest file in the test corpus needs: about a quarter of a second of work."""
_SHARE = 6
"""The limits in the server's own process are at most this fraction of the limits in the settings."""
_SHARED = ("bytes", "statements", "comparisons")

Take = Callable[[Report, str], object]
"""A function that receives the report, and the reason why the document was not analysed ("" if it was)."""


@lru_cache(maxsize=16)
def between_keys(limits: Limits) -> Limits:
    """The limits for an analysis in the server's own process: enough for ordinary files on every machine."""
    parts = {name: min(getattr(limits, name) // _SHARE, getattr(_ORDINARY, name)) for name in _SHARED}
    return replace(limits, **parts)


class Heavy:
    """Keeps track of the large documents, and sends their texts to the process `analyst.py` one after the other.
    `fail(path, reason)` is called for internal errors."""

    def __init__(self, endpoint: Endpoint, fail: Callable[[str, str], object]) -> None:
        self._endpoint = endpoint
        self._fail = fail
        self._sizes: dict[str, int] = {}
        self._said_of: dict[str, str] = {}
        self._waiting: dict[str, tuple[Task, Take]] = {}
        self._current: tuple[str, Task, Take] | None = None
        self._serial = 0
        self._process: Background | None = None
        self._timer: asyncio.TimerHandle | None = None
        endpoint.closed.append(lambda program, uris: self._forget(program.uri) if program else None)
        endpoint.ended.append(self._stop)

    def holds(self, program: Program, text: str) -> bool:
        """Return whether a document counts as large: an earlier text exceeded the limits, and the current text is at
        least half as long."""
        size = self._sizes.get(program.uri)
        if size is not None and 2 * len(text) < size:
            self._forget(program.uri)
            return False
        return size is not None

    def submit(self, program: Program, text: str, engine: Engine, answers: Answers, take: Take) -> None:
        """Send a text to the process `analyst.py`, which analyses it. `take` is called in the server's thread with the
        result, unless a newer text of the document has been submitted by then."""
        self._sizes[program.uri] = max(len(text), self._sizes.get(program.uri, 0))
        self._serial += 1
        task = Task(
            self._serial,
            program.path,
            text,
            engine.target.id,
            engine.settings,
            engine.project,
            tuple(answers.items()),
        )
        self._waiting[program.uri] = task, take
        if self._current is None:
            self._next()

    def _next(self) -> None:
        """Send the text that has waited longest to the process `analyst.py`."""
        self._wait(None)
        self._current = None
        if not self._waiting:
            return
        uri = next(iter(self._waiting))
        task, take = self._waiting.pop(uri)
        self._current = uri, task, take
        patience = LONGEST
        if self._process is None:
            patience = _START
            self._process = Background("uncuda.lsp.state.analyst", CODEC, self._endpoint.call, self._take, self._ended)
        self._process.send(task)
        self._wait(patience)

    def _wait(self, seconds: float | None) -> None:
        """Set a timer that kills the process if it does not answer within `seconds`; if `seconds` is None, set no
        timer."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._endpoint.loop.call_later(seconds, self._too_long) if seconds is not None else None

    def _take(self, answer: Answer) -> None:
        if self._current is None or self._current[1].number != answer.number:
            return
        if answer.begun:
            self._wait(LONGEST)
            return
        if answer.failed:
            self._fail(self._current[1].path or self._current[0], answer.failed)
        self._done(answer.report or Report(), self._said(answer))

    def _done(self, report: Report, why: str) -> None:
        assert self._current is not None
        uri, task, take = self._current
        if why and self._said_of.get(uri) != why:
            logger.warning("%s: %s", task.path or uri, why)
        self._said_of[uri] = why
        if uri not in self._waiting:  # if the document is in this dictionary, a newer text of it is waiting
            take(report, why)
        self._next()

    def _said(self, answer: Answer) -> str:
        """Return the reason why a text was not analysed; "" if it was analysed."""
        if answer.exceeded is None:
            return ""
        return self._say("not checked", Words(self._locale).exceeds(answer.exceeded.error))

    def _say(self, key: str, *values: object) -> str:
        return Texts(self._locale)(key, *values)

    @property
    def _locale(self) -> str:
        """The language for messages about the current task."""
        return self._current[1].settings.locale if self._current else ""

    def _too_long(self) -> None:
        self._stop()
        self._done(Report(), self._say("not checked long", f"{LONGEST:.0f}"))

    def _ended(self) -> None:
        self._process = None
        if self._current is not None:
            self._done(Report(), self._say("not checked crashed"))

    def _forget(self, uri: str) -> None:
        """Forget a document that was closed or became small; if there is no other large document, the process is
        stopped."""
        self._sizes.pop(uri, None)
        self._said_of.pop(uri, None)
        self._waiting.pop(uri, None)
        if self._current is not None and self._current[0] == uri:
            self._stop()
            self._next()
        elif not self._sizes:
            self._stop()

    def _stop(self) -> None:
        self._wait(None)
        if self._process is not None:
            self._process.stop()
        self._process = None
