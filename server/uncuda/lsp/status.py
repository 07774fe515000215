"""`uncuda/status`: what an editor shows in its status bar for a document. A request of our own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uncuda.edits import SAFE

from .fixall import fixable
from .protocol import field
from .questions import title_of
from .texts import Texts

if TYPE_CHECKING:
    from .server import UncudaServer

METHOD = "uncuda/status"


def register(server: UncudaServer) -> None:
    """Answer `uncuda/status`: `{"textDocument": {"uri"}}` gives null for a document that is not checked."""

    @server.raw(METHOD)
    def status(params: Any) -> dict[str, Any] | None:
        program = server.program(field(params, "textDocument", "uri"))
        if program is None:
            return None
        choice = server.folders.choice_of(program)
        if choice.left_out:
            return None
        analysis = server.analyse(program)
        engine = analysis.engine
        texts = Texts(server.folders.language(engine.settings.locale))
        return {
            "target": engine.target.id,
            "title": title_of(server, engine.target.id, texts),
            "assumed": choice.assumed,
            "plugin": choice.plugin(texts.locale),
            "strategy": "shim" if engine.patched(analysis.text) else "rewrite",
            "findings": len(analysis.findings),
            "fixable": fixable(analysis)[SAFE] if analysis.disabled is None else 0,
        }
