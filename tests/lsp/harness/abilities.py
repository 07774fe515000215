"""Checks that neither side sends or requests anything for which the other side has no capability."""

from collections.abc import Iterator
from typing import Any

from lsp.harness.session import Message, Session
from lsp.harness.traffic import Json

_NEEDS = {
    "workspace/applyEdit": "workspace.applyEdit",
    "workspace/configuration": "workspace.configuration",
    "workspace/workspaceFolders": "workspace.workspaceFolders",
    "workspace/diagnostic/refresh": "workspace.diagnostics.refreshSupport",
    "workspace/codeLens/refresh": "workspace.codeLens.refreshSupport",
    "window/showDocument": "window.showDocument.support",
    "window/workDoneProgress/create": "window.workDoneProgress",
}
_ALWAYS = {"client/registerCapability", "client/unregisterCapability", "window/showMessageRequest"}
_OFFERS = {
    "textDocument/codeAction": "codeActionProvider",
    "codeAction/resolve": "codeActionProvider.resolveProvider",
    "textDocument/codeLens": "codeLensProvider",
    "codeLens/resolve": "codeLensProvider.resolveProvider",
    "textDocument/diagnostic": "diagnosticProvider",
    "workspace/diagnostic": "diagnosticProvider.workspaceDiagnostics",
    "textDocument/hover": "hoverProvider",
    "workspace/executeCommand": "executeCommandProvider",
}
# Methods that are registered under a name other than that of their capability.
_REGISTERS = {
    "textDocument/didOpen": "textDocument.synchronization",
    "textDocument/didChange": "textDocument.synchronization",
    "textDocument/didClose": "textDocument.synchronization",
    "textDocument/didSave": "textDocument.synchronization",
    "notebookDocument/sync": "notebookDocument.synchronization",
}


def check(session: Session, message: Message) -> Iterator[str]:
    """Yield the problems of a message that needs a capability which the other side does not have."""
    if message.deliberate or (message.is_reply and message.method != "initialize"):
        return
    if message.source == "client":
        yield from _offered(session, message)
    elif message.method == "initialize":
        yield from _agreed(session, (message.result or {}).get("capabilities", {}))
    elif message.method == "client/registerCapability":
        for registration in message.params["registrations"]:
            yield from _registration(session, registration)
    elif message.method == "client/unregisterCapability":
        for item in message.params["unregisterations"]:
            if session.registered.get(item["id"], {}).get("method") != item["method"]:
                yield f"{item} was not registered"
    elif message.method in _NEEDS:
        if not session.can(_NEEDS[message.method]):
            yield f"the client has no {_NEEDS[message.method]}"
    elif message.is_request and message.method not in _ALWAYS:
        yield "no client is known to answer that"
    elif message.method == "textDocument/publishDiagnostics" and session.pulls:
        yield "diagnostics are pushed to a client that asks for them"


def _offered(session: Session, message: Message) -> Iterator[str]:
    path = _OFFERS.get(message.method)
    if path is None:
        return
    registered = [item.get("registerOptions") or {} for item in session.registrations(message.method)]
    if message.method == "workspace/diagnostic":
        options = [item.get("registerOptions") or {} for item in session.registrations("textDocument/diagnostic")]
        registered = [item for item in options if item.get("workspaceDiagnostics")]
    if not session.offers(path) and session.offers(path) != {} and not registered:
        yield f"the server does not offer {path}"
    if message.method == "workspace/executeCommand" and message.params.get("command") not in commands(session):
        yield f"the server does not offer {message.params.get('command')!r}"


def commands(session: Session) -> list[str]:
    """The commands that the server offers."""
    offered = [session.offers("executeCommandProvider") or {}]
    offered += [item.get("registerOptions") or {} for item in session.registrations("workspace/executeCommand")]
    return [command for part in offered for command in part.get("commands", [])]


def _agreed(session: Session, server: Json) -> Iterator[str]:
    """Yield a problem for each capability that the server declares although the client's capabilities do not allow
    it."""
    encoding = server.get("positionEncoding") or "utf-16"
    if encoding != "utf-16" and encoding not in (session.can("general.positionEncodings") or []):
        yield f"positions in {encoding}, which the client did not offer"
    provider = server.get("codeActionProvider")
    if isinstance(provider, dict):
        if session.can("textDocument.codeAction.codeActionLiteralSupport") is None:
            yield "options of code actions, to a client without code action literals"
        if "documentation" in provider and not session.can("textDocument.codeAction.documentationSupport"):
            yield "documentation of code actions, which the client does not show"
    offered = (server.get("executeCommandProvider") or {}).get("commands", [])
    if len(set(offered)) < len(offered):
        yield "a command is offered twice"


def _registration(session: Session, registration: Json) -> Iterator[str]:
    method, options = registration["method"], registration.get("registerOptions") or {}
    path = _REGISTERS.get(method, method.replace("/", "."))
    if method == "workspace/didChangeWorkspaceFolders":
        if not session.can("workspace.workspaceFolders"):
            yield "registers workspace folders, which the client does not have"
    elif not session.can(f"{path}.dynamicRegistration"):
        yield f"registers {method}: the client has no {path}.dynamicRegistration"
    if session.offers(_OFFERS.get(method, "no such thing")):
        yield f"registers {method}, which it offers already"
    if registration["id"] in session.registered:
        yield f"registers {registration['id']!r} twice"
    for watcher in options.get("watchers") or []:
        yield from _watcher(session, watcher)


def _watcher(session: Session, watcher: Json) -> Iterator[str]:
    relative: Any = watcher["globPattern"]
    if isinstance(relative, dict) and not session.can("workspace.didChangeWatchedFiles.relativePatternSupport"):
        yield "a relative pattern, which the client does not know"
