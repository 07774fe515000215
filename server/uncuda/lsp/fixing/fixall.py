"""Code actions that apply many fixes of a file at once; their edits are computed when the user chooses one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from uncuda.edits import SAFE
from uncuda.engine import Finding
from uncuda.limits import LimitExceeded
from uncuda.messages import language
from uncuda.source import Source

from ..session import Session
from ..state.analyses import Analysis
from ..state.choice import PORTABLE
from ..state.fix_command import command_for
from ..state.heavy import between_keys
from ..wire.names import FIX_ALL_IN_FILE
from ..wire.texts import Texts
from . import convert, new_files


@dataclass(frozen=True)
class Batch:
    """The fixes of a file that one action applies. `rule`: the rule whose fixes are applied, "" for all rules;
    `review`: whether fixes that need review are included."""

    uri: str
    rule: str = ""
    review: bool = False

    def data(self) -> dict[str, Any]:
        """The data that a code action contains until its edit is computed."""
        return {"uri": self.uri, "rule": self.rule, "review": self.review}

    @classmethod
    def of(cls, data: Any) -> Batch | None:
        """Return the batch that the data of a code action describes; None if the data describes no batch."""
        if not isinstance(data, dict):
            return None
        uri, rule, review = data.get("uri"), data.get("rule", ""), data.get("review", False)
        good = isinstance(uri, str) and isinstance(rule, str) and isinstance(review, bool)
        return cls(uri, rule, review) if good and uri else None

    def takes(self, finding: Finding) -> bool:
        """Whether the batch includes a finding's first fix."""
        wanted = not self.rule or finding.rule == self.rule
        return wanted and bool(finding.fixes) and (self.review or finding.fixes[0].applicability == SAFE)

    def count(self, analysis: Analysis) -> int:
        """Return how many findings the batch would fix, as far as this is known before the fixes are computed."""
        return sum(map(self.takes, analysis.findings))


def batches_of_rules(uri: str, analysis: Analysis, findings: list[Finding]) -> list[Batch]:
    """Return those batches of `rules_of` that fix more than one finding."""
    return [batch for batch in rules_of(uri, findings) if batch.count(analysis) > 1]


def rules_of(uri: str, findings: list[Finding]) -> list[Batch]:
    """Return, for each rule of these findings, the batch that fixes all findings of the rule in the file; it includes
    fixes that need review only if no fix of the rule here is safe."""
    found: dict[str, Batch] = {}
    for finding in findings:
        if finding.fixes:
            review = finding.fixes[0].applicability != SAFE
            known = found.get(finding.rule)
            if known is None or (known.review and not review):
                found[finding.rule] = Batch(uri, finding.rule, review)
    return list(found.values())


def edit_of(session: Session, batch: Batch, analysis: Analysis) -> tuple[types.WorkspaceEdit | None, str | None]:
    """(edit, reason): the edit of a batch for the current text, or the reason why there is none; (None, None) if there
    is nothing left to fix."""
    if analysis.disabled is not None:
        return None, analysis.disabled
    if analysis.heavy:
        return None, too_heavy(analysis, batch.review)
    rules = {batch.rule} if batch.rule else None
    source = Source(analysis.text, analysis.program.path)
    limits = between_keys(analysis.engine.settings.limits)
    try:
        known, selection = analysis.answers, analysis.selection
        fixed = analysis.engine.fix(
            source, batch.review, rules=rules, answers=known, limits=limits, selection=selection
        )
    except LimitExceeded:
        return None, too_heavy(analysis, batch.review)
    if fixed.refused is not None:
        return None, fixed.refused
    edits = [(change.edit, change.rules[0]) for change in fixed.changes]
    if not edits:
        return None, None
    new = new_files.needed(session, analysis.engine, fixed.text, analysis.program.path)
    if (why := new_files.why_not(session, analysis, new)) is not None:
        return None, why
    return convert.workspace_edit(session, convert.file_edits(analysis.program, edits), created=new), None


def too_heavy(analysis: Analysis, review: bool) -> str:
    """Return the message that a document is too large to be fixed while the user types; the message names the command
    to use instead."""
    program = analysis.program
    target = PORTABLE if analysis.engine.settings.portable else analysis.engine.target.id
    command = command_for(program.path, review, target) if program.path else FIX_ALL_IN_FILE
    return Texts(language(analysis.engine.settings.locale))("heavy", command)


def fixable(analysis: Analysis) -> Counter[str]:
    """Return the number of findings that have a fix, by the class of their first fix."""
    return Counter(finding.fixes[0].applicability for finding in analysis.findings if finding.fixes)
