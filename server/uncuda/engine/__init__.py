"""(text, catalogue, settings, project) to findings, and to fixed text. Pure: no files, no protocol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

from ..catalogue import Catalogue
from ..checks import Context, Hit
from ..checks.branches import Branches
from ..edits import REVIEW, SAFE, Change, Edit, Fix, apply_edits, changes_of, compose, select
from ..facts.read import Facts, read
from ..project import Project
from ..settings import Settings
from ..source import Source, Span
from ..suppress import RULE as UNUSED
from ..suppress import Suppressions, parse
from .linking import link, link_conditions, without_idle, without_kept
from .messages import Messages
from .refusal import refusal
from .ruleset import Ruleset

_PASSES = 12


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found. `fixes`: best first; none: manual."""

    rule: str
    severity: str
    message: str
    span: Span
    fixes: tuple[Fix, ...]
    target: str


@dataclass(frozen=True)
class Report:
    """Findings in the order of the text, and the statements that could not be read."""

    findings: tuple[Finding, ...] = ()
    skipped: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Fixed:
    """Text after its fixes, fixes made by rule, what is left; `refused`: why the text was left as it was.

    `passes`: what was changed, pass by pass, from `before` on.
    """

    text: str
    applied: dict[str, int]
    report: Report
    refused: str | None = None
    before: str = ""
    passes: tuple[list[Change], ...] = ()

    @cached_property
    def changes(self) -> list[Change]:
        """All that was changed, as edits of the text as it was before the fixes."""
        return compose(self.before, self.passes)


class Engine:
    """One target, one set of settings, one project: checks and fixes any number of texts."""

    def __init__(
        self, catalogue: Catalogue, target_id: str, settings: Settings | None = None, project: Project | None = None
    ) -> None:
        self.catalogue = catalogue
        self.settings = settings or Settings()
        self.project = project or Project()
        self.target = catalogue.target(
            target_id, self.settings.target_version, self.settings.torch_version, self.settings.hardware
        )
        self._sets: dict[tuple[bool, bool], Ruleset] = {}
        self._read: tuple[str, Ruleset, Facts] | None = None
        self._messages = Messages(catalogue, self.target, self.settings.locale)

    def concerns(self, data: bytes) -> bool:
        """Whether a file with these bytes can have a finding: a quick look, before decoding."""
        return self.ruleset(self._project_shim()).concerns(data) or b"uncuda:" in data

    def _project_shim(self) -> bool:
        strategy = self.settings.strategy
        return strategy == "shim" or (strategy == "auto" and self.target.id in self.project.shims)

    def _shim(self, text: str) -> bool:
        """Whether the runtime patch is in force for a text: by setting, in the project, or imported in the text."""
        if self._project_shim():
            return True
        patch = self.target.words.get("patch", "").rpartition(".")[2]
        if self.settings.strategy != "auto" or not patch or patch not in text:
            return False
        words = self.ruleset(True).words
        facts = read(text, words)
        return any(binding.dotted == self.target.words["patch"] for binding, _ in facts.imports())

    def ruleset(self, shim: bool, every: bool = False) -> Ruleset:
        """The active rules, with or without the runtime patch in force; `every`: those that are switched off, too."""
        settings = self.settings
        every = every and bool(settings.select or settings.ignore)
        if (shim, every) not in self._sets:
            self._sets[shim, every] = Ruleset(self.catalogue, self.target, Settings() if every else settings, shim)
        return self._sets[shim, every]

    def read(self, text: str, every: bool = False) -> tuple[Facts, Ruleset]:
        """What a text says, and the rules for it; `every`: as for `ruleset`."""
        ruleset = self.ruleset(self._shim(text), every)
        return self._facts(text, ruleset), ruleset

    def _facts(self, text: str, ruleset: Ruleset) -> Facts:
        """What a text says; remembered for the text that was read last, since editors ask several times."""
        if self._read is None or self._read[1] is not ruleset or self._read[0] != text:
            self._read = text, ruleset, read(text, ruleset.words)
        return self._read[2]

    def check(self, source: Source, concerned: bool = False) -> Report:
        """Every finding of a text, suppressed ones left out. `concerned`: the quick look at its bytes was taken."""
        ruleset = self.ruleset(self._shim(source.text))
        if not concerned and "uncuda:" not in source.text:
            if not ruleset.concerns(source.text.encode("utf-8", "surrogatepass")):
                return Report()
        return self.report(self._facts(source.text, ruleset), source.path, ruleset)

    def report(self, facts: Facts, path: str = "", ruleset: Ruleset | None = None) -> Report:
        """Findings of facts that were already read."""
        ruleset = ruleset or self.ruleset(self._project_shim())
        ignored = self.settings.ignored_in(path)
        hits = self._hits(facts, ruleset)
        every = [self._finding(hit) for hit in hits]
        findings = [finding for finding in every if finding.rule not in ignored]
        suppressions = parse(facts.text, facts.layout.is_comment, facts.layout.string_around)
        if suppressions:
            findings = self._suppress(findings, suppressions, ruleset, ignored)
        if len(findings) < len(every):
            findings = _sparing(findings, every)
        findings.sort(key=lambda finding: (finding.span, finding.rule))
        skipped = tuple(Span(start, end) for start, end in facts.unread)
        return Report(tuple(findings), skipped)

    def _hits(self, facts: Facts, ruleset: Ruleset) -> list[Hit]:
        context = Context(facts, self.target, self.catalogue, self.project, ruleset.shim)
        branches: Branches | None = None
        hits = []
        for check in ruleset.checks:
            for hit in check.run(context):
                branches = branches or Branches(facts, self.target)
                silent = hit.statement is not None and branches.served(hit.statement, hit.node)
                if not silent or hit.rule.check == "missing-import":
                    hits.append(hit)
        hits = without_kept(hits)
        link_conditions(hits, facts.indents)
        link(hits)
        return without_idle(hits)

    def _finding(self, hit: Hit) -> Finding:
        severity = self.settings.severity.get(hit.rule.name, hit.severity or hit.rule.severity)
        message = self._messages.of(hit)
        fixes = self._messages.fixes(hit)
        return Finding(hit.rule.name, severity, message, Span(hit.start, hit.end), fixes, self.target.id)

    def _suppress(
        self, findings: list[Finding], suppressions: Suppressions, ruleset: Ruleset, ignored: frozenset[str]
    ) -> list[Finding]:
        active = {rule.name for rule in ruleset.rules} - ignored
        kept, unused = suppressions.apply(findings, set(self.catalogue.rules), active)
        rule = self.catalogue.rules.get(UNUSED)
        if rule is None or UNUSED not in active:
            return kept
        for comment in unused:
            title, message = self._messages.unused(rule, comment.rules, comment.unknown)
            fix = Fix(title, SAFE, (Edit(*comment.edit),))
            severity = self.settings.severity.get(UNUSED, rule.severity)
            kept.append(Finding(UNUSED, severity, message, comment.span, (fix,), self.target.id))
        return kept

    def fix(
        self, source: Source, review: bool = False, concerned: bool = False, rules: Collection[str] | None = None
    ) -> Fixed:
        """Apply the fixes of the allowed classes until nothing changes. `concerned`: as for `check`.

        `rules`: make only the fixes of these (and what must change together with them); None: of all.
        """
        text, applied = source.text, Counter[str]()
        passes: list[list[Change]] = []
        first = report = self.check(source, concerned)
        allowed = {SAFE, REVIEW} if review else {SAFE}
        for _ in range(_PASSES):
            chosen = [
                (f.fixes[0], f.rule)
                for f in report.findings
                if f.fixes and f.fixes[0].applicability in allowed and (rules is None or f.rule in rules)
            ]
            if not chosen:
                reason = refusal(source.text, text) if text != source.text else None
                break
            made = {id(fix): fix for fix in select([fix for fix, _ in chosen])}
            passes.append(changes_of((fix, rule) for fix, rule in chosen if id(fix) in made))
            text = apply_edits(text, [change.edit for change in passes[-1]])
            applied.update(rule for fix, rule in chosen if id(fix) in made)
            report = self.check(Source(text, source.path, source.encoding, source.bom), concerned)
        else:
            reason = "its fixes do not settle"
        if reason is not None:
            return Fixed(source.text, {}, first, reason)
        return Fixed(text, dict(applied), report, before=source.text, passes=tuple(passes))


def _sparing(kept: list[Finding], every: list[Finding]) -> list[Finding]:
    """Findings without the fixes that would change a place where the user silenced a finding."""
    names = {(finding.rule, finding.span) for finding in kept}
    silenced = [finding.span for finding in every if (finding.rule, finding.span) not in names]

    def spares(fix: Fix) -> bool:
        return not any(edit.start < span.end and span.start < edit.end for edit in fix.edits for span in silenced)

    return [replace(finding, fixes=tuple(filter(spares, finding.fixes))) for finding in kept]
