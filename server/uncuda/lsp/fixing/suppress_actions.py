"""Code actions that add suppression comments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from lsprotocol import types

from uncuda.edits import Edit
from uncuda.engine import Finding
from uncuda.engine.suppression_edits import ignore_in_file, ignore_on_line
from uncuda.facts.layout import Layout
from uncuda.suppress import RULE as UNUSED

from ..session import Session
from ..state.analyses import Analysis
from ..state.phrases import Phrases
from . import convert


def ignore_actions(
    session: Session,
    analysis: Analysis,
    findings: Sequence[Finding],
    diagnostic: Callable[[Finding], types.Diagnostic],
    say: Phrases,
) -> Iterator[types.CodeAction]:
    """Return one action for each line and rule of these findings, then one for each rule in the whole file.
    `diagnostic` is a function that returns the diagnostic of a finding."""
    layout = Layout(analysis.text)
    lines: dict[tuple[str, Edit], list[Finding]] = {}
    for finding in findings:
        edit = ignore_on_line(analysis.text, layout, finding.span, finding.rule)
        if edit is not None:
            lines.setdefault((finding.rule, edit), []).append(finding)
    for (rule, edit), found in lines.items():
        shown = [diagnostic(finding) for finding in found]
        yield _action(session, analysis, say("ignore line", rule), (edit, rule), shown)
    for rule, first in {finding.rule: finding for finding in reversed(findings)}.items():
        if rule != UNUSED:  # a comment for the whole file cannot suppress the rule about unused comments
            edit = ignore_in_file(analysis.text, layout, rule)
            yield _action(session, analysis, say("ignore file", rule), (edit, rule), [diagnostic(first)])


def _action(
    session: Session, analysis: Analysis, title: str, edit: tuple[Edit, str], shown: list[types.Diagnostic]
) -> types.CodeAction:
    changes = convert.file_edits(analysis.program, [edit])
    return types.CodeAction(
        title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=shown,
        edit=convert.workspace_edit(session, changes),
    )
