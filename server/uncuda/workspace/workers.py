"""Checks and fixes files in several worker processes, with the same results as in one process."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from uncuda.catalogue import Catalogue
from uncuda.child.pool import Crashed, Launch, Pool
from uncuda.engine import Engine
from uncuda.limits import UNLIMITED
from uncuda.project import Project
from uncuda.settings import Settings
from uncuda.source import Source

from .calls import has_tests
from .cpus import batches_of
from .discover import File
from .run import Checked, EngineFor, Repaired, problem_of
from .scan import Part, Scanner, Survey, together
from .tasks import (
    CODEC,
    CheckFiles,
    EngineSpec,
    FileResult,
    FileResults,
    FixFiles,
    Place,
    Surveyed,
    SurveyFiles,
    Trouble,
    UseEngines,
)
from .words import Words
from .worker import Worker

_USUAL = 'import torch\n\nx = torch.ones(2, device="cuda")\ntorch.cuda.synchronize()\nx.cuda()\n'

Lost = Callable[[int, int], object]
"""A function that is called with the number and exit code of a process that ended too early."""


class Workers:
    """Starts `number` processes when they are needed. `sizes`: the sizes of the files in bytes."""

    def __init__(self, catalogue: Catalogue, number: int, files: Sequence[File], sizes: Sequence[int], lost: Lost):
        self._catalogue, self._number, self._lost = catalogue, number, lost
        self._sizes = {file.path: size for file, size in zip(files, sizes, strict=True)}
        self._pool: Pool[Place] | None = None
        self._here: Worker | None = None
        self._prepared = self._used = UseEngines(())

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.close()

    def survey(
        self, files: Sequence[File], engine_for: Callable[[Settings], Engine], constants: bool
    ) -> tuple[Survey, dict[str, str]]:
        """Search the bytes of the files; return the facts about the project and the problems that were found, as a
        `Survey`, and the targets that constants in the files name. `engine_for`: a function that returns the engine
        that tells whether a file may have findings."""
        words = Words.of_catalogue(self._catalogue)
        places, engines = _placed(files, engine_for)
        named: dict[str, str] = {}
        asked = partial(SurveyFiles, constants=constants, tests=has_tests(file.path for file in files))

        def looks() -> Iterator[tuple[Sequence[File], Part]]:
            nonlocal named
            done = 0
            for parts, answer in self._run(engines, None, places, asked):
                some = files[done : done + len(parts)]
                done += len(parts)
                if isinstance(answer, Surveyed):
                    named = answer.named | named
                    yield some, answer.part([file.path for file in some])
                else:
                    yield some, Surveyed(troubles={0: _ended(answer)}).part([some[0].path])

        survey = together(looks(), Scanner(words, once=True))
        return survey, named

    def check(
        self, files: Sequence[File], shown: Iterable[File], known_for: EngineFor, engine_for: EngineFor
    ) -> Iterator[Checked]:
        """Return the results of `check_files` for the files, computed by the worker processes. `shown`: an iterable
        over the same files, for example one that shows the progress; one file is taken from it for each result.
        `engine_for` is called with the settings of each file, and prints notes, such as the versions that it chose.
        `known_for`: a function that returns the same engines as `engine_for`, but prints no notes."""
        for file, result in self._results(files, shown, known_for, engine_for, CheckFiles):
            yield result.checked(file)

    def fix(
        self,
        files: Sequence[File],
        shown: Iterable[File],
        known_for: EngineFor,
        engine_for: EngineFor,
        wanted: FixFiles,
    ) -> Iterator[Repaired]:
        """Return the results of `fix_files` for the files, computed by the worker processes; the other parameters are
        those of `check`. `wanted`: the request to send, still without its files."""

        def request(places: tuple[Place, ...]) -> FixFiles:
            selections = {path: wanted.selections[path] for path, _ in places if path in wanted.selections}
            return replace(wanted, files=places, selections=selections)

        for file, result in self._results(files, shown, known_for, engine_for, request):
            yield result.repaired(file)

    def _results(
        self,
        files: Sequence[File],
        shown: Iterable[File],
        known_for: EngineFor,
        engine_for: EngineFor,
        request: Callable[[tuple[Place, ...]], object],
    ) -> Iterator[tuple[File, FileResult]]:
        places, engines = _placed(files, known_for)
        project = engines[0].project if engines else Project()
        answers = self._run(engines, project, places, request)
        results = chain.from_iterable(_each(parts, answer) for parts, answer in answers)
        for file in shown:
            try:
                engine_for(file.settings)
            except Exception as error:  # noqa: BLE001 as in check_files
                next(results)
                yield file, FileResult(trouble=Trouble.of(problem_of(file, error), traceback.format_exc()))
                continue
            yield file, next(results)

    def _run(
        self,
        engines: Sequence[Engine],
        project: Project | None,
        places: Sequence[Place],
        request: Callable[[tuple[Place, ...]], object],
    ) -> Iterator[tuple[Sequence[Place], Any]]:
        """Yield the answers of the worker processes, which are started if needed."""
        if self._pool is None:
            for engine in engines:  # engines are prepared before forking, so that processes share them
                engine.check(Source(_USUAL), limits=UNLIMITED)
            self._here = Worker(self._catalogue, engines)
            launch = Launch("uncuda.workspace.worker", self._here.serve, CODEC)
            self._pool = Pool(self._number, launch, self._answer_here, self._lost)
        self._prepared = UseEngines(tuple(map(EngineSpec.made, engines)), project)
        self._pool.tell(self._prepared)
        sizes = [self._sizes.get(path, 0) for path, _ in places]
        yield from self._pool.run(batches_of(places, sizes, self._number), lambda parts: request(tuple(parts)))

    def _answer_here(self, request: object) -> object:
        """Return the answer computed in this process, for the case that no worker is left."""
        assert self._here is not None
        if self._used is not self._prepared:
            self._used = self._prepared
            self._here.answer(self._used)
        return self._here.answer(request)


def _placed(files: Iterable[File], engine_for: EngineFor) -> tuple[list[Place], list[Engine]]:
    """Return each file's path with the number of its engine, and the list of engines."""
    engines: list[Engine] = []
    numbers: dict[int, int] = {}  # maps the id() of settings to the number of the engine for these settings
    places = []
    for file in files:
        number = numbers.get(id(file.settings))
        if number is None:
            engine = engine_for(file.settings)
            number = next((at for at, known in enumerate(engines) if known is engine), len(engines))
            engines[number:] = engines[number:] or [engine]
            numbers[id(file.settings)] = number
        places.append((file.path, number))
    return places, engines


def _each(places: Sequence[Place], answer: object) -> Iterable[FileResult]:
    return answer.files if isinstance(answer, FileResults) else [FileResult(trouble=_ended(answer)) for _ in places]


def _ended(answer: object) -> Trouble:
    assert isinstance(answer, Crashed)
    return Trouble(f"{answer.message}; left out")
