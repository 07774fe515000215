"""What the requests about the overview answer: the protocol that clients draw, field by field."""

from __future__ import annotations

from typing import Any, TypedDict

PROTOCOL = 1
"""Another number whenever a client or server of before would not understand the other."""


class FindingName(TypedDict):
    """What a finding is asked for by: `version` names the text that it was found in."""

    uri: str
    print: str
    version: str


class OverviewAction(TypedDict):
    """What can be done with a node. `name`: "fix", "preview", "accept" or "why"; `command`: one of the server's, "" for
    the preview of one finding, which the client shows itself."""

    name: str
    title: str
    command: str
    arguments: list[Any]


class OverviewNode(TypedDict, total=False):
    """A node of the view. `id`: stable; `leaf`: it has none below it; `icon`: a class, severity, or the kind of node.

    `uri`, `range`: what it opens; `key`, `finding`: of a finding, by which the review goes on from it and the server is
    asked about it.
    """

    id: str
    kind: str
    label: str
    description: str
    tooltip: str
    count: int
    leaf: bool
    icon: str
    actions: list[OverviewAction]
    uri: str
    range: dict[str, Any]
    key: str
    finding: FindingName


class OverviewCounts(TypedDict):
    """Numbers of findings by class, whatever the filter; `left`: those that are not accepted, `files`: in how many.

    `total`, `done`: of how many when the baseline was written, and how many of them are left no more; None without.
    """

    safe: int
    review: int
    manual: int
    accepted: int
    left: int
    files: int
    total: int | None
    done: int | None


class OverviewChoice(TypedDict):
    """A value of the filter. `dimension`: "class", "severity" or "place"; `count`: of all findings."""

    value: str
    dimension: str
    label: str
    count: int


class OverviewBadge(TypedDict):
    """The number on the view's icon."""

    value: int
    tooltip: str


class OverviewAnswer(TypedDict, total=False):
    """What `uncuda/overview` answers. `next`: where the next page begins, if there is one; `update`: what the user has
    to update before anything can be shown; `welcome`: why there is no node ("" where there are some)."""

    version: int
    update: str
    state: str
    message: str
    welcome: str
    badge: OverviewBadge
    counts: OverviewCounts
    choices: list[OverviewChoice]
    nodes: list[OverviewNode]
    next: str


class OverviewPath(TypedDict, total=False):
    """What `uncuda/overviewPath` answers: the nodes from the first level down."""

    version: int
    path: list[OverviewNode]


class ReviewAnswer(TypedDict, total=False):
    """What `uncuda/review` answers: a finding of the queue (None where that is empty), its place, its title."""

    version: int
    index: int
    total: int
    label: str
    node: OverviewNode | None


class FixedText(TypedDict, total=False):
    """What `uncuda/fixedText` answers: the text with the finding fixed, or `stale`: why there is none."""

    text: str
    title: str
    stale: str
