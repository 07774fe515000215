"""`uncuda/overview` and `uncuda/overviewPath`: all findings of the workspace as nodes for a client to show."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

import uncuda
from uncuda.workspace.overview import KINDS, PLACES, SEVERITIES

from ..fixing.asked import asked_of, outlines_of, unchecked_of, undecided_of
from ..state.outline import Outline, OverviewTexts, counted
from ..wire.names import OVERVIEW, OVERVIEW_CHANGED, OVERVIEW_PATH
from ..wire.overview import (
    PROTOCOL,
    OverviewAnswer,
    OverviewBadge,
    OverviewChoice,
    OverviewCounts,
    OverviewNode,
    OverviewPath,
)
from ..wire.protocol import field

if TYPE_CHECKING:
    from ..session import Session

PAGE = 500
"""The largest number of nodes in one answer to `uncuda/overview`."""
WELCOMES = ("hidden", "undecided", "reading", "clean", "restricted", "scan")
"""Reasons why the overview has no nodes; the client has a text for each."""
_DIMENSIONS = (("class", KINDS), ("severity", SEVERITIES), ("place", PLACES))


def register(session: Session) -> None:
    """Register the requests for the overview, and notify a client that shows the overview when it changes."""

    def begin() -> None:
        if session.client.overview == PROTOCOL:
            session.overviews.changed.append(_told(session))
            session.overviews.watch()

    session.begun.append(begin)

    @session.raw(OVERVIEW)
    def overview(params: Any) -> OverviewAnswer:
        if update := _update(session):
            return OverviewAnswer(version=0, update=update, nodes=[])
        session.inspection.pull()
        return _answer(session, params)

    @session.raw(OVERVIEW_PATH)
    def path(params: Any) -> OverviewPath:
        asked = asked_of(session, params)
        uri, line = field(params, "uri"), field(params, "position", "line", kind=int)
        for outline in outlines_of(session, asked):
            if found := outline.path(session.overviews.key(uri), line):
                top = [_root(session, outline)] if outline.prefix else []
                return OverviewPath(version=outline.version, path=[*top, *found])
        return OverviewPath(version=0, path=[])


def _told(session: Session) -> Any:
    return lambda root, version: session.protocol.notify(OVERVIEW_CHANGED, {"root": root, "version": version})


def _update(session: Session) -> str:
    """Return the message that the user must update the client, or the server, if their protocol versions differ;
    otherwise ""."""
    known = session.client.overview
    texts = OverviewTexts(session.folders.language())
    if known is None or known == PROTOCOL:
        return ""
    return texts("update server" if known > PROTOCOL else "update client", uncuda.__version__)


def _answer(session: Session, params: Any) -> OverviewAnswer:
    asked = asked_of(session, params)
    outlines = outlines_of(session, asked)
    start = _start(params)
    parent = asked.parent
    nodes: list[OverviewNode] = []
    size = 0
    if not parent and outlines and outlines[0].prefix:
        nodes = [_root(session, outline) for outline in outlines]
        nodes, size = [node for node in nodes if node["count"]][start : start + PAGE], len(nodes)
    elif owner := next((outline for outline in outlines if outline.owns(parent)), None):
        nodes, size = owner.below(parent, start, start + PAGE)
    answer = OverviewAnswer(version=max((outline.version for outline in outlines), default=0), update="", nodes=nodes)
    if start + PAGE < size:
        answer["next"] = str(start + PAGE)
    if not parent and not start:
        _describe(session, answer, asked.filter, outlines)
    return answer


def _start(params: Any) -> int:
    after = params.get("after")
    if after is None:
        return 0
    if not isinstance(after, str) or not after.isdecimal() or len(after) > 9:
        raise JsonRpcInvalidParams("`after` is the `next` of the page before")
    return int(after)


def _root(session: Session, outline: Outline) -> OverviewNode:
    folder = next(folder for folder in session.folders.all if folder.uri == outline.root)
    choice = session.folders.choice_at(folder)
    node = outline.root_node(folder.name)
    title = session.folders.title_of(choice.aim, outline.texts.locale)
    node["tooltip"] = title
    node["description"] = f"{title} · {node['description']}"
    return node


def _describe(session: Session, answer: OverviewAnswer, shown: Iterable[str], outlines: list[Outline]) -> None:
    """Add to an answer the message above the view, the badge, the counts and the filter's choices."""
    texts = OverviewTexts(session.folders.language())
    overviews = [session.overviews.of(outline.root) for outline in outlines]
    counts = _counts(session, outlines)
    known = counted(overviews)
    state = session.inspection.state
    answer["state"], answer["counts"] = state, counts
    answer["choices"] = [
        OverviewChoice(value=value, dimension=dimension, label=texts(f"{dimension} {value}"), count=known[value])
        for dimension, values in _DIMENSIONS
        for value in values
    ]
    parts = [
        texts("left", counts["left"]) if counts["total"] is None else texts("done", counts["done"], counts["total"])
    ]
    parts += [texts("accepted", counts["accepted"])] if counts["accepted"] else []
    labels = [choice["label"] for choice in answer["choices"] if choice["value"] in shown]
    parts += [texts("shown", texts.join(labels))] if labels else []
    answer["welcome"] = "" if answer["nodes"] else _welcome(session, bool(counts["left"] or counts["accepted"]))
    if undecided := undecided_of(session):
        parts = [undecided]
    elif unchecked := unchecked_of(session):
        parts.append(unchecked)
    if answer["welcome"] == "hidden":
        parts.append(texts("none shown"))
    elif answer["welcome"] == "clean":
        parts = [texts("clean"), *parts[1:]]
    answer["message"] = " · ".join(parts)
    answer["badge"] = OverviewBadge(
        value=counts["left"], tooltip=texts("badge", texts.count(counts["left"], "finding"))
    )


def _welcome(session: Session, found: bool) -> str:
    """Return the reason why the overview is empty, one of WELCOMES. `found`: whether there are findings that the filter
    hides."""
    state = session.inspection.state
    if found:
        return "hidden"
    if undecided_of(session):
        return "undecided"
    if state in ("reading", "checking"):
        return "reading"
    return {"complete": "clean", "restricted": "restricted"}.get(state, "scan")


def _counts(session: Session, outlines: list[Outline]) -> OverviewCounts:
    overviews = [session.overviews.of(outline.root) for outline in outlines]
    tallies = [overview.counts.total for overview in overviews]
    left = sum(tally.count for tally in tallies)
    total = session.overviews.written(outline.root for outline in outlines)
    return OverviewCounts(
        safe=sum(tally.safe for tally in tallies),
        review=sum(tally.review for tally in tallies),
        manual=sum(tally.manual for tally in tallies),
        accepted=sum(overview.accepted.count for overview in overviews),
        left=left,
        files=sum(tally.files for tally in tallies),
        total=total,
        done=None if total is None else max(0, total - left),
    )
