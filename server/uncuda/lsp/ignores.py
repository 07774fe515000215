"""Code actions that silence findings by comments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol import types

from uncuda.edits import Edit
from uncuda.engine import Finding
from uncuda.engine.silence import ignore_in_file, ignore_on_line
from uncuda.facts.layout import Layout
from uncuda.suppress import RULE as UNUSED

from . import convert
from .phrases import Phrases
from .server import UncudaServer
from .state import Analysis


def ignore_actions(
    server: UncudaServer, analysis: Analysis, findings: Iterable[Finding], say: Phrases
) -> Iterator[types.CodeAction]:
    """One action for each line and rule of these findings, then one for each rule and the whole file."""
    findings = list(findings)
    layout = Layout(analysis.text)
    lines: dict[tuple[str, Edit], list[Finding]] = {}
    for finding in findings:
        edit = ignore_on_line(analysis.text, layout, finding.span, finding.rule)
        if edit is not None:
            lines.setdefault((finding.rule, edit), []).append(finding)
    for (rule, edit), found in lines.items():
        yield _action(server, analysis, say("ignore line", rule), edit, found)
    for rule in dict.fromkeys(finding.rule for finding in findings):
        if rule != UNUSED:  # this one is about a comment: only its line can be meant
            found = [finding for finding in findings if finding.rule == rule]
            edit = ignore_in_file(analysis.text, layout, rule)
            yield _action(server, analysis, say("ignore file", rule), edit, found)


def _action(
    server: UncudaServer, analysis: Analysis, title: str, edit: Edit, findings: list[Finding]
) -> types.CodeAction:
    rule = findings[0].rule
    changes = convert.file_edits(analysis.program, [(edit, rule)])
    return types.CodeAction(
        title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[convert.diagnostic(server, analysis.program, finding)[1] for finding in findings],
        edit=convert.workspace_edit(server, changes),
    )
