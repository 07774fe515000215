"""The command `uncuda fix`, which applies fixes in place or prints them as a diff."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import click

from uncuda.edits import REVIEW, SAFE
from uncuda.limits import LimitExceeded
from uncuda.report.diff import name_in_diff, places_before, terminal_diff, unified_diff
from uncuda.report.order import Command, steps
from uncuda.report.repeated import Repeated
from uncuda.report.text import fix_mark, headline, repeated_blocks
from uncuda.source import SourceError
from uncuda.workspace import (
    MANUAL,
    Checked,
    Counts,
    Exceeds,
    File,
    FileCounts,
    FileProblem,
    OtherLanguageError,
    Problem,
    Repaired,
    Totals,
    fix_class,
    is_notebook,
    leads_out,
    source_of,
    write,
    written,
)
from uncuda.workspace.files import create_atomically
from uncuda.workspace.portable import new_helper

from . import ERROR, FINDINGS, INTERRUPTED
from .asking import Asking, asking_options
from .console import colored, interrupts_held
from .invocation import Invocation
from .options import common_options, overrides, settings_options, words_in
from .session import Session, Wanted, choose, fails
from .texts import say


@click.command(
    "fix",
    help=say("fix"),
)
@common_options
@settings_options
@click.option(
    "--review-fixes",
    "--unsafe-fixes",
    "review",
    is_flag=True,
    help=say("review-fixes"),
)
@click.option("--fixable", multiple=True, metavar="RULES", help=say("fixable"))
@click.option("--diff", is_flag=True, help=say("diff"))
@asking_options
def command(paths: tuple[str, ...], review: bool, diff: bool, fixable: tuple[str, ...], **given: Any) -> int:
    """Fix files, then print a summary of the findings that are left."""
    session = Session(overrides(given), given["config"], given["isolated"], given["quiet"], given["verbose"])
    rules = tuple(choose("rule", word, tuple(session.catalogue.rules)) for word in words_in(fixable))
    asking = Asking(session, given)
    run = _Run(session, diff, Wanted(review, rules or None), asking)
    try:
        if session.reads_standard_input(paths, given["stdin_filename"]):
            run.text(*asking.standard_input(given["stdin_filename"]))
        else:
            files = asking.files(paths)
            run.folders = paths or (".",)
            selections = asking.selections(paths, files)
            run.files(session.fix(paths, files, session.console.progress(files, True), run.wanted, selections))
    except KeyboardInterrupt:
        session.console.print("uncuda: " + run.interrupted())
        return INTERRUPTED
    run.summarize(Invocation(click.get_current_context()))
    asking.finish(paths)
    if session.problems:
        return ERROR
    return FINDINGS if run.failed else 0


@dataclass
class _Run:
    """One run of the command `uncuda fix`, with the fixed files and the applied fixes so far."""

    session: Session
    diff: bool
    wanted: Wanted
    asking: Asking
    changed: list[str] = field(default_factory=list)
    applied: dict[str, int] = field(default_factory=dict)
    left: Totals = field(default_factory=Totals)
    manual: list[str] = field(default_factory=list)
    repeated: Repeated = field(default_factory=Repeated)
    refused: list[Problem] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    failed: bool = False
    folders: tuple[str, ...] = ()
    helpers: list[str] = field(default_factory=list)
    """The helper modules of portable projects that this run has written."""
    old_names: dict[tuple[int, int], tuple[str, int]] = field(default_factory=dict)
    """For each replaced file, by its device and inode: the last path that was written, and the number of other hard
    links that still have the old text."""

    def files(self, results: Iterable[Repaired]) -> None:
        """Write the fixed files one after another."""
        for result in results:
            if result.problem:
                self.session.fail_read(result.problem, result.trace)
                continue
            if result.result != result.data and not (self._allowed(result.file) and self._save(result)):
                continue
            self._remember(result)

    def text(self, file: File, data: bytes) -> None:
        """Fix the text from standard input, and write the fixed text or the diff to standard output."""
        try:
            source = source_of(data, file.path)
            engine = self.session.engine_for(file.settings)
            answers = self.session.answers_for((), [file])(file, source, engine)
            selection = self.asking.selection(Checked(file, source, engine.check(source, answers=answers)))
            review, rules = self.wanted
            fixed = engine.fix(source, review, rules=rules, answers=answers, selection=selection)
            fixed, result = written(data, source, fixed, engine, selection)
        except OtherLanguageError as error:
            self.session.console.left_out([Problem(file.path, str(error))])
            self.session.read -= 1
            self._pass_on(data)
            return
        except SourceError as error:
            self.session.fail_read(Problem(file.path, str(error)))
            if is_notebook(file.path):
                self._pass_on(data)
            return
        except LimitExceeded as error:
            self.session.fail_read(Exceeds.of(file.path, error))
            self._pass_on(data)
            return
        if self.diff:
            self._print_diff(file.path, data, result, source.encoding)
        else:
            sys.stdout.buffer.write(result)
        if result != data:
            self.changed.append(file.path)
        if (new := new_helper(engine, fixed.text, file.path)) is not None:
            self.session.console.note(self.session.words("helper due", new.path))
        self._remember(Repaired(file, source, fixed, data, result))

    def _pass_on(self, data: bytes) -> None:
        """Write the unchanged text to standard output, where the caller expects a text; write nothing with `--diff`."""
        if not self.diff:
            sys.stdout.buffer.write(data)

    def interrupted(self) -> str:
        """The message for a run of the command that was interrupted."""
        self._note_old_names()
        if not self.changed or self.diff:
            return self.session.words("interrupted")
        return self.session.words("interrupted after", ", ".join(self.changed))

    def summarize(self, command: Command) -> None:
        """Print the summary to standard error: the applied fixes, by rule, and the remaining findings. `command`: a
        function that returns the next command line to suggest."""
        session, words = self.session, self.session.words
        self._note_old_names()
        for path, why in self.refused:
            session.console.print(f"{path}: {words('refused', why)}")
        if session.quiet:
            return
        if self.outside:
            session.console.print(words("diff outside", words.count(len(self.outside), "file"), self.outside[0]))
        files = words.count(len(self.changed), "file")
        if self.applied:
            findings = words.count(sum(self.applied.values()), "finding")
            session.console.print(words("would fix" if self.diff else "fixed", findings=findings, files=files))
            for rule, number in sorted(self.applied.items(), key=lambda item: (-item[1], item[0])):
                session.console.print(f"{number:6,}  {rule}")
        elif session.read:
            session.console.print(words("nothing fixed", files=words.count(session.read, "file")))
        counts = self.left.counts
        self._print_left(counts)
        if self.applied or counts.rows:
            self._print_pending(counts, command)

    def _print_left(self, counts: Counts) -> None:
        session, words = self.session, self.session.words
        left = counts.total
        if self.manual:
            session.console.print(words("left", findings=words.count(left.manual, "finding")))
            for line in self.manual:
                session.console.print_painted("  " + line)
            for block in repeated_blocks(self.repeated, words, colored(sys.stderr)):
                for number, line in enumerate(block):
                    session.console.print_painted(("    " if number else "  ") + line)
        not_made = sum(number for row, number in counts.rows.items() if self.wanted.takes(row))
        if left.review and not self.wanted.review:
            session.console.print(words("left review", findings=words.count(left.review, "finding")))
        if not_made:
            session.console.print(words("left safe", findings=words.count(not_made, "finding")))

    def _print_pending(self, counts: Counts, command: Command) -> None:
        """Print how many fixes were applied, how many need review and how many findings have no fix, then the suggested
        next command."""
        console, words = self.session.console, self.session.words
        kinds = [kind for kind, number in counts.total.by_class.items() if number or kind != SAFE]
        left = words.join(words(kind, f"{counts.total.by_class[kind]:,}") for kind in kinds)
        made = f"{sum(self.applied.values()):,}"
        console.print(words("pending diff" if self.diff else "pending", made, left))
        if self.folders and (following := self._next(counts, command)):
            console.print_painted(words("next", following))

    def _next(self, counts: Counts, command: Command) -> str:
        """Return the command line to run next; empty if no finding is left."""
        if self.diff and self.applied:
            review = ["--review-fixes"] if self.wanted.review else []
            rules = [word for rule in self.wanted.rules or () for word in ("--fixable", rule)]
            return command("fix", *review, *rules)
        open_ = {row: number for row, number in counts.rows.items() if not self.wanted.takes(row)}
        left = steps(replace(counts, rows=open_), self.session.catalogue.rules, command)
        fixes = [step.command for step in left if step.name in (SAFE, REVIEW)]
        return fixes[0] if fixes else command("check", "--summary", "--only", MANUAL) if left else ""

    def _allowed(self, file: File) -> bool:
        """Return whether the file may be written; False if it was found through a symbolic link that leads out of the
        given folders."""
        if not leads_out(file, self.folders):
            return True
        self.refused.append(Problem(file.path, self.session.words("link out")))
        self.failed = True
        return False

    def _save(self, result: Repaired) -> bool:
        path = result.file.path
        if self.diff:
            self.session.console.clear()
            encoding = result.source.encoding if result.source else "utf-8"
            self._give_helper(result)
            self._print_diff(path, result.data, result.result, encoding)
            self.changed.append(path)
            return True
        try:
            self._give_helper(result)
            with interrupts_held():
                names = os.stat(path)  # noqa: PTH116 of the file that is replaced
                other_names = write(result)
                self.changed.append(path)
        except OSError as error:
            self.session.fail(Problem(path, error.strerror or str(error)))
            return False
        except FileProblem as error:
            self.session.fail(Problem(path, str(error)))
            return False
        # Several given paths may be hard links to the same file. After the last of them is written, `other_names` is
        # the number of links that keep the old text.
        self.old_names[names.st_dev, names.st_ino] = path, other_names
        return True

    def _give_helper(self, result: Repaired) -> None:
        """Write the helper module that a fixed file imports, if the module does not exist yet; raise FileProblem if
        that fails."""
        engine = self.session.engine_for(result.file.settings)
        new = new_helper(engine, result.fixed.text if result.fixed else "", result.file.path)
        if new is None or new.path in self.helpers:
            return
        if self.diff:
            self._print_diff(new.path, None, new.data, "utf-8")
        else:
            with interrupts_held():
                create_atomically(new.path, new.data)
            self.session.console.note(self.session.words("helper written", new.path))
        self.helpers.append(new.path)

    def _note_old_names(self) -> None:
        """After all files are written, print which of them have other hard links that still have the old text."""
        words = self.session.words
        for path, number in self.old_names.values():
            if number:
                self.session.console.note(f"{path}: " + words("hard links", words.count(number, "name")))

    def _print_diff(self, path: str, before: bytes | None, after: bytes, encoding: str) -> None:
        """Print a diff: coloured on a terminal, otherwise in the form that `git apply` reads. `before`: the old bytes
        of the file, None for a new file."""
        name, inside = name_in_diff(path)
        if before != after and not inside:
            self.outside.append(path)
        if sys.stdout.isatty():
            sys.stdout.writelines(terminal_diff(name, before, after, encoding, colored(sys.stdout)))
            return
        sys.stdout.flush()
        sys.stdout.buffer.writelines(unified_diff(name, before, after))

    def _remember(self, result: Repaired) -> None:
        if result.source is None or result.fixed is None:
            return
        fixed = result.fixed
        for rule, number in fixed.applied.items():
            self.applied[rule] = self.applied.get(rule, 0) + number
        if fixed.refused:
            self.refused.append(Problem(result.file.path, fixed.refused))
        source = result.after
        self.session.unread(source, fixed.report)
        unwritten = self.diff and fixed.text != result.source.text
        shown = places_before(result.source, source) if unwritten else None
        self.left.add(FileCounts.of(result.file.path, fixed.report.findings))
        for finding in fixed.report.findings:
            if fix_class(finding) == MANUAL and not self.repeated.keeps(finding, source, shown):
                mark = fix_mark(finding, self.session.words)
                line = headline(finding, source, mark, colored(sys.stderr), shown)
                self.manual.append(line.rstrip("\n"))
        if fixed.refused or fails(fixed.report.findings, result.file.settings):
            self.failed = True
