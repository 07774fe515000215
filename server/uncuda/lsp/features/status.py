"""`uncuda/status`, a request of uncuda's own: the data for an editor's status bar, for a document or the workspace.
Clients with `experimental.uncudaStatusChanged` are notified when the status of the workspace changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uncuda.edits import SAFE

from ..fixing.fixall import fixable
from ..state.choice import PORTABLE
from ..wire.names import STATUS, STATUS_CHANGED
from ..wire.protocol import field
from ..wire.texts import Texts

if TYPE_CHECKING:
    from ..session import Session
    from ..state.choice import Choice


def register(session: Session) -> None:
    """Register `uncuda/status`. For `{"textDocument": {"uri"}}` the request returns null if the document is not
    checked; for `{}` it returns the status of the first workspace folder, or null if there is none."""

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
    """Return the strategy by which the code of a text is ported."""
    if choice.aim == PORTABLE:
        return PORTABLE
    return "shim" if choice.engine.patched(text) else "rewrite"


def _choice(session: Session, choice: Choice) -> dict[str, Any]:
    """The part of the status about target and plugin."""
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
    """The state of the workspace check, the number of files, and the numbers of findings and of accepted findings in
    checked and open files."""
    every = session.overviews.all
    files = sum(folder.files for folder in session.folders.all)
    findings = sum(overview.counts.total.count for overview in every)
    accepted = sum(overview.accepted.count for overview in every)
    return {"state": session.inspection.state, "files": files, "findings": findings, "accepted": accepted}
