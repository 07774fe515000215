"""Builds a workspace edit, in the form that the client supports, from parts that are already JSON text, and sends
it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from uncuda.edits import Edit

from ..wire.texts import Texts
from .changes import SHARED, document_edit, text_edits
from .job import FileChange

OPENER = "!?"  # the annotation of the edit that makes the client open a preview; no rule has this name
_EDITS = '"edits":['  # this text precedes the edits in the JSON of a document
_SETTING = "files.encoding"  # a setting of VS Code and its derivatives; other editors do not have it
_RIGHT = frozenset({"", "utf8", "utf8bom"})

if TYPE_CHECKING:
    from ..session import Session


class Applied(NamedTuple):
    """Whether the client applied an edit; `reason`: the client's explanation if it did not."""

    applied: bool
    reason: str = ""


async def apply(
    session: Session, files: Sequence[FileChange], label: str, texts: Texts, confirm: bool = False
) -> Applied:
    """Ask the client to change these files in one edit. `confirm`: let the user confirm first, if the client supports
    that."""
    edit = _workspace_edit(session, files, texts, confirm)
    refactoring = ',"metadata":{"isRefactoring":true}' if session.client.metadata else ""
    params = f'{{"label":{json.dumps(label)},"edit":{edit}{refactoring}}}'
    try:
        answer = await session.protocol.request_text(types.WORKSPACE_APPLY_EDIT, params)
    except JsonRpcException as error:  # some clients answer with an error instead of `applied: false`
        return Applied(False, error.message)
    if not isinstance(answer, dict):
        return Applied(False)
    return Applied(answer.get("applied") is True, str(answer.get("failureReason") or ""))


def _workspace_edit(session: Session, files: Sequence[FileChange], texts: Texts, confirm: bool) -> str:
    client = session.client
    parts = ",".join(part for file in files for part in _parts(session, file))
    if not client.document_changes:
        return f'{{"changes":{{{parts}}}}}'
    if not client.annotations:
        return f'{{"documentChanges":[{parts}]}}'
    names = sorted({name for file in files for name in file.annotations})
    if confirm and not any(name.endswith("?") for name in names) and _EDITS in parts:
        parts, names = parts.replace(_EDITS, f"{_EDITS}{_opener()},", 1), [OPENER, *names]
    return f'{{"documentChanges":[{parts}],"changeAnnotations":{_annotations(session, names, texts, confirm)}}}'


def _opener() -> str:
    """Return an edit that changes nothing but needs the user's confirmation. VS Code opens a preview only if some edit
    needs confirmation, and safe edits need no confirmation."""
    start = {"line": 0, "character": 0}
    return json.dumps({"range": {"start": start, "end": start}, "newText": "", "annotationId": OPENER})


def _parts(session: Session, file: FileChange) -> list[str]:
    """Return the edits of a file as JSON; the edits of a notebook are grouped by cell."""
    notebook = session.notebooks.get(file.uri) if file.offsets else None
    if notebook is None:
        return [file.body] if file.body else []
    client = session.client
    cells: dict[str, list[tuple[Edit, str]]] = {}
    for start, end, text, name in file.offsets:
        for uri, moved in notebook.split([Edit(start, end, text)]).items():
            cells.setdefault(uri, []).extend((one, name) for one in moved)
    documents = {document.uri: document for document in notebook.documents}
    annotate = client.annotations and client.document_changes
    return [
        document_edit(
            uri,
            documents[uri].version,
            text_edits(sorted(edits), documents[uri].lines, annotate),
            client.document_changes,
        )
        for uri, edits in cells.items()
    ]


def _annotations(session: Session, names: Iterable[str], texts: Texts, confirm: bool) -> str:
    """Return one annotation for each rule and fix class. In the preview, edits that need review are not ticked at
    first; all other edits are ticked."""
    names = list(names)
    unticked = [name for name in names if name.endswith("?")] or names  # if all edits are ticked, no preview opens
    labels = {SHARED: texts("shared"), OPENER.rstrip("?"): texts("opener")}
    table = {}
    for name in names:
        rule, review = name.rstrip("?"), name.endswith("?") and name != OPENER
        label = labels.get(rule, rule)
        known = session.folders.catalogue.rules.get(rule)
        table[name] = {
            "label": texts("to review", label) if review else label,
            "needsConfirmation": confirm and name in unticked,
            **({"description": known.title_in(texts.locale)} if known else {}),
        }
    return json.dumps(table)


async def misread(session: Session, files: Iterable[FileChange]) -> dict[str, str]:
    """The URIs of closed UTF-8 files for which the editor's settings name another encoding, with that encoding."""
    doubtful = [file.uri for file in files if file.otherwise]
    if not doubtful or not session.client.configuration:
        return {}
    params = types.ConfigurationParams([types.ConfigurationItem(uri, _SETTING) for uri in doubtful])
    try:
        values = await session.workspace_configuration_async(params)
    except JsonRpcException:
        return {}
    if not isinstance(values, (list, tuple)) or len(values) != len(doubtful):
        return {}
    return {
        uri: value
        for uri, value in zip(doubtful, values)
        if isinstance(value, str) and value.lower().replace("-", "") not in _RIGHT
    }
