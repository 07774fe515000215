"""Documents that take too much work to be analysed between two keys: another process does it, and nothing waits.

The engine counts its work. In the server's own process a document may take as much as the largest ordinary file takes
(`Limits.between_keys`); what goes beyond that is analysed by `analyst.py`, up to the limits of the settings. Seconds
count only as the last resort: a document that still takes longer than `LONGEST` is left out until it changes.
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
"""Seconds within which the process has to begin."""

_ORDINARY = Limits(bytes=600_000, statements=2_500, comparisons=500_000)
"""More than the largest file of the corpus takes, and about a quarter of a second."""
_SHARE = 12
"""Where the settings allow less than that many times as much, that much less."""
_SHARED = ("bytes", "statements", "comparisons")

Take = Callable[[Report, str], object]
"""Is given what was found, and why the document was not analysed if it was not: "" it was, else a reason to show."""


@lru_cache(maxsize=16)
def between_keys(limits: Limits) -> Limits:
    """The limits for what is analysed while nothing else is: what ordinary files take, on every machine."""
    parts = {name: min(getattr(limits, name) // _SHARE, getattr(_ORDINARY, name)) for name in _SHARED}
    return replace(limits, **parts)


class Heavy:
    """The heavy documents, and the process that analyses them, one text after the other.

    `fail(path, reason)` is told of errors of ours.
    """

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
        """Whether a document is heavy: it was once, and has not become half as long since."""
        size = self._sizes.get(program.uri)
        if size is not None and 2 * len(text) < size:
            self._forget(program.uri)
            return False
        return size is not None

    def submit(self, program: Program, text: str, engine: Engine, answers: Answers, take: Take) -> None:
        """Have a text analysed; `take` is called in the server's thread, unless another text of the document comes."""
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
        """Give the process the text that has waited longest."""
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
        """End the process unless it says something within so many seconds (None: it need not)."""
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
        if uri not in self._waiting:  # else it has changed meanwhile
            take(report, why)
        self._next()

    def _said(self, answer: Answer) -> str:
        """Why a text was not analysed."""
        if answer.exceeded is None:
            return ""
        return self._say("not checked", Words(self._locale).exceeds(answer.exceeded.error))

    def _say(self, key: str, *values: object) -> str:
        return Texts(self._locale)(key, *values)

    @property
    def _locale(self) -> str:
        """The language of the current task's messages."""
        return self._current[1].settings.locale if self._current else ""

    def _too_long(self) -> None:
        self._stop()
        self._done(Report(), self._say("not checked long", f"{LONGEST:.0f}"))

    def _ended(self) -> None:
        self._process = None
        if self._current is not None:
            self._done(Report(), self._say("not checked crashed"))

    def _forget(self, uri: str) -> None:
        """A document was closed, or is heavy no more; the process ends with the last heavy one."""
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
