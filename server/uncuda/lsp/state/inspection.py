"""What is found in the closed files of the workspace: checked by a child, and again whenever they are others."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, NamedTuple

from uncuda.settings.editor import MOST_FILES

from ..wire.background import Background
from ..wire.endpoint import Event
from ..wire.logs import logger
from ..wire.progress import Progress
from ..wire.texts import Texts
from ..wire.uris import uri_of
from .inspected import (
    CODEC,
    InspectAll,
    Inspected,
    InspectionDone,
    InspectionProgress,
    InspectSome,
    MoveShims,
    Shims,
)

if TYPE_CHECKING:
    from uncuda.workspace.overview import FileListing

    from ..wire.endpoint import Endpoint
    from .analyses import Analyses
    from .folders import Folders
    from .projects import Projects
    from .roots import Folder

PAUSE = 0.5
"""Seconds in which what comes in is collected."""
_READ = (".py", ".ipynb")
_LONG = 2.0  # seconds after which an editor shows that files are being checked


class Result(NamedTuple):
    """What was found in a document. `id`: another whenever `items`, a JSON list, is; `version`: None if closed."""

    uri: str
    id: str
    items: str
    version: int | None = None


State = Literal["off", "reading", "checking", "complete", "stopped", "large", "restricted"]
"""How far the check of closed files is, or why there is none: nobody wants it, the user has stopped it, the workspace
is too large to do it unasked, or not trusted."""


class Inspection:
    """Results by URI of the files that have any, and what each of them has for the overview.

    `changed()` is called when a result is another now, `listed(uri)` when what a file has for the overview may be,
    `done()` whenever the child has answered, `moved()` when `state` may be another."""

    def __init__(self, endpoint: Endpoint, folders: Folders, projects: Projects, analyses: Analyses) -> None:
        self._endpoint, self._folders, self._projects, self._analyses = endpoint, folders, projects, analyses
        self.changed, self.listed, self.done, self.moved = Event(), Event(), Event(), Event()
        self.listings: dict[str, FileListing] = {}
        self.results: dict[str, Result] = {}
        self._fresh: set[str] = set()
        self._serial = 0
        self._child: Background | None = None
        self._asked: deque[frozenset[str] | None] = deque()
        """What the child has not answered, in this order: URIs of files, or None for all. What it said of a file counts
        only once nothing more is asked about it: before, the file may have been read too early."""
        self._timer: asyncio.TimerHandle | None = None
        self._chosen: bool | None = None
        """What the user said since the server began: check everything, or stop."""
        self._pulled = False
        self._progress: Progress | None = None
        self._progress_timer: asyncio.TimerHandle | None = None
        endpoint.scanned.append(lambda folder: self.start_soon())
        endpoint.reconfigured.append(self.start_soon)
        endpoint.touched.append(self.check)
        endpoint.shims_moved.append(self._move_shims)
        endpoint.ended.append(self._stop)

    @property
    def is_on(self) -> bool:
        """Whether diagnostics of closed files are wanted."""
        return any(self._covers(folder) for folder in self._folders.all)

    @property
    def is_wanted(self) -> bool:
        """Whether they do, and it is known what the files say together."""
        return self.is_on and all(folder.scanned for folder in self._folders.all)

    @property
    def state(self) -> State:
        """How far the check is, or why there is none."""
        folders = self._folders.all
        if self._chosen is False:
            return "stopped"
        if not self.is_on:
            unsaid = self._pulled and any(folder.editor.workspace_diagnostics is None for folder in folders)
            restricted = self._folders.client.restricted
            return ("restricted" if restricted else "large") if unsaid else "off"
        if not self.is_wanted or self._timer is not None:
            return "reading"
        return "checking" if self.is_busy else "complete"

    @property
    def is_busy(self) -> bool:
        """Whether files are being checked."""
        return bool(self._asked)

    def is_settled(self, uri: str) -> bool:
        """Whether the result of a closed file, or that it has none, is that of its present text and settings."""
        if not self.is_on:
            return True
        unread = any(uris is None or uri in uris for uris in self._asked)
        return self.is_wanted and self._timer is None and not unread

    def pull(self) -> None:
        """Take in that the client asks for what is found in closed files."""
        if not self._pulled:
            self._pulled = True
            self.start_soon()

    def choose(self, wanted: bool) -> bool:
        """Check all files, or stop it, until the server ends; False: the client does not ask for what is found."""
        if self._pulled:
            self._chosen = wanted
            self._start()
        return self._pulled

    def _covers(self, folder: Folder) -> bool:
        """Whether closed files of a folder are checked: as the user said last, as a setting says, else in a trusted
        workspace that is not large, once the client has asked."""
        if self._chosen is not None:
            return self._chosen
        said = folder.editor.workspace_diagnostics
        if said is not None:
            return said
        files = sum(folder.files for folder in self._folders.all)
        return self._pulled and not self._folders.client.restricted and files <= MOST_FILES

    def start_soon(self) -> None:
        """Check all files anew, as soon as nothing changes any more."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._endpoint.loop.call_later(PAUSE, self._start)
        self.moved()

    def check(self, paths: Iterable[str]) -> None:
        """Check some files again that are closed now, or were changed on the disk."""
        wanted = [path for path in paths if path.endswith(_READ)]
        if self._child is not None and wanted:
            self._send(InspectSome(tuple(wanted)), frozenset(uri_of(path) for path in wanted))
        elif wanted and self._timer is None and self.is_wanted:  # the child was lost
            self.start_soon()

    def accepted_otherwise(self, paths: Iterable[str]) -> None:
        """Check files again of which other findings are accepted; if one is gone, its code may be in any other."""
        paths = list(paths)
        if all(map(os.path.isfile, paths)):
            self.check(paths)
        elif self._child is not None:
            self.start_soon()

    def _move_shims(self) -> None:
        """Check the files again whose diagnostics say where a runtime patch is imported."""
        if self._child is not None:
            self._send(MoveShims(self._shims()), frozenset())

    def _send(self, message: object, uris: frozenset[str]) -> None:
        assert self._child is not None
        self._asked.append(uris)
        self._child.send(message)

    def _start(self) -> None:
        self._timer = None
        self._stop()
        if not self.is_wanted:
            self.results.clear()
            self._forget(self.listings)
            self.done()
            self.moved()
            return
        self._fresh = set()
        self._asked.append(None)
        self._progress_timer = self._endpoint.loop.call_later(_LONG, self._show_progress)
        wanted = tuple(folder.uri for folder in self._folders.all if self._covers(folder))
        self._child = Background(
            "uncuda.lsp.state.inspection_process",
            CODEC,
            self._endpoint.call,
            self._take,
            self._lost,
            first=InspectAll(self._folders.known(), wanted, self._shims()),
        )
        self.moved()

    def _shims(self) -> Shims:
        folders, projects = self._folders, self._projects
        return {
            folder.uri: {
                name: place for name in folders.catalogue.declarations if (place := projects.shim_in(folder, name))
            }
            for folder in folders.all
        }

    def _show_progress(self) -> None:
        """Say how far it is, with a way to end it: a short check of everything comes and goes unseen."""
        self._progress = progress = Progress(self._endpoint, Texts(self._folders.language())("check workspace"))
        progress.start()

        async def cancelled() -> None:
            await progress.cancelled.wait()
            if progress is self._progress:
                self.choose(wanted=False)

        self._cancelling = self._endpoint.loop.create_task(cancelled())

    def _end_progress(self) -> None:
        if self._progress_timer is not None:
            self._progress_timer.cancel()
        if self._progress is not None:
            self._cancelling.cancel()
            self._progress.end()
        self._progress_timer = self._progress = None

    def _stop(self) -> None:
        self._end_progress()
        if self._child is not None:
            self._child.stop()
        self._child = None
        self._asked.clear()

    def _lost(self) -> None:
        logger.error("checking the workspace has ended")
        self._stop()
        self.done()
        self.moved()

    def _take(self, record: Inspected | InspectionProgress | InspectionDone) -> None:
        if isinstance(record, InspectionProgress):
            if self._progress is not None:
                self._progress.report(record.done, record.total)
            return
        if isinstance(record, InspectionDone):
            if self._asked.popleft() is None:
                self._end_progress()
            stale = (self.results.keys() | self.listings.keys()) - self._fresh
            for uri in stale:
                self.results.pop(uri, None)
            self._forget(stale)
            self.done()
            self.moved()
            return
        if record.failed:
            self._analyses.failed("", record.path, RuntimeError(record.failed))
        uri, items = record.uri, record.items
        self._fresh.discard(uri)
        if items != "[]" or record.listing is not None:
            self._fresh.add(uri)
        if record.listing is None:
            self._forget([uri])
        else:
            self.listings[uri] = record.listing
            self.listed(uri)
        if items == "[]":
            self.results.pop(uri, None)
        else:
            known = self.results.get(uri)
            if known is None or known.items != items:
                self._serial += 1
                self.results[uri] = Result(uri, f"w{self._serial}", items)
        self.changed()

    def _forget(self, uris: Iterable[str]) -> None:
        """Files that have nothing for the overview any more."""
        for uri in list(uris):
            self.listings.pop(uri, None)
            self.listed(uri)
