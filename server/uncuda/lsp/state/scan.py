"""Reads the facts that files show about their project; a worker process of `scan_process.py` runs this code, too."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, NoReturn

from uncuda.catalogue import Catalogue, load
from uncuda.child import be_nice
from uncuda.child.records import Codec, serve
from uncuda.limits import LimitExceeded
from uncuda.project import Owner, Project
from uncuda.source import Source, SourceError, Span
from uncuda.workspace import (
    UNTOLD,
    Constants,
    FileProblem,
    Problem,
    Read,
    Scanner,
    Told,
    Words,
    cudas_own,
    file_text,
    has_tests,
    is_notebook,
    read_file,
    read_text,
    source_of,
)

_LONGEST_ROW = 300


class Place(NamedTuple):
    """The position of a module's import: the span, the line (from 0), the columns in characters, and the line's
    text."""

    span: Span
    line: int
    columns: Span
    row: str


@dataclass(frozen=True)
class Facts:
    """What one file shows about its project. `modules`: plugins and shims that the file imports. `constants`: targets
    named by constants in the file. `own`: whether the file's name may show for which device the file is. `told`: the
    modules that the file builds for CUDA, the functions that run a kernel, and the other fields of `Told`. `serves`:
    targets that the file supports besides CUDA, as in `Said`. `torch`: whether the file uses torch's CUDA functions."""

    modules: Mapping[str, Place] = field(default_factory=dict)
    owners: frozenset[Owner] = frozenset()
    constants: frozenset[str] = frozenset()
    own: bool = False
    told: Told = UNTOLD
    serves: tuple[str, ...] = ()
    torch: bool = False

    def __bool__(self) -> bool:
        said = self.modules or self.owners or self.constants or self.own or self.serves or self.torch
        return bool(said or any(self.told))


@dataclass(frozen=True)
class Scan:
    """A request to read the facts of all files in a folder. `over`: editor settings, in kebab-case, that override the
    configuration files; `under`: editor settings that the configuration files override."""

    path: str
    over: Mapping[str, object]
    under: Mapping[str, object]


@dataclass(frozen=True)
class SaidBy:
    """An answer to a Scan: what the file at `path` shows about its project."""

    path: str
    facts: Facts


@dataclass(frozen=True)
class Scanned:
    """The last answer to a Scan: the paths of all files if the project has files of tests, the number of files, and the
    problems with ignore files."""

    paths: tuple[str, ...]
    files: int
    problems: tuple[Problem, ...]
    notes: tuple[Problem, ...]


@dataclass(frozen=True)
class ScanFiles:
    """A request to a worker process to read these files."""

    paths: tuple[str, ...]


@dataclass(frozen=True)
class ScannedFiles:
    """The answer to `ScanFiles`: what each file shows about its project, without the files that show nothing."""

    files: tuple[SaidBy, ...]


CODEC = Codec(Scan, SaidBy, Scanned)
WORKER_CODEC = Codec(ScanFiles, ScannedFiles)
NOTHING = Facts()
_TORCH = Facts(torch=True)


class Reader:
    """Reads the facts of files."""

    def __init__(self, catalogue: Catalogue) -> None:
        words = Words.of_catalogue(catalogue)
        self.shims, self.variables = words.shims, words.variables
        self._devices = words.devices
        self._scanner = Scanner(words)
        self._constants = Constants(words.devices)
        self.follows: set[str] = set()
        """The paths of the files to which calls of tests lead."""

    def facts(self, data: bytes, path: str) -> Facts:
        """Return the facts that a file's bytes and name show."""
        said = self._scanner.look(data, path=path, followed=path in self.follows)
        constants = frozenset(self._constants.named(data))
        own = bool(cudas_own([path], self._devices)) or self._scanner.names.tells(path)
        if not (said.modules or said.owners or said.serves or constants or own or any(said.told)):
            return _TORCH if said.torch else NOTHING
        source = Source(data.decode("utf-8", "replace"))
        places = {module: _place(source, span) for module, span in said.modules.items()}
        return Facts(places, said.owners, constants, own, said.told, said.serves, said.torch)

    def file(self, path: str) -> Facts:
        """Return the facts of a file on disk; an object without facts if the file cannot be read."""
        try:
            if is_notebook(path):
                return self._notebook(read_file(path), path)
            return self.facts(read_text(path), path)
        except (FileProblem, SourceError, LimitExceeded):
            return NOTHING

    def _notebook(self, data: bytes, path: str) -> Facts:
        """Return the facts of a notebook, with offsets in the notebook's file."""
        source = source_of(data, path)
        facts = self.facts(source.text.encode("utf-8", "surrogatepass"), path)
        text = file_text(data, source) if facts.modules else source
        places = {module: _place(text, source.offsets(place.span)) for module, place in facts.modules.items()}
        return replace(facts, modules=places)

    def follow(
        self, files: Mapping[str, Facts], paths: Collection[str], read: Read = read_text
    ) -> Iterator[tuple[str, Facts]]:
        """Yield the path and the facts of each file to which calls of tests lead; these facts contain the file's calls.
        Files in `follows` are left out. `files`: the facts of all files that show any; `paths`: the paths of all files
        of the project."""
        if not has_tests(paths):
            return
        fresh = [path for path in paths if path not in self.follows]
        for path, calls in self._scanner.followed((facts.told.calls for facts in files.values()), fresh, read).items():
            self.follows.add(path)
            facts = files.get(path, NOTHING)
            if calls - facts.told.calls:
                yield path, replace(facts, told=facts.told._replace(calls=calls))

    def project(self, files: Mapping[str, Facts]) -> Project:
        """Return the `Project` that combines what all files show, such as the plugins that they import."""
        every = files.values()
        modules = {module for facts in every for module in facts.modules}
        owners = {owner for facts in every for owner in facts.owners}
        serving = Counter(target for facts in every for target in facts.serves)
        constants = {target for facts in every for target in facts.constants}
        told = [facts.told for facts in every if any(facts.told)]
        # an editor does not check the code under test when a test is opened
        told = [one._replace(patching=UNTOLD.patching) for one in told]
        if not has_tests(files):
            told = [one._replace(calls=UNTOLD.calls) for one in told]
        torch = any(facts.torch for facts in every)
        return self._scanner.project_of(modules, owners, constants, files, told, serving, torch)


def _place(source: Source, span: Span) -> Place:
    line, column = source.position(span.start)
    row = source.line_text(line)[:_LONGEST_ROW]
    start = min(column - 1, len(row))
    return Place(span, line - 1, Span(start, min(start + span.end - span.start, len(row))), row)


class ScanWorker:
    """A worker process that reads files."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def serve(self) -> NoReturn:
        """Answer requests on standard input until it ends."""
        serve(WORKER_CODEC, self.answer)

    def answer(self, request: ScanFiles) -> ScannedFiles:
        """Return the answer to a request."""
        return ScannedFiles(tuple(self.facts_of(request.paths)))

    def facts_of(self, paths: Iterable[str]) -> Iterator[SaidBy]:
        """Yield, in the order of the paths, what each file shows about its project; files that show nothing are left
        out."""
        for path in paths:
            if facts := self.reader.file(path):
                yield SaidBy(path, facts)


def main() -> None:
    """Run as a worker process that was started anew, not forked from its parent."""
    be_nice()
    gc.disable()  # nearly all objects created here are trees without cycles
    ScanWorker(Reader(load())).serve()
