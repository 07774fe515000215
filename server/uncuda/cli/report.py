"""The command `uncuda report`, which writes a report on the port of the whole project."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from uncuda.report.port import FORMATS, port_report
from uncuda.report.port.json import NoReportError, read_report
from uncuda.report.port.naming import Naming
from uncuda.report.port.shown import PortReport, PortWords
from uncuda.settings import shown
from uncuda.workspace import Checked, EngineFor, File, FileProblem, Problem
from uncuda.workspace.comparison import Comparison, Earlier, compare
from uncuda.workspace.files import put_atomically
from uncuda.workspace.port import Gathering, Port

from . import ERROR
from .asking import Asking, asking_options
from .invocation import Invocation
from .options import overrides, path_options, settings_options
from .session import STDIN, Failure, Session, choose
from .texts import say

_PAGE = "uncuda-report.html"
_SUFFIXES = {".htm": "html", ".html": "html", ".md": "markdown", ".json": "json", ".csv": "csv"}


@click.command("report", help=say("report"))
@path_options
@settings_options
@click.option("--output", metavar="FILE", help=say("output"))
@click.option("--format", "form", metavar="|".join(FORMATS), help=say("report format"))
@click.option("--compare", metavar="OLD.json", help=say("compare"))
@click.option("--beside/--no-beside", default=True, help=say("beside"))
@asking_options
def command(paths: tuple[str, ...], output: str | None, form: str | None, beside: bool, **given: Any) -> int:
    """Check the project and write the report."""
    form = choose("format", form or _SUFFIXES.get(Path(output or "").suffix.lower(), "html"), FORMATS)
    output = output or (_PAGE if form == "html" else STDIN)
    session = Session(overrides(given), given["config"], given["isolated"], given["quiet"], given["verbose"])
    earlier = _earlier(given["compare"], session) if given["compare"] is not None else None
    asking = Asking(session, given)
    files = asking.files(paths)
    naming = Naming.of(paths, [file.path for file in session.looked], "" if output == STDIN else output)
    port = _gather(session, asking, given, paths, files, naming, beside)
    comparison = _compared(given["compare"], earlier, port, session) if earlier is not None else None
    report = PortReport(
        port,
        naming.title,
        PortWords(session.words.locale),
        session.catalogue,
        Invocation(click.get_current_context()),
        [Problem(naming.shown(problem.path), problem.message) for problem in session.problems],
        naming.link,
        asking.begun,
        comparison,
    )
    _write(port_report(form, report), output, session)
    return ERROR if session.problems else 0


def _gather(
    session: Session,
    asking: Asking,
    given: dict[str, Any],
    paths: Sequence[str],
    files: list[File],
    naming: Naming,
    beside: bool,
) -> Port:
    """Check the files and return the data for the report.

    The checks for other targets use another `Asking` object, because matching findings with baseline entries changes
    its state.
    """

    def again(others: Sequence[File], engine_for: EngineFor) -> Iterator[Checked]:
        return _told(session, session.check_again(paths, others, engine_for))

    gathering = Gathering(session.engines, session.looked, naming.name, again)
    results = session.check(paths, files, session.console.progress(files, shown=True))
    for result in _told(session, results):
        if result.source is not None and result.report is not None:
            session.unread(result.source, result.report)
        gathering.add(result, asking.selection(result))
    asking.finish(paths)
    other = Asking(session, given, says=False)
    other.open(files)
    return gathering.finish(list(session.catalogue.declarations) if beside else (), other.selection)


def _told(session: Session, results: Iterable[Checked]) -> Iterator[Checked]:
    """Yield the results, and print the error of each failed file once."""
    for result in results:
        if result.problem and result.file.path not in {problem.path for problem in session.problems}:
            session.fail(result.problem, result.trace)
        yield result


def _earlier(path: str, session: Session) -> tuple[Earlier, ...]:
    try:
        return read_report(path)
    except NoReportError as error:
        words = PortWords(session.words.locale)
        key = "old unreadable" if error.reason else "old no report"
        raise Failure(words(key, shown(Path(path)), error.reason)) from None


def _compared(path: str, earlier: Sequence[Earlier], port: Port, session: Session) -> Comparison:
    """Return the comparison with an earlier report; raise Failure if the earlier report is for other targets."""
    before = {one.target for one in earlier}
    now = {plugin.target for plugin in port.plugins}
    if before and now and before.isdisjoint(now):
        words = PortWords(session.words.locale)
        of, for_ = words.join(sorted(before)), words.join(sorted(now))
        raise Failure(words("old other target", shown(Path(path)), of, for_))
    return compare(earlier, port.findings, port.looked)


def _write(text: str, output: str, session: Session) -> None:
    data = text.encode("utf-8", "backslashreplace")
    if output == STDIN:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    words = PortWords(session.words.locale)
    try:
        put_atomically(os.path.abspath(output), data)  # noqa: PTH100 as in workspace
    except FileProblem as error:
        raise Failure(f"{shown(Path(output))}: {error}") from None
    session.console.note(words("written", shown(Path(output))))
