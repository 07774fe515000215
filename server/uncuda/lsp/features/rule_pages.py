"""The pages of rules: a command that shows one, and the request `uncuda/rulePage` for its text, for clients with
`experimental.uncudaRulePages`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from uncuda.engine import Engine

from ..fixing import convert
from ..wire.names import RULE_PAGE, SHOW_RULE
from ..wire.protocol import field
from ..wire.uris import path_of

if TYPE_CHECKING:
    from ..session import Session


def register(session: Session) -> None:
    """Register `uncuda/rulePage` (`{"uri"}` gives `{"text"}`, or null) and the command that shows a page."""

    @session.raw(RULE_PAGE)
    def text(params: Any) -> dict[str, str] | None:
        page = session.diagnostics.renderer.pages.text(field(params, "uri"))
        return None if page is None else {"text": page}

    @session.command(SHOW_RULE)
    def show(*arguments: Any) -> dict[str, str] | None:
        given = arguments[0] if arguments and isinstance(arguments[0], dict) else {}
        page = str(given.get("page") or "")
        if session.diagnostics.renderer.pages.text(page) is None:
            page = _page(session, str(given.get("rule", "")), str(given.get("uri", "")))
        if session.client.rule_pages:
            return {"page": page}
        if session.client.show_document:
            shown = types.ShowDocumentParams(page, external=False, take_focus=True)
            session.ask(types.WINDOW_SHOW_DOCUMENT, shown)
        return None


def _page(session: Session, rule: str, uri: str) -> str:
    """The URI of a rule's page, for the target of the document `uri` or else of any folder; if the rule is unknown, the
    URI of the list of rules."""
    page = convert.page_uri(session, rule, _engine(session, uri))
    return page or (session.folders.catalogue.path / "README.md").absolute().as_uri()


def _engine(session: Session, uri: str) -> Engine:
    """The engine of a file, open or not; if the file is not in the workspace, the engine of any folder."""
    folders, path = session.folders, path_of(uri) or ""
    program = session.overviews.open_at(session.overviews.key(uri)) or session.program(uri)
    folder = folders.folder_of(path)
    if program is None and folder is not None:
        return folders.engine_at(str(Path(path).parent), folder, folder.project)[0]
    program = program or next(iter(session.documents.programs()), None)
    if program is not None:
        return folders.engine_of(program)
    folder = next(iter(folders.all), folders.outside)
    return folders.engine_at(folder.path, folder, folder.project)[0]
