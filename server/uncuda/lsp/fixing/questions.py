"""Questions that commands ask the user, sent as window/showMessageRequest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ..state.documents import Document, Program
from ..wire.markup import label, popup
from ..wire.texts import Texts

if TYPE_CHECKING:
    from ..session import Session


async def choose(session: Session, question: str, answers: Mapping[str, str]) -> str | None:
    """Ask a question and return the value of the button that the user presses; None if the user presses none.
    `answers`: maps the text of each button to its value."""
    actions = [types.MessageActionItem(answer) for answer in answers]
    params = types.ShowMessageRequestParams(types.MessageType.Info, popup(question), actions)
    try:
        answer = await session.window_show_message_request_async(params)
    except JsonRpcException:
        return None
    return answers.get(answer.title) if answer else None


async def choose_target(session: Session, targets: Iterable[str], question: str, texts: Texts) -> str | None:
    """The target that the user chooses; None if the user chooses none."""
    titles = {session.folders.title_of(target, texts.locale): target for target in targets}
    return await choose(session, question, titles)


async def choose_program(session: Session, texts: Texts) -> Program | None:
    """Return the document or notebook to fix: the only open one, otherwise the one that the user chooses."""
    programs = [p for p in session.documents.programs() if not isinstance(p, Document) or p.is_python]
    if len(programs) < 2:
        return programs[0] if programs else None
    uri = await choose(session, texts("which file"), _titles(programs))
    return next((program for program in programs if program.uri == uri), None)


def _titles(programs: Iterable[Program]) -> dict[str, str]:
    """Map button texts to URIs. The button text of a document is the end of its path, so long that all button texts
    differ."""
    parts = {program.uri: Path(program.path).parts if program.path else (program.uri,) for program in programs}
    size, longest = 1, max(map(len, parts.values()))
    while size < longest and len({p[-size:] for p in parts.values()}) < len(parts):
        size += 1
    return {label(str(Path(*p[-size:]))): uri for uri, p in parts.items()}
