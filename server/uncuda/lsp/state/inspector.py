"""Checks closed files of the workspace; several processes run this code at once.

Input: first `InspectAll`, which has no answer, then `InspectFiles`, each answered with `InspectedFiles`.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from uncuda.child import be_nice
from uncuda.child.records import serve
from uncuda.limits import LimitExceeded
from uncuda.source import SourceError
from uncuda.workspace import Baselines, FileProblem, discover, is_notebook
from uncuda.workspace.discover import File

from ..wire.uris import uri_of
from .folders import Folders
from .inspected import WORKER_CODEC, InspectAll, Inspected, InspectedFiles, InspectFiles, Shim, Shims
from .listing import analyse_closed, listing_of
from .render import Renderer
from .roots import Folder


def main() -> NoReturn:
    """Answer requests until the input ends."""
    be_nice()
    gc.freeze()
    InspectionWorker().serve()


class Inspector:
    """Checks closed files in the same way as the server checks open ones."""

    def __init__(self, folders: Folders, wanted: Iterable[str], shims: Shims) -> None:
        self._folders, self._wanted = folders, frozenset(wanted)
        catalogue = folders.catalogue
        self._renderer = Renderer(folders.client, catalogue, lambda program, target: self._shim(program.path, target))
        self._baselines = Baselines(folders.tell_of_baseline)
        self._shims = shims
        self._tell_of_shims: set[str] = set()

    @classmethod
    def of(cls, request: InspectAll) -> Inspector:
        """Return an inspector for all files of a request."""
        return cls(Folders.of_known(request.known), request.folders, request.shims)

    def files(self) -> list[File]:
        """All files of the requested folders."""
        return [file for folder in self._folders.all for file in self._files(folder)]

    def _files(self, folder: Folder) -> Iterator[File]:
        if folder.uri in self._wanted:
            for file in discover([folder.path], self._settings_for(folder), empty=True).files:
                if self._folders.folder_of(file.path) is folder:
                    yield file

    def check(self, path: str) -> Inspected:
        """Check one of `files` and return its result."""
        folder = self._folders.folder_of(path)
        return self._check(path, folder) if folder is not None else Inspected(path, uri_of(path))

    def remember(self, found: Inspected) -> None:
        """Remember whether the diagnostics of a file mention where the project imports a shim, i.e. a runtime patch
        such as transfer_to_npu. `found` may be the result of another process."""
        if found.tells_of_shims:
            self._tell_of_shims.add(found.path)

    def some(self, paths: Iterable[str]) -> Iterator[Inspected]:
        """Yield the results of checking the files at these paths."""
        self._baselines.look()
        for path in paths:
            folder = self._folders.folder_of(path)
            known = folder is not None and folder.uri in self._wanted and os.path.isfile(path)  # noqa: PTH113
            if folder is not None and known and self._folders.finds(path, folder):
                found = self._check(path, folder)
                self.remember(found)
                yield found
            else:
                yield Inspected(path, uri_of(path))

    def move_shims(self, shims: Shims) -> Iterator[Inspected]:
        """Yield new results for the files whose diagnostics mention where the project imports a shim, i.e. a runtime
        patch such as transfer_to_npu."""
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
                # the editor shows the findings of a notebook in its cells when the notebook is open
                if not is_notebook(path):
                    items, tells = self._renderer.items(analysis)[uri], self._renderer.tells_of_shims(analysis)
                    found = replace(found, items=items, tells_of_shims=tells)
        except (FileProblem, SourceError, LimitExceeded):
            pass  # the editor shows the error when the file is opened
        except Exception as error:  # noqa: BLE001 one file must not stop the rest
            found = replace(found, failed=f"{type(error).__name__}: {error}")
        return found

    def _shim(self, path: str, target: str) -> Shim | None:
        folder = self._folders.folder_of(path)
        return self._shims.get(folder.uri, {}).get(target) if folder else None


class InspectionWorker:
    """A worker process that checks files. `inspector`: the parent process's inspector, if this process was forked from
    it, otherwise None."""

    def __init__(self, inspector: Inspector | None = None) -> None:
        self._inspector = inspector

    def serve(self) -> NoReturn:
        """Answer the requests on standard input until it ends."""
        serve(WORKER_CODEC, self.answer)

    def answer(self, request: InspectAll | InspectFiles) -> InspectedFiles | None:
        """Return the answer to a request; None for `InspectAll`, which only prepares the process."""
        if isinstance(request, InspectAll):
            self._inspector = self._inspector or Inspector.of(request)
            return None
        assert self._inspector is not None
        return InspectedFiles(tuple(map(self._inspector.check, request.paths)))
