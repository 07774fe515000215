"""The helper module that a portable project's fixes call: a new file, which is created in the same edit as the code
that imports it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types

from uncuda.edits import Edit, apply_edits
from uncuda.engine import Engine
from uncuda.workspace.portable import NewFile, new_helper

from ..state.fix_command import cannot_create
from ..wire.uris import uri_of

if TYPE_CHECKING:
    from ..session import Session
    from ..state.analyses import Analysis

Change = types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile


def needed(session: Session, engine: Engine, text: str, path: str) -> NewFile | None:
    """Return the helper module that a fixed text imports, if it neither exists on disk nor is open in the editor."""
    new = new_helper(engine, text, path) if engine.settings.portable else None
    return new if new is not None and session.documents.by_path(new.path) is None else None


def needed_by(session: Session, analysis: Analysis, edits: Iterable[Edit]) -> NewFile | None:
    """Return the helper module, as a new file, that the edits of one fix need; None if none is needed."""
    if not analysis.engine.settings.portable:
        return None
    return needed(session, analysis.engine, apply_edits(analysis.text, edits), analysis.program.path)


def why_not(session: Session, analysis: Analysis, new: NewFile | None, among: bool = False) -> str | None:
    """Return why the client cannot create the new file of a fix; None if it can, or if there is no new file. `among`:
    whether the same edit changes other files, too."""
    if new is None or (session.client.creates and (session.client.document_changes or not among)):
        return None
    return cannot_create(analysis.program.path, False, analysis.engine.settings.locale)


def creating(new: NewFile) -> list[Change]:
    """Return the parts of a workspace edit that create a file with its text."""
    uri = uri_of(new.path)
    start = types.Position(0, 0)
    document = types.OptionalVersionedTextDocumentIdentifier(uri, None)
    text = types.TextEdit(types.Range(start, start), new.data.decode())
    options = types.CreateFileOptions(ignore_if_exists=True)
    return [types.CreateFile(uri, options=options), types.TextDocumentEdit(document, [text])]
