"""The port of a project as a report shows it: every finding, what of it is accepted, what is left for each target, and
what an upgrade of the plugin would bring."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from uncuda.edits import Fix
from uncuda.engine import Finding, Report, Selection
from uncuda.source import Source, Span

from .counts import MANUAL, Counts, FileCounts, Totals, fix_class
from .discover import File
from .engines import Engines
from .prints import Prints
from .run import Checked, EngineFor
from .upgrades import Candidate, Plugin, Upgrade, upgrade

CheckWith = Callable[[Sequence[File], EngineFor], Iterable[Checked]]
"""Checks files with other engines than their own."""
Select = Callable[[Checked], "Selection | None"]
"""Which findings of a file are asked for, None: all; the others are accepted, or are not on lines that changed."""
Named = Callable[[str], str]
"""From the path of a file to its name in the report."""


@dataclass(frozen=True, slots=True)
class PortFinding:
    """A finding in a report."""

    path: str
    cell: int  # of a notebook, from 1; 0: none
    line: int
    column: int
    end_line: int
    end_column: int
    rule: str
    severity: str
    kind: str  # one of CLASSES
    subject: str
    message: str
    operation: str  # of the best fix: "INSERT", "MODIFY", "DELETE"; empty without one
    target: str
    print: str  # what a baseline knows it by
    accepted: bool


@dataclass(frozen=True)
class TargetPort:
    """What is left for one target, whichever the project is for, and what is accepted of that."""

    target: str
    plugins: tuple[Plugin, ...]
    counts: Counts
    accepted: Counts


@dataclass(frozen=True)
class Port:
    """All of it. `findings`: in the order of the files, accepted ones, too; `looked`: the names of the files that were
    read; `targets`: those of the project first."""

    findings: tuple[PortFinding, ...]
    looked: frozenset[str]
    counts: Counts
    accepted: Counts
    plugins: tuple[Plugin, ...]
    targets: tuple[TargetPort, ...]
    upgrades: tuple[Upgrade, ...]

    @property
    def left(self) -> Iterator[PortFinding]:
        """The findings that are not accepted."""
        return (finding for finding in self.findings if not finding.accepted)


class _Sums:
    """What is left and what is accepted, counted file by file."""

    def __init__(self) -> None:
        self._left, self._accepted = Totals(), Totals()

    def add(self, path: str, left: Iterable[Finding], accepted: Iterable[Finding]) -> None:
        self._left.add(FileCounts.of(path, left))
        self._accepted.add(FileCounts.of(path, accepted))

    @property
    def counts(self) -> tuple[Counts, Counts]:
        return self._left.counts, self._accepted.counts


class Gathering:
    """Makes a `Port`. `engines`: those of the project, after its survey; `looked`: the files that were read; `named`:
    gives their names in the report; `again`: see `CheckWith`."""

    def __init__(self, engines: Engines, looked: Sequence[File], named: Named, again: CheckWith) -> None:
        self._engines, self._looked, self._named, self._again = engines, looked, named, again
        self._own: dict[str, _Sums] = {}  # by target, of the files that are for it
        self._findings: list[PortFinding] = []
        self._all = _Sums()
        self._by_hand: list[Candidate] = []

    def add(self, result: Checked, selection: Selection | None) -> None:
        """Take in what was found in a file, and which of that is asked for."""
        source, report = result.source, result.report
        if source is None or report is None or not report.findings:
            return
        left, accepted = parted(report, selection)
        name = self._named(source.path)
        target = self._engines.known_for(result.file.settings).target
        self._all.add(name, left, accepted)
        self._own.setdefault(target.id, _Sums()).add(name, left, accepted)
        by_hand = {one.span: (one.rule, one.subject) for one in left if fix_class(one) == MANUAL}
        if by_hand:
            self._by_hand.append(Candidate(result.file, source.text, target, by_hand))
        spared, asked = {(one.rule, one.span) for one in accepted}, deque(left)
        for finding, printed in zip(report.findings, Prints(source.text).of(report.findings), strict=True):
            key = finding.rule, finding.span
            if key in spared:
                self._findings.append(_listed(finding, source, name, printed.print, True))
            elif asked and (asked[0].rule, asked[0].span) == key:
                self._findings.append(_listed(asked.popleft(), source, name, printed.print, False))

    def finish(self, targets: Sequence[str], select: Select) -> Port:
        """All of it, beside what is left for other `targets`; `select`: as for `add`, of what is found for these."""
        counts, accepted = self._all.counts
        own = self._plugins("")
        main = dict.fromkeys(plugin.target for plugin in own)
        rest = [target for target in targets if target not in main]
        beside = tuple(self._beside(target, select) for target in (*main, *rest)) if targets else ()
        return Port(
            tuple(self._findings),
            frozenset(self._named(file.path) for file in self._looked),
            counts,
            accepted,
            tuple(own),
            beside,
            tuple(self._upgrade(plugin, select) for plugin in own),
        )

    def _plugins(self, target: str) -> list[Plugin]:
        """The plugins that files are checked with, those of most files first; `target`: of all files, "": their own."""
        numbers = Counter(id(file.settings) for file in self._looked)
        settings = {id(file.settings): file.settings for file in self._looked}
        found = Counter[Plugin]()
        for key, number in numbers.items():
            known = settings[key]
            of = (self._engines.for_target(known, target) if target else self._engines.known_for(known)).target
            found[Plugin(of.id, of.words.get("package", ""), of.version, of.assumed)] += number
        return sorted(found, key=lambda plugin: (-found[plugin], plugin.target, plugin.version))

    def _beside(self, target: str, select: Select) -> TargetPort:
        """What is left for a target: of the files that are for it as it is known, of the others they are checked."""
        engines = self._engines
        others = [file for file in self._looked if engines.known_for(file.settings).target.id != target]
        sums = self._own.get(target, _Sums())
        for result in self._again(others, lambda settings: engines.for_target(settings, target)) if others else ():
            if result.source is not None and result.report is not None and result.report.findings:
                left, accepted = parted(result.report, select(result))
                sums.add(self._named(result.source.path), left, accepted)
        return TargetPort(target, tuple(self._plugins(target)), *sums.counts)

    def _upgrade(self, plugin: Plugin, select: Select) -> Upgrade:
        """What a later version of a plugin would bring."""
        engines, named = self._engines, (plugin.target, plugin.version)
        files = [one for one in self._by_hand if (one.target.id, one.target.version) == named]

        def by_hand(asked: Sequence[File], version: str) -> Iterator[tuple[str, frozenset[Span]]]:
            results = self._again(asked, lambda settings: engines.for_target(settings, plugin.target, version))
            for result in results:
                if result.problem is None:  # without a report there are none
                    left = parted(result.report, select(result))[0] if result.report is not None else ()
                    yield result.file.path, frozenset(one.span for one in left if fix_class(one) == MANUAL)

        versions = engines.later_versions(*named)
        later = [
            (version, engines.for_target(files[0].file.settings, plugin.target, version).target)
            for version in (versions if files else ())
        ]
        return replace(upgrade(plugin, files, later, engines.catalogue, engines.project, by_hand), later=len(versions))


def parted(report: Report, selection: Selection | None) -> tuple[Sequence[Finding], Sequence[Finding]]:
    """The findings that are asked for, and those of the others that are accepted."""
    if selection is None:
        return report.findings, ()
    places = {(each.rule, each.span) for each in selection.left_alone}
    accepted = [one for one in report.findings if (one.rule, one.span) in places]
    return selection.of(report).findings, accepted


def _listed(finding: Finding, source: Source, name: str, print_: str, accepted: bool) -> PortFinding:
    start, end = source.location(finding.span.start), source.location(finding.span.end)
    return PortFinding(
        name,
        start.cell,
        start.line,
        start.column,
        end.line,
        end.column,
        finding.rule,
        finding.severity,
        fix_class(finding),
        finding.subject,
        finding.message,
        _operation(finding.fixes[0]) if finding.fixes else "",
        finding.target,
        print_,
        accepted,
    )


def _operation(fix: Fix) -> str:
    """What a fix does to the text, in one word."""
    words = {"INSERT" if edit.start == edit.end else "MODIFY" if edit.text else "DELETE" for edit in fix.edits}
    return words.pop() if len(words) == 1 else "MODIFY"
