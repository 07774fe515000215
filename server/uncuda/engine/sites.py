"""Finds findings that depend on the type of an object, which the text alone does not show: `x` in `x.cuda()` and
`x.to("cuda")`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from ..checks import Hit
from ..edits import REVIEW, Edit, lowest
from ..project import SILENT, UNKNOWN, Answers, Site
from ..source import Span


class Found(Protocol):
    """An object with a rule and a span, such as a finding."""

    @property
    def rule(self) -> str: ...
    @property
    def span(self) -> Span: ...


def sites_of(hits: Iterable[Hit], findings: Iterable[Found]) -> tuple[Site, ...]:
    """Return a site for each finding that depends on the type of an object, in source order. `hits`: the hits from
    which the findings were made."""
    sites = [site for hit in hits if (site := _site(hit)) is not None]
    if not sites:
        return ()
    places = {(finding.rule, finding.span) for finding in findings}
    return tuple(sorted({site for site in sites if (site.rule, site.span) in places}, key=lambda site: site.span))


def _site(hit: Hit) -> Site | None:
    if hit.receiver is None:
        return None
    argument = not hit.start <= hit.receiver < hit.end
    return Site(hit.rule.name, Span(hit.start, hit.end), hit.receiver, argument, hit.lacking)


def answered(hits: Sequence[Hit], answers: Answers) -> tuple[Sequence[Hit], Sequence[Hit]]:
    """Return (remaining hits, removed hits): hits are removed, or their fix classes are lowered, if the type of their
    receiver requires it.

    A hit that shares a key in `Hit.links` with a removed hit loses its fixes.
    """
    if not answers:
        return hits, []
    stay: list[Hit] = []
    silent: list[Hit] = []
    for hit in hits:
        site = _site(hit)
        verdict = answers.get(site, UNKNOWN) if site is not None else UNKNOWN
        if verdict == SILENT:
            silent.append(hit)
        else:
            stay.append(_lowered(hit) if verdict == REVIEW else hit)
    links = {key for hit in silent for key in hit.links}
    return [hit.lowered(None) if links.intersection(hit.links) else hit for hit in stay], silent


def _lowered(hit: Hit) -> Hit:
    """Return the hit; its safe fixes become fixes that need review."""
    return hit.with_fixes(
        tuple([fix._replace(applicability=lowest(fix.applicability, REVIEW) or REVIEW) for fix in hit.fixes])
    )


def moved(answers: Answers, edits: Sequence[Edit]) -> dict[Site, str]:
    """Return the types of receivers for the text after these edits, without those in edited code."""
    ordered = sorted(edits)
    found = {}
    for site, verdict in answers.items():
        start, end, at = (_moved(offset, ordered) for offset in (*site.span, site.at))
        if start is not None and end is not None and at is not None:
            found[site._replace(span=Span(start, end), at=at)] = verdict
    return found


def _moved(offset: int, edits: Iterable[Edit]) -> int | None:
    """Return the offset after these edits; None if the offset is inside an edit."""
    shift = 0
    for edit in edits:
        if edit.end <= offset:
            shift += len(edit.text) - (edit.end - edit.start)
        elif edit.start < offset:
            return None
    return offset + shift
