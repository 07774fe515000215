"""Keeps the overview of each workspace folder up to date.

Open files count with their unsaved text, closed files with the text that the inspection process last read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from uncuda.source import Source
from uncuda.workspace.overview import Overview

from ..wire.endpoint import Event
from ..wire.uris import path_of, uri_of
from .listing import listing_of

if TYPE_CHECKING:
    from ..wire.endpoint import Endpoint
    from .analyses import Analyses
    from .documents import Documents, Program
    from .folders import Folders
    from .inspection import Inspection

MOST_IN_PROBLEMS = 200
"""If there are more findings than this in the workspace, a client that shows the overview gets diagnostics of open
files only."""
_PAUSE, _SOON = 0.2, 0.03
"""Seconds between two notifications that the overview changed, and seconds from a change to the first notification."""


class Overviews:
    """The overviews by folder URI; "" is the key for files outside all folders.

    When a file changes, the file is only marked as changed; `refresh` updates the overviews for a request, or before a
    notification. The key of a file is its URI as this server writes it. The event `changed(root, version)` is raised
    only after `watch` was called.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        folders: Folders,
        documents: Documents,
        analyses: Analyses,
        inspection: Inspection,
    ) -> None:
        self._endpoint, self._folders, self._documents = endpoint, folders, documents
        self._analyses, self._inspection = analyses, inspection
        self.changed = Event()
        self._all: dict[str, Overview] = {}
        self._roots: dict[str, str] = {}  # maps the key of a file to the folder whose overview contains the file
        self._open: dict[str, Program] = {}
        self._dirty: dict[str, None] = {}
        self._waiting: set[str] = set()  # keys of closed files that have not been checked yet
        self._limits = endpoint.client.overview is not None
        self._watched = False
        self._timer: asyncio.TimerHandle | None = None
        self._told: dict[str, int] = {}
        self._told_at = 0.0
        self._state = inspection.state
        endpoint.opened.append(self._opened)
        endpoint.changed.append(lambda program: self._mark(_keys(program)))
        endpoint.analysed.append(lambda program: self._mark(_keys(program)))
        endpoint.closed.append(self._closed)
        endpoint.stale.append(lambda uris: self._mark(self._open))
        endpoint.reconfigured.append(lambda: self._mark(self._open))
        endpoint.scanned.append(lambda folder: self._mark(self._open))
        inspection.listed.append(lambda uri: self._mark([uri]))
        inspection.done.append(lambda: self._mark(self._waiting))
        inspection.moved.append(lambda: self._mark(()))

    def watch(self) -> None:
        """From now on, raise the event `changed` when an overview changes."""
        self._watched = True
        self._tell_soon()

    def refresh(self) -> None:
        """Update the overviews for the files that changed since the last call."""
        if self._state != self._inspection.state:
            self._state = self._inspection.state
            for overview in self._all.values():
                overview.touch()
        roots = {"", *(folder.uri for folder in self._folders.all)}
        for gone in self._all.keys() - roots:
            del self._all[gone]
        dirty, self._dirty = self._dirty, {}
        for key in dirty:
            self._look(key)

    def of(self, root: str) -> Overview:
        """Return the overview of the folder with this URI; the URI "" stands for the files outside of all folders."""
        return self._all.setdefault(root, Overview())

    @property
    def roots(self) -> list[str]:
        """URIs of the workspace folders; [""] if there are none."""
        return [folder.uri for folder in self._folders.all] or [""]

    @property
    def all(self) -> list[Overview]:
        """The overviews of all workspace folders, up to date."""
        self.refresh()
        return [self.of(root) for root in self.roots]

    def written(self, roots: Iterable[str]) -> int | None:
        """Return how many findings there were when the folders' baselines were first written; None if no baseline
        states the number."""
        files: set[str] = set()
        for root in roots:
            files |= self.of(root).baselines
            files |= {self._folders.baseline_at(one.path, one) for one in self._folders.all if one.uri == root}
        known = [read.baseline.counts for file in files if (read := self._analyses.baselines.at(file)) is not None]
        numbers = [sum(counts.values()) for counts in known if counts]
        return sum(numbers) if numbers else None

    def key(self, uri: str) -> str:
        """Return the key of the file that a URI belongs to; the URI may be that of a notebook cell."""
        program = self._documents.program(uri)
        path = program.path if program is not None else path_of(uri)
        return uri_of(path) if path else uri

    @property
    def limits_problems(self) -> bool:
        """Return True if the client gets diagnostics of open files only, because it shows the overview and there are
        many findings.

        While files are being checked, the property keeps its last value, which is True before the first check.
        """
        if self._endpoint.client.overview is None:
            return False
        if self._inspection.state not in ("reading", "checking"):
            left = sum(overview.counts.total.count for overview in self.all)
            self._limits = left > MOST_IN_PROBLEMS
        return self._limits

    def open_at(self, key: str) -> Program | None:
        """Return the open document or notebook of a file; None if the file is closed."""
        return self._open.get(key)

    def _opened(self, program: Program) -> None:
        for key in _keys(program):
            self._open[key] = program
        self._mark(_keys(program))

    def _closed(self, program: Program | None, _uris: object) -> None:
        if program is not None:
            for key in _keys(program):
                self._open.pop(key, None)
            self._mark(_keys(program))

    def _mark(self, keys: Iterable[str]) -> None:
        self._dirty.update(dict.fromkeys(keys))
        if self._watched:
            self._tell_soon()

    def _tell_soon(self) -> None:
        if self._timer is None:
            wait = self._told_at + _PAUSE - self._endpoint.loop.time()
            self._timer = self._endpoint.loop.call_later(max(_SOON, wait), self._tell)

    def _tell(self) -> None:
        self._timer = None
        self.refresh()
        for root in self.roots:
            version = self.of(root).version
            if self._told.get(root) != version:
                self._told[root], self._told_at = version, self._endpoint.loop.time()
                self.changed(root, version)

    def _look(self, key: str) -> None:
        """Update the findings of one file in the overviews."""
        program = self._open.get(key)
        if program is not None:
            self._look_at_open(key, program)
            return
        if not self._inspection.is_settled(key):
            self._waiting.add(key)
            return
        self._waiting.discard(key)
        listing = self._inspection.listings.get(key)
        folder = self._folders.folder_of(listing.file) if listing is not None else None
        if listing is None or folder is None:
            self._leave(key)
        else:
            self._enter(key, folder.uri)
            self.of(folder.uri).put(listing)

    def _look_at_open(self, key: str, program: Program) -> None:
        choice = self._folders.choice_of(program)
        analysis = self._analyses.of(program)
        if analysis.pending:
            return  # the event `analysed`, at the end of the analysis, makes `refresh` look at this file again
        source = Source(analysis.text, program.path)
        # `read` is fast because the engine has cached the facts of the open text
        read = None if analysis.heavy else lambda: choice.engine.read(source)[0]
        path = choice.folder.relative(program.path) if choice.folder else program.path
        root = choice.folder.uri if choice.folder else ""
        self._enter(key, root)
        self.of(root).put(listing_of(analysis, path, key, choice.baseline, read))

    def _enter(self, key: str, root: str) -> None:
        if self._roots.get(key, root) != root:
            self._leave(key)
        self._roots[key] = root

    def _leave(self, key: str) -> None:
        root = self._roots.pop(key, None)
        if root in self._all:
            self._all[root].remove(key)


def _keys(program: Program) -> list[str]:
    """Return a list whose only item is the key of a document or notebook, i.e. the URI of its file; the list is empty
    if the document has no file."""
    return [uri_of(program.path)] if program.path else []
