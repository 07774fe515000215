"""Document synchronisation: documents and notebooks as the client opens, changes, saves and closes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from ..wire.protocol import field

if TYPE_CHECKING:
    from ..session import Session

T = TypeVar("T")


def register(session: Session) -> None:
    """Register the handlers of document notifications; the handlers raise the session's events."""
    _register_notebooks(session)

    @session.raw(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: Any) -> None:
        session.opened(_shaped(lambda: session.documents.open(params["textDocument"])))

    @session.raw(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: Any) -> None:
        document = _shaped(lambda: session.documents.change(params["textDocument"], params["contentChanges"]))
        if document is not None:
            session.changed(document.notebook or document)

    @session.raw(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: Any) -> None:
        document = session.documents.close(field(params, "textDocument", "uri"))
        if document is not None:
            session.closed(document, [document.uri])

    @session.raw(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: Any) -> None:
        document = session.documents.get(field(params, "textDocument", "uri"))
        if document is not None:
            session.saved(document)

    for method in (types.TEXT_DOCUMENT_DID_SAVE, types.NOTEBOOK_DOCUMENT_DID_SAVE):
        # this registration also announces the notification in the capabilities
        session.feature(method)(session.protocol.raw[method])


def _register_notebooks(session: Session) -> None:
    @session.raw(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def did_open(params: Any) -> None:
        session.opened(_shaped(lambda: session.notebooks.open(params)))

    @session.raw(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def did_change(params: Any) -> None:
        if found := _shaped(lambda: session.notebooks.change(params)):
            notebook, gone = found
            if gone:
                session.closed(None, gone)
            session.changed(notebook)

    @session.raw(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def did_close(params: Any) -> None:
        if found := session.notebooks.close(field(params, "notebookDocument", "uri")):
            session.closed(*found)

    @session.raw(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    def did_save(params: Any) -> None:
        notebook = session.notebooks.get(field(params, "notebookDocument", "uri"))
        if notebook is not None:
            session.saved(notebook)


def _shaped(take: Callable[[], T]) -> T:
    """Return the result of `take`, a function that reads the parameters of a notification. Raise JsonRpcInvalidParams,
    not an internal error, if the parameters do not have the form that the protocol requires."""
    try:
        return take()
    except (KeyError, TypeError, AttributeError) as error:
        raise JsonRpcInvalidParams(f"{type(error).__name__}: {error}") from error
