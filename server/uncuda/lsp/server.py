"""The server object: the documents, folders and analyses that every feature works on."""

from __future__ import annotations

import asyncio
import threading
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer

import uncuda
from uncuda.printable import printable_lines

from .client import Client
from .diagnostics import Diagnostics
from .documents import Documents, Program
from .ending import last_word, leave_soon
from .folders import Folders
from .logs import ToClient, logger
from .markup import popup
from .notebooks import Notebooks
from .projects import Projects
from .protocol import Handler, Protocol
from .state import Analyses, Analysis
from .stream import Connection, frames
from .workspace_diagnostics import Workspace

FEATURES = (
    *("lifecycle", "sync", "watch", "asking", "diagnostics", "workspace_diagnostics"),
    *("receiving", "actions", "hover", "lens", "commands", "status"),
)

HandlerT = TypeVar("HandlerT", bound=Handler)


class Event(list[Callable[..., object]]):
    """Who wants to know of something; calling it tells them all, even if one of them fails."""

    def __call__(self, *arguments: object) -> None:
        for listener in self:
            try:
                listener(*arguments)
            except Exception:  # noqa: BLE001 the others want to know, too
                logger.exception("a listener failed")


class UncudaServer(LanguageServer):
    """What features are given. `client`, `folders`, `projects`, `diagnostics`, `inspection`: from `initialize` on.

    Events: `opened(program)`, `changed(program)`, `saved(program)`; `closed(program, uris)`, where `program` is None
    when cells leave a notebook that stays; `found(program)`: it has findings; `analysed(program)`: another process has
    done that; `started()`: the client is ready; `scanned(folder)`; `touched(paths)`: files changed on the disk;
    `reconfigured()`: settings, targets or what files say together are others; `ended()`: the server stops.
    """

    protocol: Protocol
    folders: Folders
    projects: Projects
    diagnostics: Diagnostics
    inspection: Workspace

    def __init__(self, log: ToClient | None = None) -> None:
        super().__init__(
            "uncuda",
            uncuda.__version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            protocol_cls=Protocol,
        )
        self.log = log or ToClient()
        self.client = Client()
        self.documents = Documents()
        self.notebooks = Notebooks(self.documents, lambda: self.folders.catalogue.commands)
        self.opened, self.changed, self.saved, self.closed = (Event() for _ in range(4))
        self.found, self.started, self.scanned, self.touched = (Event() for _ in range(4))
        self.analysed, self.reconfigured, self.ended = Event(), Event(), Event()
        self.analyses = Analyses(self)
        self.shows_lenses = False
        self.loop = asyncio.new_event_loop()
        self._end: asyncio.Future[int] = self.loop.create_future()
        for name in FEATURES:
            if find_spec(f"uncuda.lsp.{name}"):
                import_module(f"uncuda.lsp.{name}").register(self)

    def raw(self, method: str) -> Callable[[HandlerT], HandlerT]:
        """Register a handler that is given the parameters of a message as they came."""

        def decorate(handler: HandlerT) -> HandlerT:
            self.protocol.raw[method] = handler
            return handler

        return decorate

    def program(self, uri: str) -> Program | None:
        """The open program that a URI belongs to: a file, an untitled document, or a cell's notebook."""
        return self.documents.program(uri)

    def analyse(self, program: Program) -> Analysis:
        """What the engine finds in a program; computed once for each of its versions."""
        return self.analyses.of(program)

    def refresh(self, uris: Iterable[str] | None = None) -> None:
        """Tell the client that diagnostics changed, of these documents or (None) of all; and so did lenses."""
        from . import lens

        self.diagnostics.refresh(uris)
        lens.refresh(self)

    def serve(self, connection: Connection) -> int:
        """Take messages until the client leaves; gives the exit code."""
        self.protocol.write = connection.write
        self.loop.set_exception_handler(_log_failure)
        threading.Thread(target=self._read, args=(connection,), daemon=True, name="reader").start()
        asyncio.set_event_loop(self.loop)
        try:
            return self.loop.run_until_complete(self._end)
        finally:
            self.protocol.write = lambda data: None
            self.ended()

    def stop(self, code: int) -> None:
        """End the process with this code."""
        if not self._end.done():
            self._end.set_result(code)

    def ask(self, method: str, params: Any, take: Callable[[Any], object] = lambda result: None) -> None:
        """Send the client a request; `take` is given the result if there is one. An error is logged."""

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
        """Say what happens to a client that traces; `more`: what is said with `verbose`."""
        level = self.protocol.trace
        if level != types.TraceValue.Off:
            verbose = printable_lines(more()) if level == types.TraceValue.Verbose else None
            self.protocol.notify(types.LOG_TRACE, types.LogTraceParams(printable_lines(message), verbose))

    def show_error(self, text: str) -> None:
        """Show the user what is wrong."""
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"uncuda: {text}"))

    def window_show_message(self, params: types.ShowMessageParams) -> None:
        """Show the user a message: one line, in which nothing that it quotes is a link."""
        super().window_show_message(types.ShowMessageParams(params.type, popup(params.message)))

    def window_log_message(self, params: types.LogMessageParams) -> None:
        """Log lines where the user can read them."""
        super().window_log_message(types.LogMessageParams(params.type, printable_lines(params.message)))

    def call(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function in the server's thread, from any other."""
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(function, *arguments)

    def _read(self, connection: Connection) -> None:
        """Hand over what the client sends, and see to it that the process ends with that; in a thread of its own."""
        code = 1
        try:
            for body in frames(connection.read):
                said = last_word(body) if isinstance(body, bytes) else ""
                code = 0 if said == "shutdown" else code
                if said == "exit":
                    leave_soon(code)
                self.call(self.protocol.receive, body)
        except OSError:
            logger.debug("the connection broke", exc_info=True)
        except Exception as error:  # noqa: BLE001 nothing would be read any more, and nobody would know
            self.call(partial(logger.error, "messages cannot be read any more: %s", error, exc_info=error))
            traceback.print_exc()
        leave_soon(code)
        self.call(lambda: self.stop(0 if self.protocol.is_down else 1))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """What went wrong outside of a request is logged; nothing pops up."""
        logger.error("%s: %s", getattr(source, "__name__", source), error)


def _log_failure(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    logger.error("%s", context.get("message"), exc_info=context.get("exception"))
