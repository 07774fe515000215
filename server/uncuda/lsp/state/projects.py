"""The project of each folder: facts about all its files, which are read once in the background and updated on every
edit."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from uncuda.workspace import neighbours

from ..wire.background import Background
from ..wire.logs import logger
from ..wire.positions import Lines
from ..wire.uris import uri_of
from .documents import Documents, Program
from .roots import Folder
from .scan import CODEC, NOTHING, Facts, Place, Reader, SaidBy, Scan, Scanned

if TYPE_CHECKING:
    from ..wire.endpoint import Endpoint
    from .analyses import Analyses
    from .folders import Folders
    from .notebooks import Notebooks

Where = tuple[str, tuple[int, int], tuple[int, int]]
"""A range in a file: the file's URI, and (line, column) of start and end."""
_PAUSE = 0.25
"""After this many seconds without a change, open documents are read again."""
_SLICE = 20
"""The number of files on disk that are read at a time, before other messages are handled."""


class Projects:
    """What each file shows about its project, such as the plugins that it imports, by folder and path. An open document
    replaces its file on disk."""

    def __init__(
        self,
        endpoint: Endpoint,
        folders: Folders,
        documents: Documents,
        notebooks: Notebooks,
        analyses: Analyses,
    ) -> None:
        self._endpoint, self._folders, self._analyses = endpoint, folders, analyses
        self._documents, self._notebooks = documents, notebooks
        self._reader = Reader(folders.catalogue)
        self._disk: dict[Folder, dict[str, Facts]] = {}
        self._paths: dict[Folder, dict[str, None]] = {}  # the paths of all files, in projects with files of tests
        self._open: dict[str, tuple[Program, Facts]] = {}
        self._places: dict[Folder, list[Where | None]] = {}
        self._scans: dict[Folder, Background] = {}
        self._stale: set[str] = set()
        self._due = 0.0
        self._timed = False
        self._waiting: dict[str, None] = {}
        endpoint.opened.append(self.note)
        endpoint.changed.append(self.note)
        endpoint.saved.append(self._saved)
        endpoint.closed.append(self._close)
        endpoint.touched.append(self.read)
        endpoint.ended.append(self.stop)

    def scan(self, folders: Iterable[Folder]) -> None:
        """Read all files of these folders again, with one child process for each folder."""
        for folder in folders:
            self.leave(folder)
            found: dict[str, Facts] = {}
            scan = Background(
                "uncuda.lsp.state.scan_process",
                CODEC,
                self._endpoint.call,
                lambda record, folder=folder, found=found: self._take(folder, found, record),  # type: ignore[misc]
                lambda folder=folder: self._done(folder),  # type: ignore[misc]
            )
            self._scans[folder] = scan
            over, under = self._folders.over(folder), self._folders.under(folder)
            scan.send(Scan(folder.path, over, under))

    def leave(self, folder: Folder) -> None:
        """Stop reading a folder, because it was removed from the workspace."""
        if scan := self._scans.pop(folder, None):
            scan.stop()

    def stop(self) -> None:
        """Stop all child processes."""
        for folder in list(self._scans):
            self.leave(folder)

    def note(self, program: Program) -> None:
        """After a pause without changes, read the facts of an open document again."""
        loop = self._endpoint.loop
        self._stale.add(program.uri)
        self._due = loop.time() + _PAUSE
        if not self._timed:
            self._timed = True
            loop.call_at(self._due, self._look_if_idle)

    def read(self, paths: Iterable[str]) -> None:
        """Read changed or deleted files from the disk."""
        idle = not self._waiting
        self._waiting.update(dict.fromkeys(paths))
        if idle and self._waiting:
            self._endpoint.loop.call_later(_PAUSE, self._read_some)

    def shim(self, program: Program, target: str) -> Where | None:
        """Return where the shim of a target is imported: in the document itself, otherwise in a file of its project;
        None if no file imports it."""
        own = self._open.get(program.uri)
        if own and (place := self._patch(own[1], target)):
            return _in_program(program, place)
        folder = self._folders.choice_of(program).folder
        return self.shim_in(folder, target) if folder and program.path else None

    def shim_in(self, folder: Folder, target: str) -> Where | None:
        """Return where the shim is imported in the first file of a folder that imports it."""
        for path, facts, program in sorted(self._files(folder), key=lambda entry: entry[0]):
            if place := self._patch(facts, target):
                return _in_program(program, place) if program else self._on_disk(path, place)
        return None

    def _patch(self, facts: Facts, target: str) -> Place | None:
        module, variable = self._reader.shims.get(target), self._reader.variables.get(target)
        names = (
            name for name in facts.modules if module and (name in (module, variable) or name.startswith(module + "."))
        )
        return next((facts.modules[name] for name in names), None)

    def _on_disk(self, path: str, place: Place) -> Where:
        row = Lines(place.row, self._endpoint.client.encoding)
        start, end = ((place.line, row.point(column)[1]) for column in place.columns)
        return uri_of(path), start, end

    def _files(self, folder: Folder | None) -> Iterable[tuple[str, Facts, Program | None]]:
        """(path, facts, open document or None) of each file in a folder."""
        if folder is None:
            return
        shown = {program.path: (facts, program) for program, facts in self._open.values() if program.path}
        for path, facts in self._disk.get(folder, {}).items():
            if path not in shown:
                yield path, facts, None
        for path, (facts, program) in shown.items():
            if facts and self._folders.folder_of(path) is folder:
                yield path, facts, program

    def _take(self, folder: Folder, found: dict[str, Facts], record: SaidBy | Scanned) -> None:
        if isinstance(record, SaidBy):
            if record.facts.told.calls:
                self._reader.follows.add(record.path)
            found[record.path] = record.facts
            return
        logger.debug("%s: %s files", folder.path, record.files)
        for path, message in record.notes:
            logger.warning("%s: %s", path, message)
        for path, message in record.problems:
            self._folders.tell_once(path, f"{path}: {message}")
        folder.files = record.files
        self._disk[folder] = found
        self._paths[folder] = dict.fromkeys(record.paths)

    def _done(self, folder: Folder) -> None:
        self._scans.pop(folder, None)
        if folder not in self._disk:
            logger.error("%s: its files could not be read", folder.path)
        folder.scanned = True
        self._update([folder])
        self._endpoint.scanned(folder)

    def _look_if_idle(self) -> None:
        loop = self._endpoint.loop
        self._timed = loop.time() < self._due  # true if the text has changed during the pause
        if self._timed:
            loop.call_at(self._due, self._look_if_idle)
        else:
            self._look()

    def _look(self) -> None:
        stale, self._stale = self._stale, set()
        touched: set[Folder] = set()
        alone = []
        for uri in stale:
            program = self._documents.program(uri) or self._notebooks.get(uri)
            if program is None or (uri in self._open and self._analyses.of(program).heavy):
                continue  # what a large document shows about the project is read only when it is opened or saved
            facts = self._reader.facts(program.text.encode("utf-8", "surrogatepass"), program.path)
            self._open[uri] = program, facts
            folder = self._folders.choice_of(program).folder
            if folder and program.path:
                touched.add(folder)
                continue
            beside = dict.fromkeys(neighbours(program.path), NOTHING)
            if self._folders.stand_alone(program, self._reader.project({**beside, "": facts})):
                alone.append(program)
        self._update(touched)
        if alone:
            self._endpoint.stale([document.uri for program in alone for document in program.documents])

    def _saved(self, program: Program) -> None:
        if program.uri in self._open and self._analyses.of(program).heavy:
            del self._open[program.uri]
            self.note(program)

    def _close(self, program: Program | None, uris: Iterable[str]) -> None:
        if program is None:
            return
        self._stale.discard(program.uri)
        self._folders.drop(program.uri)
        if self._open.pop(program.uri, None) and program.path:
            self.read([program.path])

    def _read_some(self) -> None:
        """Read a few of the waiting files, and further files after the event loop has handled its messages."""
        touched, later = set(), []
        for path in list(self._waiting)[:_SLICE]:
            del self._waiting[path]
            folder = self._folders.folder_of(path)
            if folder in self._scans:
                later.append(path)
            if folder is None or folder not in self._disk or folder in self._scans:
                continue
            facts = self._reader.file(path) if os.path.exists(path) and self._counts(path, folder) else NOTHING  # noqa: PTH110
            if facts:
                self._disk[folder][path] = facts
            else:
                self._disk[folder].pop(path, None)
            if self._paths[folder]:
                self._paths[folder][path] = None
            touched.add(folder)
        self._update(touched)
        if self._waiting or later:
            self._endpoint.loop.call_later(0.01 if self._waiting else _PAUSE, self._read_some)
        self._waiting.update(dict.fromkeys(later))

    def _followed(self, folder: Folder) -> dict[str, Facts]:
        """Return the facts of all files of a folder, after reading further files to which calls of tests lead."""
        files = {path: facts for path, facts, _ in self._files(folder)}
        for path, facts in self._reader.follow(files, self._paths.get(folder, ())):
            files[path] = self._disk[folder][path] = facts
            for program in [program for program, _ in self._open.values() if program.path == path]:
                self.note(program)
        return files

    def _counts(self, path: str, folder: Folder) -> bool:
        return self._folders.finds(path, folder)

    def _update(self, folders: Iterable[Folder]) -> None:
        """Compute the projects of folders again; if a project changed, all files of its folder are checked again."""
        changed = moved = False
        for folder in folders:
            project = self._reader.project(self._followed(folder))
            if project != folder.project:
                folder.project, changed = project, True
            places = [self.shim_in(folder, target) for target in sorted(project.shims | project.switched)]
            moved |= places != self._places.get(folder, [])
            self._places[folder] = places
        if changed:
            self._folders.forget()
            self._endpoint.reconfigured()
        elif moved:
            self._endpoint.shims_moved()


def _in_program(program: Program, place: Place) -> Where:
    document, start = program.place(place.span.start)
    end = start + place.span.end - place.span.start
    return document.uri, document.lines.point(start), document.lines.point(end)
