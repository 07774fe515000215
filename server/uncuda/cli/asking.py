"""Leaves out findings of a run: those that a baseline accepts, and, with `--diff-base`, those on unchanged lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from uncuda.engine import Selection, name_of
from uncuda.workspace import Checked, File

from .accepting import Accepting, Wishes, baseline_options
from .session import Session
from .texts import say

if TYPE_CHECKING:
    from .changes import Changes

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


def asking_options(command: CommandT) -> CommandT:
    """Add to a command the options that leave findings out: `--diff-base` and the options about baselines."""
    return click.option("--diff-base", metavar="REV", help=say("diff-base"))(baseline_options(command))


class Asking:
    """Leaves out the findings that the options of the command line exclude. `given`: the options of the command line;
    `says`: whether notes about the entries of baselines are printed."""

    def __init__(self, session: Session, given: Mapping[str, Any], says: bool = True) -> None:
        self._session = session
        self._wishes = Wishes.of(given)
        self._accepting = Accepting(session, self._wishes, says)
        self._changed: Changes | None = None
        if self._wishes.write and given.get("only"):
            raise click.UsageError("--write-baseline cannot be combined with --only")
        if given["diff_base"] is not None:
            if self._wishes.write:
                raise click.UsageError("--write-baseline cannot be combined with --diff-base")
            from .changes import Changes  # imported here, because the import takes time

            self._changed = Changes(session, given["diff_base"])

    @property
    def accepted(self) -> int:
        """The number of findings that were left out because a baseline accepts them."""
        return self._accepting.accepted

    @property
    def begun(self) -> int:
        """The number of findings at the time when the baselines of these files were first written; 0 if it is
        unknown."""
        return self._accepting.begun

    def files(self, paths: Sequence[str]) -> list[File]:
        """Return the files of the session that may have findings."""
        files = self._session.files(paths)
        self.open(files)
        return files

    def open(self, files: Sequence[File]) -> None:
        """Read the baselines and find the changed lines of these files; both limit the reported findings."""
        self._accepting.open(self._session.looked)
        if self._changed is not None:
            # done even without findings, so that a wrong revision is always reported
            self._changed.open([*self._session.looked[:1], *files])

    def standard_input(self, name: str | None) -> tuple[File, bytes]:
        """The text on standard input, as a file with its bytes."""
        if self._wishes.writes:
            raise click.UsageError("what is on standard input cannot be accepted; name the file")
        file, data = self._session.standard_input(name)
        self._accepting.open([file])
        if self._changed is not None:
            self._changed.open([file])
            self._changed.given = data
        return file, data

    def checked(self, results: Iterable[Checked]) -> Iterator[Checked]:
        """Yield the results of files, reduced to the findings that the user asked for."""
        for result in results:
            selection = self.selection(result)
            if selection is not None and result.report is not None:
                yield result._replace(report=selection.of(result.report))
            else:
                yield result

    def selections(self, paths: Sequence[str], files: list[File]) -> dict[str, Selection]:
        """Return, by path, which findings in a file should be fixed; if a path is missing, all findings of its file. If
        an option can leave findings out, this method checks all files."""
        if self._changed is None and not self._accepting.any:
            return {}
        results = self._session.check(paths, files, files)
        found = ((result.file.path, self.selection(result)) for result in results)
        return {path: selection for path, selection in found if selection is not None}

    def selection(self, result: Checked) -> Selection | None:
        """Return which findings of a file neither a baseline nor `--diff-base` leaves out; None for all findings."""
        source, report = result.source, result.report
        if source is None or report is None or not report.findings:
            return None
        left = self._accepting.left_alone(result.file, source, report.findings)
        parts = self._changed.parts(result.file.path, source, result.file.settings) if self._changed else None
        if not left and parts is None:
            return None
        return Selection(name_of(source.text), tuple(left), parts)

    def finish(self, paths: Sequence[str]) -> None:
        """Print how many findings were left out, and write the baselines that the user asked for."""
        self._accepting.finish(paths or ["."])
