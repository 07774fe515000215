"""Checks that diagnostics, code actions, lenses, hovers and edits contain only what the client supports."""

from collections.abc import Iterator
from typing import Any

from lsp.harness.abilities import commands
from lsp.harness.session import Message, Session
from lsp.harness.traffic import Json

_ACTION = "textDocument.codeAction."


def check(session: Session, message: Message) -> Iterator[str]:
    """The problems of a message's content: parts that the client does not support."""
    if message.source == "client" or (message.asked and message.asked.deliberate) or "error" in message.json:
        return
    for item in diagnostics(message):
        yield from _diagnostic(session, item)
    if message.method == "textDocument/codeAction":
        for action in message.result or []:
            yield from _action(session, action, message)
    elif message.method == "codeAction/resolve" and message.asked:
        yield from _resolved(session, message.asked.params, message.result)
    elif message.method == "textDocument/hover" and message.result:
        yield from _markup(session, message.result["contents"])
    elif message.method in ("textDocument/codeLens", "codeLens/resolve"):
        lenses = message.result if isinstance(message.result, list) else [message.result or {}]
        for lens in lenses:
            yield from _command(session, lens.get("command"))
    elif message.method == "workspace/applyEdit" and not message.is_reply:
        if "metadata" in message.params and not session.can("workspace.workspaceEdit.metadataSupport"):
            yield "metadata, which the client does not know"
        yield from _edit(session, message.params["edit"])


def diagnostics(message: Message) -> Iterator[Json]:
    """The diagnostics in a message of the server, except those inside its code actions."""
    if message.method == "textDocument/publishDiagnostics":
        yield from message.params["diagnostics"]
    for _, report in reports(message):
        yield from report.get("items") or []


def reports(message: Message) -> Iterator[tuple[str, Json]]:
    """The reports in a reply or a partial result, each with its document."""
    if message.method == "textDocument/diagnostic" and message.is_reply and message.asked and message.result:
        yield message.asked.params["textDocument"]["uri"], message.result
        yield from (message.result.get("relatedDocuments") or {}).items()
    found: Any = None
    if message.method == "workspace/diagnostic":
        found = message.result
    elif message.method == "$/progress":
        found = message.params["value"]
    if isinstance(found, dict) and "items" in found:
        yield from ((item["uri"], item) for item in found["items"])


def _diagnostic(session: Session, item: Json) -> Iterator[str]:
    needs = {"relatedInformation": "relatedInformation", "codeDescription": "codeDescriptionSupport"}
    needs["data"] = "dataSupport"
    for name, ability in needs.items():
        if name in item and not _of_diagnostics(session, ability):
            yield f"a diagnostic with {name}, without the client's {ability}"
    known = (_of_diagnostics(session, "tagSupport") or {}).get("valueSet", [])
    if unknown := set(item.get("tags") or []) - set(known):
        yield f"a diagnostic with tags {sorted(unknown)}, of which the client knows {known}"
    if not isinstance(item["message"], str) and not session.can("textDocument.diagnostic.markupMessageSupport"):
        yield "a diagnostic's message in markup"


def _of_diagnostics(session: Session, name: str) -> Any:
    """Return a client's capability for diagnostics, declared for pulled diagnostics or (where LSP 3.17 has it) for
    pushed ones."""
    asked = session.can(f"textDocument.diagnostic.{name}")
    return asked or session.can(f"textDocument.publishDiagnostics.{name}")


def _action(session: Session, action: Json, message: Message) -> Iterator[str]:
    if isinstance(action.get("command"), str):
        yield from _command(session, action)
        return
    if session.can(_ACTION + "codeActionLiteralSupport") is None:
        yield "a code action, to a client that takes commands only"
    needs = {"isPreferred": "isPreferredSupport", "disabled": "disabledSupport", "data": "dataSupport"}
    for name, ability in needs.items():
        if name in action and not session.can(_ACTION + ability):
            yield f"{action['title']!r} has {name}, without the client's {ability}"
    if not action.keys() & {"edit", "command", "disabled"}:
        if "edit" not in (session.can(_ACTION + "resolveSupport.properties") or []):
            yield f"{action['title']!r} does nothing for a client that does not resolve edits"
        if not session.offers("codeActionProvider.resolveProvider"):
            yield f"{action['title']!r} needs to be resolved, which the server does not offer"
    yield from _kind(session, action, message)
    yield from _parts(session, action)
    for item in action.get("diagnostics") or []:
        yield from _diagnostic(session, item)


def _kind(session: Session, action: Json, message: Message) -> Iterator[str]:
    kind = action.get("kind")
    only = message.asked.params["context"].get("only") if message.asked else None
    if only is not None and not any(_within(kind or "", wanted) for wanted in only):
        yield f"{action['title']!r} of kind {kind}, where {only} was asked"
    offered = session.offers("codeActionProvider.codeActionKinds")
    if offered and not any(_within(kind or "", known) for known in offered):
        yield f"{action['title']!r} of kind {kind}, which the server does not offer: {offered}"


def _within(kind: str, wanted: str) -> bool:
    return not wanted or kind == wanted or kind.startswith(f"{wanted}.")


def _parts(session: Session, action: Json) -> Iterator[str]:
    yield from _command(session, action.get("command"))
    if edit := action.get("edit"):
        yield from _edit(session, edit)
        if "changeAnnotations" in edit and not session.can(_ACTION + "honorsChangeAnnotations"):
            yield "a code action with change annotations, which the client does not honour there"


def _resolved(session: Session, asked: Json, resolved: Json) -> Iterator[str]:
    properties = session.can(_ACTION + "resolveSupport.properties") or []
    for name in {*asked, *resolved}:
        if asked.get(name) != resolved.get(name) and name not in properties:
            yield f"resolving changes {name}, which the client does not resolve"
    yield from _parts(session, resolved)


def _command(session: Session, command: Any) -> Iterator[str]:
    if command and command["command"] not in commands(session):
        yield f"the command {command['command']!r} is not one that the server offers"


def _markup(session: Session, contents: Any) -> Iterator[str]:
    formats = session.can("textDocument.hover.contentFormat") or []
    if isinstance(contents, dict) and "kind" in contents and contents["kind"] not in (formats or ["plaintext"]):
        yield f"a hover in {contents['kind']}, to a client of {formats}"


def _edit(session: Session, edit: Json) -> Iterator[str]:
    ability = "workspace.workspaceEdit."
    # an edit that creates a file must have `documentChanges`, even for a client that does not declare this form
    makes = any("kind" in part for part in edit.get("documentChanges") or [])
    if "documentChanges" in edit and not session.can(ability + "documentChanges") and not makes:
        yield "documentChanges, which the client does not know"
    if "documentChanges" in edit and "changes" in edit:
        yield "both changes and documentChanges"
    annotations = edit.get("changeAnnotations")
    if annotations is not None and not session.can(ability + "changeAnnotationSupport"):
        yield "change annotations, which the client does not know"
    for part in edit.get("documentChanges") or []:
        if "kind" in part and part["kind"] not in (session.can(ability + "resourceOperations") or []):
            yield f"a file operation {part['kind']!r}, which the client does not know"
        for change in part.get("edits") or []:
            if "annotationId" in change and change["annotationId"] not in (annotations or {}):
                yield f"the annotation {change['annotationId']!r} is not there"
            if "snippet" in change and not session.can(ability + "snippetEditSupport"):
                yield "a snippet, which the client does not know"
