"""The workspace job, which fixes many files or makes a report: this module creates it for a command, and runs its
process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

from pygls.exceptions import JsonRpcInvalidParams

from uncuda.project import UNKNOWN, Site

from ..state.documents import Document, Program
from ..state.notebooks import Notebook
from ..wire.background import Background
from ..wire.client import Client
from ..wire.uris import path_of
from .arguments import Wanted
from .job import (
    CODEC,
    Buffer,
    FileChange,
    Form,
    Job,
    JobAnswer,
    JobFailed,
    JobFolder,
    JobProgress,
    JobUndecided,
    Outcome,
    left_in,
    lowered,
)

if TYPE_CHECKING:
    from ..session import Session


class JobProcess:
    """One process that runs a workspace job. `done`: a future of the job's outcome; `stop` cancels it. `progress(done,
    total)` is called while the job runs."""

    def __init__(self, session: Session, job: Job, progress: Callable[[int, int], object]) -> None:
        self.done: asyncio.Future[Outcome] = session.loop.create_future()
        self._outcome = Outcome()
        self._progress = progress
        self._process = Background("uncuda.lsp.fixing.worker", CODEC, session.call, self._take, self._ended, job)

    def stop(self) -> None:
        """Kill the process."""
        self._process.stop()
        self.done.cancel()

    def _take(self, answer: JobAnswer) -> None:
        outcome = self._outcome
        if isinstance(answer, JobProgress):
            self._progress(answer.done, answer.total)
        elif isinstance(answer, FileChange):
            outcome.files.append(answer)
        elif isinstance(answer, JobUndecided):
            outcome.undecided, outcome.failed = answer.targets, ""
        elif isinstance(answer, JobFailed):
            outcome.failed = answer.reason
        else:
            outcome.skipped, outcome.left = [dict(item) for item in answer.skipped], dict(answer.left)
            outcome.diff, outcome.acceptable, outcome.failed = answer.diff, answer.acceptable, ""
            outcome.page = answer.page

    def _ended(self) -> None:
        if not self.done.done():
            self.done.set_result(self._outcome)


async def job_of(session: Session, wanted: Wanted, diff: bool) -> Job:
    """The job for the requested fixes, with the current open documents. `diff`: whether the job should return a diff as
    well."""
    return Job(
        folders=folders_of(session),
        buffers=tuple([buffer async for buffer in _buffers(session, wanted)]),
        rules=wanted.rules,
        review=wanted.review,
        scope=scope_of(session, wanted.scope),
        diff=diff,
        locale=session.folders.language(),
        form=form_of(session.client),
    )


def folders_of(session: Session) -> tuple[JobFolder, ...]:
    """Return the workspace folders with their settings; if there are none, one folder without a path, to which all
    documents belong."""
    folders = session.folders
    every = folders.all or [folders.outside]
    return tuple(JobFolder(folder.path, folders.over(folder), folders.under(folder)) for folder in every)


def form_of(client: Client) -> Form:
    """The form of edits that the client supports."""
    annotate = client.document_changes and client.annotations
    return Form(client.encoding, client.document_changes, annotate, client.creates and client.document_changes)


def scope_of(session: Session, uri: str, key: str = "scope") -> str:
    """Return the path for the URI in the argument `key`; raise JsonRpcInvalidParams if it is not in the workspace."""
    if not uri:
        return ""
    program = session.program(uri)
    path = program.path or program.uri if program else path_of(uri)
    if path is None:
        raise JsonRpcInvalidParams(f"`{key}` is the URI of a file or folder, not {uri}")
    if program is None and session.folders.folder_of(path) is None:
        raise JsonRpcInvalidParams(f"`{key}` is not in the workspace: {uri}")
    return path.rstrip("/\\") or path


async def _buffers(session: Session, wanted: Wanted) -> AsyncIterator[Buffer]:
    for program in session.documents.programs():
        if isinstance(program, Document) and not program.is_python:
            continue
        await asyncio.sleep(0)  # meanwhile the event loop can answer requests
        analysis = session.analyse(program)
        yield Buffer(
            program.uri,
            program.path,
            program.version,
            program.text,
            isinstance(program, Notebook),
            analysis.disabled or "",
            spared_in(session, program),
            left_in(lowered(analysis.findings, analysis.answers), wanted.rules),
        )


def spared_in(session: Session, program: Program) -> tuple[Site, ...]:
    """Return the positions of findings whose receivers have a known type; such findings are removed, or their fixes
    need review."""
    analysis = session.analyse(program)
    return tuple(site for site, verdict in analysis.answers.items() if verdict != UNKNOWN)
