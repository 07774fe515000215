"""Builds a file's entry in the overview from its analysis, and analyses closed files."""

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

_NAME = 16  # number of digits of a version digest


class Closed(NamedTuple):
    """The analysis of a closed file, with its decoded text and its bytes."""

    analysis: Analysis
    source: Source
    data: bytes


def analyse_closed(folders: Folders, baselines: Baselines, path: str, folder: Folder) -> Closed | None:
    """Analyse a closed file as the server would analyse it if it were open.

    Return None if nothing in the file can be checked, or if the project's target is not decided. Raise FileProblem,
    SourceError or LimitExceeded if the file cannot be analysed.
    """
    place = str(Path(path).parent)
    engine, settings, chosen = folders.engine_at(place, folder, folder.project)
    if chosen.among:  # if the target is not decided, only open files get a diagnostic that says so
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
    """Return a digest of a text, by which clients recognise that a document or file has changed."""
    return name_of(text)[:_NAME]


def printed(analysis: Analysis, read: Callable[[], Facts] | None = None) -> dict[str, tuple[Finding, bool]]:
    """Return all findings by fingerprint, as pairs: the finding, and whether it is accepted.

    For findings that are not accepted, only the fixes that may be applied are kept. `read`: a function that returns the
    `Facts` of the text, such as its lines and scopes; without the function, they are computed.
    """
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
    """Return a file's entry in the overview. `path`: the path of the file relative to its folder; `read`: a function
    that returns the `Facts` of the text, such as its lines and scopes; without the function, they are computed."""
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
