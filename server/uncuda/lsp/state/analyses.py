"""The analysis of each open document or notebook; it is reused until the text or the engine changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING

from uncuda.engine import Engine, Finding, Report, Selection
from uncuda.limits import LimitExceeded
from uncuda.project import Answers, Site
from uncuda.report.words import baseline_problem
from uncuda.source import Source, SourceError
from uncuda.workspace import Baselines, FileProblem, read_file

from ..wire.logs import logger
from ..wire.texts import Texts
from .documents import Program
from .fix_command import command_for
from .heavy import Heavy, between_keys

if TYPE_CHECKING:
    from uncuda.workspace.acceptance import Acceptance

    from ..wire.endpoint import Endpoint
    from .choice import Choice
    from .folders import Folders

_REPLACEMENT = "\ufffd"
_SLOW = 0.2
_NOTHING: Answers = {}


@dataclass(frozen=True, eq=False)
class Analysis:
    """The analysis of one version of an open document or notebook. `disabled`: the reason why the fixes of the document
    must not be applied.

    `report`: all findings, including accepted ones; `selection`: the findings that are shown and fixed, None: all.
    `answers`: the types of receivers that are known. `replaced`: whether the text contains U+FFFD. `heavy`: whether
    another process computes the analysis; `pending`: whether that process has not finished. `refused`: the reason why
    the text was not analysed, in the user's language.
    """

    program: Program
    text: str
    version: int | None
    engine: Engine
    report: Report
    disabled: str | None = None
    answers: Answers = field(default_factory=dict)
    replaced: bool = False
    heavy: bool = False
    pending: bool = False
    refused: str = ""
    undecided: str = ""
    acceptance: Acceptance | None = None
    selection: Selection | None = None

    @property
    def accepted(self) -> int:
        """The number of findings accepted by a baseline."""
        return len(self.selection.left_alone) if self.selection is not None else 0

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The findings to show to the user, in source order."""
        if self.undecided:
            return ()
        return self.report.findings if self.selection is None else self.selection.of(self.report).findings


class Analyses:
    """The analyses of all open documents and notebooks. `answers(program, text, sites)` returns the types of receivers
    that are known so far."""

    def __init__(self, endpoint: Endpoint, folders: Folders) -> None:
        self._endpoint, self._folders = endpoint, folders
        self._known: dict[str, Analysis] = {}
        self._encodings: dict[str, tuple[int, str]] = {}
        self._failed: set[tuple[str, str]] = set()
        self.baselines = Baselines(folders.tell_of_baseline)
        self.answers: Callable[[Program, str, Sequence[Site]], Answers] = lambda program, text, sites: {}
        self._heavy = Heavy(endpoint, lambda path, reason: self.failed("", path, RuntimeError(reason)))
        endpoint.closed.append(lambda program, uris: self.drop(program.uri) if program else None)

    def of(self, program: Program) -> Analysis:
        """Return the analysis of the current version of a document or notebook."""
        known = self._known.get(program.uri)
        choice = self._folders.choice_of(program)
        text, acceptance = program.text, self.baselines.at(choice.baseline)
        if known is not None and known.text is text and (known.engine, known.acceptance) == (choice.engine, acceptance):
            return known
        report, answers, heavy = Report(), _NOTHING, False
        if not choice.left_out:
            choice.engine.guard = self.failed
            heavy = self._heavy.holds(program, text)
            try:
                if not heavy:
                    report, answers = self._check(program, text, choice.engine)
            except LimitExceeded:
                heavy = True
        fresh = text  # for a large text, only the changed part is searched, because searching the whole text takes time
        if known is not None and not known.replaced and program.edit is not None and known.text is program.edit[0]:
            fresh = program.edit[1].text
        replaced = _REPLACEMENT in fresh
        disabled = self._unreadable(program, choice.engine) if replaced else None
        undecided, unread = self._undecided(choice), self.baselines.error(choice.baseline)
        if unread is not None:
            disabled = baseline_problem(unread, self._folders.language(choice.settings.locale))
        found = Analysis(
            program,
            text,
            program.version,
            choice.engine,
            report,
            undecided or disabled,
            answers,
            replaced,
            heavy,
            pending=heavy,
            undecided=undecided,
            acceptance=acceptance,
            selection=self._selection(program, text, choice, report, heavy),
        )
        self._known[program.uri] = found
        if heavy:
            self._submit(found, _NOTHING)
        return found

    def _submit(self, pending: Analysis, answers: Answers) -> None:
        """Let another process compute an analysis; its result replaces the pending analysis, unless the text has
        changed by then."""
        program = pending.program

        def take(report: Report, refused: str) -> None:
            if self._known.get(program.uri) is not pending:
                return
            known = self.answers(program, pending.text, report.sites) if report.sites else _NOTHING
            if known and known != answers:
                self._submit(pending, known)
                return
            selection = self._selection(program, pending.text, self._folders.choice_of(program), report, heavy=True)
            self._known[program.uri] = replace(
                pending, report=report, answers=answers, pending=False, refused=refused, selection=selection
            )
            self._endpoint.analysed(program)

        self._heavy.submit(program, pending.text, pending.engine, answers, take)

    def _selection(self, program: Program, text: str, choice: Choice, report: Report, heavy: bool) -> Selection | None:
        source = Source(text, program.path)
        # `read` is fast because the engine has just read this text
        read = None if heavy else lambda: choice.engine.read(source)[0]
        return self.baselines.selection(choice.baseline, source, report, read)

    def match_anew(self) -> list[str]:
        """Match all analyses with their baselines again; returns the URIs of documents whose accepted findings
        changed."""
        changed = []
        for uri, known in list(self._known.items()):
            if known.acceptance is None:
                continue
            choice = self._folders.choice_of(known.program)
            selection = self._selection(known.program, known.text, choice, known.report, known.heavy)
            if selection != known.selection:
                self._known[uri] = replace(known, selection=selection)
                changed += [document.uri for document in known.program.documents]
        return changed

    def drop(self, uri: str) -> None:
        """Discard the analysis of a document or notebook, so that it is computed again when it is needed."""
        self._known.pop(uri, None)

    def _check(self, program: Program, text: str, engine: Engine) -> tuple[Report, Answers]:
        start = perf_counter()
        answers = _NOTHING
        try:
            source, limits = Source(text, program.path), between_keys(engine.settings.limits)
            edited = program.edit and (program.edit[0], [program.edit[1]])
            report = engine.check(source, edited=edited, limits=limits)
            if report.sites and (answers := self.answers(program, text, report.sites)):
                report = engine.check(source, answers=answers, limits=limits)
        except LimitExceeded:
            raise
        except Exception as error:  # noqa: BLE001 the server goes on
            self.failed("", program.path or program.uri, error)
            return Report(), _NOTHING
        took = perf_counter() - start
        if took > _SLOW:
            logger.info("%s: %.0f ms to check %d characters", program.uri, 1000 * took, len(text))
        self._endpoint.trace(
            f"checked {program.uri} in {1000 * took:.1f} ms",
            lambda: f"version {program.version}, {len(text)} characters, {len(report.findings)} findings",
        )
        return report, answers

    def failed(self, rule: str, path: str, error: Exception) -> None:
        """Report that a rule (or, for "", the engine) raised an exception: in the log once for each file, in a pop-up
        only the first time."""
        if (rule, path) in self._failed:
            return
        first = all(known != rule for known, _ in self._failed)
        self._failed.add((rule, path))
        what = f"rule `{rule}`" if rule else "the analysis"
        message = f"internal error, please report it: {what} failed in {path}: {type(error).__name__}: {error}"
        logger.error(message, exc_info=error)
        if first:
            self._endpoint.show_error(message)

    def _undecided(self, choice: Choice) -> str:
        """Return the message shown if the project imports the plugins of several targets; in that case no finding is
        shown and no fix is offered."""
        if not choice.chosen.among:
            return ""
        texts = Texts(self._folders.language(choice.settings.locale))
        return texts("undecided", targets=self._folders.titles_of(choice.chosen.among, texts.locale))

    def _unreadable(self, program: Program, engine: Engine) -> str | None:
        """The reason why fixes are disabled if the editor read the file in a wrong encoding, because the editor would
        save wrong characters."""
        path = program.path
        try:
            stamp = os.stat(path).st_mtime_ns if path.endswith(".py") else 0  # noqa: PTH116
        except OSError:
            stamp = 0
        if not stamp:
            return None
        known = self._encodings.get(path)
        if known is None or known[0] != stamp:
            known = self._encodings[path] = stamp, _declared(path)
        if not known[1]:
            return None
        texts = Texts(self._folders.language(engine.settings.locale))
        return texts("reopen", known[1], command_for(path, review=False, target=""))


def _declared(path: str) -> str:
    """The encoding that the file itself declares, if it decodes without U+FFFD; else ""."""
    try:
        source = Source.decode(read_file(path), path)
    except (FileProblem, SourceError, LimitExceeded):
        return ""
    return "" if _REPLACEMENT in source.text else source.encoding
