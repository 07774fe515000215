"""An analysis that another process makes: what it is given, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass

from uncuda.child.records import Codec
from uncuda.engine import Report
from uncuda.limits import Kind, LimitExceeded
from uncuda.project import Answers, Project, Site
from uncuda.settings import Settings

LONGEST = 10.0
"""Seconds of the processor that a text may take, whatever was counted; and of silence, whatever the machine does."""


@dataclass(frozen=True)
class Task:
    """A text to analyse, and what its engine is made of. `answers`: what is known of its receivers."""

    number: int
    path: str
    text: str
    target: str
    settings: Settings
    project: Project
    answers: tuple[tuple[Site, str], ...] = ()

    @property
    def known(self) -> Answers:
        """What is known of its receivers, by site."""
        return dict(self.answers)


@dataclass(frozen=True)
class Exceeded:
    """The limit that kept a text from being analysed. Fields as in LimitExceeded."""

    kind: Kind
    limit: int

    @property
    def error(self) -> LimitExceeded:
        """The error that said so."""
        return LimitExceeded(self.kind, self.limit)


@dataclass(frozen=True)
class Answer:
    """What came of a task: a report, the limit that it went beyond, or how the analysis failed.

    None of them: it has begun, and goes on.
    """

    number: int
    report: Report | None = None
    exceeded: Exceeded | None = None
    failed: str = ""

    @property
    def begun(self) -> bool:
        """Whether the task has begun, and is not done."""
        return self.report is None and self.exceeded is None and not self.failed


CODEC = Codec(Task, Answer)
