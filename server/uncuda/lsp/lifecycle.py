"""`initialize` to `exit`: what the server offers, whom it serves, and whether that one still lives."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder

from .client import read_client
from .diagnostics import Diagnostics
from .folders import Folders
from .logs import logger
from .projects import Projects
from .workspace_diagnostics import Workspace

if TYPE_CHECKING:
    from .server import UncudaServer

_HEARTBEAT = 2.0


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
        if isinstance(process, int) and process > 0 and _lives(process):
            server.loop.call_later(_HEARTBEAT, _watch, server, process)
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
    if _lives(process):
        server.loop.call_later(_HEARTBEAT, _watch, server, process)
    else:
        logger.info("the process that started the server has gone")
        server.stop(0 if server.protocol.is_down else 1)


def _lives(process: int) -> bool:
    """Whether a process of this machine runs. Where it cannot be told, it does."""
    if sys.platform == "win32":
        return _lives_on_windows(process)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _lives_on_windows(process: int) -> bool:
    import ctypes

    kernel: Any = ctypes.windll.kernel32  # type: ignore[attr-defined, unused-ignore]
    handle = kernel.OpenProcess(0x00100000, False, process)  # SYNCHRONIZE
    if not handle:
        return bool(kernel.GetLastError() == 5)  # access denied: it is there
    ended = kernel.WaitForSingleObject(handle, 0) == 0
    kernel.CloseHandle(handle)
    return not ended
