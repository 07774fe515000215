"""Tests of the checks for LSP conformance: they accept a correct session and reject a session with any one of the
possible errors."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from lsp.harness.conformance import problems
from lsp.harness.profiles import PROFILES, Profile
from lsp.harness.script import (
    CLOSED,
    COMMAND,
    INSIDE_AN_EMOJI,
    NCCL,
    OUTSIDE,
    SERVER,
    URI,
    VSCODE,
    Script,
    act,
    action,
    apply,
    begun,
    changed,
    diagnostic,
    document,
    edit,
    full,
    hover,
    progress,
    pull,
    range_at,
    register,
    rich,
    text_edit,
)  # fmt: skip
from lsp.harness.traffic import Json


def test_a_session_that_is_right() -> None:
    assert problems(rich(Script()).end().traffic) == []


@pytest.mark.parametrize("profile", PROFILES)
def test_a_short_session_of_every_client(profile: str) -> None:
    script = Script(PROFILES[profile])
    if PROFILES[profile].can("textDocument.diagnostic"):
        pull(script, result=full(diagnostic()))
    else:
        script.push("textDocument/publishDiagnostics", {"uri": URI, "diagnostics": [diagnostic()]})
    assert problems(script.end().traffic) == []


class Wrong(NamedTuple):
    """A step of a session that the checks must reject, and a part of the expected error message."""

    name: str
    step: Callable[[Script], Any]
    said: str
    profile: Profile = VSCODE
    server: Json = SERVER


NEOVIM, EGLOT, KATE, JETBRAINS = (PROFILES[name] for name in ("neovim", "eglot", "kate", "jetbrains"))
LINE = range_at(0, 0, 3)
WRONG = [
    # envelope
    Wrong("not JSON-RPC", lambda s: s.raw({"method": "$/progress", "params": {}}), "not JSON-RPC"),
    Wrong("a key too many", lambda s: s.raw({"jsonrpc": "2.0", "id": 1, "result": 1, "more": 1}), "unknown keys"),
    Wrong("neither result nor error", lambda s: s.ask("shutdown").raw({"jsonrpc": "2.0", "id": 2}), "either"),
    Wrong("a second reply", lambda s: pull(s, result=full()).reply(full()), "a second reply"),
    Wrong("a reply to nothing", lambda s: s.reply(1, of=77), "a second reply"),
    Wrong("an error to nothing", lambda s: s.raw({"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": ""}}),
          "a second reply"),
    Wrong("no reply", lambda s: s.ask("textDocument/hover", {"textDocument": document(), "position": NCCL["start"]}),
          "never answered"),
    Wrong("an internal error", lambda s: s.ask("workspace/executeCommand", {"command": COMMAND}).fail(-32603),
          "an internal error"),
    Wrong("cancelled by itself", lambda s: s.ask("workspace/executeCommand", {"command": COMMAND}).fail(-32800),
          "the client did not"),
    Wrong("cancelled by the server", lambda s: s.ask("workspace/executeCommand", {"command": COMMAND}).fail(-32802),
          "only requests for diagnostics"),
    Wrong("an unknown notification", lambda s: s.push("uncuda/news", {}), "no notification"),
    Wrong("telemetry", lambda s: s.push("telemetry/event", {}), "no notification"),
    Wrong("a type is wrong", lambda s: s.push("window/showMessage", {"type": "3", "message": "x"}), "not valid"),
    Wrong("a property too many", lambda s: pull(s, result=full(diagnostic(fix=1))), "the types allow: result"),
    Wrong("a null too many", lambda s: pull(s, result=full(diagnostic(tags=None))), "the types allow"),
    Wrong("a property is missing", lambda s: pull(s, result={"kind": "full"}), "not valid"),
    Wrong("a trace that is off", lambda s: s.push("$/logTrace", {"message": "x"}), "switched off"),
    Wrong("one id twice", lambda s: s.raw({"jsonrpc": "2.0", "id": 5, "method": "workspace/workspaceFolders"})
          .raw({"jsonrpc": "2.0", "id": 5, "method": "workspace/workspaceFolders"}), "in use"),
    Wrong("after the end", lambda s: s.end().push("window/showMessage", {"type": 3, "message": "x"}), "after the end"),
    Wrong("asks after the end", lambda s: s.end().want("workspace/workspaceFolders", None, []), "after the end"),
    # abilities
    Wrong("applies", lambda s: apply(s, {"changes": {URI: [text_edit()]}}), "workspace.applyEdit", KATE),
    Wrong("refreshes", lambda s: s.want("workspace/diagnostic/refresh", None), "refreshSupport", NEOVIM),
    Wrong("refreshes lenses", lambda s: s.want("workspace/codeLens/refresh", None), "codeLens.refreshSupport", EGLOT),
    Wrong("progress", lambda s: s.want("window/workDoneProgress/create", {"token": 1}), "workDoneProgress", EGLOT),
    Wrong("configuration", lambda s: s.want("workspace/configuration", {"items": []}, []), "configuration", KATE),
    Wrong("shows a document", lambda s: s.want("window/showDocument", {"uri": URI}, {"success": True}), "showDocument",
          PROFILES["neovim-0.7"]),
    Wrong("asks what nobody answers", lambda s: s.want("uncuda/ask", {}), "no client is known"),
    Wrong("registers", lambda s: register(s, "workspace/didChangeWatchedFiles", {"watchers": []}), "dynamicRegistr",
          NEOVIM),
    Wrong("registers folders", lambda s: register(s, "workspace/didChangeWorkspaceFolders"), "does not have", KATE),
    Wrong("registers twice", lambda s: register(register(s, "workspace/didChangeConfiguration"),
          "workspace/didChangeConfiguration", ask="s2"), "twice"),
    Wrong("registers what it offers", lambda s: register(s, "textDocument/hover"), "offers already"),
    Wrong("a relative pattern", lambda s: register(s, "workspace/didChangeWatchedFiles",
          {"watchers": [{"globPattern": {"baseUri": URI, "pattern": "*"}}]}), "relative pattern", EGLOT),
    Wrong("unregisters", lambda s: s.want("client/unregisterCapability",
          {"unregisterations": [{"id": "z", "method": "textDocument/hover"}]}), "was not registered"),
    Wrong("pushes to one that pulls", lambda s: s.push("textDocument/publishDiagnostics",
          {"uri": URI, "diagnostics": []}), "pushed to a client that asks"),
    Wrong("does not offer", lambda s: s.ask("textDocument/codeLens", {"textDocument": document()}).reply([]),
          "does not offer codeLens"),
    Wrong("offers no workspace diagnostics", lambda s: s.ask("workspace/diagnostic", {"previousResultIds": []})
          .reply({"items": []}), "does not offer", VSCODE, {**SERVER, "diagnosticProvider":
          {"interFileDependencies": True, "workspaceDiagnostics": False}}),
    Wrong("an unknown command", lambda s: s.ask("workspace/executeCommand", {"command": "x"}).reply(None), "'x'"),
    Wrong("an encoding", lambda s: s, "the client did not offer", VSCODE, {**SERVER, "positionEncoding": "utf-8"}),
    Wrong("a command twice", lambda s: s, "offered twice", VSCODE,
          {**SERVER, "executeCommandProvider": {"commands": ["a", "a"]}}),
    Wrong("documentation", lambda s: s, "documentation of code actions", NEOVIM, {**SERVER, "codeActionProvider": {
          "documentation": [{"kind": "quickfix", "command": {"title": "t", "command": COMMAND}}]}}),
    # contents
    Wrong("code description", lambda s: s.push("textDocument/publishDiagnostics", {"uri": URI, "diagnostics":
          [diagnostic(codeDescription={"href": URI})]}), "codeDescription", EGLOT),
    Wrong("data", lambda s: s.push("textDocument/publishDiagnostics", {"uri": URI, "diagnostics":
          [diagnostic(data=1)]}), "dataSupport", KATE),
    Wrong("related information", lambda s: s.push("textDocument/publishDiagnostics", {"uri": URI, "diagnostics":
          [diagnostic(relatedInformation=[])]}), "relatedInformation", EGLOT),
    Wrong("tags", lambda s: s.push("textDocument/publishDiagnostics", {"uri": URI, "diagnostics":
          [diagnostic(tags=[2])]}), "tags [2]", KATE),
    Wrong("a message in markup", lambda s: pull(s, result=full(diagnostic(message={"kind": "markdown", "value": "x"}))),
          "markup"),
    Wrong("preferred", lambda s: act(s, action(isPreferred=True)), "isPreferred", JETBRAINS),
    Wrong("disabled", lambda s: act(s, {"title": "t", "kind": "quickfix", "disabled": {"reason": "no"}}), "disabled",
          NEOVIM),
    Wrong("no literals", lambda s: act(s, action()), "commands only", VSCODE.having(
          textDocument__codeAction__codeActionLiteralSupport=None), {**SERVER, "codeActionProvider": True}),
    Wrong("does nothing", lambda s: act(s, {"title": "t", "kind": "quickfix", "data": 1}), "does not resolve", EGLOT),
    Wrong("cannot be resolved", lambda s: act(s, {"title": "t", "kind": "quickfix", "data": 1}), "needs to be resolved",
          VSCODE, {**SERVER, "codeActionProvider": True}),
    Wrong("a kind not asked", lambda s: act(s, action(), only=["source.fixAll"]), "was asked"),
    Wrong("a kind only like the one asked", lambda s: act(s, action(kind="quickfixes"), only=["quickfix"]), "of kind"),
    Wrong("a kind not offered", lambda s: act(s, action(kind="refactor.rewrite")), "does not offer"),
    Wrong("an action's command", lambda s: act(s, action(command={"title": "t", "command": "x"})), "command 'x'"),
    Wrong("annotations in an action", lambda s: act(s, action(edit=edit(changeAnnotations={}))), "not honour",
          VSCODE.having(textDocument__codeAction__honorsChangeAnnotations=False)),
    Wrong("resolving changes the title", lambda s: s.ask("codeAction/resolve", {"title": "a", "data": 1})
          .reply({"title": "b", "data": 1, "edit": edit()}), "resolving changes title"),
    Wrong("a hover in markdown", lambda s: hover(s, contents={"kind": "markdown", "value": ""}), "a hover in markdown",
          VSCODE.having(textDocument__hover__contentFormat=["plaintext"])),
    Wrong("metadata", lambda s: apply(s, edit(), metadata={"isRefactoring": True}), "metadata", EGLOT),
    Wrong("document changes", lambda s: apply(s, edit()), "documentChanges, which", NEOVIM),
    Wrong("both kinds of changes", lambda s: apply(s, edit(changes={})), "both"),
    Wrong("annotations", lambda s: apply(s, edit(changeAnnotations={})), "change annotations, which", EGLOT),
    Wrong("an annotation that is not there", lambda s: apply(s, edit(text_edit(annotationId="a"))), "is not there"),
    Wrong("a file operation", lambda s: apply(s, {"documentChanges": [{"kind": "create", "uri": URI}]}), "'create'",
          EGLOT),
    # places
    Wrong("a diagnostic outside", lambda s: pull(s, result=full(diagnostic(range=OUTSIDE))), "character 17"),
    Wrong("a diagnostic in a character", lambda s: pull(s, result=full(diagnostic(range=INSIDE_AN_EMOJI))),
          "character 6"),
    Wrong("a range turned round", lambda s: pull(s, result=full(diagnostic(range={
          "start": NCCL["end"], "end": NCCL["start"]}))), "ends before"),
    Wrong("a line too many", lambda s: pull(s, result=full(diagnostic(range=range_at(2, 0, 0)))), "line 2"),
    Wrong("a hover outside", lambda s: hover(s, contents="x", range=OUTSIDE), "character 17"),
    Wrong("related information outside", lambda s: pull(s, result=full(diagnostic(relatedInformation=[
          {"location": {"uri": CLOSED, "range": range_at(0, 0, 9)}, "message": "x"}]))), "character 9"),
    Wrong("related to no file", lambda s: pull(s, result=full(diagnostic(relatedInformation=[
          {"location": {"uri": "file:///no", "range": range_at(0, 0, 0)}, "message": "x"}]))), "no such document"),
    Wrong("an older version", lambda s: act(changed(s), action()), "for version 1"),
    Wrong("a newer version", lambda s: act(s, action(edit=edit(version=2))), "for version 2"),
    Wrong("no version of an open one", lambda s: act(s, action(edit=edit(version=None))), "for version None"),
    Wrong("a version of a closed one", lambda s: act(s, action(edit=edit(text_edit(LINE), uri=CLOSED))), "version 1"),
    Wrong("a push for a version", lambda s: s.push("textDocument/publishDiagnostics",
          {"uri": URI, "version": 4, "diagnostics": []}), "version 4", PROFILES["lsp-mode"]),
    Wrong("an edit outside", lambda s: apply(s, edit(text_edit(OUTSIDE))), "character 17"),
    Wrong("an edit outside a closed one", lambda s: apply(s, edit(uri=CLOSED, version=None)), "character 10"),
    Wrong("edits that overlap", lambda s: apply(s, edit(text_edit(), text_edit())), "overlap"),
    Wrong("an edit of nothing", lambda s: apply(s, {"changes": {URI: []}}), "no edits"),
    Wrong("one document twice", lambda s: apply(s, {"documentChanges": 2 * edit()["documentChanges"]}), "edited twice"),
    # Wrong messages about progress, and wrong results.
    Wrong("a token of nobody", lambda s: progress(s, "q", kind="begin", title="x"), "nobody gave"),
    Wrong("a token twice", lambda s: begun(s).want("window/workDoneProgress/create", {"token": "p"}, identifier=3),
          "known already"),
    Wrong("no begin", lambda s: progress(s.want("window/workDoneProgress/create", {"token": "q"}), "q", kind="end"),
          "has not begun"),
    Wrong("two begins", lambda s: progress(progress(begun(s), "p", kind="begin", title="x"), "p", kind="end"),
          "begins twice"),
    Wrong("no end", begun, "has no end"),
    Wrong("more after the end", lambda s: progress(progress(begun(s), "p", kind="end"), "p", kind="report"),
          "has ended"),
    Wrong("progress backwards", lambda s: progress(progress(begun(s, percentage=9), "p", kind="report", percentage=8),
          "p", kind="end"), "from 9 to 8"),
    Wrong("a percentage of nothing", lambda s: progress(progress(begun(s), "p", kind="report", percentage=8), "p",
          kind="end"), "without a percentage"),
    Wrong("a result after partial results", lambda s: progress(s.ask("workspace/diagnostic",
          {"previousResultIds": [], "partialResultToken": 1}), 1, items=[full(uri=URI, version=1)])
          .reply({"items": [full(uri=URI, version=1)]}), "after partial results"),
    Wrong("a partial result too late", lambda s: progress(s.ask("workspace/diagnostic",
          {"previousResultIds": [], "partialResultToken": 1}).reply({"items": []}), 1, items=[]), "is answered"),
    Wrong("unchanged since nothing", lambda s: pull(s, result={"kind": "unchanged", "resultId": "1"}), "did not name"),
    Wrong("unchanged since never", lambda s: pull(s, result={"kind": "unchanged", "resultId": "1"},
          previousResultId="1"), "was never sent"),
    Wrong("unchanged since another", lambda s: pull(pull(pull(s, result=full(resultId="1")), result=full(resultId="2")),
          result={"kind": "unchanged", "resultId": "1"}, previousResultId="2"), "did not name"),
    Wrong("related documents", lambda s: pull(s, result=full(relatedDocuments={})), "related documents"),
]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=[wrong.name for wrong in WRONG])
def test_a_session_that_is_wrong(wrong: Wrong) -> None:
    script = Script(wrong.profile, wrong.server)
    wrong.step(script)
    if "after the end" not in wrong.name:
        script.end()
    found = problems(script.traffic)
    assert any(wrong.said in problem for problem in found), found
