"""The engines of one project: what each of its files is checked with, after one look at all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from uncuda.catalogue import Catalogue, Target, around, same_version
from uncuda.engine import Engine
from uncuda.project import Project
from uncuda.settings import Settings

from .backends import neighbours
from .constants import named_targets
from .discover import File
from .requirements import required_torch
from .scan import Read, Scanner, Survey, Words, read_text, survey

Note = Callable[..., None]


class UndecidedTarget(Exception):
    """The project imports what belongs to several targets, and no setting chooses. `targets`: their ids."""

    def __init__(self, targets: Sequence[str]) -> None:
        super().__init__(" or ".join(targets))
        self.targets = tuple(targets)


class Engines:
    """The engine of every file, by its settings; they are shared by all files that one configuration governs.

    `note(key, *values)` is told what was decided: "torch" (version, file), "target found" (target, module),
    "target named" (target, line), "target assumed" (target), "serves several" (), "table older" and "table newer"
    (package, configured version, version of the table that is used instead), "note" (a sentence). `locale`: the
    language of messages, "en" or "zh".
    """

    def __init__(self, catalogue: Catalogue, note: Note = lambda key, *values: None, locale: str = "en") -> None:
        self.catalogue = catalogue
        self.modules = Words.of(catalogue.declarations)
        self.project = Project()
        self.locale = locale
        self._note = note
        self._named: dict[str, str] = {}
        # By the identity of a file's settings.
        self._resolved: dict[int, Settings] = {}
        self._guesses: dict[int, Engine] = {}
        self._engines: dict[int, Engine] = {}

    def survey(self, files: Sequence[File], read: Read = read_text) -> Survey:
        """Read every file once: what it says of the project, and whether it may have findings."""
        for file in files:
            self._resolve(file)
        look = survey(files, self.modules, self._may_concern, read)
        self.project = look.project
        self._look_for_constants(look, read)
        return look

    def worth(self, look: Survey) -> list[File]:
        """The files of a survey that may have findings; UndecidedTarget where nothing chooses the target."""
        groups = {id(file.settings): file.settings for file in look.files}
        right = {key for key, settings in groups.items() if self._guessed_right(self.engine_for(settings), key)}
        return [file for file in look.files if id(file.settings) not in right or file.path not in look.silent]

    def alone(self, file: File, data: bytes) -> None:
        """Take a file of which no other is known: it alone decides what the project is."""
        scanner = Scanner(self.modules)
        scanner.add(data, path=file.path)
        self.project = scanner.project({file.path, *neighbours(file.path)})
        self._resolve(file)

    def engine_for(self, settings: Settings) -> Engine:
        """The engine for the files with these settings, made once; UndecidedTarget as for `worth`."""
        engine = self._engines.get(id(settings))
        if engine is None:
            resolved = self._resolved[id(settings)]
            target = self._target(resolved)
            guess = self._guesses.get(id(settings))
            if guess is not None and guess.target.id == target:
                engine = guess.knowing(self.project)
            else:
                engine = Engine(self.catalogue, target, resolved, self.project)
            self._engines[id(settings)] = engine
            self._note_table(engine.target)
            if target in self.project.served:
                self._note("serves several")
        return engine

    def _resolve(self, file: File) -> None:
        """Fill in what the settings of a file leave open: the language, and the version of PyTorch."""
        if id(file.settings) in self._resolved:
            return
        settings = replace(file.settings, locale=self.locale)
        folder = str(Path(file.path).parent)
        if settings.torch_version is None and (found := required_torch(folder, lambda why: self._note("note", why))):
            settings = replace(settings, torch_version=found.version)
            self._note("torch", found.version, found.path)
        self._resolved[id(file.settings)] = settings

    def _target(self, settings: Settings) -> str:
        if settings.target:
            return settings.target
        imported = sorted(self.project.plugins | self.project.shims)
        if len(imported) > 1:
            raise UndecidedTarget(imported)
        if imported:
            words = self.modules.packages if imported[0] in self.project.plugins else self.modules.shims
            self._note("target found", imported[0], words[imported[0]])
            return imported[0]
        if len(self._named) == 1:
            ((target, line),) = self._named.items()
            self._note("target named", target, line)
            return target
        self._note("target assumed", self.catalogue.default_target)
        return self.catalogue.default_target

    def _note_table(self, target: Target) -> None:
        """Say so if what is known of the target ends before its configured version, or begins after it."""
        tables = around(target.version, target.versions)
        if len(tables) == 1 and not same_version(target.version, tables[0]):
            key = "table older" if tables[0] == target.versions[-1] else "table newer"
            self._note(key, target.words["package"], target.version, tables[0])

    def _look_for_constants(self, look: Survey, read: Read) -> None:
        """Where neither a setting nor an import says what the project runs on, a constant may."""
        decided = look.project.plugins or look.project.shims
        if decided or all(settings.target for settings in self._resolved.values()):
            return
        paths = (file.path for file in look.files if file.path not in look.silent)
        self._named = named_targets(paths, self.modules.devices, read)

    def _may_concern(self, file: File, data: bytes) -> bool:
        """Whether a file may have findings, as long as it is not known what the project is.

        The guess is that it uses no shim and the default target. Nearly always that turns out right, and files without
        findings need not be read again.
        """
        key = id(file.settings)
        engine = self._guesses.get(key)
        if engine is None:
            settings = self._resolved[key]
            target = settings.target or self.catalogue.default_target
            engine = self._guesses[key] = Engine(self.catalogue, target, settings)
        return engine.concerns(data)

    def _guessed_right(self, engine: Engine, key: int) -> bool:
        """Whether `engine`, which knows the project, would have said the same; `key`: of the settings."""
        shim = engine.settings.strategy == "auto" and engine.target.id in engine.project.shims
        return not shim and self._guesses[key].target.id == engine.target.id
