"""Code lens above the first line of a file: the number of findings in the file. The lens is shown only if the setting
`codeLens` is on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from uncuda.edits import SAFE

from ..fixing.fixall import fixable
from ..state.phrases import phrases
from ..wire.names import FIX_ALL_IN_FILE, SHOW_RULE
from ..wire.protocol import field

if TYPE_CHECKING:
    from ..session import Session


def register(session: Session) -> None:
    """Register code lenses."""

    @session.raw(types.TEXT_DOCUMENT_CODE_LENS)
    def lenses(params: Any) -> list[types.CodeLens]:
        uri = field(params, "textDocument", "uri")
        program = session.program(uri)
        if program is None or program.uri != uri or not session.folders.editor_of(program).code_lens:
            return []
        analysis = session.analyse(program)
        number, safe = len(analysis.findings), fixable(analysis)[SAFE] if analysis.disabled is None else 0
        if not number:
            return []
        say = phrases(analysis.engine)
        title = say("construct") if number == 1 else say("constructs", number)
        command = types.Command(title, SHOW_RULE)
        if safe:
            command = types.Command(say("fixable", title, safe), FIX_ALL_IN_FILE, arguments=[{"uri": uri}])
        top = types.Position(0, 0)
        return [types.CodeLens(types.Range(top, top), command)]

    shown = False

    def refresh(_uris: object) -> None:
        """Ask the client to request lenses again, if any are or were shown."""
        nonlocal shown
        before, shown = shown, any(f.editor.code_lens for f in (*session.folders.all, session.folders.outside))
        if session.client.lens_refresh and (shown or before):
            session.workspace_code_lens_refresh(None)

    session.stale.append(refresh)
    session.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))(lenses)
