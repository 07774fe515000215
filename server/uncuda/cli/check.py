"""The command `uncuda check`: reports findings and changes nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import click

from uncuda.limits import LimitExceeded
from uncuda.report import FORMATS, reporter
from uncuda.report.base import Frame, Only, Reporter
from uncuda.source import SourceError
from uncuda.workspace import Checked, Exceeds, File, OtherLanguageError, Problem, source_of

from . import ERROR, FINDINGS
from .accepting import writing_options
from .asking import Asking, asking_options
from .console import colored
from .invocation import Invocation
from .options import common_options, overrides, settings_options
from .session import Session, choose, fails, shown_only
from .texts import say

_FOR_PEOPLE = ("text", "concise")
_GO_WITH = {"statistics": ("text", "concise", "json"), "summary": ("text", "json")}


@click.command(
    "check",
    help=say("check"),
)
@common_options
@settings_options
@click.option("--output-format", metavar="|".join(FORMATS), default="text", help=say("output-format"))
@click.option(
    "--statistics",
    is_flag=True,
    help=say("statistics"),
)
@click.option("--summary", is_flag=True, help=say("summary"))
@click.option("--only", multiple=True, metavar="safe|review|manual|RULE", help=say("only"))
@click.option("--exit-zero", is_flag=True, help=say("exit-zero"))
@asking_options
@writing_options
def command(paths: tuple[str, ...], output_format: str, exit_zero: bool, **given: Any) -> int:
    """Check files and report their findings."""
    choose("output format", output_format, FORMATS)
    for option, formats in _GO_WITH.items():
        if given[option] and output_format not in formats:
            raise click.UsageError(say("goes with", option=f"--{option}", formats=", ".join(formats)))
    session = Session(overrides(given), given["config"], given["isolated"], given["quiet"], given["verbose"])
    only = shown_only(given["only"], session.catalogue)
    asking = Asking(session, given)
    if session.reads_standard_input(paths, given["stdin_filename"]):
        file, data = asking.standard_input(given["stdin_filename"])
        results = iter([_check_text(session, file, data)])
    else:
        files = asking.files(paths)
        shown = session.console.progress(files, output_format in _FOR_PEOPLE)
        results = session.check(paths, files, shown)
    frame = _frame(session, output_format in _FOR_PEOPLE, only, given)
    report = reporter("summary" if frame.summary and output_format == "text" else output_format, frame)
    failed = _report(asking.checked(results), report, session)
    asking.finish(paths)
    report.accepted = asking.accepted
    report.finish(session.read, session.problems)
    if session.problems:
        return ERROR
    return FINDINGS if failed and not exit_zero else 0


def _frame(session: Session, for_people: bool, only: Only | None, given: dict[str, Any]) -> Frame:
    return Frame(
        sys.stdout,
        session.words,
        session.catalogue,
        color=for_people and colored(sys.stdout),
        statistics=given["statistics"],
        quiet=given["quiet"],
        summary=given["summary"],
        terminal=sys.stdout.isatty(),
        only=only,
        command=Invocation(click.get_current_context()),
    )


def _report(results: Iterable[Checked], report: Reporter, session: Session) -> bool:
    """Write the report of all results; return whether the severity of a finding makes the command fail."""
    failed = False
    for result in results:
        if result.problem:
            session.fail_read(result.problem, result.trace)
            continue
        if result.source is None or result.report is None:
            continue
        session.unread(result.source, result.report)
        if result.report.findings:
            session.console.clear()
            shown = report.add(result.source, result.report.findings)
            failed = failed or fails(shown, result.file.settings)
    return failed


def _check_text(session: Session, file: File, data: bytes) -> Checked:
    try:
        source = source_of(data, file.path)
    except OtherLanguageError as error:
        session.console.left_out([Problem(file.path, str(error))])
        session.read -= 1
        return Checked(file)
    except SourceError as error:
        return Checked(file, problem=Problem(file.path, str(error)))
    engine = session.engine_for(file.settings)
    try:
        answers = session.answers_for((), [file])(file, source, engine)
        return Checked(file, source, engine.check(source, answers=answers))
    except LimitExceeded as error:
        return Checked(file, problem=Exceeds.of(file.path, error))
