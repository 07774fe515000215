"""Fixes the files of a workspace in memory, using the text of open documents instead of the files on disk, and yields
the changes for an editor."""

# Paths are strings here, as in workspace/discover.py.
# ruff: noqa: PTH100, PTH109, PTH116, PTH118, PTH119, PTH120
from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import NamedTuple

from uncuda.catalogue import Catalogue
from uncuda.engine import Engine, Report, Selection
from uncuda.limits import Limits
from uncuda.project import SILENT, Answers
from uncuda.report.diff import readable_diff
from uncuda.report.words import Words, baseline_problem
from uncuda.settings import Configuration, Vocabulary, values_of
from uncuda.source import Source
from uncuda.workspace import (
    AnswersFor,
    Baselines,
    Checked,
    Engines,
    File,
    FileProblem,
    LeftOut,
    Problem,
    Repaired,
    SelectionFor,
    ask,
    ask_nobody,
    baseline_beside,
    check_files,
    discover,
    file_changes,
    file_text,
    leads_out,
    load_file,
    reach,
    read_text,
)
from uncuda.workspace.acceptance import Acceptance
from uncuda.workspace.baseline import read_baseline
from uncuda.workspace.portable import NewFile, new_helper

from ..state.choice import PORTABLE
from ..state.fix_command import cannot_create, command_for
from ..wire.positions import Lines
from ..wire.texts import Texts
from ..wire.uris import uri_of
from .changes import created, file_change, kept_by_editors
from .job import Acceptable, Buffer, FileChange, Job, JobFolder, Left, left_in


class Group(NamedTuple):
    """The files of one project, with their engines."""

    engines: Engines
    files: list[File]  # the files of the project that may have findings
    root: str
    target: str  # the target that the editor's settings name; empty if they name none
    baseline: Callable[[File], str]  # returns the path of the baseline for a file
    looked: list[File]  # all files of the project that were read, including those without findings
    problems: Sequence[Problem] = ()  # errors of files that could not be read


class Run:
    """The state of one workspace job: its engines, the open documents and the results so far."""

    def __init__(self, job: Job, catalogue: Catalogue) -> None:
        self.job = job
        self.skipped: list[dict[str, str]] = []
        self.left: dict[str, Left] = {}
        self.diff: list[str] = []
        self.catalogue = catalogue
        self._vocabulary = Vocabulary(tuple(catalogue.declarations), tuple(catalogue.rules))
        self._texts, self._words = Texts(job.locale), Words(job.locale)
        self._buffers = {_key(buffer.name): buffer for buffer in job.buffers}
        self._baselines = Baselines()
        self._made: set[str] = set()  # files that the job creates
        self._stamps: dict[str, tuple[int, int]] = {}

    def groups(self, only: str = "") -> list[Group]:
        """Return a group for each folder, or a single group for the folder `only`; if there is no folder, a group for
        each open document."""
        groups: list[Group] = []
        for folder in self.job.folders:
            if only and folder.path != only:
                continue
            if folder.path:
                groups.append(self._folder(folder))
            else:
                groups += [self._alone(folder, buffer) for buffer in self.job.buffers if self._in_scope(buffer.name)]
        return groups

    def _configuration(self, folder: JobFolder) -> Configuration:
        place = folder.path or os.getcwd()
        over, under = (values_of(table, place, self._vocabulary) for table in (folder.over, folder.under))
        return Configuration(self._vocabulary, over, under=under)

    def _alone(self, folder: JobFolder, buffer: Buffer) -> Group:
        engines = Engines(self.catalogue, locale=self.job.locale)
        place = os.path.dirname(buffer.path) or os.getcwd()
        configuration = self._configuration(folder)
        file = File(buffer.name, configuration.settings_for(place), True)
        engines.alone(file, self.read(file.path))
        root, baseline = os.path.dirname(buffer.path), _baseline(configuration, "")
        return Group(engines, [file], root, _target(folder), baseline, [file])

    def _folder(self, folder: JobFolder) -> Group:
        configuration = self._configuration(folder)
        found = discover([folder.path], configuration.settings_for, empty=True)
        files = [file for file in found.files if self._owner(file.path) is folder]
        for buffer in self._adopted(files):
            if self._owner(buffer.path) is folder:
                file = reach(buffer.path, folder.path, configuration.settings_for)
                files += [file] if file else []
        engines = Engines(self.catalogue, locale=self.job.locale)
        look = engines.survey(files, self.read)
        problems = [one for one in (*found.problems, *look.problems) if not isinstance(one, LeftOut)]
        for problem in problems:
            self._skip(self._uri(problem.path), problem.path, problem.message)
        worth = [file for file in engines.worth(look) if self._in_scope(file.path)]
        baseline = _baseline(configuration, folder.path)
        return Group(engines, worth, folder.path, _target(folder), baseline, look.files, problems)

    def _owner(self, path: str) -> JobFolder | None:
        """Return the innermost workspace folder that contains a path."""
        holding = [folder for folder in self.job.folders if folder.path and _is_below(path, folder.path)]
        return max(holding, key=lambda folder: len(folder.path), default=None)

    def _adopted(self, files: Sequence[File]) -> list[Buffer]:
        """Return the open documents whose files were not found when the folder was searched. If a file was found
        under a different path than the path under which it is open in the editor, its text is taken from the open
        document."""
        names = {_key(file.path) for file in files}
        strays = {os.path.realpath(b.path): b for b in self.job.buffers if b.path and _key(b.path) not in names}
        for file in files if strays else ():
            if _key(file.path) not in self._buffers and (buffer := strays.pop(os.path.realpath(file.path), None)):
                self._buffers[_key(file.path)] = buffer
        return list(strays.values())

    def _in_scope(self, path: str) -> bool:
        return not self.job.scope or _is_below(path, self.job.scope)

    def read(self, path: str, most: int = Limits.bytes) -> bytes:
        """The bytes of a file, or of its document if it is open in the editor."""
        buffer = self._buffers.get(_key(path))
        return buffer.text.encode("utf-8", "surrogatepass") if buffer else read_text(path, most)

    def load(self, file: File, engine: Engine) -> tuple[Source | None, bytes]:
        """The source of a file (or of its open document), and its bytes; the source is None if the file cannot have
        findings."""
        buffer = self._buffers.get(_key(file.path))
        if buffer is None:
            self.stamp([file])
            return load_file(file, engine)
        data = self.read(file.path)
        return (Source(buffer.text, buffer.path) if engine.concerns(data) else None), data

    def is_open(self, file: File) -> bool:
        """Whether a file is open in the editor."""
        return _key(file.path) in self._buffers

    def stamp(self, files: Iterable[File]) -> None:
        """Remember the modification time and size of closed files before they are read."""
        for file in files:
            with suppress(FileNotFoundError):
                stat = os.stat(file.path)
                self._stamps[file.path] = stat.st_mtime_ns, stat.st_size

    @contextmanager
    def receivers(self, group: Group) -> Iterator[AnswersFor]:
        """Yield a function that returns the known types of receivers in a file. If the settings enable receiver
        analysis, the yielded function looks the types of receivers up; otherwise it returns only the types that the
        server sent with an open document."""
        asked: AnswersFor = ask_nobody
        with ExitStack() as stack:
            if any(file.settings.receivers for file in group.files):
                from uncuda.receivers import Receivers

                receivers = Receivers([group.root or os.curdir])
                stack.callback(receivers.close)
                asked = ask(receivers)

            def answers_for(file: File, source: Source, engine: Engine) -> Answers | None:
                buffer = self._buffers.get(_key(file.path))
                if file.settings.receivers or buffer is None:
                    return asked(file, source, engine)
                return dict.fromkeys(buffer.spared, SILENT)

            yield answers_for

    def acceptable(self, groups: Iterable[Group]) -> Iterator[Acceptable]:
        """Yield the findings of the requested rules that no baseline accepts yet. Raises BaselineError if a baseline is
        unusable."""
        rules = self.job.rules
        by_file: dict[str, Acceptance] = {}
        for group in groups:
            with self.receivers(group) as answers_for:
                for checked in check_files(group.files, group.engines.engine_for, answers_for, self.load):
                    if checked.source is not None and checked.report is not None and checked.report.findings:
                        baseline = group.baseline(checked.file)
                        if baseline not in by_file:
                            by_file[baseline] = Acceptance(read_baseline(baseline))
                        by_file[baseline].accepted(
                            checked.source,
                            checked.report.findings,
                            lambda finding: rules is None or finding.rule in rules,
                        )
        for file, acceptance in by_file.items():
            for (key, target), kind in acceptance.new.items():
                yield Acceptable(file, *key, target, kind)

    def has_baseline(self, group: Group) -> bool:
        """Whether any of the files of one project has a baseline, usable or not."""
        paths = {group.baseline(file) for file in group.files}
        return any(self._baselines.error(path) or self._baselines.at(path) is not None for path in paths)

    def selections(self, group: Group) -> SelectionFor:
        """Return a function that selects the findings which no baseline accepts; that function raises FileProblem if
        the baseline is unusable."""

        def selection_for(file: File, source: Source, engine: Engine, answers: Answers | None) -> Selection | None:
            baseline = group.baseline(file)
            if error := self._baselines.error(baseline):
                raise FileProblem(baseline_problem(error, self.job.locale))
            if self._baselines.at(baseline) is None:
                return None
            report = engine.check(source, concerned=True, answers=answers)
            return self._baselines.selection(baseline, source, report)

        return selection_for

    def accepted(self, group: Group) -> Callable[[Checked], Selection | None]:
        """Return a function that selects the findings which no baseline accepts; that function may raise
        BaselineError."""

        def select(result: Checked) -> Selection | None:
            if result.source is None or result.report is None:
                return None
            baseline = group.baseline(result.file)
            if error := self._baselines.error(baseline):
                raise error
            return self._baselines.selection(baseline, result.source, result.report)

        return select

    def begun(self, group: Group) -> int:
        """Return the number of findings when the baselines of the files were first written; 0 if unknown."""
        baselines = map(self._baselines.at, {group.baseline(file) for file in group.looked})
        return sum(sum(one.baseline.counts.values()) for one in baselines if one is not None)

    def file(self, repaired: Repaired, group: Group) -> FileChange | None:
        """Return the change of a file; None if no fix changes the file, or if an editor must not change it."""
        path = repaired.file.path
        buffer = self._buffers.get(_key(path))
        uri = self._uri(path)
        if repaired.problem:
            self._skip(uri, path, repaired.problem.message)
            return None
        if repaired.source is None or repaired.fixed is None:
            return None
        source, fixed = repaired.source, repaired.fixed
        left = self._left(repaired, source.text, fixed.first)
        if left.total:
            self.left[uri] = left
        if why := fixed.refused or (self._hindrance(repaired, group) if fixed.changes else ""):
            self._skip(uri, path, why)
            return None
        if buffer and buffer.spared and not repaired.file.settings.receivers:
            self._skip(uri, path, "receiver")
        if not fixed.changes:
            return None
        if self.job.diff:
            encoding = repaired.source.encoding
            self.diff += readable_diff(self._shown(path, group), repaired.data, repaired.result, encoding)
        version, cells = (buffer.version, buffer.cells) if buffer else (None, False)
        text = file_text(repaired.data, source).text if source.cells else fixed.before
        changes = file_changes(repaired.data, source, fixed.changes)
        return FileChange(
            **file_change(uri, version, text, changes, self.job.form, cells),
            open=buffer is not None,
            stamp=self._stamps.get(path),
            rules=fixed.applied,
            left=self._left(repaired, fixed.text, fixed.report),
            otherwise=self._otherwise(repaired, group),
        )

    def new_file(self, repaired: Repaired, group: Group) -> Iterator[FileChange]:
        """Yield the helper module that a portable project's fixed file imports, if it does not exist and this job has
        not created it yet."""
        new = self._helper_for(repaired, group)
        if new is None or new.path in self._made:
            return
        self._made.add(new.path)
        if self.job.diff:
            self.diff += readable_diff(self._shown(new.path, group), None, new.data, "utf-8")
        yield created(new, self.job.form)

    def _helper_for(self, repaired: Repaired, group: Group) -> NewFile | None:
        if repaired.fixed is None or not repaired.file.settings.portable:
            return None
        engine = group.engines.engine_for(repaired.file.settings)
        new = new_helper(engine, repaired.fixed.text, repaired.file.path)
        return new if new is not None and _key(new.path) not in self._buffers else None

    def _left(self, repaired: Repaired, text: str, report: Report) -> Left:
        """Return the findings left in a file; their position is computed only for closed files, because open files are
        analysed again."""
        buffer = self._buffers.get(_key(repaired.file.path))
        is_text = repaired.source is not None and repaired.source.cells is None
        lines = Lines(text, self.job.form.encoding) if report.findings and not buffer and is_text else None
        left = left_in(report.findings, self.job.rules, lines)
        return left.plus(buffer.lowered) if buffer and not repaired.file.settings.receivers else left

    def _hindrance(self, repaired: Repaired, group: Group) -> str:
        """Return why an editor must not apply the fixes of a file; "" if it may apply them."""
        path = repaired.file.path
        given = _key(path) == _key(self.job.scope)
        if leads_out(repaired.file._replace(given=given or repaired.file.given), self._given()):
            return self._words("link out")
        if not self.job.form.creates and not self.job.diff and self._helper_for(repaired, group) is not None:
            return cannot_create(path, self.job.review, self.job.locale)
        if buffer := self._buffers.get(_key(path)):
            return buffer.disabled
        assert repaired.source is not None
        if lost := kept_by_editors(repaired.data, file_text(repaired.data, repaired.source)):
            command = command_for(path, self.job.review, group.target)
            return self._texts(lost, command, encoding=repaired.source.encoding)
        return ""

    def _given(self) -> list[str]:
        """Return the paths that the job fixes: the requested file or folder, otherwise all folders."""
        return [self.job.scope] if self.job.scope else [folder.path for folder in self.job.folders if folder.path]

    def _otherwise(self, repaired: Repaired, group: Group) -> str:
        """For a closed file whose bytes do not show its encoding, the command line that fixes the file; "" for other
        files."""
        path = repaired.file.path
        if _key(path) in self._buffers or repaired.source is None:
            return ""
        source = file_text(repaired.data, repaired.source)
        if source.bom or source.text.isascii():
            return ""
        return command_for(path, self.job.review, group.target)

    def _skip(self, uri: str, path: str, reason: str) -> None:
        if self._in_scope(path):
            self.skipped.append({"uri": uri, "reason": reason})

    def _uri(self, path: str) -> str:
        buffer = self._buffers.get(_key(path))
        return buffer.uri if buffer else uri_of(os.path.abspath(path))

    def _shown(self, path: str, group: Group) -> str:
        """Return the path of a file for a diff: relative to its workspace folder, with the folder's name if there are
        several folders."""
        if not group.root or not _is_below(path, group.root):
            return path
        shown = os.path.relpath(path, group.root)
        return os.path.join(os.path.basename(group.root), shown) if len(self.job.folders) > 1 else shown


def _baseline(configuration: Configuration, root: str) -> Callable[[File], str]:
    return lambda file: baseline_beside(configuration.file_for(os.path.dirname(file.path)), root)


def _target(folder: JobFolder) -> str:
    """Return the target that the editor's settings name for a folder; "" if they name none."""
    strategy = folder.over.get("strategy") or folder.under.get("strategy")
    aim = PORTABLE if strategy == PORTABLE else ""
    return str(folder.over.get("target") or aim or folder.under.get("target") or "")


def _key(path: str) -> str:
    return os.path.normcase(path)


def _is_below(path: str, folder: str) -> bool:
    """Whether a path is the folder or inside it."""
    path, folder = _key(path), _key(folder).rstrip(os.sep)
    return path == folder or path.startswith(folder + os.sep)
