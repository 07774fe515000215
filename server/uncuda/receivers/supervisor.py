"""Keeps a process that runs jedi: restarts it if it took too long, ended or used much memory, and gives up after
repeated failures."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from uncuda.project import UNKNOWN, Site
from uncuda.source import Source

from .process import Process, Stopped

_MOST_FAILURES = 3
_MOST_QUESTIONS = 4000
_MOST_MEMORY = 400 << 20


class Document(NamedTuple):
    """The document that contains the receivers whose types are looked up. `path`: an absolute path, or any unique name
    for text that is not in a file."""

    path: str
    text: str


class Given(NamedTuple):
    """The answers to the questions about types of receivers, and the number of questions not answered in time."""

    answers: dict[Site, str]
    late: int


class Supervisor:
    """Uses one process at a time, and serves one thread at a time. `seconds`: the time limit for answering one
    question."""

    def __init__(self, roots: Sequence[str], seconds: float, start: Callable[[], Process]) -> None:
        self.gave_up = False
        self._roots = tuple(roots)
        self._seconds = seconds
        self._start = start
        self._process: Process | None = None
        self._failures = 0
        self._closed = False
        self._asking = threading.Lock()

    def ask(
        self, document: Document, sites: Sequence[Site], timeout: float, obsolete: Callable[[], bool] = lambda: False
    ) -> Given:
        """Return an answer for every site (the place of a receiver), until the time is over or `obsolete()` returns
        True because the answers are no longer needed.

        A question that took too long gets the answer "unknown", so that it is not asked again.
        """
        with self._asking:
            end = time.monotonic() + timeout
            source = Source(document.text)
            answers: dict[Site, str] = {}
            late, opened = 0, None
            for number, site in enumerate(sites):
                if obsolete() or self._closed or self.gave_up:
                    break
                left = end - time.monotonic()
                if left <= 0:
                    late += len(sites) - number
                    break
                try:
                    process = self._running(fresh=opened is None)
                    if process is not opened:
                        process.open(document.path, document.text, self._roots)
                        opened = process
                    answers[site] = process.ask(_question(source, site), min(self._seconds, left))
                    self._failures = 0
                except (Stopped, OSError):
                    late += 1
                    answers[site] = UNKNOWN
                    self._failed()
            return Given(answers, late)

    def _running(self, fresh: bool) -> Process:
        """Return the process that runs jedi. The process is started if necessary, and restarted if it has ended. If
        `fresh` is true, because a document will be opened, a process that has used much memory or answered many
        questions is also restarted."""
        process = self._process
        if process is not None:
            grown = process.memory > _MOST_MEMORY or process.asked >= _MOST_QUESTIONS
            if not process.alive or (fresh and grown):
                process.close()
                process = None
        if process is None:
            process = self._process = self._start()
        if self._closed:  # another thread closed this object meanwhile
            process.close()
        return process

    def _failed(self) -> None:
        self._process = None
        self._failures += 1
        self.gave_up = self._failures >= _MOST_FAILURES and not self._closed

    def close(self) -> None:
        """End the process; a thread that waits for an answer then gets no answer."""
        self._closed = True
        if (process := self._process) is not None:
            process.close()


def _question(source: Source, site: Site) -> dict[str, object]:
    line, column = source.position(site.at)
    return {"line": line, "column": column - 1, "argument": site.argument, "lacking": list(site.lacking)}
