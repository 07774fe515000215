"""What is found in the closed files of the workspace: checked by a child, and again whenever they are others."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from ..wire.background import Background
from ..wire.logs import logger
from ..wire.uris import uri_of
from .inspected import CODEC, InspectAll, Inspected, InspectionDone, InspectSome, MoveShims, Shims

if TYPE_CHECKING:
    from ..wire.endpoint import Endpoint
    from .analyses import Analyses
    from .folders import Folders
    from .projects import Projects

PAUSE = 0.5
"""Seconds in which what comes in is collected."""


class Result(NamedTuple):
    """What was found in a document. `id`: another whenever `items`, a JSON list, is; `version`: None if closed."""

    uri: str
    id: str
    items: str
    version: int | None = None


class Inspection:
    """Results by URI of the files that have any. `changed()` is called when one is another now, `done()` whenever the
    child has answered."""

    def __init__(
        self,
        endpoint: Endpoint,
        folders: Folders,
        projects: Projects,
        analyses: Analyses,
        changed: Callable[[], object],
        done: Callable[[], object],
    ) -> None:
        self._endpoint, self._folders, self._projects, self._analyses = endpoint, folders, projects, analyses
        self._changed, self._done = changed, done
        self.results: dict[str, Result] = {}
        self._fresh: set[str] = set()
        self._serial = 0
        self._child: Background | None = None
        self._asked: deque[frozenset[str] | None] = deque()
        """What the child has not answered, in this order: URIs of files, or None for all. What it said of a file counts
        only once nothing more is asked about it: before, the file may have been read too early."""
        self._timer: asyncio.TimerHandle | None = None
        endpoint.scanned.append(lambda folder: self.start_soon())
        endpoint.reconfigured.append(self.start_soon)
        endpoint.touched.append(self.check)
        endpoint.shims_moved.append(self._move_shims)
        endpoint.ended.append(self._stop)

    @property
    def is_on(self) -> bool:
        """Whether the editor's settings ask for diagnostics of closed files."""
        return any(folder.editor.workspace_diagnostics for folder in self._folders.all)

    @property
    def is_wanted(self) -> bool:
        """Whether they do, and it is known what the files say together."""
        return self.is_on and all(folder.scanned for folder in self._folders.all)

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

    def start_soon(self) -> None:
        """Check all files anew, as soon as nothing changes any more."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._endpoint.loop.call_later(PAUSE, self._start)

    def check(self, paths: Iterable[str]) -> None:
        """Check some files again that are closed now, or were changed on the disk."""
        wanted = [path for path in paths if path.endswith(".py")]
        if self._child is not None and wanted:
            self._send(InspectSome(tuple(wanted)), frozenset(uri_of(path) for path in wanted))
        elif wanted and self._timer is None and self.is_wanted:  # the child was lost
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
            self._done()
            return
        self._fresh = set()
        self._asked.append(None)
        self._child = Background(
            "uncuda.lsp.state.inspector",
            CODEC,
            self._endpoint.call,
            self._take,
            self._lost,
            first=InspectAll(self._folders.known(), self._shims()),
        )

    def _shims(self) -> Shims:
        folders, projects = self._folders, self._projects
        return {
            folder.uri: {
                name: place for name in folders.catalogue.declarations if (place := projects.shim_in(folder, name))
            }
            for folder in folders.all
        }

    def _stop(self) -> None:
        if self._child is not None:
            self._child.stop()
        self._child = None
        self._asked.clear()

    def _lost(self) -> None:
        logger.error("checking the workspace has ended")
        self._stop()
        self._done()

    def _take(self, record: Inspected | InspectionDone) -> None:
        if isinstance(record, InspectionDone):
            self._asked.popleft()
            for uri in self.results.keys() - self._fresh:
                del self.results[uri]
            self._done()
            return
        if record.failed:
            self._analyses.failed("", record.path, RuntimeError(record.failed))
        uri, items = record.uri, record.items
        self._fresh.discard(uri)
        if items == "[]":
            self.results.pop(uri, None)
        else:
            self._fresh.add(uri)
            known = self.results.get(uri)
            if known is None or known.items != items:
                self._serial += 1
                self.results[uri] = Result(uri, f"w{self._serial}", items)
        self._changed()
