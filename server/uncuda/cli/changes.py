"""`--diff-base`: finds the lines of the checked files that changed since a git revision."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from uncuda.report.words import BaselineWords
from uncuda.settings import Settings
from uncuda.source import Source, Span
from uncuda.workspace import File, FileProblem, read_file
from uncuda.workspace.changed import ChangedLines, parts_of
from uncuda.workspace.git import GitError

from .session import Failure, Session


class Changes:
    """The changed lines of the checked files. `given`: the bytes from standard input, which replace the bytes of a
    file."""

    def __init__(self, session: Session, revision: str) -> None:
        self.given: bytes | None = None
        self._session = session
        try:
            self._lines = ChangedLines(revision)
        except GitError as error:
            self._fail(error)

    def open(self, files: Iterable[File]) -> None:
        """Find the changed lines of files; raise Failure if one of the files cannot be compared with the revision."""
        try:
            for file in files:
                self._lines.open(file.path)
        except GitError as error:
            self._fail(error)

    def parts(self, path: str, source: Source, settings: Settings) -> tuple[Span, ...] | None:
        """Return the spans of a text that are new since the revision; None if the whole text is new."""
        try:
            data = read_file(path, settings.max_bytes) if self.given is None else self.given
            lines = self._lines.of(path, data)
        except GitError as error:
            self._fail(error)
        except FileProblem:  # the file was deleted after it was checked
            return None
        return None if lines is None else parts_of(source, lines)

    def _fail(self, error: GitError) -> NoReturn:
        raise Failure(BaselineWords(self._session.words.locale)(error.key, *error.values)) from None
