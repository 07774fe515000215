"""Engines for source that must run on CUDA and on several targets; the findings of the targets are combined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..catalogue import Catalogue
from ..checks import Context, Hit
from ..edits import REVIEW, SAFE, Edit, lowest
from ..limits import LimitExceeded, Limits
from ..project import Answers, Helper, Project
from ..settings import Settings
from ..source import Source, SourceError, Span
from . import Engine, Finding, Report
from .fixing import Chosen, Edited
from .kept import Row
from .messages import Messages
from .portable.accelerators import Accelerators
from .portable.agreement import Agreement, Lows
from .portable.callees import Callees
from .portable.forms import CALLS, DIFFERS, GIVEN, READ
from .portable.readers import readers, tests_names
from .portable.spelling import Spelling
from .portable.wrapping import wrapped
from .portable.writing import Writer

_ROUNDS = 5  # maximum number of rounds in which the engines check a text to agree on their findings


def make_engine(
    catalogue: Catalogue,
    target: str,
    settings: Settings | None = None,
    project: Project | None = None,
    remember: int = 1,
) -> Engine:
    """Return the engine for settings: for one target, or, if the strategy is `portable`, for all targets that the
    settings name."""
    if settings is None or not settings.portable:
        return Engine(catalogue, target, settings, project, remember)
    return PortableEngine(catalogue, settings, project, remember)


def portable_targets(catalogue: Catalogue, settings: Settings) -> tuple[str, ...]:
    """Return the targets of portable source: the targets that the settings name, otherwise all targets with tables."""
    known = [target for target in catalogue.declarations if catalogue.target(target).has_tables]
    return settings.portable_targets or tuple(sorted(known, key=lambda target: target != catalogue.default_target))


class _Part(Engine):
    """The engine for one of the targets of portable source. `every`: all targets; `lows`: for each span of a finding,
    the lowest fix class (no fix, else review, else safe) that the targets' engines have found for this span so far."""

    def __init__(
        self, catalogue: Catalogue, target: str, every: Sequence[str], settings: Settings, project: Project | None
    ) -> None:
        self._every = [catalogue.target(one) for one in every]
        named = [(one, _settings_of(catalogue, one, settings)) for one in every]
        stated = [catalogue.target(one, its.target_version, its.torch_version) for one, its in named]
        self._accelerators = Accelerators(catalogue, stated)
        self.lows: Lows = {}
        self._latest: tuple[Context, Writer] | None = None
        super().__init__(catalogue, target, settings, project)

    def _spoken(self) -> Messages:
        return Messages(self.catalogue, self.target, self.settings.locale, self._every)

    def _written(self, rows: Sequence[Row], context: Context) -> Sequence[Row]:
        written = self._writer(context).written([hit for row in rows for hit, _ in row])
        low = iter([hit and hit.lowered(lowest(_class(hit), self._low(hit))) for hit in written])
        return [[(hit, stays) for _, stays in row if (hit := next(low)) is not None] for row in rows]

    def _low(self, hit: Hit) -> str | None:
        return self.lows.get(Span(hit.start, hit.end), "safe")

    def _imported(self, hits: Sequence[Hit], context: Context) -> Sequence[Hit]:
        return self._writer(context).imported(hits)

    def combined(self, chosen: Chosen) -> Chosen:
        """Return the chosen fixes of the last checked text, with one shared import of the helper module's functions."""
        return self._latest[1].combined(chosen) if self._latest is not None else chosen

    def _writer(self, context: Context) -> Writer:
        if self._latest is None or self._latest[0] is not context:
            self._latest = context, self._new_writer(context)
        return self._latest[1]

    def _new_writer(self, context: Context) -> Writer:
        settings = self.settings
        helper = self.project.helper or Helper(settings.portable_helper or Helper.module)
        spelling = Spelling(context.facts, context.path, self.project, helper, settings.portable_names)
        return Writer(context, spelling, self._accelerators, self._libraries, settings.portable_style)


class PortableEngine(Engine):
    """An engine that checks portable source for several targets. `target`: the first of the several targets."""

    def __init__(
        self, catalogue: Catalogue, settings: Settings, project: Project | None = None, remember: int = 1
    ) -> None:
        every = portable_targets(catalogue, settings)
        super().__init__(catalogue, every[0], replace(settings, target_version=None), project, remember)
        self.settings = settings
        self._parts = [
            _Part(catalogue, target, every, _settings_of(catalogue, target, settings), project) for target in every
        ]

        self._callees = Callees()
        self._beside: PortableEngine | None = None
        """A second engine, which checks other files of the project, so that this engine keeps the cached facts of its
        own files."""

    @property
    def parts(self) -> Sequence[Engine]:
        """The engines of the single targets."""
        return self._parts

    @property
    def targets(self) -> tuple[str, ...]:
        """The ids of the targets."""
        return tuple(part.target.id for part in self._parts)

    @property
    def plugins(self) -> tuple[str, ...]:
        """The names of the targets' plugins, each with its version."""
        return tuple(f"{part.target.words['package']} {part.target.version}" for part in self._parts)

    def knowing(self, project: Project) -> Engine:
        """Return an engine for another project, with the same targets and settings."""
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
        """Return the combined findings of all targets' engines: each span once, with the lowest fix class that an
        engine gives it (no fix is lower than "review", and "review" is lower than "safe"). No finding has a safe fix if
        this file uses functions of other files that silently stay on CUDA, or if it exchanges values with files that
        stay on CUDA."""
        report = self._together(source, concerned, edited, answers, limits)
        if source.path and any(map(_is_safe, report.findings)):
            limit = CALLS if self._callees.stay(source.text, source.path, self._stays) else ""
            limit = limit or self._limit_between(source, report)
            if limit:
                return report._replace(findings=tuple(self._for_review(one, limit) for one in report.findings))
        return report

    def _limit_between(self, source: Source, report: Report) -> str:
        """Return the id of the sentence that says why no fix in `source` is safe, or "". No fix is safe if another file
        of the same package stays on CUDA and reads a value that `source` declares. No fix is safe either if another
        such file sets a device to "cuda", and `source` compares a device string with a value of unknown origin."""
        helper = self.project.helper
        folder = helper.package_of(source.path) if helper is not None else ""
        if helper is None or not folder:
            return ""
        spans = [one.span for one in report.findings if _is_safe(one)]
        if self._any_stays(readers(source.text, source.path, spans, folder)):
            return READ
        if not self.project.naming or not tests_names(source.text, spans):
            return ""
        named = (one for one in self.project.naming if one != source.path and helper.package_of(one) == folder)
        return GIVEN if self._any_stays(named) else ""

    def _any_stays(self, paths: Iterable[str]) -> bool:
        return any(self._callees.file_stays(path, self._stays) for path in paths)

    def _together(
        self,
        source: Source,
        concerned: bool = False,
        edited: Edited | None = None,
        answers: Answers | None = None,
        limits: Limits | None = None,
    ) -> Report:
        """Return the combined findings of all targets' engines; functions of other files are not considered."""
        helper = self.project.helper
        if helper is not None and helper.is_at(source.path):
            return Report()
        agreed = Agreement(self._speaks, self._differing)
        for _ in range(_ROUNDS):
            reports = []
            for part in self._parts:
                part.guard, part.lows = self.guard, agreed.lows
                reports.append(part.check(source, concerned, edited, answers, limits))
            edited = None
            if agreed.settled(reports):
                break
        else:
            reports = [_without_fixes(report) for report in reports]
        skipped = dict.fromkeys(span for report in reports for span in report.skipped)
        sites = dict.fromkeys(site for report in reports for site in report.sites)
        return Report(tuple(agreed.together(reports)), tuple(skipped), tuple(sites))

    def _stays(self, text: str, path: str) -> bool:
        """Return whether the file at `path` stays on CUDA if it is fixed alone, because a finding in it has no safe
        fix."""
        if self._beside is None:
            self._beside = PortableEngine(self.catalogue, self.settings, self.project)
        try:
            findings = self._beside._together(Source(text, path)).findings
        except (SourceError, LimitExceeded):
            return True
        return any(one.severity != "information" and not _is_safe(one) for one in findings)

    def _for_review(self, finding: Finding, limit: str) -> Finding:
        """Return the finding with a fix that needs review in place of a safe fix. `limit`: the id of the sentence that
        the message of this finding then also contains, and that says why the fix needs review."""
        if not _is_safe(finding):
            return finding
        fixes = (finding.fixes[0]._replace(applicability=REVIEW), *finding.fixes[1:])
        return finding._replace(message=self._messages.noted(finding.message, limit), fixes=fixes)

    def _laid_out(self, before: str, after: str) -> list[Edit]:
        return wrapped(before, after, self.project.helper.line_length if self.project.helper else 0)

    def _combined(self, chosen: Chosen) -> Chosen:
        return self._parts[0].combined(chosen)

    def _speaks(self, at: int, rule: str) -> bool:
        return any(one.name == rule for one in self._parts[at].ruleset(False).rules)

    def _differing(self, finding: Finding) -> Finding:
        return finding._replace(message=self._messages.noted(finding.message, DIFFERS), fixes=())


def _without_fixes(report: Report) -> Report:
    return report._replace(findings=tuple(finding._replace(fixes=()) for finding in report.findings))


def _is_safe(finding: Finding) -> bool:
    return bool(finding.fixes) and finding.fixes[0].applicability == SAFE


def _class(hit: Hit) -> str | None:
    return hit.fixes[0].applicability if hit.fixes else None


def _settings_of(catalogue: Catalogue, target: str, settings: Settings) -> Settings:
    """Return the settings for one target, with the plugin version that is made for the PyTorch version in the
    settings."""
    torch = settings.torch_version
    return replace(settings, target_version=catalogue.going_with(target, torch) if torch else None)
