"""Checks that every range that the server sends is inside its document's text, and that every document version that it
sends exists."""

from collections.abc import Iterator, Mapping
from typing import Any

from lsp.harness.contents import reports
from lsp.harness.session import Message, Session, State
from lsp.harness.text import OutOfRange, apply_text_edits, positions_of
from lsp.harness.traffic import Json


def check(session: Session, message: Message) -> Iterator[str]:
    """Yield the problems of ranges outside of their documents, and of versions that the documents do not have."""
    if message.source == "client" or (message.asked and message.asked.deliberate) or "error" in message.json:
        return
    if message.method == "textDocument/publishDiagnostics":
        params = message.params
        yield from _diagnostics(session, message, params["uri"], params["diagnostics"], params.get("version", _ANY))
    for uri, report in reports(message):
        yield from _diagnostics(session, message, uri, report.get("items") or [], report.get("version", _ANY))
    if message.method in ("textDocument/hover", "textDocument/codeLens") and message.asked and message.result:
        items = message.result if isinstance(message.result, list) else [message.result]
        uri = message.asked.params["textDocument"]["uri"]
        for item in items:
            if "range" in item and uri not in session.confused:
                yield from _range(_texts(session, message, uri), item["range"], session.encoding, uri)
    for edit in _edits(message):
        yield from _edit(session, message, edit)


_ANY = object()


def _edits(message: Message) -> Iterator[Json]:
    if message.method == "workspace/applyEdit" and not message.is_reply:
        yield message.params["edit"]
    elif message.method == "textDocument/codeAction" and message.is_reply:
        yield from (action["edit"] for action in message.result or [] if action.get("edit"))
    elif message.method == "codeAction/resolve" and message.result and message.result.get("edit"):
        yield message.result["edit"]


def _diagnostics(session: Session, message: Message, uri: str, items: list[Json], version: Any) -> Iterator[str]:
    if uri in session.confused:
        return
    texts = _texts(session, message, uri)
    if version is not _ANY:
        texts = {number: text for number, text in texts.items() if number == version}
        if not texts and not (version is None and not items):
            known = list(_texts(session, message, uri))
            yield f"{uri}: version {version}, where the server may know {known}"
            return
    for item in items:
        yield from _range(texts, item["range"], session.encoding, uri)
        for related in item.get("relatedInformation") or []:
            place = related["location"]
            found = _texts(session, message, place["uri"])
            yield from _range(found, place["range"], session.encoding, place["uri"])


def _texts(session: Session, message: Message, uri: str) -> Mapping[int | None, str]:
    """Return the texts of a document, by version, that the server may have; the key None is for the text of a closed
    document's file."""
    states = session.states(uri, message.since) or [State(-1, None, None)]
    texts = {state.version: state.text for state in states}
    if None in texts:
        texts[None] = message.disk.get(uri)
    return {version: text for version, text in texts.items() if text is not None}


def _range(texts: Mapping[int | None, str], range_: Json, encoding: str, uri: str) -> Iterator[str]:
    """Yield a problem if none of the texts that the document may have contains the range."""
    wrong = ["there is no such document"]
    for text in texts.values():
        try:
            positions_of(text, encoding).span(range_)
        except OutOfRange as error:
            wrong.append(str(error))
        else:
            return
    yield f"{uri}: {wrong[-1]}"


def _edit(session: Session, message: Message, edit: Json) -> Iterator[str]:
    for uri, edits in (edit.get("changes") or {}).items():
        yield from _text_edits(session, message, uri, edits, _ANY)
    seen, made = set(), set()
    for part in edit.get("documentChanges") or []:
        if "kind" in part:
            made.add(part.get("uri"))
            continue
        document = part["textDocument"]
        if document["uri"] in seen:
            yield f"{document['uri']}: edited twice in one edit"
        seen.add(document["uri"])
        if document["uri"] in made and document.get("version") is None:
            continue  # the edit is empty
        yield from _text_edits(session, message, document["uri"], part["edits"], document.get("version"))


def _text_edits(session: Session, message: Message, uri: str, edits: list[Json], version: Any) -> Iterator[str]:
    if uri in session.confused:
        return
    texts = _texts(session, message, uri)
    if version is not _ANY and version not in texts:
        yield f"{uri}: an edit for version {version}, where the server may know {list(texts)}"
        return
    if not edits:
        yield f"{uri}: no edits"
    wrong = ["there is no such document"]
    for text in texts.values() if version is _ANY else [texts[version]]:
        try:
            apply_text_edits(text, edits, session.encoding)
        except ValueError as error:
            wrong.append(str(error))
        else:
            return
    yield f"{uri}: {wrong[-1]}"
