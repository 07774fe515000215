"""The one question that the server asks by itself: for which accelerator, where nothing says so, or too much does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ..wire.logs import logger
from ..wire.markup import popup
from ..wire.names import CHOOSE_TARGET
from ..wire.texts import Texts

if TYPE_CHECKING:
    from ..session import Session
    from ..state.documents import Program
    from ..state.roots import Folder


def register(session: Session) -> None:
    """Ask with the first finding, once."""
    asked = False

    def found(program: Program) -> None:
        nonlocal asked
        choice = session.folders.choice_of(program)
        if asked or not choice.chosen.assumed or (choice.folder is not None and not choice.folder.scanned):
            return
        asked = True
        session.loop.call_soon(_ask, session, program)

    def scanned(_folder: Folder) -> None:
        for program in session.documents.programs():
            if session.analyse(program).report.findings:
                found(program)

    session.found.append(found)
    session.scanned.append(scanned)


def _ask(session: Session, program: Program) -> None:
    choice, folders = session.folders.choice_of(program), session.folders
    if not choice.chosen.assumed:  # by now something says it
        return
    texts = Texts(folders.language(choice.settings.locale))
    among = choice.chosen.among
    shown = choice.engine.target.id
    titles = {folders.title_of(name, texts.locale): name for name in folders.in_order(shown, among)}
    text = texts("nothing says", folders.title_of(shown, texts.locale))
    if among:
        text = texts("which target", targets=folders.titles_of(among, texts.locale))
    if session.client.choose_target:
        session.protocol.notify(CHOOSE_TARGET, {"text": popup(text), "uri": program.uri, "among": bool(among)})
        return

    def take(answer: Any) -> None:
        target = titles.get(answer.title) if isinstance(answer, types.MessageActionItem) else None
        if target:
            logger.info("target: %s (chosen)", target)
            from ..fixing.keeping import keep

            path, _ = keep(session, program.uri, {"target": target}) if program.path else (None, "")
            if path is None:
                folders.switch(target)
            session.reconfigured()

    actions = [types.MessageActionItem(title) for title in titles]
    params = types.ShowMessageRequestParams(types.MessageType.Info, text, actions)
    session.ask(types.WINDOW_SHOW_MESSAGE_REQUEST, params, take)
