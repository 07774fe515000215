"""The workspace job: fixes every file in a separate process and answers with the changes.

Input: one `Job`; further input, or the end of the input, stops the process at once. Output: `JobProgress`, one
`FileChange` for each changed file, and finally a `JobDone`, `JobUndecided` or `JobFailed`.
"""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Iterator

from uncuda.catalogue import load
from uncuda.child.records import Channel
from uncuda.report.words import baseline_problem
from uncuda.workspace import UndecidedTarget
from uncuda.workspace.baseline import BaselineError

from .job import CODEC, Job, JobAnswer, JobDone, JobFailed, JobProgress, JobUndecided
from .repairing import rewrite
from .rewrite import Run

_PAUSE = 0.05  # seconds between two progress messages


def main() -> None:
    """Read a job, run it and write its answers."""
    channel = Channel(CODEC)
    job = channel.only_request()
    if job is None:
        return
    due = 0.0

    def say(answer: JobAnswer) -> None:
        nonlocal due
        if isinstance(answer, JobProgress):
            if time.monotonic() < due:
                return
            due = time.monotonic() + _PAUSE
        channel.say(answer)

    for answer in _answers(job, say):
        say(answer)
    os._exit(0)  # necessary because the reading thread still waits for input


def _answers(job: Job, say: Callable[[JobAnswer], object]) -> Iterator[JobAnswer]:
    try:
        if job.report:
            yield _report(job, say)
        else:
            yield from rewrite(job, load())
    except UndecidedTarget as error:
        yield JobUndecided(error.targets)
    except BaselineError as error:
        yield JobFailed(baseline_problem(error, job.locale))
    except Exception as error:  # noqa: BLE001 the server must be able to say why
        traceback.print_exc()
        yield JobFailed(f"{type(error).__name__}: {error}")


def _report(job: Job, say: Callable[[JobAnswer], object]) -> JobDone:
    from .port_page import port_page  # imported here, because only a report needs it

    run = Run(job, load())
    (group,) = (group for group in run.groups(job.report))
    page = port_page(run, group, lambda done, total: say(JobProgress(done, total)))
    return JobDone((), {}, "", page=page)
