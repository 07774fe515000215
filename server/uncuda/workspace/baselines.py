"""The baselines of several projects, each read once, and again when its file is another: for who goes on for long."""

# Paths are plain strings here, as in discover.py.
# ruff: noqa: PTH100, PTH118, PTH120
from __future__ import annotations

import os
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, NamedTuple

from uncuda.engine import Report, Selection, name_of
from uncuda.settings import BASELINE_FILE
from uncuda.source import Source

from .files import Stamp, stamp_of

if TYPE_CHECKING:
    from uncuda.facts.model import Facts

    from .acceptance import Acceptance, Place
    from .baseline import BaselineError


class _Read(NamedTuple):
    """A baseline as it was read; `stamp`: None where there was no file."""

    stamp: Stamp | None
    acceptance: Acceptance | None = None
    error: BaselineError | None = None


def baseline_beside(configuration: str, folder: str) -> str:
    """The baseline beside a configuration file, without one ("") in a folder; "" where there is neither."""
    root = os.path.dirname(configuration) if configuration else folder
    return os.path.join(root, BASELINE_FILE) if root else ""


class Baselines:
    """Baselines by their files. `tell` is given the error of one that cannot be used, each time that it is read."""

    def __init__(self, tell: Callable[[BaselineError], object] = lambda error: None) -> None:
        self._tell = tell
        self._known: dict[str, _Read] = {}

    def at(self, file: str) -> Acceptance | None:
        """What the baseline in a file accepts; None where there is none, "" for no file, or it cannot be used."""
        return self._of(file).acceptance if file else None

    def error(self, file: str) -> BaselineError | None:
        """Why the baseline in a file cannot be used, if so."""
        return self._of(file).error if file else None

    def look(self) -> set[str]:
        """Read those anew that are others by now; the absolute paths of the files whose findings that may change."""
        changed: set[str] = set()
        for file, known in list(self._known.items()):
            if stamp_of(file) != known.stamp:
                del self._known[file]
                before, after = _places(known.acceptance), _places(self.at(file))
                folder = os.path.dirname(os.path.abspath(file))
                changed |= {os.path.normpath(f"{folder}/{key.path}") for key, _ in before ^ after}
        return changed

    def tell_of(self, paths: Collection[str]) -> bool:
        """Whether a baseline that was read accepts something in one of these files, at absolute paths."""
        return any(read.acceptance is not None and read.acceptance.tells_of(paths) for read in self._known.values())

    def selection(
        self, file: str, source: Source, report: Report, read: Callable[[], Facts] | None = None
    ) -> Selection | None:
        """What is shown and fixed of a text's report, by the baseline in a file; None: all of it. `read`: gives what
        was read of the text, if that is known."""
        acceptance = self.at(file)
        if acceptance is None:
            return None
        if not acceptance.concerns(report.findings):
            acceptance.forget(source.path)
            return None
        left = acceptance.accepted(source, report.findings, facts=read() if read is not None else None)
        return Selection(name_of(source.text), tuple(left)) if left else None

    def _of(self, file: str) -> _Read:
        known = self._known.get(file)
        if known is None:
            known = self._known[file] = self._read(file)
        return known

    def _read(self, file: str) -> _Read:
        stamp = stamp_of(file)
        if stamp is None:
            return _Read(None)
        from .acceptance import Acceptance  # most projects have no baseline
        from .baseline import BaselineError, read_baseline

        try:
            return _Read(stamp, Acceptance(read_baseline(file)))
        except BaselineError as error:
            self._tell(error)
            return _Read(stamp, error=error)


def _places(acceptance: Acceptance | None) -> set[Place]:
    return set(acceptance.places) if acceptance is not None else set()
