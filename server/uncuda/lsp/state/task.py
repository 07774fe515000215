"""The messages between the server and the process that analyses large documents."""

from __future__ import annotations

from dataclasses import dataclass

from uncuda.child.records import Codec
from uncuda.engine import Report
from uncuda.limits import Kind, LimitExceeded
from uncuda.project import Answers, Project, Site
from uncuda.settings import Settings

LONGEST = 10.0
"""A text may take this many seconds of CPU time; the process `analyst.py` is killed after this many seconds without a
message."""


@dataclass(frozen=True)
class Task:
    """A text to analyse, with everything that its engine depends on. `answers`: the types of receivers that are
    known."""

    number: int
    path: str
    text: str
    target: str
    settings: Settings
    project: Project
    answers: tuple[tuple[Site, str], ...] = ()

    @property
    def known(self) -> Answers:
        """The known types of receivers, by their place in the text."""
        return dict(self.answers)


@dataclass(frozen=True)
class Exceeded:
    """The limit that stopped an analysis; the fields are those of LimitExceeded."""

    kind: Kind
    limit: int

    @property
    def error(self) -> LimitExceeded:
        """The LimitExceeded exception with these fields."""
        return LimitExceeded(self.kind, self.limit)


@dataclass(frozen=True)
class Answer:
    """The result of a task: a report, the limit that the text exceeded, or an error; none of these while the task is
    running."""

    number: int
    report: Report | None = None
    exceeded: Exceeded | None = None
    failed: str = ""

    @property
    def begun(self) -> bool:
        """Whether the task is still running."""
        return self.report is None and self.exceeded is None and not self.failed


CODEC = Codec(Task, Answer)
