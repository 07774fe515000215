"""Accepted findings on the command line: the options about baselines, and how accepted findings are left out of the
results."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from uncuda.engine import Finding, LeftAlone
from uncuda.report.words import BaselineWords, baseline_problem
from uncuda.settings import shown
from uncuda.source import Source
from uncuda.workspace import File, Problem, baseline_above, baseline_beside

from .session import Failure, Session
from .texts import say

if TYPE_CHECKING:
    from uncuda.workspace.acceptance import Acceptance, LooksFor, Place

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

_PLACES = 5  # maximum number of source lines that one message names


def baseline_options(command: CommandT) -> CommandT:
    """Add to a command the options that choose the baseline: `--baseline`, `--no-baseline`."""
    command = click.option("--no-baseline", is_flag=True, help=say("no-baseline"))(command)
    return click.option("--baseline", metavar="FILE", help=say("baseline"))(command)


def writing_options(command: CommandT) -> CommandT:
    """Add to a command the options that write or check the baseline: `--write-baseline`, `--prune-baseline`,
    `--strict-baseline`, `--reason`."""
    command = click.option("--strict-baseline", is_flag=True, help=say("strict-baseline"))(command)
    command = click.option("--prune-baseline", is_flag=True, help=say("prune-baseline"))(command)
    command = click.option("--reason", metavar="TEXT", help=say("reason"))(command)
    return click.option("--write-baseline", is_flag=True, help=say("write-baseline"))(command)


class Wishes(NamedTuple):
    """The values of the baseline options in one command line."""

    file: str | None = None
    none: bool = False
    write: bool = False
    reason: str | None = None
    prune: bool = False
    strict: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Wishes:
        """Return the values of a command's baseline options; raise a usage error if they contradict each other."""
        wishes = cls(
            given["baseline"],
            given["no_baseline"],
            given.get("write_baseline", False),
            given.get("reason"),
            given.get("prune_baseline", False),
            given.get("strict_baseline", False),
        )
        if wishes.none and (wishes.file or wishes.writes or wishes.strict):
            raise click.UsageError("--no-baseline cannot be combined with other options about baselines")
        if wishes.reason is not None and not wishes.write:
            raise click.UsageError("--reason goes with --write-baseline")
        return wishes

    @property
    def writes(self) -> bool:
        """Whether the command writes baselines."""
        return self.write or self.prune


class Accepting:
    """The baselines of the checked files, and the findings that they accept. `says`: whether notes about the entries of
    the baselines are printed."""

    def __init__(self, session: Session, wishes: Wishes, says: bool = True) -> None:
        self.accepted = 0
        self._session, self._wishes, self._says = session, wishes, says
        self._by_folder: dict[str, Acceptance | None] = {}
        self._by_file: dict[str, Acceptance] = {}
        self._above: dict[str, str] = {}  # for `baseline_above`
        self._unwritten = False
        self._active: dict[int, frozenset[str]] = {}  # the names of active rules, by `id()` of the engine

    def open(self, files: Iterable[File]) -> None:
        """Read the baselines of these files; raise Failure if one of them cannot be used."""
        for file in () if self._wishes.none else files:
            folder = os.path.dirname(file.path)  # noqa: PTH120
            if folder not in self._by_folder:
                self._by_folder[folder] = self._acceptance(folder)

    @property
    def any(self) -> bool:
        """Return whether a baseline accepts any finding, or whether the command will write a baseline."""
        return self._wishes.write or any(self._by_file.values())

    @property
    def begun(self) -> int:
        """Return the number of findings at the time when the baselines were first written; 0 if it is unknown."""
        return sum(sum(acceptance.baseline.counts.values()) for acceptance in self._by_file.values())

    def left_alone(self, file: File, source: Source, findings: Iterable[Finding]) -> list[LeftAlone]:
        """The findings of a file that its baseline accepts."""
        acceptance = self._by_folder.get(os.path.dirname(file.path))  # noqa: PTH120
        if acceptance is None or not (acceptance or self._wishes.write):
            return []
        every = (lambda finding: True) if self._wishes.write else None
        left = acceptance.accepted(source, list(findings), every)
        self.accepted += len(left)
        return left

    def finish(self, folders: Iterable[str]) -> None:
        """Print the accepted findings and the unused entries of baselines, and write the baselines that the user asked
        for."""
        given = [os.path.abspath(folder).rstrip(os.sep) + os.sep for folder in folders]  # noqa: PTH100
        unread = bool(self._session.problems)
        for acceptance in self._by_file.values():
            self._finish(acceptance, given, not unread and self._is_whole(acceptance, given))
        if self.accepted and not self._unwritten:
            self._say_accepted()

    def _say_accepted(self) -> None:
        words, count = self._words, self._session.words.count(self.accepted, "finding")
        used = [acceptance.baseline.file for acceptance in self._by_file.values() if acceptance.matched]
        where = shown(Path(used[0])) if len(used) == 1 else words("baselines", len(used))
        key = "accepted now" if self._wishes.write else "accepted"
        self._session.console.note(words(key, count, where))

    def _acceptance(self, folder: str) -> Acceptance | None:
        path = self._wishes.file or self._beside(folder)
        known = self._by_file.get(path)
        if known is None:
            if not (self._wishes.file or self._wishes.write or os.path.lexists(path)):
                return None
            # imported here, because the import takes time and many runs need no baseline
            from uncuda.workspace.acceptance import Acceptance
            from uncuda.workspace.baseline import BaselineError, read_baseline

            try:
                baseline = read_baseline(path)
            except BaselineError as error:
                raise Failure(baseline_problem(error, self._session.words.locale)) from None
            if baseline.data is None and self._wishes.file and not self._wishes.write:
                raise Failure(f"{shown(Path(path))}: {self._words('baseline missing')}")
            known = self._by_file[path] = Acceptance(baseline)
            for doubted in dict.fromkeys(known.doubted) if self._says else ():
                self._session.console.note(f"{shown(Path(path))}: {self._words('doubted', *doubted.lines)}")
        return known

    def _beside(self, folder: str) -> str:
        """Return the path of the baseline for the files in a folder: beside the configuration file of these files.
        Without a configuration file, the baseline is in the current folder; but for a folder outside of the current
        folder, it is the baseline in that folder or in the nearest folder above it, if there is one."""
        configuration = self._session.configuration.file_for(folder)
        if configuration:
            return baseline_beside(os.path.abspath(configuration), "")  # noqa: PTH100
        here = baseline_beside("", os.getcwd())  # noqa: PTH109
        if os.path.lexists(here) and Path(os.path.abspath(folder)).is_relative_to(os.getcwd()):  # noqa: PTH100, PTH109
            return here
        return baseline_above(folder, self._above) or here

    def _is_whole(self, acceptance: Acceptance, given: Iterable[str]) -> bool:
        """Return whether all files for which a baseline may have entries are below the `given` paths."""
        roots = [acceptance.folder, *([os.getcwd()] if self._wishes.file else [])]  # noqa: PTH109
        return any(f"{root.rstrip(os.sep)}{os.sep}".startswith(folder) for root in roots for folder in given)

    def _finish(self, acceptance: Acceptance, given: Sequence[str], is_whole: bool) -> None:
        if not (acceptance or self._wishes.writes):
            return
        elsewhere = self._looks_elsewhere(acceptance) if is_whole else None
        unused = acceptance.unused(self._looked(acceptance), given, elsewhere)
        if unused and not self._wishes.prune:
            self._say_unused(acceptance, unused)
        if self._wishes.writes and (acceptance.matched or acceptance.baseline.data is not None):
            self._write(acceptance, unused if self._wishes.prune else [])

    def _say_unused(self, acceptance: Acceptance, unused: Sequence[Place]) -> None:
        lines = [str(acceptance.line(place)) for place in unused[:_PLACES]]
        places = ", ".join(lines) + (", …" if len(unused) > _PLACES else "")
        said = Problem(
            shown(Path(acceptance.baseline.file)),
            self._words("unused", self._session.words.count(len(unused), "finding"), places),
        )
        if self._wishes.strict:
            self._session.fail(said)
        else:
            self._session.console.note(": ".join(said))

    def _write(self, acceptance: Acceptance, without: Sequence[Place]) -> None:
        from uncuda.workspace.baseline import BaselineError, write_baseline

        try:
            write_baseline(acceptance.baseline, acceptance.bytes(self._wishes.reason or "", without))
        except BaselineError as error:
            self._session.fail(Problem(error.place, self._words(error.key, error.value)))
            self._unwritten = True
            return
        if without:
            dropped = self._words("pruned", self._session.words.count(len(without), "finding"))
            self._session.console.note(f"{shown(Path(acceptance.baseline.file))}: {dropped}")

    def _looked(self, acceptance: Acceptance) -> dict[str, LooksFor]:
        """Map the path of each file that was checked without an error to a function, which tells whether a rule
        searched this file for findings of a target."""
        from uncuda.workspace.baseline import relative

        failed = {problem.path for problem in self._session.problems}
        mine = [file for file in self._session.looked if file.path not in failed and self._is_of(file, acceptance)]
        return {relative(file.path, acceptance.folder): self._looks_in(file) for file in mine}

    def _is_of(self, file: File, acceptance: Acceptance) -> bool:
        return self._by_folder.get(os.path.dirname(file.path)) is acceptance  # noqa: PTH120

    def _looks_in(self, file: File) -> LooksFor:
        engine = self._session.engines.known_for(file.settings)
        if id(engine) not in self._active:
            self._active[id(engine)] = engine.ruleset(False).active
        active, rules = self._active[id(engine)], self._session.catalogue.rules

        def looks_for(rule: str, target: str) -> bool:
            if target != engine.target.id:
                return False
            return rule not in rules or (rule in active and rule not in file.settings.ignored_in(file.path))

        return looks_for

    def _looks_elsewhere(self, acceptance: Acceptance) -> LooksFor:
        """Return the function that tells, for deleted files, whether a rule searches for findings of a target. The
        function uses the settings of the first checked file that has the same baseline as the deleted files."""
        first = next((file for file in self._session.looked if self._is_of(file, acceptance)), None)
        return self._looks_in(first) if first is not None else lambda rule, target: False

    @property
    def _words(self) -> BaselineWords:
        return BaselineWords(self._session.words.locale)
