"""Checks that every message is valid and is sent when the protocol allows it, and that every request has one reply."""

import json
from collections.abc import Iterator
from typing import Any

from lsprotocol import converters, types

from lsp.harness.session import Message, Session

_CONVERTER = converters.get_converter()
_BEFORE_INITIALIZED = {"window/showMessage", "window/logMessage", "window/showMessageRequest", "$/progress"}
_NOTIFICATIONS = _BEFORE_INITIALIZED | {"textDocument/publishDiagnostics", "$/logTrace", "$/cancelRequest"}
_VIEW = {"uncuda/overview", "uncuda/overviewPath", "uncuda/review", "uncuda/fixedText", "uncuda/changes"}
_TOLD = {"uncuda/statusChanged", "uncuda/showProblems", "uncuda/chooseTarget", "uncuda/overviewChanged"} | {
    "uncuda/showOverview"
}
_OUR_OWN = {"uncuda/status", "uncuda/rulePage", "uncuda/targets"} | _VIEW | _TOLD
_INTERNAL_ERROR, _CANCELLED, _SERVER_CANCELLED = -32603, -32800, -32802


def check(session: Session, message: Message) -> Iterator[str]:
    """Yield the problems of a message's form, and of its position in the session."""
    if message.deliberate:
        return
    yield from _shape(message)
    yield from _type(message)
    if message.source == "server":
        yield from _reply(session, message) if message.is_reply else _order(session, message)
    elif message.is_reply and not message.asked:
        yield "a reply to no request"


def check_end(session: Session) -> Iterator[str]:
    """The missing replies after a session was shut down."""
    if "reply to shutdown" in session.done:
        for asked in session.pending.values():
            if asked.source == "client" or asked.method != "window/showMessageRequest":
                yield f"{asked}: never answered"


def _shape(message: Message) -> Iterator[str]:
    if message.json.get("jsonrpc") != "2.0":
        yield "not JSON-RPC 2.0"
    known = {"result", "error"} if message.is_reply else {"method", "params"}
    if unknown := message.json.keys() - known - {"jsonrpc", "id"}:
        yield f"unknown keys {sorted(unknown)}"
    if message.is_reply and ("result" in message.json) == ("error" in message.json):
        yield "a reply has either a result or an error"
    # this is the reply to a message whose id could not be read
    nobodys = "error" in message.json and message.json.get("id") is None
    if "id" in message.json and not isinstance(message.json["id"], int | str) and not nobodys:
        yield f"the id {message.json['id']!r}"


def _type(message: Message) -> Iterator[str]:
    """Yield the problems that appear when a message is parsed with the protocol's own types (lsprotocol) and written
    again."""
    if "error" in message.json or (message.is_reply and (not message.asked or message.asked.deliberate)):
        return
    kinds = types.METHOD_TO_TYPES.get(message.method)
    if kinds is None:
        if not message.method.startswith("$/") and message.method not in _OUR_OWN:
            yield "an unknown method"
        return
    kind: Any = kinds[1] if message.is_reply else kinds[0]
    pairs = [(message.json, kind)]
    if message.method == "textDocument/codeAction" and message.is_reply and isinstance(message.result, list):
        # lsprotocol parses a code action with a command as a Command
        actions = [item for item in message.result if not isinstance(item.get("command"), str)]
        rest = [item for item in message.result if isinstance(item.get("command"), str)]
        pairs = [({**message.json, "result": rest}, kind), *((item, types.CodeAction) for item in actions)]
    for sent, of in pairs:
        yield from _valid(sent, of, lenient=message.source == "client")


def _valid(sent: Any, kind: Any, lenient: bool) -> Iterator[str]:
    """Yield the problems of a value that must have the type `kind`. `lenient`: whether null may be sent for an absent
    value, as real clients do."""
    try:
        back = json.loads(json.dumps(_CONVERTER.unstructure(_CONVERTER.structure(sent, kind), kind)))
    except Exception as error:  # noqa: BLE001 - whatever the types say is the finding
        yield f"not valid: {error!r}"
        return
    if lenient:
        back, sent = _without_nulls(back), _without_nulls(sent)
    if back != sent:
        yield f"not what the types allow: {_difference(sent, back)}"


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(part) for name, part in value.items() if part is not None}
    return [_without_nulls(part) for part in value] if isinstance(value, list) else value


def _difference(sent: Any, back: Any, path: str = "") -> str:
    if isinstance(sent, dict) and isinstance(back, dict):
        for name in [*sent, *back]:
            if name not in sent or name not in back or sent[name] != back[name]:
                return _difference(sent.get(name, "absent"), back.get(name, "absent"), f"{path}.{name}")
    if isinstance(sent, list) and isinstance(back, list) and len(sent) == len(back):
        for index, pair in enumerate(zip(sent, back, strict=True)):
            if pair[0] != pair[1]:
                return _difference(*pair, f"{path}[{index}]")
    return f"{path.lstrip('.')}: sent {sent!r}, the type has {back!r}"


def _reply(session: Session, message: Message) -> Iterator[str]:
    if message.asked is None:
        if message.json.get("id") is not None or "error" not in message.json or not session.provoked:
            yield f"a second reply, or one to no request: id {message.json.get('id')!r}"
        return
    code = message.json.get("error", {}).get("code")
    if code is None or message.asked.deliberate:
        return
    if code == _INTERNAL_ERROR:
        yield f"an internal error: {message.json['error'].get('message')}"
    elif code == _CANCELLED and not session.cancelled(message.asked) and "shutdown" not in session.done:
        yield "cancelled, though the client did not"
    elif code == _SERVER_CANCELLED and "iagnostic" not in message.method:
        yield "only requests for diagnostics may be cancelled by the server"


def _order(session: Session, message: Message) -> Iterator[str]:
    if message.is_request:
        if (message.source, message.json["id"]) in {(s, m.json["id"]) for (s, _), m in session.pending.items()}:
            yield f"the id {message.json['id']!r} is in use"
        if "initialized" not in session.done and message.method not in _BEFORE_INITIALIZED:
            yield "a request before `initialized`"
        if "reply to shutdown" in session.done:
            yield "a request after the end"
    elif message.method not in _NOTIFICATIONS | _TOLD:
        yield f"the server has no notification {message.method}"
    elif "reply to initialize" not in session.done and message.method not in _BEFORE_INITIALIZED:
        yield "before the reply to `initialize`"
    elif "reply to shutdown" in session.done and message.method != "window/logMessage":
        yield "after the end"
    if message.method == "$/logTrace" and session.trace == "off":
        yield "a trace that is switched off"
