"""Explains the code at an offset, for a hover: the findings there, and the target's counterpart of a name. This module
does no I/O."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..catalogue import Row, Rule
from ..checks.name import Check as NameCheck
from ..checks.name_imports import module_span
from ..checks.verdicts import Verdicts
from ..facts.model import Facts, Name, Statement
from ..limits import Limits
from ..source import Source, Span
from ..suppress import RULE as UNUSED
from ..suppress import Comment, parse
from . import Engine, Finding
from .ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Counterpart:
    """The counterpart of a name on a target.

    `status`: the status of the name in the target's table, or "unlisted". `present`: whether the counterpart exists in
    the configured plugin version; `since`: the first plugin version with it. `missing`: the parameters that the
    counterpart lacks. `limits`: ids of sentences in `rules/limits.tsv`. `applicability`: the safest fix class that the
    tables allow, "safe" or "review"; None if there can be no fix. `patched`: whether the target's shim is active and
    maps the name.
    """

    name: str
    status: str
    replacement: str
    applicability: str | None
    rule: Rule | None
    present: bool
    since: str
    missing: tuple[str, ...]
    positions: bool
    limits: tuple[str, ...]
    patched: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of the code at an offset: findings, a name covered by the target's table, or a suppression
    comment.

    `rules`: the rules of the findings, of the name or in the comment, in the order in which the rules were found.
    `silenced`: the names of rules in a suppression comment, as the comment spells them; None if there is no comment.
    """

    span: Span
    findings: tuple[Finding, ...] = ()
    counterpart: Counterpart | None = None
    rules: tuple[Rule, ...] = ()
    silenced: tuple[str, ...] | None = None


def explain(
    engine: Engine, source: Source, findings: Iterable[Finding], offset: int, limits: Limits | None = None
) -> Explanation | None:
    """Return the explanation of the code at an offset, given the findings of the text; None if there is nothing to
    explain. `limits`: limits on the work; LimitExceeded is raised if one is exceeded."""
    text = source.text
    here = _here(findings, offset)
    if not here and not _may_say(engine, text, offset):
        return None
    facts, ruleset = engine.read(source, limits)
    comments = parse(text, facts.layout.is_comment).comments
    for comment in comments:
        if comment.span.start <= offset < comment.span.end:
            return _comment(engine, text, comment, here, offset)
    found = next(_names(facts, offset), None)
    if found is None and not here:
        return None
    counterpart = _counterpart(engine, ruleset, found[0]) if found else None
    if found is None or counterpart is None:
        return _explanation(engine, here[0].span, here) if here else None
    return _explanation(engine, _spelled(found[1], counterpart.name), here, counterpart)


def counterpart_on(engine: Engine, name: str) -> Counterpart | None:
    """The counterpart of a name on one target."""
    return _counterpart(engine, engine.ruleset(False), name)


def explain_findings(engine: Engine, findings: Iterable[Finding], offset: int) -> Explanation | None:
    """Return the explanation that the findings alone give, without reading the text."""
    here = _here(findings, offset)
    return _explanation(engine, here[0].span, here) if here else None


def _here(findings: Iterable[Finding], offset: int) -> tuple[Finding, ...]:
    """The findings at an offset; those with the shortest span come first."""
    here = (finding for finding in findings if finding.span.start <= offset <= finding.span.end)
    return tuple(sorted(here, key=lambda finding: finding.span.end - finding.span.start))


def _may_say(engine: Engine, text: str, offset: int) -> bool:
    """Return whether a name of torch or a suppression comment may be at the offset; this is a fast check."""
    if "uncuda:" in text:
        return True
    word = (text[offset : offset + 1] + text[max(0, offset - 1) : offset]).replace("_", "a")
    spoken = any(character.isalnum() for character in word)
    return spoken and engine.ruleset(False).speaks_of(text.encode("utf-8", "surrogatepass"))


def _explanation(
    engine: Engine, span: Span, findings: tuple[Finding, ...], counterpart: Counterpart | None = None
) -> Explanation:
    rules = [engine.catalogue.rules[finding.rule] for finding in findings]
    if counterpart is not None and counterpart.rule is not None:
        rules.append(counterpart.rule)
    return Explanation(span, findings, counterpart, tuple({rule.name: rule for rule in rules}.values()))


def _comment(engine: Engine, text: str, comment: Comment, findings: tuple[Finding, ...], offset: int) -> Explanation:
    """The explanation of a suppression comment; if the offset is at a rule name in the comment, only of this rule."""
    names = comment.names or ()
    under = [name for name in names if name.start <= offset <= name.end]
    words = tuple(text[name.start : name.end] for name in under or names)
    known = [engine.catalogue.rules.get(word) for word in words] or [engine.catalogue.rules.get(UNUSED)]
    rules = tuple(rule for rule in known if rule is not None)
    return Explanation(under[0] if under else comment.span, findings, None, rules, words)


Segments = list["tuple[int, int] | None"]


def _names(facts: Facts, offset: int) -> Iterator[tuple[str, Segments]]:
    """Yield the dotted names at an offset, each with the spans of its segments. If `tc` is an alias of `torch.cuda`,
    the code `tc.Event` does not contain the segments `torch` and `cuda`; their spans are None."""
    for reference in facts.references:
        if reference.statement.start <= offset <= reference.statement.end and _holds(_segments(reference), offset):
            yield reference.dotted, _segments(reference)
    for binding, statement in facts.imports():
        if statement.start <= offset <= statement.end and binding.alias is not None:
            yield from _imported(statement, binding.alias, binding.statement, offset)


def _holds(segments: Segments, offset: int) -> bool:
    places = [place for place in segments if place is not None]
    return bool(places) and places[0][0] <= offset <= places[-1][1]


def _segments(reference: Name) -> Segments:
    """Return the span of each part of a reference's dotted name; None for a part that the code does not spell because
    of an import alias. If the code spells the whole dotted name as an alias (`sync` for `torch.cuda.synchronize`), the
    last part gets the span of the alias."""
    places = reference.spans()
    if any(places):
        return places
    start, end = reference.chain.piece.span(reference.chain.node)
    return [*places[:-1], (start + reference.statement.start, end + reference.statement.start)]


def _imported(
    statement: Statement, alias: ast.alias, node: ast.stmt | None, offset: int
) -> Iterator[tuple[str, Segments]]:
    """Yield the names at an offset in an import statement: the module, or a name that is imported from it."""
    base = statement.start
    start, end = (base + at for at in statement.digest.piece.span(alias))
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        module = module_span(statement, node)
        if module[0] <= offset <= module[1]:
            yield node.module, _spread(node.module, module[0])
        elif start <= offset <= end and alias.name != "*":
            parent: Segments = [None] * (node.module.count(".") + 1)
            yield f"{node.module}.{alias.name}", [*parent, (start, end)]
    elif isinstance(node, ast.Import) and start <= offset <= end:
        yield alias.name, _spread(alias.name, start)


def _spread(dotted: str, start: int) -> Segments:
    """Return the spans of the segments of a dotted name that is spelled without blanks."""
    places: Segments = []
    for part in dotted.split("."):
        places.append((start, start + len(part)))
        start += len(part) + 1
    return places


def _spelled(segments: Segments, name: str) -> Span:
    """Return the source span of `name`, such as `torch.cuda`. `segments`: the spans of the segments of a dotted name
    that begins with `name`, such as `torch.cuda.synchronize`."""
    places = [place for place in segments[: name.count(".") + 1] if place is not None]
    places = places or [place for place in segments if place is not None][:1]
    return Span(places[0][0], places[-1][1])


def _counterpart(engine: Engine, ruleset: Ruleset, dotted: str) -> Counterpart | None:
    """The target's counterpart of a name; None if neither the rules nor the tables cover the name."""
    verdicts: Verdicts | None = next((c.verdicts for c in ruleset.checks if isinstance(c, NameCheck)), None)
    verdict = verdicts.of(dotted) if verdicts is not None else None
    row = verdict.row if verdict is not None else engine.target.row(dotted)
    if verdict is None and row is None:
        return None
    words = verdict.words(dotted) if verdict is not None else {}
    replacement = words.get("replacement", row.replacement if row is not None else "")
    own = verdict is not None and not verdict.rule.status and replacement != ""
    return Counterpart(
        name=words.get("name", row.name if row is not None else dotted),
        status="" if own else row.status if row is not None else "unlisted",
        replacement=replacement,
        applicability=verdict.applicability if verdict is not None else None,
        rule=verdict.rule if verdict is not None else None,
        present=row is None or row.present,
        since="" if own or row is None else _since(engine, row),
        missing=row.missing if row is not None else (),
        positions=row is not None and row.positions,
        limits=verdict.limits if verdict is not None else row.limits if row is not None else (),
        patched=verdict.covered(ruleset.shim) if verdict is not None else ruleset.shim and row is not None and row.shim,
    )


def _since(engine: Engine, row: Row) -> str:
    """Return the first plugin version whose table has the replacement that `row` names; "" if unknown."""
    if not row.replacement or row.status in ("missing", "noop"):
        return ""
    return (not row.present and row.since) or engine.catalogue.since(engine.target.id, row.name)
