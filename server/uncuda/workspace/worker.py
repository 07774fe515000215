"""A worker process that checks files in parallel with others; it reads files, but writes none.

Input: `UseEngines`, which has no answer; `SurveyFiles`, answered with `Surveyed`; `CheckFiles` and `FixFiles`, answered
with `FileResults`.
"""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import NoReturn

from uncuda.catalogue import Catalogue, load
from uncuda.child.records import serve
from uncuda.engine import Engine
from uncuda.engine.several import make_engine
from uncuda.project import Project
from uncuda.settings import Settings

from .constants import Constants
from .discover import File
from .run import check_files, fix_files, selected
from .scan import Scanner, look_at
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


def main() -> NoReturn:
    """Answer requests until the input ends."""
    gc.disable()  # nearly all objects created here are trees without cycles
    Worker(load()).serve()


class Worker:
    """Answers requests; a forked worker can use the engines that were created before the fork."""

    def __init__(self, catalogue: Catalogue, engines: Iterable[Engine] = ()) -> None:
        self._catalogue = catalogue
        self._words = Words.of_catalogue(catalogue)
        self._scanner = Scanner(self._words, once=True)
        self._constants = Constants(self._words.devices)
        self._known = list(engines)
        # a separate object for each engine, because engines are looked up by the id() of their settings
        self._settings: list[Settings] = []
        self._engines: dict[int, Engine] = {}  # maps the id() of an engine's settings to the engine

    def serve(self) -> NoReturn:
        """Answer requests from the input."""
        serve(CODEC, self.answer)

    def answer(self, request: object) -> object | None:
        """Handle a request and return its answer; None for a request without an answer."""
        if isinstance(request, SurveyFiles):
            return self._look(request)
        if isinstance(request, CheckFiles):
            results = check_files(self._files(request.files), self._engine_for)
            return FileResults(tuple(map(FileResult.of_checked, results)))
        if isinstance(request, FixFiles):
            files, selections = self._files(request.files), request.selections
            fixed = fix_files(
                files, self._engine_for, request.review, request.rules, selection_for=selected(selections)
            )
            return FileResults(tuple(FileResult.of_repaired(one, request.steps) for one in fixed))
        assert isinstance(request, UseEngines)
        self._prepare(request)
        return None

    def _prepare(self, request: UseEngines) -> None:
        self._known = [self._engine(wanted, request.project) for wanted in request.engines]
        self._settings = [replace(engine.settings) for engine in self._known]
        self._engines = {id(settings): engine for settings, engine in zip(self._settings, self._known, strict=True)}

    def _engine(self, wanted: EngineSpec, project: Project | None) -> Engine:
        """Return an engine; if an existing engine has the same target and settings, the new engine is derived from it,
        so that both share prepared rules."""
        if project is not None and wanted.helper is not None:
            project = replace(project, helper=wanted.helper)
        known = next((engine for engine in self._known if EngineSpec.made(engine) == wanted), None)
        if known is None:
            return make_engine(self._catalogue, wanted.target, wanted.settings, project)
        return known if project is None else known.knowing(project)

    def _files(self, places: Collection[Place]) -> list[File]:
        return [File(path, self._settings[number], given=False) for path, number in places]

    def _engine_for(self, settings: Settings) -> Engine:
        return self._engines[id(settings)]

    def _look(self, request: SurveyFiles) -> Surveyed:
        named: dict[str, str] = {}

        def concerns(file: File, data: bytes) -> bool:
            nonlocal named
            if request.constants:
                named = self._constants.known(named, data)
            return self._engine_for(file.settings).concerns(data)

        self._scanner.follows = request.tests
        part = look_at(self._files(request.files), self._scanner, concerns)
        troubles = {number: Trouble.of(problem) for number, problem in part.problems.items()}
        return Surveyed(part.gathered, tuple(sorted(part.silent)), troubles, named)
