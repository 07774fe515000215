"""Accepts findings of open documents: writes them into the project's baseline, which the command line reads too."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lsprotocol import types

from uncuda.edits import SAFE
from uncuda.engine import Finding
from uncuda.report.words import baseline_problem
from uncuda.source import Source
from uncuda.workspace import CLASSES
from uncuda.workspace.acceptance import Acceptance, Place
from uncuda.workspace.baseline import BaselineError, Key, read_baseline, write_baseline

from ..state.documents import Program
from ..wire.progress import Progress
from ..wire.texts import Texts
from ..wire.uris import uri_of
from .arguments import Wanted
from .jobs import JobProcess, job_of
from .questions import choose

if TYPE_CHECKING:
    from ..session import Session
    from ..state.analyses import Analysis

Result = dict[str, Any]


class Asked(NamedTuple):
    """Which findings to accept: the findings of a rule ("" means any rule), at a span of offsets in the analysed text
    (None means anywhere). `reason`: the user's reason; None if the user was not asked for one."""

    program: Program
    rule: str = ""
    span: tuple[int, int] | None = None
    reason: str | None = None

    def takes(self, finding: Finding) -> bool:
        """Return whether a finding should be accepted."""
        return self.rule in ("", finding.rule) and self.span in (None, tuple(finding.span))


class _Written(NamedTuple):
    """The entries that were written to a baseline: the file, the new entries with the fix class of each finding, and
    whether the file existed before."""

    file: str
    new: dict[Place, str]
    existed: bool


def accept(session: Session, asked: Asked) -> dict[str, Any]:
    """Write the findings into the baseline and tell the user; returns the result of the command."""
    analysis = session.analyse(asked.program)
    file = session.folders.choice_of(asked.program).baseline
    return _accept(session, analysis, file, asked.takes, asked.reason)


def accept_found(session: Session, analysis: Analysis, file: str, finding: Finding, reason: str | None) -> Result:
    """Add one finding to the baseline `file` and tell the user; return the result of the command."""
    this = finding.rule, finding.span
    return _accept(session, analysis, file, lambda other: (other.rule, other.span) == this, reason)


def _accept(
    session: Session, analysis: Analysis, file: str, takes: Callable[[Finding], bool], reason: str | None
) -> Result:
    texts = Texts(session.folders.language())
    try:
        written = _write(session, analysis, file, takes, reason, texts)
    except BaselineError as error:
        return _refused(session, texts, baseline_problem(error, texts.locale))
    if isinstance(written, str):
        return _refused(session, texts, written)
    return _accepted(session, texts, [written], reason)


async def accept_everywhere(
    session: Session, wanted: Wanted, reason: str | None, classes: Collection[str] = CLASSES
) -> Result:
    """Accept the findings of the wanted rules, in the workspace or in a part of it, by writing them into baselines;
    returns the result of the command."""
    texts = Texts(session.folders.language())
    if session.client.restricted:
        return _refused(session, texts, texts("not trusted"))
    progress = Progress(session, texts("accepting"))
    progress.start()
    job = replace(await job_of(session, wanted, diff=False), accept=True)
    process = JobProcess(session, job, progress.report)
    cancelled = asyncio.ensure_future(progress.cancelled.wait())
    either: set[asyncio.Future[Any]] = {process.done, cancelled}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if progress.cancelled.is_set():
            return _refused(session, texts, texts("cancelled"))
        outcome = process.done.result()
    finally:
        cancelled.cancel()
        process.stop()
        progress.end()
    if outcome.undecided:
        titles = session.folders.titles_of(outcome.undecided, texts.locale)
        return _refused(session, texts, texts("undecided", targets=titles))
    acceptable = [one for one in outcome.acceptable if one.kind in classes]
    if outcome.failed or not acceptable:
        return _refused(session, texts, outcome.failed or texts("not there"))
    by_file: dict[str, dict[Place, str]] = {}
    for one in acceptable:
        by_file.setdefault(one.file, {})[Key(one.path, one.rule, one.print), one.target] = one.kind
    written: list[_Written] = []
    try:
        known = [(Acceptance(read_baseline(file)), places) for file, places in by_file.items()]
        for acceptance, places in known:
            written.append(_add(acceptance, places, reason))
    except BaselineError as error:
        return _refused(session, texts, baseline_problem(error, texts.locale), written, reason)
    return _accepted(session, texts, written, reason)


def _write(
    session: Session,
    analysis: Analysis,
    file: str,
    takes: Callable[[Finding], bool],
    reason: str | None,
    texts: Texts,
) -> _Written | str:
    """Write a baseline and return its new entries, or the reason why the baseline was not written."""
    if session.client.restricted:
        return texts("not trusted")
    if not file:
        return texts("no folder")
    if not any(map(takes, analysis.findings)):
        return texts("not there")
    acceptance = Acceptance(read_baseline(file))
    acceptance.accepted(Source(analysis.text, analysis.program.path), analysis.report.findings, takes)
    return _add(acceptance, {}, reason)


def _add(acceptance: Acceptance, places: Mapping[Place, str], reason: str | None) -> _Written:
    """Add the findings in `places` to a baseline, and write the baseline."""
    acceptance.add(places)
    new, existed = acceptance.new, acceptance.baseline.data is not None
    write_baseline(acceptance.baseline, acceptance.bytes(reason or "", counted=False))
    return _Written(acceptance.baseline.file, new, existed)


def _accepted(session: Session, texts: Texts, written: list[_Written], reason: str | None) -> dict[str, Any]:
    session.baselines_touched()
    session.keep(_offer(session, texts, written, reason is None))
    return {"accepted": sum(len(each.new) for each in written), "file": uri_of(written[0].file)}


def _refused(
    session: Session, texts: Texts, why: str, written: list[_Written] | None = None, reason: str | None = None
) -> dict[str, Any]:
    """Tell the user why nothing was accepted, or why only the entries in `written` were accepted."""
    message = texts("not all accepted" if written else "not accepted", why)
    session.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))
    return _accepted(session, texts, written, reason) if written else {"accepted": 0, "file": None}


async def _offer(session: Session, texts: Texts, written: list[_Written], unasked: bool) -> None:
    """Tell the user which findings were accepted. One button undoes this; another opens the first new entry of the
    baseline, so that the user can write the reason for accepting the finding."""
    kinds = [kind for each in written for kind in each.new.values()]
    files = ", ".join(dict.fromkeys(Path(each.file).name for each in written))
    said = texts("accepted", texts.count(len(kinds), "finding"), files)
    if safe := kinds.count(SAFE):  # accepting a finding with a safe fix is often a mistake: the code still uses CUDA
        said += texts("accepted safe", safe)
    if not session.client.offers_buttons:  # an editor without buttons would show a blocking dialog
        session.window_show_message(types.ShowMessageParams(types.MessageType.Info, said))
        return
    answers = {texts("take back"): "back"}
    if unasked and session.client.show_document:
        answers = {texts("write reason"): "reason", **answers}
    answer = await choose(session, said, answers)
    if answer == "reason":
        await _show(session, written[0])
    elif answer == "back":
        try:
            for each in written:
                _take_back(each)
        except BaselineError as error:
            _refused(session, texts, baseline_problem(error, texts.locale))
        session.baselines_touched()


async def _show(session: Session, written: _Written) -> None:
    """Open the baseline at the first new entry."""
    with suppress(BaselineError):
        entries = read_baseline(written.file).entries
        first, _ = next(iter(written.new))
        line = next((entry.line - 1 for entry in entries if entry.key == first), 0)
        place = types.Range(types.Position(line, 0), types.Position(line, 0))
        params = types.ShowDocumentParams(uri_of(written.file), take_focus=True, selection=place)
        await session.window_show_document_async(params)


def _take_back(written: _Written) -> None:
    """Remove the new entries from the baseline; delete the file if it is then empty and did not exist before."""
    acceptance = Acceptance(read_baseline(written.file))
    rest = set(acceptance.places) - set(written.new)
    if rest or written.existed:
        write_baseline(acceptance.baseline, acceptance.bytes(without=written.new, counted=False))
    else:
        with suppress(OSError):
            Path(written.file).unlink()
