"""`uncuda/status`: what an editor shows in its status bar for a document. A request of our own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uncuda.edits import SAFE

from ..fixing.fixall import fixable
from ..wire.names import STATUS
from ..wire.protocol import field
from ..wire.texts import Texts

if TYPE_CHECKING:
    from ..session import Session


def register(session: Session) -> None:
    """Answer `uncuda/status`: `{"textDocument": {"uri"}}` gives null for a document that is not checked."""

    @session.raw(STATUS)
    def status(params: Any) -> dict[str, Any] | None:
        program = session.program(field(params, "textDocument", "uri"))
        if program is None:
            return None
        choice = session.folders.choice_of(program)
        if choice.left_out:
            return None
        analysis = session.analyse(program)
        engine = analysis.engine
        texts = Texts(session.folders.language(engine.settings.locale))
        return {
            "target": engine.target.id,
            "title": session.folders.title_of(engine.target.id, texts.locale),
            "assumed": choice.chosen.assumed,
            "among": [session.folders.title_of(target, texts.locale) for target in choice.chosen.among],
            "plugin": choice.plugin(texts.locale),
            "strategy": "shim" if engine.patched(analysis.text) else "rewrite",
            "findings": len(analysis.findings),
            "fixable": fixable(analysis)[SAFE] if analysis.disabled is None else 0,
        }
