"""The nodes of the overview that are sent to a client: labels, numbers and actions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from uncuda.edits import REVIEW, SAFE
from uncuda.messages.overview import OVERVIEW
from uncuda.printable import printable
from uncuda.workspace.overview import ACCEPTED, EVERYTHING, Branch, Filter, Group, Overview, Place

from ..wire.markup import label, sentence
from ..wire.names import (
    ACCEPT_FINDING,
    ACCEPT_IN_WORKSPACE,
    FIX_ALL_IN_WORKSPACE,
    FIX_FINDING,
    PREVIEW,
    SHOW_RULE,
    SUPPRESS_FINDING,
)
from ..wire.overview import FindingName, OverviewAction, OverviewNode
from ..wire.texts import Texts
from ..wire.uris import uri_of

if TYPE_CHECKING:
    from uncuda.catalogue import Catalogue

    from ..wire.client import Client

_FAR = 1 << 30  # the end of a range of nodes without a limit


class OverviewTexts(Texts):
    """The sentences of the overview in one language."""

    room = OVERVIEW


class View(NamedTuple):
    """The options with which a client shows the findings of one workspace folder. `root`: the URI of the folder, "" for
    files outside of all folders; `several`: True if the client shows other folders, too."""

    root: str
    group: Group
    shown: Filter
    several: bool = False


class Outline:
    """The nodes of one folder for one client."""

    def __init__(
        self, overview: Overview, view: View, client: Client, catalogue: Catalogue, texts: OverviewTexts
    ) -> None:
        self.root, self.texts, self.version = view.root, texts, overview.version
        self._overview, self._group, self._several = overview, view.group, view.several
        self._client, self._catalogue = client, catalogue
        self.tree = overview.tree(view.group, view.shown)
        self.prefix = f"{view.root}//" if view.several else ""

    def root_node(self, name: str) -> OverviewNode:
        """Return the node of the folder itself, which is shown if there are several folders."""
        left = [place for place in self.tree.places if not place.finding.accepted]
        node = self._node("root", printable(name), len(left), len({place.file.uri for place in left}))
        node["id"], node["uri"], node["tooltip"], node["actions"] = self.prefix, self.root, "", []
        return node

    def owns(self, identifier: str) -> bool:
        """Return True if a node with this id belongs to this folder."""
        return identifier.startswith(self.prefix)

    def below(self, identifier: str, start: int = 0, end: int = _FAR) -> tuple[list[OverviewNode], int]:
        """Return the children of a node from `start` to `end`, and the number of all its children. If the identifier is
        "", the nodes of the first level are returned."""
        own = identifier.removeprefix(self.prefix)
        branch = self.tree.branch(own) if own else None
        if own and branch is None:
            return [], 0
        if branch is not None and branch.kind == "file":
            places = branch.places
            return [self.finding(place, branch) for place in places[start:end]], len(places)
        every = branch.below if branch is not None else self.tree.top
        return [self._branch(one) for one in every[start:end]], len(every)

    def path(self, uri: str, line: int) -> list[OverviewNode]:
        """Return the nodes from the first level down to the finding of a file that is nearest to a line."""
        every = [(place, branch) for branch in self.tree.files_at(uri) for place in branch.places]
        if not every:
            return []
        place, branch = min(every, key=lambda each: (abs(each[0].finding.extent.line - line), each[0].finding.extent))
        return [*map(self._branch, branch.path), self.finding(place, branch)]

    def key(self, place: Place) -> str:
        """Return an id of a finding that does not depend on grouping and filter."""
        return f"{self.root}//{place.file.path}#{place.finding.print}"

    def finding(self, place: Place, above: Branch | None = None) -> OverviewNode:
        """Return the node of a finding. `above`: the node of the finding's file; None in the answer to `uncuda/review`,
        which shows findings one by one."""
        file, one = place
        line, column, end_line, end_column = one.extent
        name = FindingName(uri=file.uri, print=one.print, version=file.version)
        key = self.key(place)
        where = self.texts("line", line + 1)
        return OverviewNode(
            id=f"{self.prefix}{above.id}#{one.print}" if above else key,
            kind="finding",
            label=sentence(one.message),
            description=where if above else f"{printable(file.path)}:{line + 1}",
            tooltip=f"{one.row.rule} · {printable(file.path)}:{line + 1}",
            count=1,
            leaf=True,
            icon=one.row.severity,
            actions=list(self._finding_actions(one.row.rule, one.kind, name)),
            uri=one.document or file.uri,
            range={
                "start": {"line": line, "character": column},
                "end": {"line": end_line, "character": end_column},
            },
            key=key,
            finding=name,
        )

    def _branch(self, branch: Branch) -> OverviewNode:
        texts, count = self.texts, len(branch.places)
        name, tooltip = printable(branch.name), ""
        if branch.kind == "class":
            name, tooltip = texts(f"class {branch.name}"), texts(f"tooltip {branch.name}")
        elif branch.kind == "rule":
            rule = self._catalogue.rules.get(branch.name)
            tooltip = printable(rule.title_in(texts.locale)) if rule else ""
        elif branch.kind == "folder":
            name = texts("root folder") if branch.name == "." else name
            name = texts("folder tests", name) if branch.tests else name
        else:
            name, tooltip = printable(PurePosixPath(branch.name).name), name
        node = self._node(branch.kind, name, count, branch.files)
        node["id"], node["tooltip"] = f"{self.prefix}{branch.id}", tooltip
        node["actions"] = list(self._actions(branch))
        if branch.kind == "class":
            node["icon"] = branch.name
        if branch.kind == "file":
            folder = printable(str(PurePosixPath(branch.name).parent))
            node["description"] = f"{count:,}" if folder == "." else f"{folder} · {count:,}"
            node["uri"] = branch.places[0].file.uri
        return node

    def _node(self, kind: str, name: str, count: int, files: int) -> OverviewNode:
        """Return a node with the fields that all nodes with children have."""
        described = self.texts("row", count, self.texts.count(files, "file"))
        return OverviewNode(kind=kind, label=name, description=described, count=count, leaf=False, icon=kind)

    def _finding_actions(self, rule: str, kind: str, name: FindingName) -> Iterator[OverviewAction]:
        texts, may = self.texts, not self._client.restricted
        if may and self._client.apply_edit and kind in (SAFE, REVIEW):
            yield action("fix", texts("fix"), FIX_FINDING, dict(name))
        if kind in (SAFE, REVIEW):
            yield action("preview", texts("show fix"), "", dict(name))
        if may and kind != ACCEPTED:
            yield action("accept", texts("accept"), ACCEPT_FINDING, dict(name))
            if self._client.apply_edit:
                yield action("suppress", texts("suppress"), SUPPRESS_FINDING, dict(name))
        yield self._why(rule, name["uri"])

    def _actions(self, branch: Branch) -> Iterator[OverviewAction]:
        """Yield the actions for all findings of a node, if their commands would affect exactly these findings."""
        texts, kind, count = self.texts, branch.path[0].name, len(branch.places)
        if not self._client.restricted and kind != ACCEPTED and self._is_whole(branch):
            wanted = self._wanted(branch)
            if kind == SAFE and self._client.apply_edit:
                yield action("fix", texts("fix group", count), FIX_ALL_IN_WORKSPACE, wanted)
            if kind in (SAFE, REVIEW) and (self._client.annotations or "changes" in self._client.shows):
                yield action("preview", texts("show fixes"), PREVIEW, {**wanted, "applicability": kind})
            if branch.kind != "class":
                yield action("accept", texts("accept group", count), ACCEPT_IN_WORKSPACE, {**wanted, "classes": [kind]})
        if len(rules := branch.rules) == 1 and branch.kind != "class":
            yield self._why(rules[0], branch.places[0].file.uri)

    def _why(self, rule: str, uri: str) -> OverviewAction:
        return action("why", label(self.texts("why", rule)), SHOW_RULE, {"rule": rule, "uri": uri})

    def _wanted(self, branch: Branch) -> dict[str, Any]:
        """Return the command arguments that select exactly the findings of a node."""
        wanted: dict[str, Any] = {}
        if any(above.kind == "rule" for above in branch.path):
            wanted["rules"] = branch.rules
        if branch.kind == "file":
            wanted["scope"] = branch.places[0].file.uri
        elif branch.kind == "folder" and branch.name != ".":
            folder = Path(branch.places[0].file.file)
            depth = len(PurePosixPath(branch.places[0].file.path).parts) - len(PurePosixPath(branch.name).parts)
            wanted["scope"] = uri_of(str(folder.parents[depth - 1]))
        elif self._several and self.root:
            wanted["scope"] = self.root
        return wanted

    def _is_whole(self, branch: Branch) -> bool:
        """Return True if a node contains every finding that a command with the arguments of `_wanted` would affect.

        The result is False if the filter hides findings that the commands of the node would affect, or if subfolders or
        test files of a folder are in separate nodes.
        """
        if not self.root:
            return branch.kind == "file"
        if branch.kind == "folder":
            kind, below = branch.path[0].name, "" if branch.name == "." else f"{branch.name}/"
            every = sum(
                place.finding.kind == kind and place.file.path.startswith(below)
                for place in self._overview.tree(self._group, EVERYTHING).places
            )
            return every == len(branch.places)
        whole = self._overview.tree("rule" if branch.kind == "rule" else self._group, EVERYTHING)
        if branch.kind == "file" and self._group == "folder":
            every = sum(
                len(one.places)
                for one in whole.files_at(branch.places[0].file.uri)
                if one.path[0].name == branch.path[0].name
            )
            return every == len(branch.places)
        known = whole.branch(branch.id)
        return known is not None and len(known.places) == len(branch.places)


def counted(overviews: Iterable[Overview]) -> Counter[str]:
    """Return the number of findings for each value of the filter, regardless of the filter that is set."""
    found: Counter[str] = Counter()
    for overview in overviews:
        for file in overview.files:
            for rows, accepted in ((file.left.rows, False), (file.accepted.rows, True)):
                for row, number in rows.items():
                    found[ACCEPTED if accepted else row.kind] += number
                    found[row.severity] += number
                    found[file.place] += number
    return found


def queue(outlines: Sequence[Outline], shown: Filter, rule: str) -> list[tuple[Outline, Place]]:
    """Return the findings of a review, without accepted ones; findings with a safe fix are included only if the filter
    contains "safe".

    Findings with a fix come first, because a fix does not change a statement with an accepted finding: after accepting
    a finding without a fix, a user could no longer fix another finding in the same statement.
    """
    safe = SAFE in shown.kinds
    found = [
        (outline, place)
        for outline in outlines
        for place in outline.tree.places
        if not place.finding.accepted and (safe or place.finding.kind != SAFE)
        if not rule or place.finding.row.rule == rule
    ]
    return sorted(found, key=lambda each: each[1].finding.kind not in (SAFE, REVIEW))


def action(name: str, title: str, command: str, argument: dict[str, Any]) -> OverviewAction:
    """Return an OverviewAction for a node, which calls a command with one argument."""
    return OverviewAction(name=name, title=title, command=command, arguments=[argument])
