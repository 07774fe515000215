"""The findings in closed files of the workspace, computed by a child process and kept current."""

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
"""Seconds for which changes are collected before a check starts."""
_READ = (".py", ".ipynb")
_LONG = 2.0  # an editor shows progress if a check takes longer than this number of seconds


class Result(NamedTuple):
    """The diagnostics of one document. `id` changes whenever `items`, the JSON list of diagnostics, changes; `version`:
    the version of the open document, None if it is closed."""

    uri: str
    id: str
    items: str
    version: int | None = None


State = Literal["off", "reading", "checking", "complete", "stopped", "large", "restricted"]
"""Whether closed files are checked, or why they are not. "off": not requested; "stopped": the user stopped the check;
"large": the workspace has too many files to check without a request; "restricted": the user has not trusted the
workspace."""


class Inspection:
    """The results of closed files that have diagnostics, by URI, and their entries in the overview.

    Events: `changed()`: a result changed; `listed(uri)`: a file's entry in the overview may have changed; `done()`: the
    child process answered; `moved()`: `state` may have changed.
    """

    def __init__(self, endpoint: Endpoint, folders: Folders, projects: Projects, analyses: Analyses) -> None:
        self._endpoint, self._folders, self._projects, self._analyses = endpoint, folders, projects, analyses
        self.changed, self.listed, self.done, self.moved = Event(), Event(), Event(), Event()
        self.listings: dict[str, FileListing] = {}
        self.results: dict[str, Result] = {}
        self._fresh: set[str] = set()
        self._serial = 0
        self._child: Background | None = None
        self._asked: deque[frozenset[str] | None] = deque()
        """The requests that the child process has not answered yet, in order: URIs of files, or None for all files. The
        result for a file is used only if no later request for the same file waits for an answer, because the file may
        have changed between the two requests."""
        self._timer: asyncio.TimerHandle | None = None
        self._chosen: bool | None = None
        """What the user chose since the server started: True to check everything, False to stop; None if the user chose
        nothing."""
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
        """Whether the client wants diagnostics of closed files."""
        return any(self._covers(folder) for folder in self._folders.all)

    @property
    def is_wanted(self) -> bool:
        """Whether the client wants diagnostics of closed files, and all folders have been scanned."""
        return self.is_on and all(folder.scanned for folder in self._folders.all)

    @property
    def state(self) -> State:
        """The state of the check, or the reason why files are not checked."""
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

    @property
    def is_whole(self) -> bool:
        """Whether all files are being checked, or soon will be, and not only some that have changed."""
        return self.state == "reading" or (self.state == "checking" and None in self._asked)

    def is_settled(self, uri: str) -> bool:
        """Return whether no check of a closed file is pending: its stored result is up to date, and if there is none,
        the file has no diagnostics."""
        if not self.is_on:
            return True
        unread = any(uris is None or uri in uris for uris in self._asked)
        return self.is_wanted and self._timer is None and not unread

    def pull(self) -> None:
        """Record that the client requests diagnostics of closed files."""
        if not self._pulled:
            self._pulled = True
            self.start_soon()

    def choose(self, wanted: bool) -> bool:
        """Check all files, or stop checking them, until the server ends; return False if the client does not request
        diagnostics of closed files."""
        if self._pulled:
            self._chosen = wanted
            self._start()
        return self._pulled

    def _covers(self, folder: Folder) -> bool:
        """Return whether closed files of a folder are checked: the user's last choice decides, otherwise the setting;
        without both, they are checked if the client has requested them and the workspace is trusted and not large."""
        if self._chosen is not None:
            return self._chosen
        said = folder.editor.workspace_diagnostics
        if said is not None:
            return said
        files = sum(folder.files for folder in self._folders.all)
        return self._pulled and not self._folders.client.restricted and files <= MOST_FILES

    def start_soon(self) -> None:
        """Check all files again after a pause without changes."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._endpoint.loop.call_later(PAUSE, self._start)
        self.moved()

    def check(self, paths: Iterable[str]) -> None:
        """Check some files again that were closed, or that changed on disk."""
        wanted = [path for path in paths if path.endswith(_READ)]
        if self._child is not None and wanted:
            self._send(InspectSome(tuple(wanted)), frozenset(uri_of(path) for path in wanted))
        elif wanted and self._timer is None and self.is_wanted:  # no child process is running
            self.start_soon()

    def accepted_otherwise(self, paths: Iterable[str]) -> None:
        """Check files again whose accepted findings have changed. If one of the files no longer exists, check all
        files, because its code may have moved to another file."""
        paths = list(paths)
        if all(map(os.path.isfile, paths)):
            self.check(paths)
        elif self._child is not None:
            self.start_soon()

    def _move_shims(self) -> None:
        """Check files again whose diagnostics mention where the project imports a shim, i.e. a runtime patch such as
        transfer_to_npu."""
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
        """Show progress with a cancel button. The progress starts after a delay, so that a short check shows none."""
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
        """Remove the entries of files that no longer count in the overview."""
        for uri in list(uris):
            self.listings.pop(uri, None)
            self.listed(uri)
