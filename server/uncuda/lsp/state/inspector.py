"""Checks the closed files of the workspace, in a process of its own.

Input: first `InspectAll`, then `InspectSome`, or `MoveShims` when shims are imported elsewhere. Output: `Inspected` for
each file with diagnostics and for each file requested by path, `InspectionProgress` while all are checked, and
`InspectionDone` after each request.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from uncuda.child import be_nice
from uncuda.child.records import Channel
from uncuda.limits import LimitExceeded
from uncuda.source import SourceError
from uncuda.workspace import Baselines, FileProblem, discover, is_notebook
from uncuda.workspace.discover import File

from ..wire.uris import uri_of
from .folders import Folders
from .inspected import CODEC, InspectAll, Inspected, InspectionDone, InspectionProgress, MoveShims, Shim, Shims
from .listing import analyse_closed, listing_of
from .render import Renderer
from .roots import Folder

_PAUSE = 0.2  # seconds between two progress messages


def main() -> None:
    """Answer requests until the input ends."""
    be_nice()
    gc.freeze()
    channel = Channel(CODEC)
    inspector: Inspector | None = None
    found: Iterable[Inspected | InspectionProgress] = ()
    for request in channel.requests():
        if isinstance(request, InspectAll):
            inspector = Inspector(Folders.of_known(request.known), request.folders, request.shims)
            found = inspector.everything()
        elif inspector is not None:
            moved = isinstance(request, MoveShims)
            found = inspector.move_shims(request.shims) if moved else inspector.some(request.paths)
        for record in found:
            channel.say(record)
        channel.say(InspectionDone())


class Inspector:
    """Checks files as the server would if they were open."""

    def __init__(self, folders: Folders, wanted: Iterable[str], shims: Shims) -> None:
        self._folders, self._wanted = folders, frozenset(wanted)
        catalogue = folders.catalogue
        self._renderer = Renderer(folders.client, catalogue, lambda program, target: self._shim(program.path, target))
        self._baselines = Baselines(folders.tell_of_baseline)
        self._shims = shims
        self._tell_of_shims: set[str] = set()

    def everything(self) -> Iterator[Inspected | InspectionProgress]:
        """The results of all files in the wanted folders that have findings or accepted findings."""
        files = [(file.path, folder) for folder in self._folders.all for file in self._files(folder)]
        due = time.monotonic() + _PAUSE
        for done, (path, folder) in enumerate(files, 1):
            record = self._check(path, folder)
            if record.items != "[]" or record.listing:
                yield record
            if (now := time.monotonic()) >= due:
                due = now + _PAUSE
                yield InspectionProgress(done, len(files))

    def _files(self, folder: Folder) -> Iterator[File]:
        if folder.uri in self._wanted:
            for file in discover([folder.path], self._settings_for(folder), empty=True).files:
                if self._folders.folder_of(file.path) is folder:
                    yield file

    def some(self, paths: Iterable[str]) -> Iterator[Inspected]:
        """The results of some files."""
        self._baselines.look()
        for path in paths:
            folder = self._folders.folder_of(path)
            known = folder is not None and folder.uri in self._wanted and os.path.isfile(path)  # noqa: PTH113
            if folder is not None and known and self._folders.finds(path, folder):
                yield self._check(path, folder)
            else:
                yield Inspected(path, uri_of(path))

    def move_shims(self, shims: Shims) -> Iterator[Inspected]:
        """The new results of files whose diagnostics mention where shims are imported."""
        self._shims = shims
        return self.some(sorted(self._tell_of_shims))

    def _settings_for(self, folder: Folder) -> Any:
        return lambda place: self._folders.settings_for(place, folder)

    def _check(self, path: str, folder: Folder) -> Inspected:
        uri = uri_of(path)
        found = Inspected(path, uri)
        try:
            closed = analyse_closed(self._folders, self._baselines, path, folder)
            if closed is not None:
                analysis = closed.analysis
                baseline = self._folders.baseline_at(str(Path(path).parent), folder)
                listing = listing_of(analysis, folder.relative(path), uri, baseline)
                found = replace(found, listing=listing if listing.findings else None)
                if not is_notebook(path):  # an editor shows what is found in its cells, where it is open
                    found = replace(found, items=self._renderer.items(analysis)[uri])
                    if self._renderer.tells_of_shims(analysis):
                        self._tell_of_shims.add(path)
        except (FileProblem, SourceError, LimitExceeded):
            pass  # an editor shows the problem when the file is opened
        except Exception as error:  # noqa: BLE001 one file must not stop the rest
            found = replace(found, failed=f"{type(error).__name__}: {error}")
        return found

    def _shim(self, path: str, target: str) -> Shim | None:
        folder = self._folders.folder_of(path)
        return self._shims.get(folder.uri, {}).get(target) if folder else None
