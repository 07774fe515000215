"""What one file has for the overview, made of its analysis; and the analysis of a file that is not open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from uncuda.engine import Finding, name_of
from uncuda.facts.model import Facts
from uncuda.source import Source
from uncuda.workspace import Baselines, load_file
from uncuda.workspace.counts import row_of
from uncuda.workspace.discover import File
from uncuda.workspace.overview import Extent, FileListing, Listed
from uncuda.workspace.prints import Prints

from ..wire.uris import uri_of
from .analyses import Analysis
from .documents import Document

if TYPE_CHECKING:
    from .folders import Folders
    from .roots import Folder

_NAME = 16  # digits


class Closed(NamedTuple):
    """A file that is not open: its analysis, its text as the file has it, and its bytes."""

    analysis: Analysis
    source: Source
    data: bytes


def analyse_closed(folders: Folders, baselines: Baselines, path: str, folder: Folder) -> Closed | None:
    """Analyse a file as the server would if it were open; None where there is nothing to look for, or where it is not
    said for which target. FileProblem, SourceError or LimitExceeded if it cannot be."""
    place = str(Path(path).parent)
    engine, settings, chosen = folders.engine_at(place, folder, folder.project)
    if chosen.among:  # an open file says that the target is to be chosen
        return None
    source, data = load_file(File(path, settings, False), engine)
    if source is None:
        return None
    document = Document(uri_of(path), "python", None, source.text, folders.client.encoding)
    text = Source(source.text, path)
    report = engine.check(text, concerned=True)
    selection = baselines.selection(folders.baseline_at(place, folder), text, report)
    return Closed(Analysis(document, source.text, None, engine, report, selection=selection), source, data)


def version_of(text: str) -> str:
    """A name of a text: the same text has the same, whether it is open or not."""
    return name_of(text)[:_NAME]


def printed(analysis: Analysis, read: Callable[[], Facts] | None = None) -> dict[str, tuple[Finding, bool]]:
    """All that was found, by its print, and whether it is accepted. Of what is not, the fixes are those that may be
    made; `read`: gives what was read of the text, if that is known."""
    if analysis.undecided or not analysis.report.findings:
        return {}
    shown = {(finding.rule, finding.span): finding for finding in analysis.findings}
    every = analysis.report.findings
    prints = Prints(analysis.text, read() if read is not None else None).of(every)
    found = {}
    for finding, known in zip(every, prints, strict=True):
        left = shown.get((finding.rule, finding.span))
        found[known.print] = (left or finding, left is None)
    return found


def listing_of(
    analysis: Analysis, path: str, uri: str, baseline: str, read: Callable[[], Facts] | None = None
) -> FileListing:
    """What a file has. `path`: in its folder, `uri`: of the file; `baseline`: as in FileListing."""
    version = version_of(analysis.text)
    findings = printed(analysis, read)
    listed = tuple(_listed(analysis, uri, print_, *found) for print_, found in findings.items())
    return FileListing(path, analysis.program.path, uri, version, listed, baseline)


def _listed(analysis: Analysis, uri: str, print_: str, finding: Finding, accepted: bool) -> Listed:
    start, end = finding.span
    document, local = analysis.program.place(start)
    extent = Extent(*document.lines.points(local, local + end - start))
    there = "" if document.uri == uri or analysis.program is document else document.uri
    return Listed(row_of(finding), finding.message, print_, extent, accepted, there)
