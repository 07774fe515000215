"""The session with one client: the documents, folders, projects and analyses that features use."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from textwrap import shorten
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from .state.analyses import Analyses, Analysis
from .state.diagnostics import Diagnostics
from .state.documents import Documents, Program
from .state.folders import Folders
from .state.inspection import Inspection
from .state.notebooks import Notebooks
from .state.overviews import Overviews
from .state.projects import Projects
from .wire.client import read_client
from .wire.endpoint import Endpoint
from .wire.logs import ToClient
from .wire.protocol import field


class Session(Endpoint):
    """The objects that a feature can use. The fields from `folders` to `overviews` are set by the method
    `initialize`."""

    folders: Folders
    projects: Projects
    analyses: Analyses
    diagnostics: Diagnostics
    inspection: Inspection
    overviews: Overviews

    def __init__(self, log: ToClient | None = None) -> None:
        super().__init__(log)
        self._tasks: set[asyncio.Task[object]] = set()
        self.documents = Documents()
        self.notebooks = Notebooks(self.documents, lambda: self.folders.catalogue.commands)

    def begin(self, params: Mapping[str, Any]) -> None:
        """Set up the session from the parameters of `initialize`."""
        self.client = read_client(params)
        self.documents.encoding = self.client.encoding
        self.folders = Folders(self.client, params, lambda problem: self.loop.call_soon(self.show_error, problem))
        self.analyses = Analyses(self, self.folders)
        self.projects = Projects(self, self.folders, self.documents, self.notebooks, self.analyses)
        self.diagnostics = Diagnostics(self, self.documents, self.analyses, self.folders.catalogue, self.projects.shim)
        self.inspection = Inspection(self, self.folders, self.projects, self.analyses)
        self.overviews = Overviews(self, self.folders, self.documents, self.analyses, self.inspection)
        self.begun()

    def keep(self, work: Coroutine[Any, Any, object]) -> None:
        """Run a coroutine in the background, and keep a reference to its task so that it is not garbage-collected."""
        task = self.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def program(self, uri: str) -> Program | None:
        """Return the open document or notebook to which a URI belongs: a file, an untitled document, or a notebook
        cell."""
        return self.documents.program(uri)

    def analyse(self, program: Program) -> Analysis:
        """Return the analysis of an open document or notebook; it is computed once for each version of the text."""
        return self.analyses.of(program)


def offset_in(program: Program, params: Any, *path: str) -> int | None:
    """Return the offset of the position in unparsed parameters; None if the document is a notebook cell that is not
    analysed, such as a Markdown cell.

    Raises JsonRpcInvalidParams if there is no valid position.
    """
    line, character = (field(params, *path, name, kind=int) for name in ("line", "character"))
    try:
        return program.offset(field(params, "textDocument", "uri"), types.Position(line, character))
    except KeyError:
        return None
    except ValueError as error:  # the position is negative, or larger than the protocol allows
        raise JsonRpcInvalidParams(shorten(str(error), 200)) from None
