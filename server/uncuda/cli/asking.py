"""What is asked of the files of a run: all findings but those that a baseline accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from uncuda.engine import Selection, name_of
from uncuda.workspace import Checked, File

from .accepting import Accepting, Wishes, baseline_options
from .session import Session

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


def asking_options(command: CommandT) -> CommandT:
    """The options that leave findings out."""
    return baseline_options(command)


class Asking:
    """Leaves out the findings that are not asked for. `given`: what the command line says."""

    def __init__(self, session: Session, given: Mapping[str, Any]) -> None:
        self._session = session
        self._accepting = Accepting(session, Wishes.of(given))

    @property
    def accepted(self) -> int:
        """How many findings were left out because they are accepted."""
        return self._accepting.accepted

    def files(self, paths: Sequence[str]) -> list[File]:
        """The files of the session that may have findings."""
        files = self._session.files(paths)
        self._accepting.open(self._session.looked)
        return files

    def standard_input(self, name: str | None) -> tuple[File, bytes]:
        """The text on standard input, as a file."""
        file, data = self._session.standard_input(name)
        self._accepting.open([file])
        return file, data

    def checked(self, results: Iterable[Checked]) -> Iterator[Checked]:
        """The results with the findings that are asked for."""
        for result in results:
            selection = self.selection(result)
            if selection is not None and result.report is not None:
                yield result._replace(report=selection.of(result.report))
            else:
                yield result

    def selected(self, paths: Sequence[str], files: list[File]) -> tuple[list[File], dict[str, Selection]]:
        """The files that are to be fixed, and which findings of theirs: what is left out has to be found first."""
        selections: dict[str, Selection] = {}
        if self._accepting.any:
            for result in self._session.check(paths, files, files):
                if (selection := self.selection(result)) is not None:
                    selections[result.file.path] = selection
        return files, selections

    def selection(self, result: Checked) -> Selection | None:
        """Which findings of a file are asked for; None: all."""
        if result.source is None or result.report is None or not result.report.findings:
            return None
        left = self._accepting.left_alone(result.file, result.source, result.report.findings)
        return Selection(name_of(result.source.text), tuple(left)) if left else None

    def finish(self, paths: Sequence[str]) -> None:
        """Say what was left out, and write what is to be written."""
        self._accepting.finish(paths or ["."])
