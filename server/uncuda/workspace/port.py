"""Collects the data of a report on the porting of a project: all findings, counts for each target, and the benefit of
plugin upgrades."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

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
"""A function that checks files with the engines for another target or version than their own."""
Select = Callable[[Checked], "Selection | None"]
"""A function that selects which findings of a checked file are reported; None means all findings. All findings that
this function does not select are accepted, or are on unchanged lines."""
Named = Callable[[str], str]
"""A function that returns the name of a file in the report, given its path."""


@dataclass(frozen=True, slots=True)
class PortFinding:
    """A finding in a report. Lines and columns start at 1."""

    path: str
    cell: int  # number of the notebook cell, from 1; 0 outside of notebooks
    line: int
    column: int
    end_line: int
    end_column: int
    rule: str
    severity: str
    kind: str  # one of CLASSES
    subject: str
    message: str
    operation: str  # the action of the best fix: "INSERT", "MODIFY" or "DELETE"; empty without a fix
    target: str
    print: str  # the fingerprint, which identifies the finding in a baseline
    accepted: bool


@dataclass(frozen=True)
class TargetPort:
    """The counts for one target, which need not be the project's own target. `counts`: the counts of the findings that
    are not accepted; `accepted`: the counts of those that are."""

    target: str
    plugins: tuple[Plugin, ...]
    counts: Counts
    accepted: Counts


@dataclass(frozen=True)
class Port:
    """The data of a report on the porting of a project.

    `findings`: all findings, accepted ones included, file by file. `looked`: the names of the checked files. `counts`:
    the counts of the findings that are not accepted. `targets`: the counts of findings for each target, the project's
    own target first.
    """

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
    """Sums up the findings of files: separately those that are accepted and those that are not."""

    def __init__(self) -> None:
        self._left, self._accepted = Totals(), Totals()

    def add(self, path: str, left: Iterable[Finding], accepted: Iterable[Finding]) -> None:
        self._left.add(FileCounts.of(path, left))
        self._accepted.add(FileCounts.of(path, accepted))

    @property
    def counts(self) -> tuple[Counts, Counts]:
        return self._left.counts, self._accepted.counts


class Gathering:
    """Builds a `Port` from the results of a check: call `add` for each file, then `finish`.

    `engines`: the engines of the surveyed project. `looked`: the files that were checked. `again`: a function that
    checks files again for other targets.
    """

    def __init__(self, engines: Engines, looked: Sequence[File], named: Named, again: CheckWith) -> None:
        self._engines, self._looked, self._named, self._again = engines, looked, named, again
        # for each target, the findings in the files that are checked for it by default
        self._own: dict[str, _Sums] = {}
        self._findings: list[PortFinding] = []
        self._all = _Sums()
        self._by_hand: list[Candidate] = []

    def add(self, result: Checked, selection: Selection | None) -> None:
        """Add the findings of a file. `selection`: the findings to report; None means all findings."""
        source, report = result.source, result.report
        if source is None or report is None or not report.findings:
            return
        left, accepted = parted(report, selection)
        name = self._named(source.path)
        target, _ = self._named_for(result.file)
        self._all.add(name, left, accepted)
        self._own.setdefault(target, _Sums()).add(name, left, accepted)
        by_hand = {one.span: (one.rule, one.subject) for one in left if fix_class(one) == MANUAL}
        if by_hand:
            self._by_hand.append(Candidate(result.file, by_hand))
        spared, asked = {(one.rule, one.span) for one in accepted}, deque(left)
        for finding, printed in zip(report.findings, Prints(source.text).of(report.findings), strict=True):
            key = finding.rule, finding.span
            if key in spared:
                self._findings.append(_listed(finding, source, name, printed.print, True))
            elif asked and (asked[0].rule, asked[0].span) == key:
                self._findings.append(_listed(asked.popleft(), source, name, printed.print, False))

    def finish(self, targets: Sequence[str], select: Select) -> Port:
        """Return the data of the report. Files are checked again for each of `targets`; `select` chooses the findings
        to report."""
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
        """Return the plugins for which files are checked; the plugin for which the most files are checked comes first.

        `target`: the target to check all files for; "" means that each file is checked for the target of its own
        settings.
        """
        numbers = Counter(id(file.settings) for file in self._looked)
        settings = {id(file.settings): file.settings for file in self._looked}
        found = Counter[Plugin]()
        for key, number in numbers.items():
            known = settings[key]
            of = (self._engines.for_target(known, target) if target else self._engines.known_for(known)).target
            found[Plugin(of.id, of.words.get("package", ""), of.version, of.assumed)] += number
        return sorted(found, key=lambda plugin: (-found[plugin], plugin.target, plugin.version))

    def _beside(self, target: str, select: Select) -> TargetPort:
        """Return the counts of the findings for a target in all files. Files that were checked for another target are
        checked again for this target."""
        engines = self._engines
        others = [file for file in self._looked if engines.known_for(file.settings).target.id != target]
        sums = self._own.get(target, _Sums())
        for result in self._again(others, lambda settings: engines.for_target(settings, target)) if others else ():
            if result.source is not None and result.report is not None and result.report.findings:
                left, accepted = parted(result.report, select(result))
                sums.add(self._named(result.source.path), left, accepted)
        return TargetPort(target, tuple(self._plugins(target)), *sums.counts)

    def _named_for(self, file: File) -> tuple[str, str]:
        """Return the target for which a file is checked, and the version of the target's plugin."""
        target = self._engines.known_for(file.settings).target
        return target.id, target.version

    def _upgrade(self, plugin: Plugin, select: Select) -> Upgrade:
        """Return what an upgrade of a plugin would improve."""
        engines, named = self._engines, (plugin.target, plugin.version)
        files = [one for one in self._by_hand if self._named_for(one.file) == named]

        def by_hand(asked: Sequence[File], version: str) -> Iterator[tuple[str, frozenset[Span]]]:
            results = self._again(asked, lambda settings: engines.for_target(settings, plugin.target, version))
            for result in results:
                if result.problem is None:  # a file that could not be checked has no findings
                    left = parted(result.report, select(result))[0] if result.report is not None else ()
                    yield result.file.path, frozenset(one.span for one in left if fix_class(one) == MANUAL)

        return upgrade(plugin, files, engines.later_versions(*named), by_hand)


def parted(report: Report, selection: Selection | None) -> tuple[Sequence[Finding], Sequence[Finding]]:
    """Return the findings to report, and the accepted findings. `selection`: the findings to report; None means all
    findings."""
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
    """Return what a fix does: "INSERT", "DELETE" or "MODIFY"; "MODIFY" if the fix has edits of several kinds."""
    words = {"INSERT" if edit.start == edit.end else "MODIFY" if edit.text else "DELETE" for edit in fix.edits}
    return words.pop() if len(words) == 1 else "MODIFY"
