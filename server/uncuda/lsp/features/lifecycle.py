"""`initialize`, `shutdown` and `exit`: the server's capabilities, and watching the client's process."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder

from ..wire.ending import leave_soon, lives, wait_for_end
from ..wire.logs import logger
from ..wire.overview import PROTOCOL

if TYPE_CHECKING:
    from ..session import Session

_MOST_PROCESSES = 1 << 31  # a larger number is not a process id


def register(session: Session) -> None:
    """Register `initialize` and `shutdown`, and watch the process that started the server."""

    @session.raw(types.INITIALIZE)
    def initialize(params: Any) -> Any:
        params = params if isinstance(params, dict) else {}
        session.begin(params)
        session.protocol.initialized = True
        if params.get("trace") in ("off", "messages", "verbose"):
            session.protocol.trace = types.TraceValue(params["trace"])
        session.loop.call_soon(session.log.open, lambda kind, text: session.call(_log, session, kind, text))
        process = params.get("processId")
        if isinstance(process, int) and 0 < process < _MOST_PROCESSES and lives(process):
            threading.Thread(target=_watch, args=(session, process), daemon=True, name="watch").start()
        return types.InitializeResult(_capabilities(session), types.ServerInfo(session.name, session.version))

    session.raw(types.SHUTDOWN)(lambda params: session.protocol.shut_down())


def _capabilities(session: Session) -> types.ServerCapabilities:
    features = session.protocol.fm
    names = {*features.features, *features.builtin_features}
    if not session.client.pull:
        names.discard(types.TEXT_DOCUMENT_DIAGNOSTIC)
    builder: Any = ServerCapabilitiesBuilder(
        types.ClientCapabilities(),
        names,
        features.feature_options,
        list(features.commands),
        types.TextDocumentSyncKind.Incremental,
        None,
        session.client.encoding,
    )
    capabilities: types.ServerCapabilities = builder.build()
    if capabilities.execute_command_provider is not None:
        capabilities.execute_command_provider.work_done_progress = True
    if not session.client.literals and capabilities.code_action_provider is not None:
        capabilities.code_action_provider = True
    if session.client.notebooks:
        cells = [types.NotebookCellLanguage("python")]
        capabilities.notebook_document_sync = types.NotebookDocumentSyncOptions(
            [types.NotebookDocumentFilterWithCells(cells, notebook="*")], save=True
        )
    capabilities.experimental = {"uncudaOverview": {"version": PROTOCOL}}
    return capabilities


def _log(session: Session, kind: int, text: str) -> None:
    session.window_log_message(types.LogMessageParams(types.MessageType(kind), text))


def _watch(session: Session, process: int) -> None:
    """Wait, in a separate thread, until the process that started the server ends; then end the server."""
    wait_for_end(process)
    leave_soon(0 if session.protocol.is_down else 1)
    session.call(_gone, session)


def _gone(session: Session) -> None:
    logger.info("the process that started the server has gone")
    session.stop(0 if session.protocol.is_down else 1)
