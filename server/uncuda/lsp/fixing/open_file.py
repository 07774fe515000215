"""Fixes one open document or notebook inside the server, with the facts about its project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from uncuda.project import SILENT
from uncuda.report.diff import readable_diff
from uncuda.source import Source

from ..state.documents import Program
from ..state.notebooks import Notebook
from . import new_files
from .arguments import Wanted
from .changes import created, file_change
from .job import FileChange, Outcome, left_in, lowered
from .jobs import form_of, spared_in

if TYPE_CHECKING:
    from ..session import Session


def in_reach(session: Session, uri: str) -> Program | None:
    """Return the open document or notebook with this URI, if it can be fixed inside the server: the facts about its
    project and the types of its receivers are known, and it is small enough."""
    program = (session.program(uri) or session.notebooks.get(uri)) if uri else None
    if program is None:
        return None
    choice = session.folders.choice_of(program)
    known = not program.path or choice.folder is None or (choice.folder.scanned and not choice.settings.receivers)
    return program if known and not session.analyse(program).heavy else None


def fix_program(session: Session, program: Program, wanted: Wanted, diff: bool) -> Outcome:
    """Return the changes in an open document or notebook. `diff`: whether the outcome should contain a diff as well."""
    outcome, choice = Outcome(failed=""), session.folders.choice_of(program)
    if choice.left_out:
        return outcome
    if choice.chosen.among:
        return Outcome(undecided=choice.chosen.among, failed="")
    analysis = session.analyse(program)
    spared = spared_in(session, program)
    answers = dict.fromkeys(spared, SILENT)
    source = Source(analysis.text, program.path)
    asked = analysis.selection
    fixed = analysis.engine.fix(source, wanted.review, rules=wanted.rules, answers=answers, selection=asked)
    shown = left_in(analysis.findings, wanted.rules)
    outcome.left = {program.uri: shown} if shown.total else {}
    if spared:
        outcome.skipped.append({"uri": program.uri, "reason": "receiver"})
    new = new_files.needed(session, analysis.engine, fixed.text, analysis.program.path) if fixed.changes else None
    why = fixed.refused or (analysis.disabled if fixed.changes else None)
    why = why or new_files.why_not(session, analysis, new, among=True)
    if why:
        outcome.skipped.append({"uri": program.uri, "reason": why})
    elif fixed.changes:
        cells = isinstance(program, Notebook)
        fields = file_change(program.uri, program.version, fixed.before, fixed.changes, form_of(session.client), cells)
        left = left_in(fixed.report.findings, wanted.rules)
        left = left.plus(left_in(lowered(analysis.findings, analysis.answers), wanted.rules))
        form = form_of(session.client)
        outcome.files = [created(new, form)] if new is not None else []
        outcome.files += [FileChange(**fields, open=True, stamp=None, rules=fixed.applied, left=left)]
        if diff:
            before, after = (text.encode("utf-8", "replace") for text in (fixed.before, fixed.text))
            made = readable_diff(new.path, None, new.data, "utf-8") if new is not None else ()
            outcome.diff = "".join(made) + "".join(readable_diff(program.path or program.uri, before, after, "utf-8"))
    return outcome
