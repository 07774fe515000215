"""Parses the parameters of requests about the overview: folder, grouping, filter and parent node."""

from __future__ import annotations

from dataclasses import dataclass
from reprlib import repr as shown
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from uncuda.settings import hint
from uncuda.workspace.overview import GROUPS, KINDS, PLACES, SEVERITIES, Filter, Group

from ..state.outline import Outline, OverviewTexts, View
from .arguments import read_text

if TYPE_CHECKING:
    from ..session import Session

_VALUES = (*KINDS, *SEVERITIES, *PLACES)


@dataclass(frozen=True)
class OverviewQuery:
    """The parameters of a request about the overview. `root`: the URI of a workspace folder, "" for all folders.
    `filter`: values for `Filter.of`. `parent`: the id of the node whose children are requested."""

    root: str
    group: Group
    filter: tuple[str, ...]
    parent: str


def asked_of(session: Session, params: Any) -> OverviewQuery:
    """Parse the parameters of a request; raises JsonRpcInvalidParams if they are invalid."""
    if not isinstance(params, dict):
        raise JsonRpcInvalidParams("the parameters are an object")
    params = {key: value for key, value in params.items() if value is not None}
    root, group = read_text(params, "root"), read_text(params, "group") or GROUPS[0]
    known = next((each for each in GROUPS if each == group), None)
    if known is None:
        raise JsonRpcInvalidParams(f"unknown group `{group}`{hint(group, GROUPS)}")
    if root and root not in session.overviews.roots:
        raise JsonRpcInvalidParams(f"`root` is not a folder of the workspace: {root}")
    return OverviewQuery(root, known, _filter(params.get("filter", [])), read_text(params, "parent"))


def _filter(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise JsonRpcInvalidParams(f"`filter` is a list of texts, not {shown(values)}")
    for value in values:
        if value not in _VALUES:
            raise JsonRpcInvalidParams(f"unknown value `{value}` of `filter`{hint(value, _VALUES)}")
    return tuple(values)


def outlines_of(session: Session, query: OverviewQuery) -> list[Outline]:
    """Return the current overview trees of the requested folders."""
    overviews, texts = session.overviews, OverviewTexts(session.folders.language())
    overviews.refresh()
    roots = [query.root] if query.root else overviews.roots
    several = not query.root and len(roots) > 1
    filter_ = Filter.of(query.filter)
    client, catalogue = session.client, session.folders.catalogue
    views = (View(root, query.group, filter_, several) for root in roots)
    return [Outline(overviews.of(view.root), view, client, catalogue, texts) for view in views]


def undecided_of(session: Session) -> str:
    """Return the message that the target must be chosen, if the project imports plugins of several targets; else ""."""
    folders = session.folders
    for folder in folders.all:
        among = folders.choice_at(folder).chosen.among
        if among:
            texts = OverviewTexts(folders.language())
            return texts("undecided", folders.titles_of(among, texts.locale))
    return ""


def unchecked_of(session: Session) -> str:
    """Return why the overview may lack findings of closed files; "" if all files were checked."""
    state = session.inspection.state
    if state == "complete":
        return ""
    return OverviewTexts(session.folders.language())(
        state if state in ("reading", "checking", "restricted") else "open only"
    )
