"""`initialize` to `exit`: what the server offers, whom it serves, and whether that one still lives."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder

from .client import read_client
from .diagnostics import Diagnostics
from .ending import leave_soon, lives, wait_for_end
from .folders import Folders
from .logs import logger
from .projects import Projects
from .workspace_diagnostics import Workspace

if TYPE_CHECKING:
    from .server import UncudaServer

_MOST_PROCESSES = 1 << 31  # a larger number is none of a process


def register(server: UncudaServer) -> None:
    """Answer `initialize` and `shutdown`, and watch the process that started the server."""

    @server.raw(types.INITIALIZE)
    def initialize(params: Any) -> Any:
        params = params if isinstance(params, dict) else {}
        server.client = read_client(params)
        server.documents.encoding = server.client.encoding
        server.folders = Folders(
            server.client, params, lambda problem: server.loop.call_soon(server.show_error, problem)
        )
        server.projects = Projects(server)
        server.diagnostics = Diagnostics(server)
        server.inspection = Workspace(server)
        server.protocol.initialized = True
        if params.get("trace") in ("off", "messages", "verbose"):
            server.protocol.trace = types.TraceValue(params["trace"])
        server.loop.call_soon(server.log.open, lambda kind, text: server.call(_log, server, kind, text))
        process = params.get("processId")
        if isinstance(process, int) and 0 < process < _MOST_PROCESSES and lives(process):
            threading.Thread(target=_watch, args=(server, process), daemon=True, name="watch").start()
        return types.InitializeResult(_capabilities(server), types.ServerInfo(server.name, server.version))

    server.raw(types.SHUTDOWN)(lambda params: server.protocol.shut_down())


def _capabilities(server: UncudaServer) -> types.ServerCapabilities:
    features = server.protocol.fm
    names = {*features.features, *features.builtin_features}
    if not server.client.pull:
        names.discard(types.TEXT_DOCUMENT_DIAGNOSTIC)
    builder: Any = ServerCapabilitiesBuilder(
        types.ClientCapabilities(),
        names,
        features.feature_options,
        list(features.commands),
        types.TextDocumentSyncKind.Incremental,
        None,
        server.client.encoding,
    )
    capabilities: types.ServerCapabilities = builder.build()
    if capabilities.execute_command_provider is not None:
        capabilities.execute_command_provider.work_done_progress = True
    if not server.client.literals and capabilities.code_action_provider is not None:
        capabilities.code_action_provider = True
    if server.client.notebooks:
        cells = [types.NotebookCellLanguage("python")]
        capabilities.notebook_document_sync = types.NotebookDocumentSyncOptions(
            [types.NotebookDocumentFilterWithCells(cells, notebook="*")], save=True
        )
    return capabilities


def _log(server: UncudaServer, kind: int, text: str) -> None:
    server.window_log_message(types.LogMessageParams(types.MessageType(kind), text))


def _watch(server: UncudaServer, process: int) -> None:
    """Wait, in a thread of its own, for the end of the process that started the server; then the server ends."""
    wait_for_end(process)
    leave_soon(0 if server.protocol.is_down else 1)
    server.call(_gone, server)


def _gone(server: UncudaServer) -> None:
    logger.info("the process that started the server has gone")
    server.stop(0 if server.protocol.is_down else 1)
