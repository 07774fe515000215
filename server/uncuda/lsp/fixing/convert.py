"""Converts findings and fixes to types of the protocol."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types

from uncuda.edits import Edit
from uncuda.engine import Engine, Finding
from uncuda.messages import language
from uncuda.workspace.portable import NewFile

from ..state.documents import Program
from ..state.render import SOURCE
from ..wire.positions import Lines
from .new_files import Change, creating

if TYPE_CHECKING:
    from ..session import Session

__all__ = ["SOURCE", "FileEdits", "diagnostic", "file_edits", "page_uri", "text_edits", "workspace_edit"]


@dataclass
class FileEdits:
    """Edits of one file, each with its rule. `lines`: the lines of the text to which the edits apply; `version`: the
    version of the open document, None for a closed file."""

    uri: str
    version: int | None
    lines: Lines
    edits: list[tuple[Edit, str]]


def file_edits(program: Program, edits: Iterable[tuple[Edit, str]]) -> list[FileEdits]:
    """Return the edits of an analysed text as edits of its documents (files or notebook cells), in source order."""
    rules = dict(edits)
    documents = {document.uri: document for document in program.documents}
    found: dict[str, FileEdits] = {}
    for edit, rule in sorted(rules.items()):
        for uri, (moved,) in program.split([edit]).items():
            document = documents[uri]
            found.setdefault(uri, FileEdits(uri, document.version, document.lines, []))
            found[uri].edits.append((moved, rule))
    return list(found.values())


def text_edits(lines: Lines, edits: Iterable[Edit]) -> list[types.TextEdit]:
    """Return edits as objects of the protocol's type TextEdit."""
    return [types.TextEdit(lines.range((edit.start, edit.end)), edit.text) for edit in edits]


def workspace_edit(
    session: Session,
    changes: Iterable[FileEdits],
    annotate: bool = False,
    confirm: Collection[str] = (),
    created: NewFile | None = None,
) -> types.WorkspaceEdit:
    """Return a WorkspaceEdit in the form that the client supports.

    With `annotate`, there is one annotation for each rule, if the client shows annotations. `confirm` contains the
    rules whose edits the user must confirm. `created` is a file to create, if the client supports that.
    """
    changes = list(changes)
    client = session.client
    if not client.document_changes and created is None:
        return types.WorkspaceEdit(
            changes={file.uri: text_edits(file.lines, [edit for edit, _ in file.edits]) for file in changes}
        )
    annotated = annotate and client.annotations
    documents: list[Change] = creating(created) if created is not None else []
    for file in changes:
        edits: list[types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit] = []
        for edit, rule in file.edits:
            span = file.lines.range((edit.start, edit.end))
            if annotated:
                edits.append(types.AnnotatedTextEdit(rule, span, edit.text))
            else:
                edits.append(types.TextEdit(span, edit.text))
        document = types.OptionalVersionedTextDocumentIdentifier(file.uri, file.version)
        documents.append(types.TextDocumentEdit(document, edits))
    if not annotated:
        return types.WorkspaceEdit(document_changes=documents)
    rules = dict.fromkeys(rule for file in changes for _, rule in file.edits)
    labels: dict[str, types.ChangeAnnotation] = {
        rule: types.ChangeAnnotation(rule, needs_confirmation=rule in confirm, description=_title(session, rule))
        for rule in rules
    }
    return types.WorkspaceEdit(document_changes=documents, change_annotations=labels)


def _title(session: Session, rule: str) -> str | None:
    known = session.folders.catalogue.rules.get(rule)
    return known.title_in(session.folders.language()) if known else None


def page_uri(session: Session, rule: str, engine: Engine) -> str:
    """The URI of a rule's page for an engine's target; "" if there is no such rule."""
    return session.diagnostics.renderer.pages.uri(rule, engine.target, language(engine.settings.locale))


def diagnostic(session: Session, program: Program, finding: Finding) -> tuple[str, types.Diagnostic]:
    """Return the URI of the document with a finding, and the Diagnostic exactly as it is sent to the client."""
    document, item = session.diagnostics.renderer.item(session.analyse(program), finding)
    return document.uri, session.protocol.structure(json.loads(item), types.Diagnostic)
