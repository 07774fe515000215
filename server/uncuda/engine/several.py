"""Engines of one source that is to run on CUDA and on several targets: what all of them say together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..catalogue import Catalogue
from ..checks import Context, Hit
from ..edits import Edit, Fix, lowest, merge
from ..limits import Limits
from ..project import Answers, Helper, Project
from ..settings import Settings
from ..source import Source, Span
from . import Engine, Finding, Report
from .fixing import Chosen, Edited
from .incremental_hits import Row
from .messages import Messages
from .portable.forms import DIFFERS
from .portable.spelling import Spelling
from .portable.writing import Writer

_ROUNDS = 5  # as often engines are told what the others came to
Lows = Mapping[Span, "str | None"]
"""The class that a place comes to; None: by hand."""
Made = Mapping[str, frozenset[Edit]]
"""By target: what its fixes change."""


def make_engine(
    catalogue: Catalogue,
    target: str,
    settings: Settings | None = None,
    project: Project | None = None,
    remember: int = 1,
) -> Engine:
    """The engine for settings: for one target, or where they say `portable`, for all that they name."""
    if settings is None or not settings.portable:
        return Engine(catalogue, target, settings, project, remember)
    return PortableEngine(catalogue, settings, project, remember)


def portable_targets(catalogue: Catalogue, settings: Settings) -> tuple[str, ...]:
    """The targets that a portable source is for: those that settings name, else all with tables."""
    known = [target for target in catalogue.declarations if catalogue.target(target).has_tables]
    return settings.portable_targets or tuple(sorted(known, key=lambda target: target != catalogue.default_target))


class _Part(Engine):
    """The engine of one of the targets. `every`: all of them; `lows`: what is known of places from the others."""

    def __init__(
        self, catalogue: Catalogue, target: str, every: Sequence[str], settings: Settings, project: Project | None
    ) -> None:
        self._every = [catalogue.target(one) for one in every]
        self.lows: Lows = {}
        self._latest: tuple[Context, Writer] | None = None
        super().__init__(catalogue, target, settings, project)

    def _spoken(self) -> Messages:
        return Messages(self.catalogue, self.target, self.settings.locale, self._every)

    def _written(self, rows: list[Row], context: Context) -> list[Row]:
        written = self._writer(context).written([hit for row in rows for hit, _ in row])
        low = iter([hit and hit.lowered(lowest(_class(hit), self._low(hit))) for hit in written])
        return [[(hit, stays) for _, stays in row if (hit := next(low)) is not None] for row in rows]

    def _low(self, hit: Hit) -> str | None:
        return self.lows.get(Span(hit.start, hit.end), "safe")

    def _imported(self, hits: Sequence[Hit], context: Context) -> Sequence[Hit]:
        return self._writer(context).imported(hits)

    def combined(self, chosen: Chosen) -> Chosen:
        """Fixes of the text that was looked at last, with one import of all that they need."""
        return self._latest[1].combined(chosen) if self._latest is not None else chosen

    def _writer(self, context: Context) -> Writer:
        if self._latest is None or self._latest[0] is not context:
            self._latest = context, self._new_writer(context)
        return self._latest[1]

    def _new_writer(self, context: Context) -> Writer:
        settings = self.settings
        helper = self.project.helper or Helper(settings.portable_helper or Helper.module)
        return Writer(context, Spelling(context.facts, context.path, helper, settings.portable_names))


class PortableEngine(Engine):
    """The engine of all targets of a portable source. `target` is the first of them."""

    def __init__(
        self, catalogue: Catalogue, settings: Settings, project: Project | None = None, remember: int = 1
    ) -> None:
        every = portable_targets(catalogue, settings)
        super().__init__(catalogue, every[0], replace(settings, target_version=None), project, remember)
        self.settings = settings
        self._parts = [
            _Part(catalogue, target, every, _settings_of(catalogue, target, settings), project) for target in every
        ]

    @property
    def targets(self) -> tuple[str, ...]:
        """The ids of all targets."""
        return tuple(part.target.id for part in self._parts)

    @property
    def plugins(self) -> tuple[str, ...]:
        """The plugins, each with its version."""
        return tuple(f"{part.target.words['package']} {part.target.version}" for part in self._parts)

    def knowing(self, project: Project) -> Engine:
        """The same for another project."""
        return PortableEngine(self.catalogue, self.settings, project, self._remember)

    def concerns(self, data: bytes) -> bool:
        """Whether a file with these bytes can have a finding for one of the targets."""
        return any(part.concerns(data) for part in self._parts)

    def check(
        self,
        source: Source,
        concerned: bool = False,
        edited: Edited | None = None,
        answers: Answers | None = None,
        limits: Limits | None = None,
    ) -> Report:
        """What the targets' engines find, each place once, as low as the lowest of them."""
        helper = self.project.helper
        if helper is not None and source.path and source.path == helper.path:
            return Report()
        lows: dict[Span, str | None] = {}
        reasons: dict[Span, Finding] = {}
        for _ in range(_ROUNDS):
            reports = []
            for part in self._parts:
                part.guard, part.lows = self.guard, lows
                reports.append(part.check(source, concerned, edited, answers, limits))
            edited = None
            found = _lows(reports)
            if all(lows.get(span, "safe") == low for span, low in found.items()):
                break
            lows = {**lows, **found}
            self._explain(reasons, reports, found)
        return self._together(reports, reasons)

    def _explain(self, reasons: dict[Span, Finding], reports: Sequence[Report], found: Lows) -> None:
        """Keep of each place that comes to be by hand what says so first."""
        for report in reports:
            for finding in report.findings:
                span = finding.span
                if span not in reasons and not finding.fixes:
                    reasons[span] = finding
        for report in reports:
            for finding in report.findings:
                if found.get(finding.span, "") is None and finding.fixes:
                    reasons.setdefault(finding.span, self._differing(finding))

    def _combined(self, chosen: Chosen) -> Chosen:
        return self._parts[0].combined(chosen)

    def _together(self, reports: Sequence[Report], reasons: Mapping[Span, Finding]) -> Report:
        places: dict[Span, list[tuple[Engine, Finding]]] = {}
        for part, report in zip(self._parts, reports, strict=True):
            for finding in report.findings:
                places.setdefault(finding.span, []).append((part, finding))
        made = {part.target.id: _made(report) for part, report in zip(self._parts, reports, strict=True)}
        every = [one for each in places.values() for one in self._at(each, made)]
        findings = [one if one.fixes else reasons.get(one.span, one) for one in every]
        findings.sort(key=lambda finding: (finding.span, finding.rule))
        skipped = dict.fromkeys(span for report in reports for span in report.skipped)
        sites = dict.fromkeys(site for report in reports for site in report.sites)
        return Report(tuple(findings), tuple(skipped), tuple(sites))

    def _at(self, said: Sequence[tuple[Engine, Finding]], made: Made) -> Iterable[Finding]:
        """What is said of one place: of each rule what the target says that allows least."""
        targets = {finding.target for _, finding in said}
        if len(said) == len(targets):
            return self._one([finding for _, finding in said], made)
        rules = dict.fromkeys(finding.rule for _, finding in said)
        return [one for rule in rules for one in self._one([f for _, f in said if f.rule == rule], made)]

    def _one(self, said: Sequence[Finding], made: Made) -> Iterable[Finding]:
        """The finding of one place, of which each target says at most one."""
        by_hand = [finding for finding in said if not finding.fixes]
        if by_hand:
            return by_hand[:1]
        if len(said) < len(self._parts):
            spoken = {finding.target for finding in said}
            silent = [part for part in self._parts if part.target.id not in spoken]
            if not all(_edits(said[0].fixes[0]) <= made[part.target.id] for part in silent):
                if all(self._speaks(part, said[0].rule) for part in silent):
                    return []  # what is written for one accelerator already is left as it is
                return [self._differing(said[0])]
        if len({_edits(finding.fixes[0]) for finding in said}) > 1:
            return [self._differing(said[0])]
        low = min(said, key=lambda finding: finding.fixes[0].applicability == "safe")
        return [replace(low, fixes=(replace(low.fixes[0], edits=_all(finding.fixes[0] for finding in said)),))]

    def _differing(self, finding: Finding) -> Finding:
        return replace(finding, message=self._messages.noted(finding.message, DIFFERS), fixes=())

    def _speaks(self, part: Engine, rule: str) -> bool:
        return any(one.name == rule for one in part.ruleset(False).rules)


def _class(hit: Hit) -> str | None:
    return hit.fixes[0].applicability if hit.fixes else None


def _settings_of(catalogue: Catalogue, target: str, settings: Settings) -> Settings:
    """The settings of one target: its plugin goes with the PyTorch that they name."""
    torch = settings.torch_version
    return replace(settings, target_version=catalogue.going_with(target, torch) if torch else None)


def _edits(fix: Fix) -> frozenset[Edit]:
    """What must be the same for all: not the keywords that arguments are given, which are right for all."""
    return frozenset(edit for edit in fix.edits if not _names_argument(edit))


def _made(report: Report) -> frozenset[Edit]:
    """All edits of a report, as far as they must be the same for all."""
    return frozenset().union(*(_edits(finding.fixes[0]) for finding in report.findings if finding.fixes))


def _names_argument(edit: Edit) -> bool:
    return edit.start == edit.end and edit.text.endswith("=") and edit.text[:-1].isidentifier()


def _all(fixes: Iterable[Fix]) -> tuple[Edit, ...]:
    """The edits of one place as all targets need them."""
    return tuple(merge(fixes))


def _lows(reports: Sequence[Report]) -> dict[Span, str | None]:
    """What places come to, of which the reports say different things."""
    said: dict[Span, list[Finding]] = {}
    for report in reports:
        for finding in report.findings:
            said.setdefault(finding.span, []).append(finding)
    every = [_made(report) for report in reports]
    places = [{finding.span for finding in report.findings} for report in reports]
    found: dict[Span, str | None] = {}
    for span, findings in said.items():
        classes = [finding.fixes[0].applicability if finding.fixes else None for finding in findings]
        alike = len({_edits(finding.fixes[0]) for finding in findings if finding.fixes}) < 2
        lacking = [made for made, spans in zip(every, places, strict=True) if span not in spans]
        among = all(finding.fixes and _edits(finding.fixes[0]) <= made for finding in findings for made in lacking)
        low = lowest(*classes) if alike and among else None
        if low != "safe":
            found[span] = low
    return found
