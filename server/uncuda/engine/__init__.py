"""The engine computes findings and fixed text from a source text, the catalogue, settings and facts about the project.
The engine does no I/O."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from ..catalogue import Catalogue
from ..checks import Check, Context, Hit
from ..checks.branches import Branches
from ..checks.missing_shim import is_patched, is_projects, patches, patching
from ..checks.quotes import fitted
from ..edits import REVIEW, SAFE, Edit, Fix
from ..facts.read import Facts, read
from ..limits import LimitExceeded, Limits, Size, Work
from ..project import Answers, Project, Site
from ..settings import Settings
from ..source import Source, Span
from ..suppress import NONE, Suppressions, parse
from ..suppress import RULE as UNUSED
from .fault_isolation import Tell, run_apart
from .fixing import Chosen, Combination, Edited, fixed
from .incremental_hits import Carried
from .kept import Found, Kept, Results, Row
from .linking import link, safe_of, without_idle, without_kept
from .messages import Messages
from .relations.foreign import imports_unknown, without_handed
from .relations.kernels import Libraries
from .relations.served import Served, reported
from .results import Finding, Fixed, Related, Report, sparing, whole
from .ruleset import Ruleset, ruleset_for
from .selection import LeftAlone, Selection, name_of
from .sites import answered, sites_of

__all__ = ["Engine", "Finding", "Fixed", "LeftAlone", "Related", "Report", "Selection", "name_of"]


_FINDING = 60  # work steps that are counted for each hit that becomes a finding


class _Looked(NamedTuple):
    """The hits of each check of a text. `known`, `kept`: the results of the text before the edit, and those of them
    that are still valid. `same`: whether the edited line has the same hits as before the edit; then `kept` is the
    whole result, and `rows` is not used."""

    ruleset: Ruleset
    context: Context
    rows: Sequence[Row]
    known: Found | None
    kept: Kept | None
    same: bool


class Engine:
    """Checks and fixes source texts for one target, one set of settings and one project."""

    def __init__(
        self,
        catalogue: Catalogue,
        target_id: str,
        settings: Settings | None = None,
        project: Project | None = None,
        remember: int = 1,
    ) -> None:
        """`remember`: the number of texts for which the engine keeps the parsed statements, so that the next version of
        such a text is checked faster.

        `guard`: a function that is called if a rule raises an exception; without `guard`, the exception propagates.
        """
        self.guard: Tell | None = None
        self.catalogue = catalogue
        self.settings = settings or Settings()
        self.project = project or Project()
        self.target = catalogue.target(
            target_id, self.settings.target_version, self.settings.torch_version, self.settings.hardware
        )
        self._sets: dict[bool, Ruleset] = {}
        self._patching = patching(self.target)
        self._remember = remember
        self._memory: OrderedDict[tuple[str, Ruleset], Facts] = OrderedDict()
        self._carried = Carried()
        self._size = Size()
        self._messages = self._spoken()
        self._libraries = Libraries.of(catalogue, self.target, self.project)

    def _spoken(self) -> Messages:
        return Messages(self.catalogue, self.target, self.settings.locale)

    def knowing(self, project: Project) -> Engine:
        """Return an engine for another project, with the same target and settings; both engines share the prepared
        rules."""
        other = Engine(self.catalogue, self.target.id, self.settings, project, self._remember)
        other._sets = self._sets
        return other

    def concerns(self, data: bytes) -> bool:
        """Return whether a file with these bytes can have a finding; this fast check is done before the bytes are
        decoded."""
        return self.ruleset(self._project_shim()).concerns(data)

    def _project_shim(self) -> bool:
        strategy = self.settings.strategy
        return strategy == "shim" or (strategy == "auto" and is_projects(self.project, self.target))

    def patched(self, text: str, work: Work | None = None) -> bool:
        """Return whether the shim is active for a text: by the settings, by the project, or by an import in the
        text."""
        if self._project_shim():
            return True
        words = self.ruleset(True).words
        return self.settings.strategy == "auto" and patches(text, self.target, lambda: read(text, words, work=work))

    def ruleset(self, shim: bool) -> Ruleset:
        """The active rules. `shim`: whether the code runs with a runtime patch that maps CUDA's names to the target's,
        such as `transfer_to_npu`."""
        if shim not in self._sets:
            self._sets[shim] = ruleset_for(self.catalogue, self.target, self.settings, shim)
        return self._sets[shim]

    def read(self, source: Source, limits: Limits | None = None) -> tuple[Facts, Ruleset]:
        """Return the statements, imports, names and strings of a text (its `Facts`), and the rules that apply to the
        text. `limits`: limits on the work; LimitExceeded is raised if one is exceeded."""
        work = Work(limits or self.settings.limits)
        ruleset = self.ruleset(self.patched(source.text, work))
        return self._facts(source, ruleset, work), ruleset

    def _facts(self, source: Source, ruleset: Ruleset, work: Work, edited: Edited | None = None) -> Facts:
        """Return the facts of a text: the statements, imports, names and strings that checks look at. If the facts of
        an earlier text with the same path are cached, only the changed lines are read; after an undo, no line is
        read."""
        key = source.path, ruleset
        before = self._memory.get(key)
        edits = edited[1] if edited is not None and before is not None and before.text is edited[0] else ()
        if before is not None and not edits and before.text == source.text:
            facts, facts.work = before, work
        elif (earlier := self._carried.earlier(key, source.text)) is not None:
            facts, facts.work = earlier, work
        else:
            facts = read(source.text, ruleset.words, before if source.path or edits else None, edits, work)
        self._memory[key] = facts
        self._memory.move_to_end(key)
        if len(self._memory) > self._remember:
            self._carried.forget(self._memory.popitem(last=False)[0])
        return facts

    def check(
        self,
        source: Source,
        concerned: bool = False,
        edited: Edited | None = None,
        answers: Answers | None = None,
        limits: Limits | None = None,
    ) -> Report:
        """Return all findings in a text that no comment suppresses.

        `concerned`: whether `concerns` is known to return True for the text's bytes. `edited`: a text with the same
        path that was checked before, and the edits that turned it into this text. `answers`: the known types of
        objects on which methods are called; because of a type, a finding may be removed, or its fix may need review.
        `limits`: limits on the work, None for those of the settings; LimitExceeded is raised if one is exceeded.
        """
        work = Work(limits or self.settings.limits)
        try:
            work.size(source.text, edited, self._size)
            return self._check(source, concerned, edited, answers, work)
        except (LimitExceeded, RecursionError) as error:
            self._forget(source.path)  # what was read of the file is incomplete and must not be reused
            raise error if isinstance(error, LimitExceeded) else work.too_deep() from None

    def _forget(self, path: str) -> None:
        for key in [key for key in self._memory if key[0] == path]:
            del self._memory[key]
            self._carried.forget(key)

    def _check(
        self, source: Source, concerned: bool, edited: Edited | None, answers: Answers | None, work: Work
    ) -> Report:
        ruleset = self.ruleset(self._project_shim())
        known = (source.path, ruleset) in self._memory
        says = self._facts(source, ruleset, work, edited).says if known else source.text.__contains__
        concerned = concerned or says("uncuda:")
        if any(map(says, self._patching)) and self.patched(source.text, work):
            ruleset = self.ruleset(True)
            known = (source.path, ruleset) in self._memory
        if not known and not concerned and not ruleset.concerns(source.text.encode("utf-8", "surrogatepass")):
            return Report()
        facts = self._facts(source, ruleset, work, edited)
        if known and not concerned and not ruleset.opens(facts):
            return Report()
        return self.report(facts, source.path, ruleset, answers)

    def sites(self, source: Source) -> tuple[Site, ...]:
        """Return the places in a text at which a finding depends on an object's type, which the receiver analysis
        can look up."""
        return self.check(source).sites

    def report(
        self, facts: Facts, path: str = "", ruleset: Ruleset | None = None, answers: Answers | None = None
    ) -> Report:
        """Return the findings of a text whose statements were parsed before (`facts`). Some files have no findings: the
        helper module, modules for another accelerator, and modules for CUDA that have a counterpart for the target.
        `answers`: the known types of receivers; because of a type, a finding may be removed, or its fix may need
        review."""
        if self.project.helper is not None and self.project.helper.is_at(path):
            return Report()
        if path in self.project.neutral or (self.target.id, path) in self.project.backends:
            return Report()
        ruleset = ruleset or self.ruleset(self._project_shim())
        ignored = self.settings.ignored_in(path) | ruleset.off
        looked = self._looked(facts, ruleset, path)
        skipped = tuple(Span(start, end) for start, end in facts.unread)
        if not answers and looked.same and (again := self._again(looked, path)) is not None:
            return again._replace(skipped=skipped)
        hits, silent = self._hits(looked, answers or {}, path)
        facts.work.compare(_FINDING * (len(hits) + len(silent)))
        every = [finding for hit in (*hits, *silent) if (finding := self._guarded(hit, path))]
        findings = [finding for finding in every if finding.rule not in ignored]
        suppressions = NONE
        if facts.says("uncuda:"):
            suppressions = parse(facts.text, facts.layout.is_comment, facts.layout.string_around)
            facts.work.compare(_FINDING * len(suppressions.comments))
        if suppressions:
            findings = self._suppress(findings, suppressions, ruleset, ignored)
        sites = sites_of((*hits, *silent), findings)
        # findings that the types of receivers rule out are removed only now, so that a comment that suppresses one of
        # them is not reported as unused
        if silent:
            places = {(hit.rule.name, Span(hit.start, hit.end)) for hit in silent}
            findings = [finding for finding in findings if (finding.rule, finding.span) not in places]
        spared = [finding for finding in every if finding.rule not in ruleset.unselected]
        if len(findings) < len(spared):
            findings = sparing(findings, spared, facts.work)
        if not self.target.has_tables:
            findings = whole(findings, imports_unknown(facts, path, self.catalogue, self.target, self.project))
        findings.sort(key=lambda finding: (finding.span, finding.rule))
        report = Report(tuple(findings), skipped, sites)
        if not answers and not suppressions and self.target.has_tables:
            self._carried.report((path, ruleset), facts, report)
        return report

    def _again(self, looked: _Looked, path: str) -> Report | None:
        """After an edit that affects no finding: return the report from before the edit, with updated offsets."""
        facts, kept = looked.context.facts, looked.kept
        if kept is None or kept.results.report is None or facts.says("uncuda:"):
            return None
        self._carried.keep((path, looked.ruleset), facts, looked.context, looked.known, kept.results, True, kept.bare)
        facts.work.compare(_FINDING * len(kept.results.report))
        return kept.results.report.at(kept.results.since)

    def _looked(self, facts: Facts, ruleset: Ruleset, path: str) -> _Looked:
        """Run all checks, or check only the edited line if the hits of the text before the edit are still valid."""
        known, kept = self._carried.take((path, ruleset), facts, self.project)
        facts.layout.forget_reads()
        context, rows = self._look(facts, ruleset, path, kept)
        if known is not None and context.absent != known.absent:
            known = kept = None
            context, rows = self._look(facts, ruleset, path, kept)
        whole = [hasattr(check, "of_whole_text") for check in ruleset.checks]
        if kept is None:
            return _Looked(ruleset, context, rows, known, kept, False)
        same = kept.are_all(rows, whole)
        if not same:
            rows = [row if every else [*kept.hits[at], *row] for at, (row, every) in enumerate(zip(rows, whole))]
        return _Looked(ruleset, context, rows, known, kept, same)

    def _hits(self, looked: _Looked, answers: Answers, path: str) -> tuple[Sequence[Hit], Sequence[Hit]]:
        """Return the hits that remain, and the hits that are removed because, according to `answers`, the object whose
        method or attribute is used is not torch's."""
        ruleset, context, rows, known, kept, same = looked
        facts, key = context.facts, (path, ruleset)
        if kept is not None and same:
            linked = kept.placed.linked
            if not answers and linked is not None:
                self._carried.keep(key, facts, context, known, kept.results, True, kept.bare)
                return linked, []
            rows = kept.hits
        rows = self._written(rows, context)
        found = [hit for row in rows for hit, _ in row]
        if not found and self._remember <= 1:
            return self._imported([], context), []
        branches = Branches(facts, self.target, partial(safe_of, found, self._libraries), path)
        served = Served(context, branches)
        rows = [[(hit, served.holds(hit) if stays is None else stays) for hit, stays in row] for row in rows]
        hits = without_kept(reported(rows), facts.work)
        hits = served.lowered(without_handed(hits, context))
        if ruleset.shim and not is_patched(context):
            hits = [hit.lowered(REVIEW) for hit in hits]  # the fixed code needs the runtime patch, which is not active
        hits, silent = answered(hits, answers)
        if hits:
            package = self.target.words.get("package", "")
            hits = without_idle(link(hits, facts, branches, package, self._libraries))
        hits = self._imported(hits, context)
        # an import anywhere in the text can change the fixes of the whole text
        if self._remember > 1 and not context.portable:
            results = Results(rows, None if answers else hits)
            self._carried.keep(key, facts, context, known, results, branches.certain)
        return hits, silent

    def _look(self, facts: Facts, ruleset: Ruleset, path: str, kept: Kept | None) -> tuple[Context, list[Row]]:
        """Return the context and the hits of each check; if `kept` is given, only the edited line is checked."""
        line = kept.line if kept is not None else None
        portable = self.settings.portable
        context = Context(facts, self.target, self.catalogue, self.project, ruleset.shim, path, portable, line)
        rows: list[Row] = []
        for check in ruleset.checks:
            found = self._run(check, context, ruleset, path)
            rows.append([(fitted(hit, facts.text), None) for hit in found])
        return context, rows

    def _written(self, rows: Sequence[Row], context: Context) -> Sequence[Row]:
        """Return the hits of each check, ready to be linked; in a portable project, their fixes are turned into fixes
        for all targets."""
        return rows

    def _imported(self, hits: Sequence[Hit], context: Context) -> Sequence[Hit]:
        """Return the hits that `link` returned, with the imports added that the edits of each fix need. `Engine`
        itself adds none; its subclass `_Part` in `several.py` does."""
        return hits

    def _run(self, check: Check, context: Context, ruleset: Ruleset, path: str) -> Iterable[Hit]:
        """Return the hits of a check; if a rule raises an exception and `guard` is given, the hits of this rule are
        missing."""
        guard = self.guard
        if guard is None:
            return check.run(context)
        try:
            return list(check.run(context))
        except (LimitExceeded, RecursionError):
            raise
        except Exception:  # noqa: BLE001 found again for the rule that is to blame
            return run_apart(check, context, ruleset.rules, self.target, lambda rule, error: guard(rule, path, error))

    def _guarded(self, hit: Hit, path: str) -> Finding | None:
        try:
            return self._finding(hit)
        except Exception as error:
            if self.guard is None:
                raise
            self.guard(hit.rule.name, path, error)
            return None

    def _finding(self, hit: Hit) -> Finding:
        severity = self.settings.severity.get(hit.rule.name, hit.severity or hit.rule.severity)
        message, fixes = self._messages.of(hit), self._messages.fixes(hit)
        span = Span(hit.start, hit.end)
        related: tuple[Related, ...] = ()
        if hit.origin is not None:
            name, dotted, bound = hit.origin
            related = (Related(bound, self._messages.alias(name, dotted)),)
        return Finding(hit.rule.name, severity, message, span, fixes, self.target.id, related, hit.subject)

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
        self,
        source: Source,
        review: bool = False,
        concerned: bool = False,
        rules: Collection[str] | None = None,
        answers: Answers | None = None,
        limits: Limits | None = None,
        selection: Selection | None = None,
    ) -> Fixed:
        """Apply the fixes of the allowed fix classes in passes, until no pass changes the text. `concerned`, `answers`:
        the same as for `check`.

        `rules`: only fixes of these rules are applied, with the fixes that must be applied together with them; None:
        fixes of all rules. `selection`: the findings that may be fixed; None for all. Fixes are applied in at most 12
        passes. `limits`: limits on the work of each pass; LimitExceeded is raised if a pass exceeds a limit.
        """

        def check(text: Source, edited: Edited | None, known: Answers | None) -> Report:
            return self.check(text, concerned, edited, known, limits)

        return fixed(source, check, review, rules, answers, selection, Combination(self._combined, self._laid_out))

    def _laid_out(self, before: str, after: str) -> list[Edit]:
        """Return edits that reformat the code which the fixes wrote; only subclasses return any."""
        return []

    def _combined(self, chosen: Chosen) -> Chosen:
        """Return fixes that are applied together; a subclass may replace the imports that they insert by one import."""
        return chosen
