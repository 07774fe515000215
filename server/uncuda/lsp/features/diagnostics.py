"""`textDocument/diagnostic`: the findings in an open document."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ..state.render import SOURCE

if TYPE_CHECKING:
    from ..session import Session
    from ..wire.protocol import Prepared


def register(session: Session) -> None:
    """Register the request for diagnostics."""
    options = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier=SOURCE)

    # this registration also announces the request in the capabilities
    @session.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    @session.raw(types.TEXT_DOCUMENT_DIAGNOSTIC)
    def pull(params: Any) -> Prepared | asyncio.Future[Prepared]:
        return session.diagnostics.pull(params)
