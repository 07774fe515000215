"""The server's side of the connection: requests and messages to the client, and events between parts of the server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer

import uncuda
from uncuda.printable import printable_lines

from .client import Client
from .logs import ToClient, logger
from .markup import popup
from .protocol import Handler, Protocol

HandlerT = TypeVar("HandlerT", bound=Handler)


class Event(list[Callable[..., object]]):
    """A list of functions; calling the event calls them all, even if one raises an exception."""

    def __call__(self, *arguments: object) -> None:
        for listener in self:
            try:
                listener(*arguments)
            except Exception:  # noqa: BLE001 the others want to know, too
                logger.exception("a listener failed")


class Endpoint(LanguageServer):
    """Sends requests, notifications and messages to the client; `client`: the client's capabilities, set by
    `initialize`."""

    protocol: Protocol

    def __init__(self, log: ToClient | None = None) -> None:
        super().__init__(
            "uncuda",
            uncuda.__version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            protocol_cls=Protocol,
        )
        self.log = log or ToClient()
        self.client = Client()
        # `begun()` is raised after `initialize`, `started()` after `initialized`, `ended()` when the server stops.
        self.begun, self.started, self.ended = Event(), Event(), Event()
        # `opened(program)`, `changed(program)`, `saved(program)`: a document or notebook was opened, changed or saved.
        # `closed(program, uris)`: the document or notebook `program` was closed; if `program` is None, cells of a
        # notebook were removed.
        self.opened, self.changed, self.saved, self.closed = (Event() for _ in range(4))
        # `found(program)`: an analysis of a document or notebook had findings. `analysed(program)`: another process has
        # analysed the document or notebook. `scanned(folder)`: the facts of a folder's files are known.
        # `touched(paths)`: files changed on disk.
        self.found, self.analysed, self.scanned, self.touched = (Event() for _ in range(4))
        # `reconfigured()`: settings, target or project changed. `shims_moved()`: a shim is imported by another file or
        # line now. `stale(uris)`: diagnostics of documents (None: of all) may have changed. `baselines_touched()`:
        # baselines changed.
        self.reconfigured, self.shims_moved, self.stale, self.baselines_touched = (Event() for _ in range(4))
        self.loop = asyncio.new_event_loop()
        self.end: asyncio.Future[int] = self.loop.create_future()
        """The exit code; None until it is known."""
        self.protocol.leave = self.stop

    def raw(self, method: str) -> Callable[[HandlerT], HandlerT]:
        """Register a handler that receives the unparsed parameters of a message."""

        def decorate(handler: HandlerT) -> HandlerT:
            self.protocol.raw[method] = handler
            return handler

        return decorate

    def stop(self, code: int) -> None:
        """End the server with this exit code."""
        if not self.end.done():
            self.end.set_result(code)

    def call(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function in the server's thread; may be called from any thread."""
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(function, *arguments)

    def ask(self, method: str, params: Any, take: Callable[[Any], object] = lambda result: None) -> None:
        """Send a request to the client. `take` is called with the client's result; an error is logged."""

        def answered(future: Future[Any]) -> None:
            if future.cancelled():
                return
            if error := future.exception():
                logger.warning("%s: %s", method, error)
                return
            try:
                take(future.result())
            except Exception:  # noqa: BLE001 the future would swallow it
                logger.exception("%s: the reply was of no use", method)

        self.protocol.send_request(method, params).add_done_callback(answered)

    def trace(self, message: str, more: Callable[[], str]) -> None:
        """Send `$/logTrace` if the client has enabled tracing; `more`: a function that returns the additional text for
        the level `verbose`."""
        level = self.protocol.trace
        if level != types.TraceValue.Off:
            verbose = printable_lines(more()) if level == types.TraceValue.Verbose else None
            self.protocol.notify(types.LOG_TRACE, types.LogTraceParams(printable_lines(message), verbose))

    def show_error(self, text: str) -> None:
        """Show an error to the user."""
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"uncuda: {text}"))

    def window_show_message(self, params: types.ShowMessageParams) -> None:
        """Show a one-line message to the user, in which quoted text cannot form a link."""
        super().window_show_message(types.ShowMessageParams(params.type, popup(params.message)))

    def window_log_message(self, params: types.LogMessageParams) -> None:
        """Write lines into the client's log."""
        super().window_log_message(types.LogMessageParams(params.type, printable_lines(params.message)))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log an error that happened outside of a request, without a pop-up."""
        logger.error("%s: %s", getattr(source, "__name__", source), error)
