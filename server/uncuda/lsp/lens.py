"""Code lens: above the first line, how much of a file is for CUDA only. Off unless the setting `codeLens` says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from uncuda.edits import SAFE

from .actions import SHOW_RULE
from .fixall import fixable
from .phrases import phrases
from .protocol import field

if TYPE_CHECKING:
    from .server import UncudaServer


def register(server: UncudaServer) -> None:
    """Answer requests for code lenses."""

    @server.raw(types.TEXT_DOCUMENT_CODE_LENS)
    def lenses(params: Any) -> list[types.CodeLens]:
        uri = field(params, "textDocument", "uri")
        program = server.program(uri)
        if program is None or program.uri != uri or not server.folders.editor_of(program).code_lens:
            return []
        analysis = server.analyse(program)
        number, safe = len(analysis.findings), fixable(analysis)[SAFE] if analysis.disabled is None else 0
        if not number:
            return []
        say = phrases(analysis.engine)
        title = say("construct") if number == 1 else say("constructs", number)
        command = types.Command(title, SHOW_RULE)
        if safe:
            command = types.Command(say("fixable", title, safe), "uncuda.fixAllInFile", arguments=[{"uri": uri}])
        top = types.Position(0, 0)
        return [types.CodeLens(types.Range(top, top), command)]

    server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))(lenses)


def refresh(server: UncudaServer) -> None:
    """Have the client ask for lenses again, where some are shown or were."""
    folders = (*server.folders.all, server.folders.outside)
    shown = any(folder.editor.code_lens for folder in folders)
    if server.client.lens_refresh and (shown or server.shows_lenses):
        server.workspace_code_lens_refresh(None)
    server.shows_lenses = shown
