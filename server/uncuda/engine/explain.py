"""What stands at a place of a text, and what it is on the target: the help of a hover. Pure, as the engine is."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..catalogue import Row, Rule
from ..checks.name import Check as NameCheck
from ..checks.verdicts import Verdicts
from ..facts.model import Facts, Name, Statement
from ..source import Source, Span
from ..suppress import RULE as UNUSED
from ..suppress import Comment, parse
from . import Engine, Finding
from .ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Counterpart:
    """What the target has in the place of a name.

    `status`: a word of its tables, "unlisted" where they do not have the name. `present`: in the configured version;
    `since`: the first version that has it. `missing`: parameters that the counterpart lacks. `limits`: ids of texts.
    `applicability`: of the fix at its best, None by hand. `patched`: the runtime patch in force maps the name.
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
    """What is at a place: findings, a name that the target has or lacks, or a comment that silences rules.

    `rules`: those whose pages say more, in the order of what was found. `silenced`: the names in a comment as they are
    written, None where there is no comment.
    """

    span: Span
    findings: tuple[Finding, ...] = ()
    counterpart: Counterpart | None = None
    rules: tuple[Rule, ...] = ()
    silenced: tuple[str, ...] | None = None


def explain(engine: Engine, source: Source, findings: Iterable[Finding], offset: int) -> Explanation | None:
    """What is at an offset of a text with these findings; None where there is nothing to say."""
    text = source.text
    here = tuple(finding for finding in findings if finding.span.start <= offset <= finding.span.end)
    here = tuple(sorted(here, key=lambda finding: finding.span.end - finding.span.start))
    if not here and not _may_say(engine, text, offset):
        return None
    facts, ruleset = engine.read(text, every=True)
    comments = parse(text, facts.layout).comments
    for comment in comments:
        if comment.span.start <= offset < comment.span.end:
            return _comment(engine, text, comment, here, offset)
    found = next(_names(facts, ruleset, offset), None)
    if found is None and not here:
        return None
    counterpart = _counterpart(engine, ruleset, found[0]) if found else None
    if found is None or counterpart is None:
        return _explanation(engine, here[0].span, here) if here else None
    return _explanation(engine, _spelled(found[1], counterpart.name), here, counterpart)
