"""`uncuda/status`: what an editor shows in its status bar for a document, and of the workspace. A request of our own; a
client that says `experimental.uncudaStatusChanged` is told when what is said of the workspace is another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uncuda.edits import SAFE

from ..fixing.fixall import fixable
from ..state.choice import PORTABLE
from ..state.inspected import Counts
from ..wire.names import STATUS, STATUS_CHANGED
from ..wire.protocol import field
from ..wire.texts import Texts
from ..wire.uris import uri_of

if TYPE_CHECKING:
    from ..session import Session
    from ..state.choice import Choice


def register(session: Session) -> None:
    """Answer `uncuda/status`: `{"textDocument": {"uri"}}` gives null for a document that is not checked.

    `{}` asks about the first folder of the workspace, and gives null if there is none."""

    def begin() -> None:
        if session.client.status_changed:
            session.inspection.moved.append(lambda: session.protocol.notify(STATUS_CHANGED, {}))

    session.begun.append(begin)

    @session.raw(STATUS)
    def status(params: Any) -> dict[str, Any] | None:
        if params == {}:
            return _of_folder(session)
        program = session.program(field(params, "textDocument", "uri"))
        if program is None:
            return None
        choice = session.folders.choice_of(program)
        if choice.left_out:
            return None
        analysis = session.analyse(program)
        return {
            **_choice(session, choice),
            "strategy": _strategy(choice, analysis.text),
            "findings": len(analysis.findings),
            "accepted": analysis.accepted,
            "fixable": fixable(analysis)[SAFE] if analysis.disabled is None else 0,
            "workspace": _workspace(session),
        }


def _of_folder(session: Session) -> dict[str, Any] | None:
    folder = next(iter(session.folders.all), None)
    if folder is None:
        return None
    choice = session.folders.choice_at(folder)
    return {
        **_choice(session, choice),
        "strategy": _strategy(choice, ""),
        "workspace": _workspace(session),
    }


def _strategy(choice: Choice, text: str) -> str:
    """How a text is ported."""
    if choice.aim == PORTABLE:
        return PORTABLE
    return "shim" if choice.engine.patched(text) else "rewrite"


def _choice(session: Session, choice: Choice) -> dict[str, Any]:
    """What is said of what files are checked with."""
    target, titles = choice.aim, session.folders.title_of
    texts = Texts(session.folders.language(choice.engine.settings.locale))
    return {
        "target": target,
        "title": titles(target, texts.locale),
        "assumed": choice.chosen.assumed,
        "among": [titles(other, texts.locale) for other in choice.chosen.among],
        "plugin": choice.plugin(texts.locale),
    }


def _workspace(session: Session) -> dict[str, Any]:
    """How far the check of the whole workspace is, how many files it has, and how many findings there are, and how many
    are accepted, in those that were checked, and in those that are open."""
    inspection = session.inspection
    counts = dict(inspection.counts)
    for document in session.documents:
        program = session.program(document.uri)
        if program is not None and document.path and not session.diagnostics.pends(document.uri):
            analysis, in_file = session.analyse(program), document.notebook is None
            found = Counts(len(analysis.findings), analysis.accepted) if in_file else Counts(0, 0)
            counts[uri_of(document.path)] = found
    files = sum(folder.files for folder in session.folders.all)
    findings = sum(count.findings for count in counts.values())
    accepted = sum(count.accepted for count in counts.values())
    return {"state": inspection.state, "files": files, "findings": findings, "accepted": accepted}
