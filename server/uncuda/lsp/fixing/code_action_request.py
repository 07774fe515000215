"""Parses requests for code actions: the range, the requested kinds, and the diagnostics in the request."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lsprotocol import types

from uncuda.engine import Finding

from . import convert

if TYPE_CHECKING:
    from ..state.analyses import Analysis


class Context(NamedTuple):
    """The context of a request for code actions: the requested kinds (None means all), and the codes of the diagnostics
    that the client sent.

    `automatic`: the editor sends the request without the user, to check whether there are actions.
    """

    only: list[str] | None
    codes: frozenset[str]
    automatic: bool


def context_in(params: Any) -> Context:
    """Return the context in the unparsed parameters of a request; parts of the wrong type count as absent."""
    context = params.get("context")
    context = context if isinstance(context, dict) else {}
    only, shown = context.get("only"), context.get("diagnostics")
    diagnostics = [item for item in shown if isinstance(item, dict)] if isinstance(shown, list) else []
    return Context(
        [kind for kind in only if isinstance(kind, str)] if isinstance(only, list) else None,
        frozenset(str(item.get("code")) for item in diagnostics if item.get("source") == convert.SOURCE),
        context.get("triggerKind") == types.CodeActionTriggerKind.Automatic,
    )


def wanted(kind: str, only: Sequence[str] | None) -> bool:
    """Return whether a client that requests the kinds `only` (None means all) accepts `kind`: `source` includes
    `source.fixAll.uncuda`."""
    return only is None or any(not name or kind == name or kind.startswith(f"{name}.") for name in only)


def touched(analysis: Analysis, span: tuple[int, int], codes: Collection[str]) -> list[Finding]:
    """Return the findings for which code actions at a range are offered. `codes`: the rules of the diagnostics in the
    request; empty if it has no diagnostics.

    Some clients send a range that touches no finding; then the findings on the lines of the range are returned, because
    the cursor is often beside a finding.
    """
    start, end = span
    meant = [finding for finding in analysis.findings if not codes or finding.rule in codes]
    at = [finding for finding in meant if finding.span.start <= end and start <= finding.span.end]
    if at or not codes:
        return at
    text = analysis.text
    start = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    end = min(at for at in (text.find("\n", end), text.find("\r", end), len(text)) if at >= 0)
    return [finding for finding in meant if finding.span.start <= end and start <= finding.span.end]
