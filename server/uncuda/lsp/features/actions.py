"""Code actions: one fix, all fixes, the page of a rule, accepting a finding, suppression comments."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from uncuda.edits import SAFE, Fix
from uncuda.engine import Finding
from uncuda.facts.new_syntax import wants_libcst
from uncuda.printable import printable
from uncuda.workspace.portable import NewFile

from ..fixing import convert, new_files
from ..fixing.code_action_request import Context, context_in, touched, wanted
from ..fixing.fixall import Batch, batches_of_rules, edit_of, fixable, rules_of
from ..fixing.suppress_actions import ignore_actions
from ..session import offset_in
from ..state.analyses import Analysis
from ..state.documents import Program
from ..state.phrases import Phrases, newer_python, phrases
from ..wire.markup import label
from ..wire.names import (
    ACCEPT,
    ACCEPT_IN_WORKSPACE,
    FIX_ALL,
    FIX_ALL_IN_FILE,
    FIX_ALL_IN_WORKSPACE,
    FIX_ALL_NOTEBOOK,
    PREVIEW,
    SHOW_RULE,
)
from ..wire.protocol import field

if TYPE_CHECKING:
    from ..session import Session
    from ..state.roots import Folder

_QUICK = types.CodeActionKind.QuickFix
_PATIENCE = 5.0  # seconds until a request for code actions is answered although files of the project are still unread
Actions = list[types.Command | types.CodeAction] | None


def register(session: Session) -> None:
    """Register code actions and their resolve request."""

    @session.raw(types.TEXT_DOCUMENT_CODE_ACTION)
    def offer(params: Any) -> Actions | asyncio.Future[Actions]:
        program = session.program(field(params, "textDocument", "uri"))
        folder = _unread(session, program) if program is not None else None
        return _offered(session, params) if folder is None else asyncio.ensure_future(_later(session, params, folder))

    @session.raw(types.CODE_ACTION_RESOLVE)
    def resolve(action: Any) -> dict[str, Any]:
        return _resolved(session, action)

    options = types.CodeActionOptions([_QUICK, FIX_ALL, FIX_ALL_NOTEBOOK], resolve_provider=True)
    # this registration also announces code actions in the server's capabilities
    session.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(offer)
    session.feature(types.CODE_ACTION_RESOLVE)(resolve)


def _unread(session: Session, program: Program) -> Folder | None:
    """Return the folder of a document if the files of the folder are still being read; otherwise None."""
    folder = session.folders.choice_of(program).folder if program.path else None
    return None if folder is None or folder.scanned else folder


async def _later(session: Session, params: Any, folder: Folder) -> Actions:
    """Return the code actions when all files of the folder have been read, because they decide which fixes are safe, or
    when the folder is removed from the workspace; at the latest after `_PATIENCE`."""
    known = session.loop.create_future()

    def look(*_: object) -> None:
        if (folder.scanned or folder not in session.folders.all) and not known.done():
            known.set_result(None)

    events = session.scanned, session.reconfigured
    for event in events:
        event.append(look)
    look()  # the messages that arrived together with the request may already have been handled
    try:
        await asyncio.wait([known], timeout=_PATIENCE)
    finally:
        for event in events:
            event.remove(look)
    return _offered(session, params)


def _offered(session: Session, params: Any) -> Actions:
    uri = field(params, "textDocument", "uri")
    program = session.program(uri)
    if program is None:
        return None
    analysis = session.analyse(program)
    if not session.client.literals:
        title = phrases(analysis.engine)("fix file")
        command = types.Command(title, FIX_ALL_IN_FILE, arguments=[{"uri": uri}])
        return [command] if fixable(analysis)[SAFE] and _unread(session, program) is None else []
    start, end = (offset_in(program, params, "range", side) for side in ("start", "end"))
    if start is None or end is None:
        return None
    return list(_Offer(session, uri, analysis, (start, end), context_in(params)).actions())


class _Offer:
    """A request for code actions; `span` is the requested range, as offsets in the analysed text."""

    def __init__(self, session: Session, uri: str, analysis: Analysis, span: tuple[int, int], context: Context) -> None:
        self.session, self.uri, self.analysis, self.span, self.context = session, uri, analysis, span, context
        self._shown: dict[int, types.Diagnostic] = {}
        # until all files of the project have been read, every fix counts as one that needs review
        self._all_read = _unread(session, analysis.program) is None

    def actions(self) -> Iterator[types.CodeAction]:
        """Yield the actions in display order: fixes, pages of rules, accepting, suppressing.

        VS Code keeps the order of actions with diagnostics, except that preferred actions come first, and shows actions
        without diagnostics below.
        """
        say, only = phrases(self.analysis.engine), self.context.only
        if wanted(_QUICK, only):
            findings = touched(self.analysis, self.span, self.context.codes)
            for finding in findings:
                yield from self._fixes(finding, say)
            enabled = self.analysis.disabled is None
            for batch in batches_of_rules(self.uri, self.analysis, findings) if enabled else ():
                if not (batch.review or self._all_read):
                    continue
                title = say("fix rule", batch.rule)
                shown = self._diagnostics(findings, batch.rule)
                yield from self._batch(say("to review", title) if batch.review else title, _QUICK, batch, shown)
            if enabled:
                yield from self._everywhere(findings, say)
            yield from self._pages(findings, say)
            if enabled:
                yield from self._accepts(findings, say)
                yield from ignore_actions(self.session, self.analysis, findings, self._diagnostic, say)
            yield from self._unread(say)
        notebook = self.uri != self.analysis.program.uri
        kind = FIX_ALL_NOTEBOOK if notebook else FIX_ALL
        if wanted(kind, only) and self.analysis.disabled is None and self._all_read:
            batch = Batch(self.uri)
            if batch.count(self.analysis):
                yield from self._batch(say("fix notebook" if notebook else "fix file"), kind, batch)

    def _fixes(self, finding: Finding, say: Phrases) -> Iterator[types.CodeAction]:
        """Yield one action for each fix of a finding; if it has none, a disabled action that says what to do."""
        if not finding.fixes:
            yield from self._disabled(say("by hand", finding.rule), say("no fix", finding.message), finding)
        for number, fix in enumerate(finding.fixes):
            shown = label(fix.title)
            safe = fix.applicability == SAFE and self._all_read
            title = shown if safe else say("to review", shown)
            new = new_files.needed_by(self.session, self.analysis, fix.edits)
            why = self.analysis.disabled or new_files.why_not(self.session, self.analysis, new)
            if why is not None:
                yield from self._disabled(title, why, finding)
                continue
            yield types.CodeAction(
                title,
                kind=_QUICK,
                diagnostics=[self._diagnostic(finding)],
                is_preferred=True if safe and not number and self.session.client.preferred else None,
                edit=self._edit(finding, fix, new),
            )

    def _edit(self, finding: Finding, fix: Fix, new: NewFile | None) -> types.WorkspaceEdit:
        edits = [(edit, finding.rule) for edit in fix.edits]
        changes = convert.file_edits(self.analysis.program, edits)
        return convert.workspace_edit(self.session, changes, created=new)

    def _diagnostic(self, finding: Finding) -> types.Diagnostic:
        """The diagnostic of a finding as the client has it, shared by several actions."""
        known = self._shown.get(id(finding))
        if known is None:
            known = self._shown[id(finding)] = convert.diagnostic(self.session, self.analysis.program, finding)[1]
        return known

    def _diagnostics(self, findings: list[Finding], rule: str) -> list[types.Diagnostic]:
        """The diagnostics of findings of one rule."""
        return [self._diagnostic(finding) for finding in findings if finding.rule == rule]

    def _disabled(self, title: str, reason: str, finding: Finding | None = None) -> Iterator[types.CodeAction]:
        """A disabled action with its reason, for clients that show disabled actions."""
        if self.session.client.disabled:
            diagnostics = None if finding is None else [self._diagnostic(finding)]
            disabled = types.CodeActionDisabled(printable(reason))
            yield types.CodeAction(title, kind=_QUICK, diagnostics=diagnostics, disabled=disabled)

    def _batch(
        self, title: str, kind: str, batch: Batch, shown: list[types.Diagnostic] | None = None
    ) -> Iterator[types.CodeAction]:
        """An action that applies several fixes. The edit is included unless the client requests it later, by
        codeAction/resolve.

        `shown`: the diagnostics that the action belongs to; None if it is about the whole file.
        """
        if self.session.client.resolve_edit:
            yield types.CodeAction(title, kind=kind, diagnostics=shown, data=batch.data())
            return
        if self.context.automatic:  # computing the edit takes too long for an automatic request
            return
        edit, _ = edit_of(self.session, batch, self.analysis)
        if edit is not None:
            yield types.CodeAction(title, kind=kind, diagnostics=shown, edit=edit)

    def _everywhere(self, findings: list[Finding], say: Phrases) -> Iterator[types.CodeAction]:
        """For each rule of these findings, an action that applies the rule's fixes in the whole workspace; if the fixes
        need review, the action opens a preview."""
        client, path = self.session.client, self.analysis.program.path
        if not (client.apply_edit and path and self.session.folders.folder_of(path)):
            return
        previews = client.document_changes and client.annotations
        for batch in rules_of(self.uri, findings):
            if batch.review and not previews:
                continue
            title = say("preview rule" if batch.review else "fix rule everywhere", batch.rule)
            name = PREVIEW if batch.review else FIX_ALL_IN_WORKSPACE
            command = types.Command(title, name, arguments=[{"rules": [batch.rule]}])
            shown = self._diagnostics(findings, batch.rule)
            yield types.CodeAction(title, kind=_QUICK, diagnostics=shown, command=command)

    def _accepts(self, findings: list[Finding], say: Phrases) -> Iterator[types.CodeAction]:
        """Actions that accept one finding each, then actions that accept all findings of a rule in the file or
        workspace."""
        baseline = self.session.folders.choice_of(self.analysis.program).baseline
        if not baseline or self.session.client.restricted:
            return
        name = os.path.basename(baseline)  # noqa: PTH119
        for finding in findings:
            shown = self._diagnostic(finding)
            ends = {"start": shown.range.start, "end": shown.range.end}
            place = {side: {"line": end.line, "character": end.character} for side, end in ends.items()}
            title = say("accept", finding.rule, name)
            yield self._accept(title, {"rule": finding.rule, "range": place}, [shown])
        in_file = Counter(finding.rule for finding in self.analysis.findings)
        in_folder = self.session.folders.folder_of(self.analysis.program.path)
        for rule in dict.fromkeys(finding.rule for finding in findings):
            of_rule = self._diagnostics(findings, rule)
            if in_file[rule] > 1:
                yield self._accept(say("accept rule", rule, name), {"rule": rule}, of_rule)
            if in_folder:
                title = say("accept rule everywhere", rule, name)
                command = types.Command(title, ACCEPT_IN_WORKSPACE, arguments=[{"rules": [rule]}])
                yield types.CodeAction(title, kind=_QUICK, diagnostics=of_rule, command=command)

    def _accept(self, title: str, wanted: dict[str, Any], shown: list[types.Diagnostic]) -> types.CodeAction:
        command = types.Command(title, ACCEPT, arguments=[{"uri": self.uri, **wanted}])
        return types.CodeAction(title, kind=_QUICK, diagnostics=shown, command=command)

    def _pages(self, findings: list[Finding], say: Phrases) -> Iterator[types.CodeAction]:
        """Actions that show the page of each rule, for clients that can show a document."""
        for rule in dict.fromkeys(finding.rule for finding in findings):
            if self.session.client.show_document:
                title = say("why", rule)
                command = types.Command(title, SHOW_RULE, arguments=[{"rule": rule, "uri": self.uri}])
                shown = self._diagnostics(findings, rule)
                yield types.CodeAction(title, kind=_QUICK, diagnostics=shown, command=command)

    def _unread(self, say: Phrases) -> Iterator[types.CodeAction]:
        """A disabled action for a statement that cannot be parsed, if libcst is missing and could parse it."""
        start, end = self.span
        for skipped in self.analysis.report.skipped:
            text = self.analysis.text[skipped.start : skipped.end].rstrip()
            if skipped.start <= end and start <= skipped.start + len(text) and wants_libcst(text):
                yield from self._disabled(say("read"), newer_python(say))


def _resolved(session: Session, action: Any) -> dict[str, Any]:
    """Return the action for a batch of fixes with its edit, computed for the current text, which may have changed since
    the actions were requested."""
    if not isinstance(action, dict):
        raise JsonRpcInvalidParams("a code action is an object")
    batch = Batch.of(action.get("data"))
    if batch is None or action.get("edit") is not None:
        return action
    program = session.program(batch.uri)
    if program is None:
        raise JsonRpcInvalidParams(f"{batch.uri} is not open")
    analysis = session.analyse(program)
    edit, reason = edit_of(session, batch, analysis)
    if reason is not None:
        message = phrases(analysis.engine)("not made", reason)
        # the user chose this action, so a message is shown; actions for all rules also run on every save, and only
        # write to the log
        if batch.rule:
            session.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))
        else:
            session.window_log_message(types.LogMessageParams(types.MessageType.Info, f"{batch.uri}: {message}"))
    return action if edit is None else {**action, "edit": edit}
