"""The edits of one fixed file as JSON of the protocol, and reasons why an editor must not apply them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from uncuda.edits import REVIEW, Change, Edit
from uncuda.source import Source
from uncuda.workspace.portable import NewFile

from ..wire.positions import Lines
from ..wire.uris import uri_of
from .job import FileChange, Form, Left

SHARED = "*"
"""The id of the annotation for edits that several rules need, such as an import."""


def annotation(change: Change) -> str:
    """Return the annotation id of a change: the name of its rule, or SHARED if several rules need the change; "?" is
    appended if the change needs review."""
    name = change.rules[0] if len(change.rules) == 1 else SHARED
    return name + "?" if change.applicability == REVIEW else name


def text_edits(edits: Iterable[tuple[Edit, str]], lines: Lines, annotate: bool) -> str:
    """Edits, each with its annotation id, as the JSON of a list of TextEdit."""
    texts: list[dict[str, Any]] = []
    for (start, end, new), name in edits:
        line, column, end_line, end_column = *lines.point(start), *lines.point(end)
        span = {"start": {"line": line, "character": column}, "end": {"line": end_line, "character": end_column}}
        texts.append({"range": span, "newText": new, **({"annotationId": name} if annotate else {})})
    return json.dumps(texts, separators=(",", ":"))


def document_edit(uri: str, version: int | None, edits: str, document_changes: bool) -> str:
    """The edits of a document as the JSON of an element of `documentChanges`, or of a member of `changes`."""
    if not document_changes:
        return f"{json.dumps(uri)}:{edits}"
    identifier = json.dumps({"uri": uri, "version": version})
    return f'{{"textDocument":{identifier},"edits":{edits}}}'


def file_change(
    uri: str, version: int | None, text: str, changes: Iterable[Change], form: Form, cells: bool = False
) -> dict[str, Any]:
    """Return the fields of a FileChange for the edits of a file's text. `cells`: whether the file is a notebook."""
    edits = [(change.edit, annotation(change)) for change in changes]
    names = sorted({name for _, name in edits})
    fields: dict[str, Any] = {"uri": uri, "version": version, "edits": len(edits), "annotations": names}
    if cells:
        return {**fields, "offsets": [(*edit, name) for edit, name in edits]}
    body = text_edits(edits, Lines(text, form.encoding), form.annotate)
    return {**fields, "body": document_edit(uri, version, body, form.document_changes)}


def kept_by_editors(data: bytes, source: Source) -> str:
    """Return what an editor would change besides the fixes if it saved a closed file: "encoding", "line ends", or ""
    for nothing."""
    body = data[3:] if source.bom else data
    try:
        if body.decode("utf-8") != source.text:
            return "encoding"
    except UnicodeDecodeError:
        return "encoding"
    pairs = body.count(b"\r\n")
    if body.count(b"\r") > pairs or (pairs and body.count(b"\n") > pairs):
        return "line ends"
    return ""


def created(new: NewFile, form: Form) -> FileChange:
    """Return the change, ready to be sent, that creates a file for a job."""
    uri, start = uri_of(new.path), {"line": 0, "character": 0}
    create = {"kind": "create", "uri": uri, "options": {"ignoreIfExists": True}}
    annotated = {"annotationId": SHARED} if form.annotate else {}
    edit = {"range": {"start": start, "end": start}, "newText": new.data.decode(), **annotated}
    document = {"textDocument": {"uri": uri, "version": None}, "edits": [edit]}
    return FileChange(
        uri=uri,
        version=None,
        open=False,
        stamp=None,
        edits=1,
        rules={},
        annotations=[SHARED],
        left=Left(),
        body=f"{json.dumps(create)},{json.dumps(document, separators=(',', ':'))}",
    )
