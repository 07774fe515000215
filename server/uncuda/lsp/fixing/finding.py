"""Finds the finding that a client identifies in the current text, and previews its fix, fixes it or accepts it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from uncuda.edits import apply_edits, changes_of
from uncuda.engine import Finding
from uncuda.limits import LimitExceeded
from uncuda.report.words import baseline_problem
from uncuda.source import SourceError
from uncuda.workspace import FileProblem, file_changes, file_text, fix_class, leads_out
from uncuda.workspace.discover import File
from uncuda.workspace.portable import NewFile

from ..state.analyses import Analysis
from ..state.choice import PORTABLE
from ..state.fix_command import command_for
from ..state.listing import Closed, analyse_closed, printed, version_of
from ..state.notebooks import Notebook
from ..state.outline import OverviewTexts
from ..wire.overview import FindingName, FixedText
from ..wire.texts import Texts
from ..wire.uris import path_of
from . import new_files
from .changes import created, file_change, kept_by_editors
from .job import FileChange, Left
from .jobs import form_of

if TYPE_CHECKING:
    from ..session import Session


@dataclass(frozen=True)
class FoundNow:
    """A finding that was found again in the current text. `closed`: the closed file that contains the finding; None if
    the file is open."""

    analysis: Analysis
    finding: Finding
    accepted: bool
    closed: Closed | None


def current(session: Session, uri: str, version: str) -> tuple[Analysis, Closed | None] | None:
    """Return the analysis of a text, and of the file if it is not open; None if it is another version now."""
    program = session.overviews.open_at(session.overviews.key(uri))
    if program is not None:
        analysis, closed = session.analyse(program), None
    else:
        path = path_of(uri) or ""
        folder = session.folders.folder_of(path)
        if folder is None:
            return None
        try:
            closed = analyse_closed(session.folders, session.analyses.baselines, path, folder)
        except (FileProblem, SourceError, LimitExceeded):
            return None
        if closed is None:
            return None
        analysis = closed.analysis
    is_same = not analysis.pending and version_of(analysis.text) == version
    return (analysis, closed) if is_same else None


def look_up(session: Session, name: FindingName) -> FoundNow | None:
    """Return the finding with this name; None if the text has changed since, or has no such finding."""
    known = current(session, name["uri"], name["version"])
    if known is None:
        return None
    analysis, closed = known
    found = printed(analysis).get(name["print"])
    return None if found is None else FoundNow(analysis, *found, closed)


def fixed_text(session: Session, name: FindingName) -> FixedText:
    """Return the text with the finding fixed; for a notebook, its cells as one Python text."""
    texts = OverviewTexts(session.folders.language())
    known = look_up(session, name)
    if known is None:
        return FixedText(stale=texts("changed"))
    fixes = known.finding.fixes
    text = apply_edits(known.analysis.text, fixes[0].edits) if fixes and not known.accepted else known.analysis.text
    return FixedText(text=text, title=texts("fixed", Path(known.analysis.program.path).name))


async def fix_finding(session: Session, name: FindingName) -> dict[str, Any]:
    """Apply the best fix of a finding; return the result of the command."""
    from .apply import apply, misread

    texts, words = OverviewTexts(session.folders.language()), Texts(session.folders.language())
    known = look_up(session, name)
    if known is None:
        return _refused(session, texts, stale=True)
    if not session.client.apply_edit:
        return _refused(session, texts, words("no edits"))
    if why := _hindrance(session, known, texts, words):
        return _refused(session, texts, why)
    change = _change(session, name, known)
    made = [created(new, form_of(session.client))] if (new := _new_file(session, known)) is not None else []
    if encoding := (await misread(session, [change])).get(change.uri):
        return _refused(session, texts, words("read as", change.otherwise, encoding=encoding))
    if look_up(session, name) is None:  # the text has changed meanwhile
        return _refused(session, texts, stale=True)
    title = known.finding.fixes[0].title
    applied = await apply(session, [*made, change], texts("label", title), words)
    if not applied.applied:
        return _refused(session, texts, applied.reason or words("not applied"))
    return {"applied": True, "stale": False}


def accept_finding(session: Session, name: FindingName, reason: str | None) -> dict[str, Any]:
    """Accept a finding; return the result of the command."""
    from .accept import accept_found

    known = look_up(session, name)
    if known is None or known.accepted:
        texts = OverviewTexts(session.folders.language())
        _refused(session, texts, stale=True)
        return {"accepted": 0, "file": None, "stale": True}
    return {**accept_found(session, known.analysis, _baseline(session, known), known.finding, reason), "stale": False}


def _baseline(session: Session, known: FoundNow) -> str:
    """Return the path of the baseline file for the finding."""
    program = known.analysis.program
    if known.closed is None:
        return session.folders.choice_of(program).baseline
    return session.folders.baseline_at(str(Path(program.path).parent), session.folders.folder_of(program.path))


def _hindrance(session: Session, known: FoundNow, texts: OverviewTexts, words: Texts) -> str:
    """Return the reason why an editor must not apply the fix; "" if it may."""
    if known.accepted or not known.finding.fixes:
        return texts("no fix")
    if (why := new_files.why_not(session, known.analysis, _new_file(session, known), among=True)) is not None:
        return why
    if known.closed is None:
        return known.analysis.disabled or ""
    error = session.analyses.baselines.error(_baseline(session, known))
    if error is not None:
        return baseline_problem(error, words.locale)
    source, data = known.closed.source, known.closed.data
    file = File(source.path, known.analysis.engine.settings, False)
    if leads_out(file, [folder.path for folder in session.folders.all]):
        return texts("link out")
    if lost := kept_by_editors(data, file_text(data, source)):
        return words(lost, _command(known), encoding=source.encoding)
    return ""


def _new_file(session: Session, known: FoundNow) -> NewFile | None:
    """The helper module that a fix of a portable project needs, if it does not exist."""
    return new_files.needed_by(session, known.analysis, known.finding.fixes[0].edits)


def _command(known: FoundNow) -> str:
    review, engine = fix_class(known.finding) != "safe", known.analysis.engine
    target = PORTABLE if engine.settings.portable else engine.target.id
    return command_for(known.analysis.program.path, review, target)


def _change(session: Session, name: FindingName, known: FoundNow) -> FileChange:
    analysis, form = known.analysis, form_of(session.client)
    changes = changes_of([(known.finding.fixes[0], known.finding.rule)])
    rules = {known.finding.rule: 1}
    if known.closed is None:
        program = analysis.program
        cells = isinstance(program, Notebook)
        fields = file_change(program.uri, program.version, analysis.text, changes, form, cells)
        return FileChange(**fields, open=True, stamp=None, rules=rules, left=Left())
    source, data = known.closed.source, known.closed.data
    text = file_text(data, source)
    fields = file_change(name["uri"], None, text.text, file_changes(data, source, changes), form)
    otherwise = "" if text.bom or text.text.isascii() else _command(known)
    return FileChange(**fields, open=False, stamp=None, rules=rules, left=Left(), otherwise=otherwise)


def _refused(session: Session, texts: OverviewTexts, why: str = "", stale: bool = False) -> dict[str, Any]:
    """Show the user why nothing was done; return the result of the command."""
    message = texts("label", texts("changed")) if stale else texts("not fixed", why)
    session.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))
    return {"applied": False, "stale": stale}
