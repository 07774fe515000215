"""Analyses texts that are too large to be analysed between two keystrokes, in a separate process.

Input: `Task` records; the process ends when its input ends. Output: for each task an empty `Answer` when it starts and
every few seconds, and finally one with the result.
"""

from __future__ import annotations

import gc
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from uncuda.catalogue import load
from uncuda.child.records import Channel
from uncuda.engine import Engine
from uncuda.engine.several import make_engine
from uncuda.limits import LimitExceeded
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source

from .task import CODEC, LONGEST, Answer, Exceeded, Task

_REMEMBERED = 4  # the number of texts that each engine keeps, and the number of engines that are kept
_PULSE = 2.0
"""Seconds between two messages that say that a task is still running."""


def main() -> None:
    """Analyse the tasks that arrive on standard input until it ends."""
    analyst, channel = Analyst(), Channel(CODEC)
    gc.freeze()
    for task in channel.requests():
        channel.say(Answer(task.number))
        with signs_of_life(channel, task.number):
            answer = analyst.answer(task)
        channel.say(answer)


@contextmanager
def signs_of_life(channel: Channel, number: int) -> Iterator[None]:
    """While a task runs, send messages that say so, as long as it has not used more CPU time than allowed.

    CPU time is measured, because on a busy machine a task may take much longer by the clock.
    """
    done, begun = Event(), time.process_time()

    def work() -> None:
        while not done.wait(_PULSE) and time.process_time() - begun < LONGEST:
            channel.say(Answer(number))

    Thread(target=work, daemon=True, name="signs of life").start()
    try:
        yield
    finally:
        done.set()


class Analyst:
    """The engines of the last tasks; each engine keeps the last texts that it analysed, so that checking the next
    version of a text is cheap."""

    def __init__(self) -> None:
        self._catalogue = load()
        self._engines: list[tuple[tuple[str, Settings, Project], Engine]] = []

    def answer(self, task: Task) -> Answer:
        """Run a task and return its answer; an exception becomes an answer, too, so that the next task still runs."""
        engine = self._engine(task.target, task.settings, task.project)
        try:
            report = engine.check(Source(task.text, task.path), answers=task.known)
        except LimitExceeded as error:
            return Answer(task.number, exceeded=Exceeded(error.kind, error.limit))
        except Exception as error:  # noqa: BLE001 the server says it
            traceback.print_exc()
            return Answer(task.number, failed=f"{type(error).__name__}: {error}")
        return Answer(task.number, report)

    def _engine(self, target: str, settings: Settings, project: Project) -> Engine:
        key = target, settings, project
        known = next((entry for entry in self._engines if entry[0] == key), None)
        if known is None:
            known = key, make_engine(self._catalogue, target, settings, project, remember=_REMEMBERED)
        self._engines = [known, *(entry for entry in self._engines if entry is not known)][:_REMEMBERED]
        return known[1]
