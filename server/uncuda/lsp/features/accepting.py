"""The command that accepts findings: `uncuda.accept`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from uncuda.settings import hint

from ..fixing.arguments import read_object, read_text
from ..session import offset_in
from ..wire.names import ACCEPT

if TYPE_CHECKING:
    from ..session import Session

_KEYS = ("uri", "rule", "range", "reason")


def register(session: Session) -> None:
    """Accept findings of an open document, and take in what becomes of baselines elsewhere."""

    def look() -> None:
        changed = session.analyses.baselines.look()
        if changed:
            session.stale(None)
            session.inspection.accepted_otherwise(changed)

    session.baselines_touched.append(look)

    @session.command(ACCEPT)
    def accept(*arguments: Any) -> dict[str, Any]:
        return _accept(session, read_object(list(arguments), _KEYS))


def _accept(session: Session, table: dict[str, Any]) -> dict[str, Any]:
    """Accept what is found in an open document (`uri`), by one rule or at one `range` only, for a `reason`."""
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
    reason = read_text(table, "reason") if "reason" in table else None
    return accept(session, Asked(program, rule, span, reason))
