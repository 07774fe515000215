"""What a command asks of the workspace job: folders with their settings, what is open, and the form of edits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from pygls.exceptions import JsonRpcInvalidParams

from uncuda.project import UNKNOWN, Site

from .arguments import Wanted
from .client import Client
from .documents import Document, Program
from .job import Buffer, Form, Job, JobFolder
from .left import left_in, lowered
from .notebooks import Notebook
from .uris import path_of

if TYPE_CHECKING:
    from .server import UncudaServer


async def job_of(server: UncudaServer, wanted: Wanted, diff: bool) -> Job:
    """The job for what is wanted, as everything is now. `diff`: say it as a diff, too."""
    return Job(
        folders=folders_of(server),
        buffers=tuple([buffer async for buffer in _buffers(server, wanted)]),
        rules=wanted.rules,
        review=wanted.review,
        scope=scope_of(server, wanted.scope),
        diff=diff,
        locale=server.folders.language(),
        form=form_of(server.client),
    )


def folders_of(server: UncudaServer) -> tuple[JobFolder, ...]:
    """The folders with what is set for them; if there is none, the one without a path that all documents belong to."""
    folders = server.folders
    every = folders.all or [folders.outside]
    return tuple(JobFolder(folder.path, folders.over(folder), folders.under(folder)) for folder in every)


def form_of(client: Client) -> Form:
    """In which form the client takes edits."""
    return Form(client.encoding, client.document_changes, client.document_changes and client.annotations)


def scope_of(server: UncudaServer, uri: str, key: str = "scope") -> str:
    """The path that a scope means (an argument called `key`); JsonRpcInvalidParams if it is not in the workspace."""
    if not uri:
        return ""
    program = server.program(uri)
    path = program.path or program.uri if program else path_of(uri)
    if path is None:
        raise JsonRpcInvalidParams(f"`{key}` is the URI of a file or folder, not {uri}")
    if program is None and server.folders.folder_of(path) is None:
        raise JsonRpcInvalidParams(f"`{key}` is not in the workspace: {uri}")
    return path.rstrip("/\\") or path


async def _buffers(server: UncudaServer, wanted: Wanted) -> AsyncIterator[Buffer]:
    for program in server.documents.programs():
        if isinstance(program, Document) and not program.is_python:
            continue
        await asyncio.sleep(0)  # what is typed meanwhile is answered first
        analysis = server.analyse(program)
        yield Buffer(
            program.uri,
            program.path,
            program.version,
            program.text,
            isinstance(program, Notebook),
            analysis.disabled or "",
            spared_in(server, program),
            left_in(lowered(analysis.findings, analysis.answers), wanted.rules),
        )


def spared_in(server: UncudaServer, program: Program) -> tuple[Site, ...]:
    """The sites whose findings the editor silences or lowers, by what it knows of their receivers."""
    analysis = server.analyse(program)
    return tuple(site for site, verdict in analysis.answers.items() if verdict != UNKNOWN)
