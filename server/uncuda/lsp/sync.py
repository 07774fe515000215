"""Documents and notebooks as the client opens, changes and closes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from .protocol import field

if TYPE_CHECKING:
    from .server import UncudaServer

T = TypeVar("T")


def register(server: UncudaServer) -> None:
    """Take in what is said of documents, and tell who wants to know."""
    _register_notebooks(server)

    @server.raw(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: Any) -> None:
        server.opened(_shaped(lambda: server.documents.open(params["textDocument"])))

    @server.raw(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: Any) -> None:
        document = _shaped(lambda: server.documents.change(params["textDocument"], params["contentChanges"]))
        if document is not None:
            server.changed(document.notebook or document)

    @server.raw(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: Any) -> None:
        document = server.documents.close(field(params, "textDocument", "uri"))
        if document is not None:
            server.closed(document, [document.uri])

    @server.raw(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: Any) -> None:
        document = server.documents.get(field(params, "textDocument", "uri"))
        if document is not None:
            server.saved(document)

    for method in (types.TEXT_DOCUMENT_DID_SAVE, types.NOTEBOOK_DOCUMENT_DID_SAVE):
        server.feature(method)(server.protocol.raw[method])  # so that it is offered


def _register_notebooks(server: UncudaServer) -> None:
    @server.raw(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def did_open(params: Any) -> None:
        server.opened(_shaped(lambda: server.notebooks.open(params)))

    @server.raw(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def did_change(params: Any) -> None:
        if found := _shaped(lambda: server.notebooks.change(params)):
            notebook, gone = found
            if gone:
                server.closed(None, gone)
            server.changed(notebook)

    @server.raw(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def did_close(params: Any) -> None:
        if found := server.notebooks.close(field(params, "notebookDocument", "uri")):
            server.closed(*found)

    @server.raw(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    def did_save(params: Any) -> None:
        notebook = server.notebooks.get(field(params, "notebookDocument", "uri"))
        if notebook is not None:
            server.saved(notebook)


def _shaped(take: Callable[[], T]) -> T:
    """What `take` gives. What does not have the protocol's shape is refused as such; it is no failure of ours."""
    try:
        return take()
    except (KeyError, TypeError, AttributeError) as error:
        raise JsonRpcInvalidParams(f"{type(error).__name__}: {error}") from error
