"""Fixes the files of a workspace; worker processes fix the closed files of a large folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

from uncuda.catalogue import Catalogue
from uncuda.workspace import File, Repaired, fix_files
from uncuda.workspace.cpus import number_for, sizes_of, wanted_for

from ..wire.logs import logger
from .job import Job, JobAnswer, JobDone, JobProgress
from .rewrite import Group, Run


def rewrite(job: Job, catalogue: Catalogue) -> Iterator[JobAnswer]:
    """Run a job, and yield the answers that the module `worker.py` describes. Raises UndecidedTarget if the project
    imports the plugins of several targets and no setting names one."""
    run = Run(job, catalogue)
    groups = run.groups()
    if job.accept:
        yield JobDone((), {}, "", tuple(run.acceptable(groups)))
        return
    done, total = 0, sum(len(group.files) for group in groups)
    for group in groups:
        for result in repaired(run, group):
            if change := run.file(result, group):
                yield from run.new_file(result, group)
                yield change
            done += 1
            yield JobProgress(done, total)
    yield JobDone(tuple(run.skipped), run.left, "".join(run.diff))


def repaired(run: Run, group: Group) -> Iterator[Repaired]:
    """Yield the result for each file of a group, in order."""
    closed = [file for file in group.files if not run.is_open(file)]
    sizes = sizes_of(closed)
    number = _number(run, group, closed, sizes)
    if number == 1:
        yield from _fixed_here(run, group, group.files)
        return
    # imported here, because only large folders are fixed by several processes
    from uncuda.workspace.tasks import FixFiles
    from uncuda.workspace.workers import Workers

    engines, job = group.engines, run.job
    with closing(Workers(run.catalogue, number, closed, sizes, _lost)) as workers:
        run.stamp(closed)
        wanted = FixFiles((), job.review, job.rules, steps=True)
        shared = workers.fix(closed, closed, engines.known_for, engines.engine_for, wanted)
        here = _fixed_here(run, group, [file for file in group.files if run.is_open(file)])
        for file in group.files:
            yield next(here if run.is_open(file) else shared)


def _fixed_here(run: Run, group: Group, files: Sequence[File]) -> Iterator[Repaired]:
    job, engine_for = run.job, group.engines.engine_for
    with run.receivers(group) as answers_for:
        selection_for = run.selections(group)
        yield from fix_files(files, engine_for, job.review, job.rules, run.load, answers_for, selection_for)


def _number(run: Run, group: Group, closed: Sequence[File], sizes: Sequence[int]) -> int:
    """Return how many processes to start; 1: only this process fixes files.

    If the settings need the types of receivers, or a baseline, one process is better: it analyses receivers for all
    files, and reads each baseline once.
    """
    if any(file.settings.receivers for file in group.files) or run.has_baseline(group):
        return 1
    return number_for(sizes, wanted_for(closed), looked=True)


def _lost(process: int, code: int) -> None:
    logger.error("process %d, which fixed files of the workspace, ended with %d", process, code)
