"""Finds a client's finding in the current text; previews or applies its fix, accepts or suppresses the finding."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from uncuda.edits import SAFE, Fix, apply_edits, changes_of
from uncuda.engine import Finding
from uncuda.engine.suppression_edits import ignore_on_line
from uncuda.facts.layout import Layout
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
    """A finding that was found again in the current text. `closed`: the closed file with the finding; None if the
    document is open."""

    analysis: Analysis
    finding: Finding
    accepted: bool
    closed: Closed | None


def current(session: Session, uri: str, version: str) -> tuple[Analysis, Closed | None] | None:
    """Return the analysis of the document or file at a URI, and the file's text if it is not open in the editor; None
    if the digest of the text is no longer `version`."""
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
    texts, words = OverviewTexts(session.folders.language()), Texts(session.folders.language())
    known = look_up(session, name)
    if known is None:
        return _refused(session, texts, stale=True)
    if why := _no_fix(session, known, texts) or _hindrance(session, known, texts, words):
        return _refused(session, texts, why)
    return await _make(session, name, known, known.finding.fixes[0])


async def suppress_finding(session: Session, name: FindingName, reason: str) -> dict[str, Any]:
    """Suppress a finding by a comment on its line, with a reason; return the result of the command."""
    texts, words = OverviewTexts(session.folders.language()), Texts(session.folders.language())
    known = look_up(session, name)
    if known is None or known.accepted:
        return _refused(session, texts, stale=True)
    if why := _hindrance(session, known, texts, words):
        return _refused(session, texts, why)
    text, finding = known.analysis.text, known.finding
    edit = ignore_on_line(text, Layout(text), finding.span, finding.rule, " ".join(reason.replace("#", " ").split()))
    if edit is None:
        return _refused(session, texts, texts("no room"))
    return await _make(session, name, known, Fix(texts("suppress"), SAFE, (edit,)))


async def _make(session: Session, name: FindingName, known: FoundNow, fix: Fix) -> dict[str, Any]:
    """Request the client to apply a fix of a finding; return the result of the command."""
    from .apply import apply, misread

    texts, words = OverviewTexts(session.folders.language()), Texts(session.folders.language())
    change = _change(session, name, known, fix)
    made = [created(new, form_of(session.client))] if (new := _new_file(session, known, fix)) is not None else []
    if encoding := (await misread(session, [change])).get(change.uri):
        return _refused(session, texts, words("read as", change.otherwise, encoding=encoding))
    if look_up(session, name) is None:  # the text may have changed during the `await` above
        return _refused(session, texts, stale=True)
    applied = await apply(session, [*made, change], texts("label", fix.title), words)
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
    """Return the path of the baseline file for a finding."""
    program = known.analysis.program
    if known.closed is None:
        return session.folders.choice_of(program).baseline
    return session.folders.baseline_at(str(Path(program.path).parent), session.folders.folder_of(program.path))


def _no_fix(session: Session, known: FoundNow, texts: OverviewTexts) -> str:
    """Return why the fix of a finding must not be applied; "" if it may be applied."""
    if known.accepted or not known.finding.fixes:
        return texts("no fix")
    new = _new_file(session, known, known.finding.fixes[0])
    return new_files.why_not(session, known.analysis, new, among=True) or ""


def _hindrance(session: Session, known: FoundNow, texts: OverviewTexts, words: Texts) -> str:
    """Return why an editor must not change the file of a finding; "" if it may change the file."""
    if not session.client.apply_edit:
        return words("no edits")
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


def _new_file(session: Session, known: FoundNow, fix: Fix) -> NewFile | None:
    """Return the helper module that a fix in a portable project needs, if it does not exist yet; otherwise None."""
    return new_files.needed_by(session, known.analysis, fix.edits)


def _command(known: FoundNow) -> str:
    review, engine = fix_class(known.finding) != "safe", known.analysis.engine
    target = PORTABLE if engine.settings.portable else engine.target.id
    return command_for(known.analysis.program.path, review, target)


def _change(session: Session, name: FindingName, known: FoundNow, fix: Fix) -> FileChange:
    analysis, form = known.analysis, form_of(session.client)
    changes = changes_of([(fix, known.finding.rule)])
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
