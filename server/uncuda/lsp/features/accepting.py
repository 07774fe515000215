"""The commands that accept findings into a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from uncuda.settings import hint
from uncuda.workspace import CLASSES

from ..fixing.arguments import read_object, read_text, read_wanted
from ..session import offset_in
from ..wire.names import ACCEPT, ACCEPT_IN_WORKSPACE

if TYPE_CHECKING:
    from ..session import Session

_KEYS = ("uri", "rule", "range", "reason")
_MANY = ("rules", "scope", "reason", "classes")


def register(session: Session) -> None:
    """Register the commands that accept findings, and follow changes of baseline files."""

    def look() -> None:
        changed = session.analyses.baselines.look()
        if changed:
            session.stale(None)
            session.inspection.accepted_otherwise(changed)

    def match(paths: Sequence[str]) -> None:
        """Match the findings of open documents with their baselines again after these baseline files changed."""
        if session.analyses.baselines.tell_of(paths) and (changed := session.analyses.match_anew()):
            session.stale(changed)

    session.baselines_touched.append(look)
    session.touched.append(match)
    session.saved.append(lambda program: match([program.path]))

    @session.command(ACCEPT)
    def accept(*arguments: Any) -> dict[str, Any]:
        return _accept(session, read_object(list(arguments), _KEYS))

    @session.command(ACCEPT_IN_WORKSPACE)
    async def accept_in_workspace(*arguments: Any) -> dict[str, Any]:
        return await _accept_in_workspace(session, read_object(list(arguments), _MANY))


def _accept(session: Session, table: dict[str, Any]) -> dict[str, Any]:
    """Accept findings in the open document `uri`, of one `rule` or at one `range` only, for a `reason`."""
    from ..fixing.accept import Asked, accept

    uri, rule = read_text(table, "uri"), read_text(table, "rule")
    rules = session.folders.catalogue.rules
    if rule and rule not in rules:
        raise JsonRpcInvalidParams(f"unknown rule `{rule}`{hint(rule, rules)}")
    program = session.program(uri)
    if program is None:
        raise JsonRpcInvalidParams(f"`uri` is that of an open document, not {uri or 'empty'}")
    span = None
    if "range" in table:
        params = {"textDocument": {"uri": uri}, "range": table["range"]}
        start, end = (offset_in(program, params, "range", side) for side in ("start", "end"))
        span = (-1, -1) if start is None or end is None else (start, end)
    return accept(session, Asked(program, rule, span, _reason(table)))


async def _accept_in_workspace(session: Session, table: dict[str, Any]) -> dict[str, Any]:
    """Accept findings in the workspace, or in the file or folder `scope`, for a `reason`: the findings of the `rules`
    (default: of all rules) whose fix class is one of `classes`."""
    from ..fixing.accept import accept_everywhere
    from ..fixing.jobs import scope_of

    reason = _reason(table)
    table.pop("reason", None)
    classes = table.pop("classes", list(CLASSES))
    if not isinstance(classes, list) or not all(kind in CLASSES for kind in classes):
        raise JsonRpcInvalidParams(f"`classes` is a list of {', '.join(CLASSES)}")
    wanted = read_wanted(table, session.folders.catalogue.rules)
    scope_of(session, wanted.scope)
    return await accept_everywhere(session, wanted, reason, classes)


def _reason(table: dict[str, Any]) -> str | None:
    """Return the `reason` of a command; None if the user was not asked for one."""
    return read_text(table, "reason") if "reason" in table else None
