"""What is left in a file: its findings by the class of their best fix, and where the first of them is."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from uncuda.edits import REVIEW, SAFE
from uncuda.engine import Finding
from uncuda.project import Answers

from .positions import Lines


class Left(NamedTuple):
    """Numbers of findings: with a safe fix, with one to review, for a person to deal with.

    `place`: start and end of the first one, as line and column each; None where there is none, or nobody needs it.
    """

    safe: int = 0
    review: int = 0
    manual: int = 0
    place: tuple[int, int, int, int] | None = None

    @property
    def total(self) -> int:
        """All of them."""
        return self.safe + self.review + self.manual

    def plus(self, other: Left) -> Left:
        """Both together; the place is the first one's."""
        return Left(self.safe + other.safe, self.review + other.review, self.manual + other.manual, self.place)


def of_rules(findings: Iterable[Finding], rules: Collection[str] | None) -> list[Finding]:
    """The findings of these rules; None: of all."""
    return [finding for finding in findings if rules is None or finding.rule in rules]


def left_in(findings: Iterable[Finding], rules: Collection[str] | None, lines: Lines | None = None) -> Left:
    """What findings of these rules (None: of all) there are; `lines`: of the text they are in, where places matter."""
    found = of_rules(findings, rules)
    classes = [finding.fixes[0].applicability if finding.fixes else "" for finding in found]
    place = (*lines.point(found[0].span.start), *lines.point(found[0].span.end)) if found and lines else None
    return Left(classes.count(SAFE), classes.count(REVIEW), classes.count(""), place)


def lowered(findings: Iterable[Finding], answers: Answers) -> list[Finding]:
    """The findings whose fixes an answer about their receivers has lowered: a batch leaves them alone."""
    sites = {(site.rule, site.span) for site, verdict in answers.items() if verdict == REVIEW}
    return [finding for finding in findings if (finding.rule, finding.span) in sites] if sites else []
