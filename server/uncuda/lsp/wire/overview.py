"""Types of the answers to requests about the overview, as they are sent to clients."""

from __future__ import annotations

from typing import Any, TypedDict

PROTOCOL = 1
"""Version of this protocol; it changes whenever an older client or server would not understand the other side."""


class FindingName(TypedDict):
    """Identifies a finding in requests. `version`: a digest of the text that contained the finding."""

    uri: str
    print: str
    version: str


class OverviewAction(TypedDict):
    """An action of a node. `name`: "fix", "preview", "accept", "suppress" or "why".

    `command`: a server command, or "" for the preview of one finding, which the client shows itself.
    """

    name: str
    title: str
    command: str
    arguments: list[Any]


class OverviewNode(TypedDict, total=False):
    """A node of the view. `id` does not change; `leaf` means that the node has no children; `icon` is a class, a
    severity, or the kind of node.

    `uri` and `range` are the location to open. Only finding nodes have `key`, the id in a review, and `finding`, the
    name in requests.
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
    """Numbers of findings by class, whatever filter is set.

    `left`: all findings that are not accepted; `files`: number of files with such findings; `total`: number of findings
    when the baseline was first written; `done`: `total` minus `left`; both are None if no baseline records the number.
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
    """A value of the filter. `dimension` is "class", "severity" or "place"; `count` is the number of findings with this
    value."""

    value: str
    dimension: str
    label: str
    count: int


class OverviewBadge(TypedDict):
    """The number on the view's icon."""

    value: int
    tooltip: str


class OverviewAnswer(TypedDict, total=False):
    """The answer to `uncuda/overview`.

    `next` is the start of the next page, if there is one; `update` is a message that says which side must be updated,
    or ""; `welcome` is the reason for an empty view, "" if there are nodes.
    """

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
    """The answer to `uncuda/overviewPath`: the nodes from the first level down to a finding."""

    version: int
    path: list[OverviewNode]


class ReviewAnswer(TypedDict, total=False):
    """The answer to `uncuda/review`.

    `node`: the finding to show, None if none is left; `index`: its index in the queue; `total`: number of findings that
    are not skipped; `label`: a title for the finding.
    """

    version: int
    index: int
    total: int
    label: str
    node: OverviewNode | None


class ChangedFile(TypedDict):
    """A file that fixes would change. `version`: a digest of its text; `is_notebook`: a client compares the cells'
    texts."""

    uri: str
    version: str
    isNotebook: bool


class Changes(TypedDict):
    """The answer to `uncuda/changes`: what the fixes of rules would change, to be shown before they are made.

    `many`: too many files to be shown side by side, so `files` is empty; `actions`: fix or accept all of them.
    """

    title: str
    files: list[ChangedFile]
    many: bool
    actions: list[OverviewAction]


class FixedText(TypedDict, total=False):
    """The answer to `uncuda/fixedText`: the text with the finding fixed, or `stale`, a message that says why there is
    none."""

    text: str
    title: str
    stale: str
