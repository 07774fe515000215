"""The server object: the documents, folders and analyses that every feature works on."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

import uncuda

from .client import Client
from .documents import Documents, Program
from .folders import Folders
from .protocol import Protocol
from .state import Analysis, analyse

FEATURES = ("diagnostics", "actions", "hover", "lens", "commands")


class UncudaServer(LanguageServer):
    """What features are given. `client`, `folders`: from `initialize` on."""

    protocol: Protocol
    client: Client
    folders: Folders

    def __init__(self) -> None:
        super().__init__(
            "uncuda",
            uncuda.__version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            protocol_cls=Protocol,
        )
        self.client = Client()
        self.documents = Documents()
        self._analyses: dict[str, Analysis] = {}
        for name in FEATURES:
            if find_spec(f"uncuda.lsp.{name}"):
                import_module(f"uncuda.lsp.{name}").register(self)

    def program(self, uri: str) -> Program | None:
        """The open program that a URI belongs to: a file, an untitled document, or a cell's notebook."""
        return self.documents.program(uri)

    def analyse(self, program: Program) -> Analysis:
        """What the engine finds in a program; computed once for each of its versions."""
        known = self._analyses.get(program.uri)
        found = self._analyses[program.uri] = analyse(program, self.folders.engine_of(program), known)
        return found

    def forget(self, uri: str) -> None:
        """Drop what is known of a program that was closed."""
        self._analyses.pop(uri, None)

    def refresh(self, uris: Iterable[str] | None = None) -> None:
        """Tell the client that diagnostics changed, of these documents or (None) of all."""
        if self.client.pull:
            if self.client.refresh:
                self.workspace_diagnostic_refresh(None)
            return
        from .diagnostics import publish

        for uri in [document.uri for document in self.documents] if uris is None else uris:
            publish(self, uri)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what went wrong outside of a request."""
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, f"{type(error).__name__}: {error}"))
