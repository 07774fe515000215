"""Types of the answers to requests about the overview, as they are sent to clients."""

from __future__ import annotations

from typing import Any, TypedDict

PROTOCOL = 1
"""The version of this protocol; it is increased whenever an older client or server would not understand the messages of
the other."""


class FindingName(TypedDict):
    """Identifies a finding in requests. `version`: a digest of the text that contained the finding."""

    uri: str
    print: str
    version: str


class OverviewAction(TypedDict):
    """An action that the user can choose for a node of the overview. `name`: "fix", "preview", "accept", "suppress" or
    "why".

    `command`: a server command, or "" for the preview of one finding, which the client shows itself.
    """

    name: str
    title: str
    command: str
    arguments: list[Any]


class OverviewNode(TypedDict, total=False):
    """A node of the overview's tree. `id`: the id of the node, which does not change when texts change. `leaf`: whether
    the node has no children. `icon`: a fix class, a severity, or the kind of node.

    `uri` and `range`: the location to open when the user clicks the node. Only nodes of findings have the fields `key`
    and `finding`. `key`: an id of the finding, for a user who reviews findings one by one (`uncuda/review`). `finding`:
    the name of the finding in requests.
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
    """Numbers of findings by fix class, regardless of the filter.

    `left`: the number of findings that are not accepted. `files`: the number of files with findings that are not
    accepted. `total`: the number of findings when the baseline was first written. `done`: `total` minus `left`. `total`
    and `done` are None if no baseline records the number.
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
    """A value by which the overview can be filtered. `dimension` is "class", "severity" or "place"; `count` is the
    number of findings with this value."""

    value: str
    dimension: str
    label: str
    count: int


class OverviewBadge(TypedDict):
    """The number that is shown on the icon of the view."""

    value: int
    tooltip: str


class OverviewAnswer(TypedDict, total=False):
    """The answer to `uncuda/overview`.

    `next`: the index of the first node of the next page, if there is one. `update`: a message that says whether the
    client or the server must be updated, or "". `welcome`: the reason for an empty view, "" if there are nodes.
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

    `node`: the finding to show, None if none is left. `index`: the index of the finding in the queue. `total`: the
    number of findings that are not skipped. `label`: a title for the finding. Without a node, `message` says why
    findings may be missing: the target is undecided, or files were not checked. There is no `message` if all files were
    checked, or if only some files are being checked again. `isWaiting`: whether files are being checked, so that the
    client asks again when the overview has changed.
    """

    version: int
    index: int
    total: int
    label: str
    node: OverviewNode | None
    message: str
    isWaiting: bool


class ChangedFile(TypedDict):
    """A file that fixes would change. `version`: a digest of the file's text; `is_notebook`: whether the file is a
    notebook; for a notebook, a client compares the joined texts of the cells."""

    uri: str
    version: str
    isNotebook: bool


class Changes(TypedDict):
    """The answer to `uncuda/changes`: which files the fixes of some rules would change, so that the user can look at
    the changes first.

    `many`: True if the fixes would change more files than a client can compare with their fixed texts; `files` is then
    empty. `actions`: commands that fix or accept the findings in all files that the fixes would change.
    """

    title: str
    files: list[ChangedFile]
    many: bool
    actions: list[OverviewAction]


class FixedText(TypedDict, total=False):
    """The answer to `uncuda/fixedText`: the text with the finding fixed, or `stale`, a message that says why there is
    no such text."""

    text: str
    title: str
    stale: str
