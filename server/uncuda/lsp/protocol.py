"""Messages: what comes in is taken as it is where that is faster, and errors are answered."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol, lsp_method

from .client import read_client
from .documents import Documents
from .folders import Folders

if TYPE_CHECKING:
    from .server import UncudaServer


class Protocol(LanguageServerProtocol):
    """pygls's protocol with the server's own documents."""

    _server: UncudaServer

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        raw = self._converter.unstructure(params, types.InitializeParams)
        server = self._server
        server.client = read_client(raw)
        server.documents = Documents(server.client.encoding)
        server.folders = Folders(server.client, raw)
        result = yield from super().lsp_initialize(params)
        return result

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        self._server.documents.open(
            {"uri": item.uri, "languageId": item.language_id, "version": item.version, "text": item.text}
        )
        self._show(item.uri)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        changes = [self._converter.unstructure(change) for change in params.content_changes]
        identifier = params.text_document
        self._server.documents.change({"uri": identifier.uri, "version": identifier.version}, changes)
        self._show(identifier.uri)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        if self._server.documents.close(params.text_document.uri):
            self._server.forget(params.text_document.uri)
            self._show(params.text_document.uri)

    def _show(self, uri: str) -> None:
        if not self._server.client.pull:
            self._server.refresh([uri])
