"""Diagnostics: pulled by the client, pushed to one that cannot pull."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from . import convert

if TYPE_CHECKING:
    from .server import UncudaServer


def register(server: UncudaServer) -> None:
    """Answer requests for diagnostics."""

    def show(program: Any, uris: Any = None) -> None:
        if not server.client.pull:
            refresh(server, uris or [document.uri for document in program.documents])

    for event in (server.opened, server.changed, server.closed):
        event.append(show)

    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier=convert.SOURCE),
    )
    def pull(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        return types.RelatedFullDocumentDiagnosticReport(items=diagnostics_of(server, params.text_document.uri))


def diagnostics_of(server: UncudaServer, uri: str) -> list[types.Diagnostic]:
    """The diagnostics of a document or cell."""
    program = server.program(uri)
    if program is None:
        return []
    found = [convert.diagnostic(server, program, finding) for finding in server.analyse(program).findings]
    return [diagnostic for place, diagnostic in found if place == uri]


def publish(server: UncudaServer, uri: str) -> None:
    """Push the diagnostics of a document; of one that was closed, that it has none."""
    server.text_document_publish_diagnostics(
        types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics_of(server, uri))
    )


def refresh(server: UncudaServer, uris: Iterable[str] | None = None) -> None:
    """Tell the client that diagnostics changed."""
    if server.client.pull:
        if server.client.refresh:
            server.workspace_diagnostic_refresh(None)
        return
    for uri in [document.uri for document in server.documents] if uris is None else uris:
        publish(server, uri)
