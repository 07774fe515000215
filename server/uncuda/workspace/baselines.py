"""The baselines of several projects, for long-running processes: each is read once, and again when its file changes."""

# Paths are strings here, as in discover.py.
# ruff: noqa: PTH100, PTH118, PTH120
from __future__ import annotations

import os
from collections.abc import Callable, Collection
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from uncuda.engine import Report, Selection, name_of
from uncuda.settings import BASELINE_FILE
from uncuda.source import Source

from .discover import upwards
from .files import Stamp, stamp_of

if TYPE_CHECKING:
    from uncuda.facts.model import Facts

    from .acceptance import Acceptance, Place
    from .baseline import BaselineError


class _Read(NamedTuple):
    """A baseline as it was last read; `stamp` is None if the file did not exist."""

    stamp: Stamp | None
    acceptance: Acceptance | None = None
    error: BaselineError | None = None


def baseline_beside(configuration: str, folder: str) -> str:
    """Return the path of the baseline beside a configuration file, or, if `configuration` is "", in `folder`; "" if
    both are empty."""
    root = os.path.dirname(configuration) if configuration else folder
    return os.path.join(root, BASELINE_FILE) if root else ""


def baseline_above(folder: str, known: dict[str, str]) -> str:
    """Return the path of the baseline in a folder, or in the nearest folder above that has one; "" if none has.
    `known`: earlier results by folder, to which the function adds its own, so that it looks into each folder once."""
    place = os.path.abspath(folder)
    for above in reversed([*takewhile(lambda one: one not in known, upwards(place))]):
        beside = baseline_beside("", above)
        known[above] = beside if os.path.lexists(beside) else known.get(os.path.dirname(above), "")
    return known[place]


class Baselines:
    """Reads baselines and keeps them by path. `tell` is called with the error each time a baseline turns out to be
    unusable."""

    def __init__(self, tell: Callable[[BaselineError], object] = lambda error: None) -> None:
        self._tell = tell
        self._known: dict[str, _Read] = {}

    def at(self, file: str) -> Acceptance | None:
        """The Acceptance for the baseline at a path; None if there is no baseline, the path is "", or the baseline is
        unusable."""
        return self._of(file).acceptance if file else None

    def error(self, file: str) -> BaselineError | None:
        """The reason why the baseline at a path is unusable; None if it is usable."""
        return self._of(file).error if file else None

    def look(self) -> set[str]:
        """Read changed baselines again; return the absolute paths of files whose accepted findings may be different
        now."""
        changed: set[str] = set()
        for file, known in list(self._known.items()):
            if stamp_of(file) != known.stamp:
                del self._known[file]
                before, after = _places(known.acceptance), _places(self.at(file))
                folder = os.path.dirname(os.path.abspath(file))
                changed |= {os.path.normpath(f"{folder}/{key.path}") for key, _ in before ^ after}
        return changed

    def tell_of(self, paths: Collection[str]) -> bool:
        """Return whether a baseline that was read has an entry for one of these absolute paths."""
        return any(read.acceptance is not None and read.acceptance.tells_of(paths) for read in self._known.values())

    def selection(
        self, file: str, source: Source, report: Report, read: Callable[[], Facts] | None = None
    ) -> Selection | None:
        """Return which findings of a text the baseline at a path does not accept, so that they are shown and fixed;
        None means all. `read`: a function that returns the `Facts` of the text; None if they must be computed from the
        text."""
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
        from .acceptance import Acceptance  # imported here, because most projects have no baseline
        from .baseline import BaselineError, read_baseline

        try:
            return _Read(stamp, Acceptance(read_baseline(file)))
        except BaselineError as error:
            self._tell(error)
            return _Read(stamp, error=error)


def _places(acceptance: Acceptance | None) -> set[Place]:
    return set(acceptance.places) if acceptance is not None else set()
