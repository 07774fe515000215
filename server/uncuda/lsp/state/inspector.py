"""Checks the closed files of the workspace in a process of its own, for the diagnostics of the whole workspace.

In, one line of JSON each: first what `Folders.record` gives, with `shims` (by URI of folder and target, where it is
imported), then lists of paths to check again, or `{shims}` alone where these are others now. Out: `{path, uri, items}`
for each file (`items`: the JSON list of its diagnostics; files without any only if they were asked for by path), and
`{done: true}` after each line.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from uncuda.child import lines
from uncuda.limits import LimitExceeded
from uncuda.source import Source, SourceError
from uncuda.workspace import FileProblem, discover, load_file
from uncuda.workspace.discover import File

from ..wire.background import be_nice
from ..wire.uris import uri_of
from .analyses import Analysis
from .documents import Document
from .folders import Folders
from .render import Renderer
from .roots import Folder

Places = dict[str, dict[str, Any]]


def main() -> None:
    """Answer requests until the input ends, and stop at once then."""
    be_nice()
    gc.freeze()
    try:
        inspector: Inspector | None = None
        for line in lines():
            request = json.loads(line)
            if inspector is None:
                inspector = Inspector(Folders.of_record(request), request["shims"])
                found = inspector.everything()
            elif isinstance(request, dict):
                found = inspector.move_shims(request["shims"])
            else:
                found = inspector.some(request)
            for record in found:
                _write(record)
            _write({"done": True})
    except BrokenPipeError:
        os._exit(1)


def _write(record: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(record).encode() + b"\n")
    sys.stdout.buffer.flush()


class Inspector:
    """Checks files as the server would if they were open."""

    def __init__(self, folders: Folders, shims: Places) -> None:
        self._folders = folders
        catalogue = folders.catalogue
        self._renderer = Renderer(folders.client, catalogue, lambda program, target: self._shim(program.path, target))
        self._shims = shims
        self._tell_of_shims: set[str] = set()

    def everything(self) -> Iterator[dict[str, Any]]:
        """What is found in all files of all folders."""
        for folder in self._folders.all:
            for file in discover([folder.path], self._settings_for(folder), empty=True).files:
                if self._folders.folder_of(file.path) is folder:
                    record = self._check(file.path, folder)
                    if record["items"] != "[]":
                        yield record

    def some(self, paths: Iterable[str]) -> Iterator[dict[str, Any]]:
        """What is found in some files."""
        for path in paths:
            folder = self._folders.folder_of(path)
            if folder is not None and os.path.isfile(path) and self._folders.finds(path, folder):  # noqa: PTH113
                yield self._check(path, folder)
            else:
                yield {"path": path, "uri": uri_of(path), "items": "[]"}

    def move_shims(self, shims: Places) -> Iterator[dict[str, Any]]:
        """What is found in the files whose diagnostics say where shims are imported, now that it is elsewhere."""
        self._shims = shims
        return self.some(sorted(self._tell_of_shims))

    def _settings_for(self, folder: Folder) -> Any:
        return lambda place: self._folders.settings_for(place, folder)

    def _check(self, path: str, folder: Folder) -> dict[str, Any]:
        uri = uri_of(path)
        record = {"path": path, "uri": uri, "items": "[]"}
        engine, settings, chosen = self._folders.engine_at(str(Path(path).parent), folder, folder.project)
        if chosen.among:  # an open file says that the target is to be chosen
            return record
        try:
            source, _ = load_file(File(path, settings, False), engine)
            if source is not None:
                document = Document(uri, "python", None, source.text, self._folders.client.encoding)
                report = engine.check(Source(source.text, path), concerned=True)
                analysis = Analysis(document, source.text, None, engine, report)
                record["items"] = self._renderer.items(analysis)[uri]
                if self._renderer.tells_of_shims(analysis):
                    self._tell_of_shims.add(path)
        except (FileProblem, SourceError, LimitExceeded):
            pass  # the command line says so; an editor shows it when the file is opened
        except Exception as error:  # noqa: BLE001 one file must not stop the rest
            record["failed"] = f"{type(error).__name__}: {error}"
        return record

    def _shim(self, path: str, target: str) -> Any:
        folder = self._folders.folder_of(path)
        return self._shims.get(folder.uri, {}).get(target) if folder else None
