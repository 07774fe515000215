"""Asks the user for the target, once, if the project names none or imports the plugins of several targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ..wire.logs import logger
from ..wire.markup import popup
from ..wire.names import CHOOSE_TARGET
from ..wire.texts import Texts

if TYPE_CHECKING:
    from ..session import Session
    from ..state.choice import Choice
    from ..state.documents import Program
    from ..state.roots import Folder


def register(session: Session) -> None:
    """Ask for the target when the first finding appears."""
    asked = False

    def found(program: Program) -> None:
        nonlocal asked
        choice = session.folders.choice_of(program)
        if asked or not choice.chosen.assumed or (choice.folder is not None and not choice.folder.scanned):
            return
        asked = True
        session.loop.call_soon(lambda: _ask(session, session.folders.choice_of(program), program))

    def scanned(_folder: Folder) -> None:
        for program in session.documents.programs():
            if session.analyse(program).report.findings:
                found(program)

    def inspected() -> None:
        """Ask for the target if a closed file has findings, even if no file is open."""
        nonlocal asked
        folder = next((folder for folder in session.folders.all if folder.scanned), None)
        if asked or folder is None or not any(listing.left.rows for listing in session.inspection.listings.values()):
            return
        choice = session.folders.choice_at(folder)
        if choice.chosen.assumed:
            asked = True
            session.loop.call_soon(_ask, session, choice)

    session.begun.append(lambda: session.inspection.done.append(inspected))
    session.found.append(found)
    session.scanned.append(scanned)


def _ask(session: Session, choice: Choice, program: Program | None = None) -> None:
    """Ask. `program`: the open document with the first finding; None if the finding is in a closed file."""
    folders, uri = session.folders, program.uri if program is not None else ""
    if not choice.chosen.assumed:  # the user or a configuration file has set the target meanwhile
        return
    texts = Texts(folders.language(choice.settings.locale))
    among = choice.chosen.among
    shown = choice.engine.target.id
    titles = {folders.title_of(name, texts.locale): name for name in folders.in_order(shown, among)}
    text = texts("nothing says", folders.title_of(shown, texts.locale))
    if among:
        text = texts("which target", targets=folders.titles_of(among, texts.locale))
    if session.client.choose_target:
        session.protocol.notify(CHOOSE_TARGET, {"text": popup(text), "uri": uri, "among": bool(among)})
        return

    def take(answer: Any) -> None:
        target = titles.get(answer.title) if isinstance(answer, types.MessageActionItem) else None
        if target:
            logger.info("target: %s (chosen)", target)
            from ..fixing.keeping import chosen_values, keep, place_of

            lasting = program is None or program.path
            values = chosen_values(session, place_of(session, uri), target)
            path, _ = keep(session, uri, values) if lasting else (None, "")
            if path is None:
                folders.switch(target)
            session.reconfigured()

    actions = [types.MessageActionItem(title) for title in titles]
    params = types.ShowMessageRequestParams(types.MessageType.Info, text, actions)
    session.ask(types.WINDOW_SHOW_MESSAGE_REQUEST, params, take)
